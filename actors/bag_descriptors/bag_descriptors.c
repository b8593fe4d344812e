/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/bag.h"
#include "penstock/pipeline.h"

enum { DESCRIPTORS = PS_BAG_INPUTS };

/* The actor's arg. */
struct arg {
	struct pstk_frame_size largest;
	float window[PS_BAG_PIXELS];
};

struct frame {
	struct ps_bag_frame frame;
	float *descriptors;
};

/* Rows of patches. */
static void describe_rows(void *data, size_t from, size_t to)
{
	const struct frame *f = data;

	for (size_t i = from * f->frame.across; i < to * f->frame.across; i++)
		ps_bag_describe(f->descriptors + i * PSTK_BAG_NUMBERS, &f->frame, i);
}

static int describe_frame(
	struct pstk_firing *firing, const void *magnitude, const void *bin, void *descriptors)
{
	struct pstk_actor *self = pstk_firing_actor(firing);
	const struct arg *arg = pstk_actor_arg(self);
	const struct pstk_frame_size size = pstk_sized_get(magnitude);
	struct frame f = { .descriptors = ps_sized_room(descriptors) };
	int err = ps_bag_start(&f.frame, self, &arg->largest, magnitude, bin, arg->window);

	if (err)
		return err;
	pstk_sized_set(descriptors, size.width, size.height);
	return pstk_parallel_for(firing, f.frame.down, 0, describe_rows, &f);
}

static int fire(struct pstk_firing *f)
{
	const struct pstk_actor *self = pstk_firing_actor(f);
	const char *magnitude = pstk_fifo_read_start(f, PS_BAG_MAGNITUDE),
		   *bin = pstk_fifo_read_start(f, PS_BAG_BIN);
	char *descriptors = pstk_fifo_write_start(f, DESCRIPTORS);
	int err = 0;

	for (size_t i = 0; i < pstk_firing_steps(f) && !err; i++)
		err = describe_frame(f, magnitude + i * pstk_actor_port_token_size(self, PS_BAG_MAGNITUDE),
			bin + i * pstk_actor_port_token_size(self, PS_BAG_BIN),
			descriptors + i * pstk_actor_port_token_size(self, DESCRIPTORS));
	if (err)
		return err;
	pstk_fifo_read_end(f, PS_BAG_MAGNITUDE);
	pstk_fifo_read_end(f, PS_BAG_BIN);
	pstk_fifo_write_end(f, DESCRIPTORS);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct arg *arg = pstk_actor_arg(self);
	const size_t patches = pstk_bag_patches(arg->largest.width, arg->largest.height);
	int err = ps_bag_check_gradients(self, &arg->largest, PS_BAG_MAGNITUDE, PS_BAG_BIN);

	if (err)
		return err;
	return ps_sized_check(
		self, DESCRIPTORS, patches * PSTK_BAG_NUMBERS * sizeof(float), "what describes all patches");
}

struct pstk_actor *pstk_bag_descriptors_add(
	struct pstk_network *net, const char *name, const struct pstk_bag_spec *spec)
{
	static const struct pstk_port ports[] = {
		[PS_BAG_MAGNITUDE] = { .name = "magnitude",
			.kind = PSTK_INPUT,
			.token_type = "f32",
			.rate = 1 },
		[PS_BAG_BIN] = { .name = "bin", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		[DESCRIPTORS] = { .name = "descriptors",
			.kind = PSTK_OUTPUT,
			.token_type = "f32",
			.rate = 1 },
	};
	struct arg arg;

	if (ps_bag_check(net, name, "bag_descriptors", spec))
		return NULL;
	arg.largest = (struct pstk_frame_size){ spec->width, spec->height };
	ps_bag_make_window(arg.window);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "bag_descriptors", .ports = ports,
			.port_count = sizeof ports / sizeof *ports, .arg_size = sizeof arg, .stateless = true,
			.init = init, .fire = fire),
		&arg);
}
