/* SPDX-License-Identifier: MIT */
/*
 * Device: OpenCL devices: which there are, mapping actors to them, and what their kernels get.
 *
 * Host code that enqueues commands in a firing: <penstock/opencl.h>.
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 *
 * Selectors
 *   A selector is a text that names one OpenCL device.
 *
 *	platform:type:device   each part is empty, a number, or a piece of the name in any case: `pocl:cpu:0`,
 *	                       `nvidia:gpu:`, `:gpu:1`. The device's number counts, from 0, the devices of its platform
 *	                       that have this type: `:gpu:1` is a platform's second GPU
 *	platform:type          the same with an empty device
 *	P.D                    the numbers of platform and device as `clinfo -l` prints them
 *	word                   a type, if it is the name of one (cpu, gpu, accelerator, custom); else a piece of the
 *	                       name of a device, a platform or a platform's vendor: `cpu`, `pocl`
 *	number                 malformed: it does not say of what
 *
 *   `/iofn` behind any of these names the i-th of n equal parts of the device, i from 1. A part is a device of its own:
 *   `pocl:cpu:0/1of2` is one half of `pocl:cpu:0`.
 */
#ifndef PENSTOCK_CORE_DEVICE_H
#define PENSTOCK_CORE_DEVICE_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Maps an actor to an OpenCL device, where its fire_cl() or kernel runs instead of fire(). Context: BUILD.
 *
 * device: a selector; NULL: the cores, where every actor is at first.
 * Errors:
 *   -ENODEV: no such device
 *   -ENOTUNIQ: several devices match; the error lists them, ready to paste
 *   -EINVAL: a malformed selector, a type without a device form, or a kahn actor
 */
PSTK_PUBLIC int pstk_actor_map(struct pstk_actor *, const char *device);

/*
 * Sets the kernel's work size for one firing. Context: BUILD, or ACTOR in init().
 *
 * dims: 1 to 3.
 * global, local: dims numbers of work-items. local NULL: the driver chooses; else local divides global.
 * An actor that runs on the cores keeps the work size and does not use it: so one init() serves both forms.
 * Errors:
 *   -EINVAL: what is not as said here
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_actor_set_work_size(
	struct pstk_actor *, unsigned dims, const size_t *global, const size_t *local);

/*
 * Sets one argument of the kernel, behind the firing's number (struct pstk_kernel). Context: BUILD, or ACTOR in init().
 *
 * index: 0 .. 63. A later call for the same index replaces the earlier one.
 * value, size: size bytes from value, copied, for the parameter of the kernel that is
 *   - a value: these bytes;
 *   - `__global const` or `__constant`: the bytes become a buffer of its own, which is uploaded once;
 *   - `__local`: value is NULL, and size is that of the local memory;
 *   - a uint, with value PSTK_ARG_RATE(port) and size sizeof(uint32_t): the port's rate;
 *   - a uint, with value PSTK_ARG_VALID(port) and size sizeof(uint32_t): the tokens of the port's window that are data
 *     in this firing. Of an output these are the tokens that will be published; of a port that is off 0;
 *   - a uint, with value PSTK_ARG_STEPS and size sizeof(uint32_t): pstk_firing_steps().
 * pstk_network_start() checks whether the arguments fit the kernel, see struct pstk_kernel; its messages say "given
 * argument INDEX". It checks a value's size where OpenCL C defines the type (not that of a typedef or a struct). It
 * does not check a buffer's length: the kernel must know it.
 * An actor that runs on the cores keeps arguments and does not use them.
 * Errors:
 *   -EINVAL: what is not as said here
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_actor_set_arg(struct pstk_actor *, unsigned index, size_t size, const void *value);

/* Marks for pstk_actor_set_arg(); nothing reads their bytes. */
PSTK_PUBLIC extern const char pstk_arg_rate[4096], pstk_arg_valid[4096], pstk_arg_steps;
#define PSTK_ARG_RATE(port) ((const void *)&pstk_arg_rate[port])
#define PSTK_ARG_VALID(port) ((const void *)&pstk_arg_valid[port])
#define PSTK_ARG_STEPS ((const void *)&pstk_arg_steps)

/* An OpenCL device. */
struct pstk_device_info {
	char selector[64];  /* names this device and no other, ready to paste */
	char name[128];     /* CL_DEVICE_NAME */
	char platform[128]; /* CL_PLATFORM_NAME */
	char driver[128];   /* CL_DRIVER_VERSION */
	char version[64];   /* CL_DEVICE_VERSION */
	unsigned compute_units;
	uint64_t memory_bytes;
	bool unified;    /* the device shares memory with the host */
	bool svm_coarse; /* shared virtual memory, handed over by mapping */
	bool svm_fine;   /* shared virtual memory that both use without mapping */
};

/*
 * Lists the devices of all platforms, without parts of devices. Context: any thread.
 *
 * list: gets the first `capacity` of them.
 * Returns how many there are, which may be more than capacity.
 * Errors:
 *   -EINVAL: list is NULL with a capacity above 0
 *   -ENOMEM, or -EIO and others: a driver's call has failed
 */
PSTK_PUBLIC int pstk_devices(struct pstk_device_info *list, unsigned capacity);

/*
 * Finds the device that a selector means. Context: any thread.
 *
 * text: gets what is wrong and which devices there are, at most size bytes; NULL: no text.
 * Errors:
 *   -ENODEV: no such device
 *   -ENOTUNIQ: several devices match
 *   -EINVAL: a malformed selector
 */
PSTK_PUBLIC int pstk_device_find(const char *selector, struct pstk_device_info *, char *text, size_t size);

/*
 * Writes the devices as a table, or what to install if there is none. Context: any thread.
 *
 * Errors:
 *   -EINVAL: NULL
 *   -EIO: the file can't be written
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_devices_print(FILE *);

/*
 * Tells the device that an actor is mapped to. Context: ANY.
 *
 * Errors:
 *   -ENODEV: the actor runs on the cores
 */
PSTK_PUBLIC int pstk_actor_device(const struct pstk_actor *, struct pstk_device_info *);

#ifdef __cplusplus
}
#endif

#endif
