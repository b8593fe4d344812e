/* SPDX-License-Identifier: MIT */
/* SRAD: what its stages share. */
#ifndef PENSTOCK_ACTORS_SRAD_H
#define PENSTOCK_ACTORS_SRAD_H

#include "config.h"

#include "actors/common/scratch.h"
#include "penstock/pipeline.h"
#include "penstock/vision.h"
#ifdef HAVE_OPENCL
#include "actors/common/launch.h"
#endif

enum { PS_SRAD_LEVELS = 256, PS_SRAD_BANDS = 64, PS_SRAD_PORTS = 3, PS_SRAD_KERNELS = 3 };

/* What reduce gives, behind the head of its token. */
struct ps_srad_stats {
	float mean, variance, q0, reserved;
};

/* A picture of a firing, on the cores. */
struct ps_srad_picture {
	struct pstk_firing *firing;
	struct pstk_actor *self;
	struct pstk_frame_size size;
	const void *in[PS_SRAD_PORTS - 1]; /* behind their heads */
	void *out;
};

/* What a stage is, besides its type. Constant. */
struct ps_srad_stage {
	unsigned inputs;                           /* its output's port is behind them */
	size_t bytes[PS_SRAD_PORTS];               /* for each pixel, by port; 0: statistics */
	void (*picture)(struct ps_srad_picture *); /* computes one; its size is not 0 */
	const char *kernels[PS_SRAD_KERNELS + 1];  /* on a device; NULL behind the last one */
};

struct ps_srad_state {
#ifdef HAVE_OPENCL
	struct ps_launches on_devices; /* constant after the start */
#endif
	const struct ps_srad_stage *stage; /* constant after init(), and so is the table */
	float table[PS_SRAD_LEVELS];       /* of extract */
	struct ps_scratch scratch;         /* of the loop, see loop.c */
};

extern const struct ps_srad_stage ps_srad_extract, ps_srad_prepare, ps_srad_reduce, ps_srad_1, ps_srad_2,
	ps_srad_compress, ps_srad_loop;

/* The largest picture, with which the arg of each begins. */
static inline const struct pstk_frame_size *ps_srad_largest(const struct pstk_actor *self)
{
	return pstk_actor_arg(self);
}

/* Pixels of the largest picture. */
static inline size_t ps_srad_pixels(const struct pstk_actor *self)
{
	return (size_t)ps_srad_largest(self)->width * ps_srad_largest(self)->height;
}

/* Bytes of a token of a port. */
size_t ps_srad_token(const struct pstk_actor *, unsigned port);

/* As token_bytes() of a type. */
size_t ps_srad_token_bytes(const struct pstk_actor *, unsigned port, const void *came_in);

/* ACTOR, in init(). */
int ps_srad_init(struct pstk_actor *, const struct ps_srad_stage *);
int ps_srad_check_lambda(struct pstk_actor *, float lambda);
int ps_srad_finish(struct pstk_actor *);
int ps_srad_fire(struct pstk_firing *);

/* Rows behind one another of a picture that have one band; band 0 .. PS_SRAD_BANDS begins with this row. */
static inline size_t ps_srad_band(size_t band, size_t height)
{
	return band * height / PS_SRAD_BANDS;
}

#ifdef HAVE_OPENCL
int ps_srad_open_place(struct pstk_actor *, unsigned place);
int ps_srad_fire_cl(struct pstk_firing *);

/* The loop's. */
int ps_srad_loop_open(struct pstk_actor *, struct ps_launch *);
int ps_srad_loop_enqueue(
	struct pstk_firing *, const struct ps_launch *, cl_mem in, cl_mem out, size_t tokens);

/* Work sizes of a picture on a device: `rows` of them at most, shared out; tokens. */
struct ps_srad_grid {
	size_t global[PS_LAUNCH_DIMS], local[PS_LAUNCH_DIMS];
};
struct ps_srad_grid ps_srad_grid(
	const struct pstk_actor *, const struct ps_launch *, size_t rows, size_t tokens);
enum {
	PS_SRAD_GROUP,
	PS_SRAD_ROWS
}; /* sizes of a struct ps_launch: work-items in a group; rows shared out */

/* Sets an argument; after a failure none is set any more. */
void ps_srad_set(struct pstk_actor *, int *err, const struct ps_launch *, unsigned kernel, unsigned index,
	size_t size, const void *value);
#endif

/* The members of a type that all of them have. */
#ifdef HAVE_OPENCL
#define PS_SRAD_DEVICE .open_place = ps_srad_open_place, .fire_cl = ps_srad_fire_cl,
#else
#define PS_SRAD_DEVICE
#endif
#define PS_SRAD_TYPE(type_name, its_ports, its_params, its_arg, its_init)                         \
	.struct_size = sizeof(struct pstk_actor_type), .name = (type_name), .ports = (its_ports), \
	.port_count = sizeof(its_ports) / sizeof *(its_ports), .params = (its_params),            \
	.param_count = sizeof(its_params) / sizeof *(its_params), .arg_size = sizeof(its_arg),    \
	.state_size = sizeof(struct ps_srad_state), .stateless = true, .init = (its_init),        \
	.fire = ps_srad_fire, .finish = ps_srad_finish, .token_bytes = ps_srad_token_bytes, PS_SRAD_DEVICE
#define PS_SRAD_SIDE(side, text)                                                   \
	{                                                                          \
		.name = #side, .type = "u32", .range = "1..65536", .help = (text), \
		.offset = offsetof(struct pstk_frame_size, side)                   \
	}
#define PS_SRAD_SIDES PS_SRAD_SIDE(width, "pixels of a row, the most"), PS_SRAD_SIDE(height, "rows, the most")
#define PS_SRAD_LAMBDA(its_arg)                                                                        \
	{                                                                                              \
		.name = "lambda", .type = "f32", .default_value = "0.5",                               \
		.help = "what a step changes: above 0, at most 1", .offset = offsetof(its_arg, lambda) \
	}

#endif
