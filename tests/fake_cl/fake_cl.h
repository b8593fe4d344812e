/* SPDX-License-Identifier: MIT */
/*
 * What a test may ask of the fake OpenCL driver. README.md tells how a test comes to use it.
 *
 * Any thread may call any of these at any time, but from a kernel's function nothing of OpenCL.
 */
#ifndef PENSTOCK_TESTS_FAKE_CL_H
#define PENSTOCK_TESTS_FAKE_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { FAKE_CL_ARGS_MAX = 64 };

/* A kernel's parameter. */
struct fake_cl_arg {
	const char *name, *type;               /* "in", "uchar*"; "uint" */
	cl_kernel_arg_address_qualifier space; /* CL_KERNEL_ARG_ADDRESS_GLOBAL, .. */
	bool is_const;                         /* the kernel only reads what it points to */
	size_t size;                           /* bytes, of a private one */
};

#define FAKE_CL_IN(n, t)                                        \
	{                                                       \
		n, t "*", CL_KERNEL_ARG_ADDRESS_GLOBAL, true, 0 \
	}
#define FAKE_CL_OUT(n, t)                                        \
	{                                                        \
		n, t "*", CL_KERNEL_ARG_ADDRESS_GLOBAL, false, 0 \
	}
#define FAKE_CL_CONSTANT(n, t)                                    \
	{                                                         \
		n, t "*", CL_KERNEL_ARG_ADDRESS_CONSTANT, true, 0 \
	}
#define FAKE_CL_LOCAL(n, t)                                     \
	{                                                       \
		n, t "*", CL_KERNEL_ARG_ADDRESS_LOCAL, false, 0 \
	}
#define FAKE_CL_VALUE(n, t, bytes)                                \
	{                                                         \
		n, t, CL_KERNEL_ARG_ADDRESS_PRIVATE, false, bytes \
	}

struct fake_cl_kernel;

/* One launch, as a kernel's function sees it. */
struct fake_cl_launch {
	const struct fake_cl_kernel *kernel;
	cl_uint dims;
	size_t offset[3], global[3], local[3]; /* 0 and 1 beyond dims */
	void *arg[FAKE_CL_ARGS_MAX];       /* where the pointer points on the device, or the value's bytes */
	size_t arg_size[FAKE_CL_ARGS_MAX]; /* bytes behind a pointer or of the value; 0: NULL */
};

/* A kernel in C. A program has it when its source says `kernel void NAME(`. With `run` NULL, `item` is called for each
 * work-item, one after the other. */
struct fake_cl_kernel {
	const char *name;
	const struct fake_cl_arg *args;
	unsigned arg_count;
	size_t local_memory; /* bytes of __local variables */
	size_t required_group[3];
	void (*run)(const struct fake_cl_launch *);
	void (*item)(const struct fake_cl_launch *, const size_t id[3]);
	/* With timed=1: ns that a launch takes, whatever run or item need for it. NULL: the setting `kernel`. Called
	 * with the driver's lock held, before the launch runs. */
	uint64_t (*time)(const struct fake_cl_launch *);
};

enum fake_cl_kind {
	FAKE_CL_SUB_DEVICE,
	FAKE_CL_CONTEXT,
	FAKE_CL_QUEUE,
	FAKE_CL_BUFFER,
	FAKE_CL_SVM,
	FAKE_CL_PROGRAM,
	FAKE_CL_KERNEL,
	FAKE_CL_EVENT,
	FAKE_CL_MAP, /* regions of buffers and of SVM, from the enqueueing of the map to that of the unmap */
	FAKE_CL_KIND_COUNT,
};

/* What the device's clock says with the setting `skew`, when the host's says so. */
static inline cl_ulong fake_cl_skewed(cl_ulong host_ns)
{
	return host_ns + host_ns / 20000 + 1000000000000000u;
}

enum { FAKE_CL_VERSION = 2 };

struct fake_cl {
	unsigned version;

	/* "svm=coarse,unified=1": as PENSTOCK_FAKE_CL, see README.md; what is not named stays. -EINVAL for what is no
	 * setting, and nothing is changed. While there are no objects. */
	int (*configure)(const char *settings);

	/* Settings back to those of the environment; no faults, violations, counts, registered kernels, no hold. Counts
	 * of live objects stay. */
	void (*reset)(void);

	/* Borrowed until reset(). A name that is there already is replaced for programs made from now on. -ENOSPC. */
	int (*add_kernel)(const struct fake_cl_kernel *);

	/* The nth call from now on (1: the next) of this function ("clCreateBuffer"; NULL: of any), and those behind
	 * it, `times` of them in all, return code and do nothing. -EINVAL: no such function; -ENOSPC. */
	int (*fail_calls)(const char *function, unsigned nth, unsigned times, cl_int code);

	/* The nth command from now on that is enqueued with this type (0: any) ends with this negative status and does
	 * nothing. */
	int (*fail_command)(cl_command_type, unsigned nth, cl_int status);

	/* From the nth enqueued command from now on all fail so, until reset(); refuse: the enqueueing itself fails. */
	void (*lose_device)(unsigned nth, cl_int status, bool refuse);

	/* The nth buffer from now on that needs memory on the device does not get it: its first command's enqueueing
	 * returns CL_MEM_OBJECT_ALLOCATION_FAILURE. */
	void (*fail_allocation)(unsigned nth);

	/* No command begins to run while it is held, but for those that step() lets through. */
	void (*hold)(bool);
	void (*step)(unsigned commands);

	/* Returns when nothing is queued that can still run, and all threads of released queues have ended. */
	void (*settle)(void);

	/* Since load or reset(). */
	uint64_t (*calls)(const char *function); /* NULL: all */
	uint64_t (*commands)(cl_command_type);   /* that ran to their end; 0: all */
	uint64_t (*bytes_to_device)(void);       /* by transfers, maps, initial contents */
	uint64_t (*bytes_to_host)(void);
	unsigned (*violation_count)(void);
	const char *(*violation)(unsigned index); /* NULL: none; until reset() */

	long (*live)(enum fake_cl_kind); /* what the program still owns */
	long (*threads)(void);           /* worker threads that have not ended */
};

/* The fake's control, NULL if the platform is something else. */
static inline const struct fake_cl *fake_cl_control(cl_platform_id platform)
{
	union {
		void *address;
		const struct fake_cl *(*get)(void);
	} entry = { clGetExtensionFunctionAddressForPlatform(platform, "pstkFakeControl") };

	return entry.address ? entry.get() : NULL;
}

/* Before the program's first OpenCL call: makes this file the only driver, with these settings. */
static inline void fake_cl_choose(const char *driver, const char *settings)
{
	setenv("OCL_ICD_VENDORS", driver, 1);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
}

/* The same, and the fake's platform and control; NULL: there is no such driver. */
static inline const struct fake_cl *fake_cl_start(
	const char *driver, const char *settings, cl_platform_id *platform)
{
	cl_platform_id found;
	cl_uint count = 0;

	fake_cl_choose(driver, settings);
	if (clGetPlatformIDs(1, &found, &count) || !count)
		return NULL;
	if (platform)
		*platform = found;
	return fake_cl_control(found);
}

#endif
