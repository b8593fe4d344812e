/* SPDX-License-Identifier: MIT */
/*
 * A kernel: one cl_kernel for one actor (two threads must not share one), what it says of its arguments, and the check
 * of what it will be given against that.
 */
#ifndef PENSTOCK_CL_KERNEL_H
#define PENSTOCK_CL_KERNEL_H

#include "lib/opencl/cl_program.h"

/* What pstk_actor_set_arg() has set. */
enum ps_cl_arg_kind {
	PS_CL_ARG_UNSET,
	PS_CL_ARG_VALUE, /* bytes: by value or as a buffer, whatever the kernel's parameter is */
	PS_CL_ARG_LOCAL, /* size bytes of local memory */
	PS_CL_ARG_RATE,  /* uint: rate of `port` */
	PS_CL_ARG_VALID, /* uint: valid tokens of `port`'s window */
	PS_CL_ARG_STEPS  /* uint: steps of the firing that have data */
};

struct ps_cl_arg {
	enum ps_cl_arg_kind kind;
	unsigned port;
	size_t size;
	void *value;   /* own copy; NULL: local, rate, valid */
	cl_mem buffer; /* made by ps_cl_kernel_bind() where the parameter is a pointer */
};

/* A parameter of the kernel function, as the compiler tells it. */
struct ps_cl_param {
	cl_kernel_arg_address_qualifier space; /* CL_KERNEL_ARG_ADDRESS_PRIVATE, .. */
	bool is_const;                         /* of a pointer: what it points to */
	bool is_opaque;                        /* an image, a sampler, ..: nothing that an actor could give */
	/* "uchar*", "uint", "float4"; typedef's names as they are in the source. What is longer ends in "..." */
	char type[64];
	char name[64]; /* for messages; "" if the driver does not tell it */
	size_t size;   /* bytes of a private one whose type OpenCL C defines; 0: not known */
};

struct ps_cl_kernel {
	const struct ps_cl_device *device;
	cl_kernel id;
	const char *name;           /* borrowed from the actor's type */
	struct ps_cl_param *params; /* NULL: the driver tells nothing */
	unsigned param_count;
	size_t required_group[3]; /* reqd_work_group_size; 0 0 0: none */
};

/* A new object without any argument, for a driver that launches none in which an argument was memory and is NULL now
 * (NVIDIA's, 580: CL_INVALID_KERNEL_ARGS). Launches of the old one go on. */
int ps_cl_kernel_renew(struct ps_cl_kernel *, struct ps_cl_fault *);

/* start(). The kernel of a program that is built. A name that is not there: the fault names those that are. */
int ps_cl_kernel_create(
	struct ps_cl_kernel *, const struct ps_cl_program *, const char *name, struct ps_cl_fault *);
void ps_cl_kernel_destroy(struct ps_cl_kernel *);

/* What a kernel will be given. */
struct ps_cl_signature {
	const struct pstk_actor_type *type; /* its ports */
	bool has_state;
	struct ps_cl_arg *args; /* arg_count of them, 0 .. */
	unsigned arg_count;
};

/* start(), after init(). Does the kernel take this? Count, address space, size, const (an input's window may be read
 * only). The fault names the argument, what it is and what it should be. */
int ps_cl_kernel_check(const struct ps_cl_kernel *, const struct ps_cl_signature *, struct ps_cl_fault *);

/* Is this work size right for the kernel and device? (reqd_work_group_size, the kernel's largest group, local divides
 * global.) local NULL: the driver's choice. */
int ps_cl_kernel_check_work_size(const struct ps_cl_kernel *, unsigned dims, const size_t *global,
	const size_t *local, struct ps_cl_fault *);

/* start(), after the check. Makes the buffers of constant arguments (once, however often it is called) and sets every
 * argument that does not change from firing to firing: first is the kernel's index of args[0]. Where the driver does
 * not tell what a parameter is, a value goes by value if the driver takes it so. */
int ps_cl_kernel_bind(struct ps_cl_kernel *, struct ps_cl_arg *args, unsigned arg_count, unsigned first,
	struct ps_cl_fault *);

/* Releases the buffers that bind has made, also after it has failed. Values stay their owner's. */
void ps_cl_args_release(struct ps_cl_arg *args, unsigned arg_count);

#endif
