/* SPDX-License-Identifier: MIT */
/* OpenCL: devices, kernels, and memory on devices. Only this and baseline_device.c call it. */
#ifndef PENSTOCK_BENCHMARKS_DAL_BASELINE_CL_H
#define PENSTOCK_BENCHMARKS_DAL_BASELINE_CL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: every driver has it */

#include "benchmarks/dal/baseline_build.h"

#include <CL/cl.h>

/* Firings of a process that are queued ahead, where it does not wait for each. */
enum { BASELINE_FLIGHTS = 4, BASELINE_DEVICES = 64 };

/* A device that the mapping names. Constant after create. */
struct baseline_cl {
	unsigned number; /* of gpu_N */
	cl_device_id id;
	cl_context context;
	bool svm, fine; /* pointers into memory that host and device share; without maps */
	struct baseline_cl *next;
};

/* Where the windows of a port are. */
enum baseline_way {
	BASELINE_STAGED, /* on the device: windows of the process's own, copied from and to the host's channel */
	BASELINE_SHARED, /* in the channel, which host and device share */
	BASELINE_RING    /* in the channel, which is on the device */
};

struct baseline_socket {
	enum baseline_way way;            /* constant after create */
	cl_mem windows[BASELINE_FLIGHTS]; /* staged; constant after create */
};

/* A firing that has been queued. Its process's thread only. */
struct baseline_flight {
	cl_event kernel;
	cl_event *transfers; /* [port_count], to the host; NULL: none */
	struct {
		char *place;
		uint32_t valid;
	} * windows; /* [port_count] */
};

struct baseline_device {
	/* constant after create */
	struct baseline_cl *cl;
	cl_program program;
	cl_kernel kernel;
	cl_command_queue queue, in, out; /* kernels, and the two directions of transfers */
	cl_mem state;
	size_t state_size, global, local;
	unsigned flight_count;
	struct baseline_socket *sockets; /* [port_count] */

	/* its thread only */
	struct baseline_flight flights[BASELINE_FLIGHTS];
	uint64_t fired, retired;
	cl_event *waits; /* [2 * port_count] */
	cl_uint wait_count;
};

/* A channel on a device: what other commands on its windows wait for. */
struct baseline_ring {
	struct baseline_cl *cl; /* constant after create */
	uint64_t slots;         /* constant after create: more than windows that are in use */
	cl_mem *blocks;         /* [blocks]; constant after create. NULL: the channel's data, shared memory */
	cl_event *written;      /* [slots] by window; set by the writer before it counts it */
	cl_event *read;         /* [slots] the same of the reader */
};

/* BUILD. What a process on a device needs, but for its ports; the compiled kernel. */
int baseline_cl_make_device(
	const struct baseline_build *, struct baseline_process *, const struct ps_dal_process *);
/* Where a channel with a device at an end is. aligned: each window is a block of the memory. */
enum baseline_way baseline_cl_way_of(const struct baseline *, const struct baseline_process *writer,
	const struct baseline_process *reader, bool aligned);
int baseline_cl_make_memory(
	const struct baseline_build *, struct baseline_channel *, enum baseline_way, unsigned line);
/* The port's end of a channel that is ready. */
int baseline_cl_make_socket(const struct baseline_build *, struct baseline_process *, struct baseline_port *,
	enum baseline_way, unsigned line);
/* After all of that: launches each kernel once, so that the first firing compiles nothing. */
int baseline_cl_warm_up(const struct baseline_build *, struct baseline_process *, unsigned line);

void baseline_cl_free_device(struct baseline_process *);
void baseline_cl_free_memory(struct baseline_channel *);
void baseline_cl_free_all(struct baseline *);

#endif
