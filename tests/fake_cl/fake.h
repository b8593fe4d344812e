/* SPDX-License-Identifier: MIT */
/*
 * Inside of the fake driver.
 *
 * One lock guards everything that is not said to be constant, so the driver needs no order of locks. It is not held
 * while a command's data are touched, a kernel runs or a callback is called. Each entry point is
 *
 *	err = fake_enter(FAKE_clName);   counts the call, takes the lock, says which error the test wants
 *	...
 *	return fake_leave(err);
 *
 * refs are the references that the program holds, holds our own. An object whose refs are gone is dead to the program;
 * its husk is kept for a while, so that its use is noticed.
 */
#ifndef PENSTOCK_TESTS_FAKE_H
#define PENSTOCK_TESTS_FAKE_H

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS /* clEnqueueMarker, .. */
#include "tests/fake_cl/fake_cl.h"

#include <CL/cl_icd.h>
#include <pthread.h>

enum {
	FAKE_DEVICES_MAX = 4,
	FAKE_FAULTS_MAX = 16,
	FAKE_KERNELS_MAX = 64,
	FAKE_VIOLATIONS_MAX = 256,
	FAKE_GRAVES = 1024,
	FAKE_TYPES_MAX = 32, /* of commands, that are counted one by one */
	FAKE_MAX_GROUP = 256
};

/* clang-format off */
#define FAKE_FUNCTIONS(X) \
	X(clGetPlatformIDs) \
	X(clGetPlatformInfo) \
	X(clGetDeviceIDs) \
	X(clGetDeviceInfo) \
	X(clCreateSubDevices) \
	X(clRetainDevice) \
	X(clReleaseDevice) \
	X(clCreateContext) \
	X(clCreateContextFromType) \
	X(clRetainContext) \
	X(clReleaseContext) \
	X(clGetContextInfo) \
	X(clCreateCommandQueue) \
	X(clCreateCommandQueueWithProperties) \
	X(clRetainCommandQueue) \
	X(clReleaseCommandQueue) \
	X(clGetCommandQueueInfo) \
	X(clFlush) \
	X(clFinish) \
	X(clCreateBuffer) \
	X(clCreateBufferWithProperties) \
	X(clCreateSubBuffer) \
	X(clRetainMemObject) \
	X(clReleaseMemObject) \
	X(clGetMemObjectInfo) \
	X(clSetMemObjectDestructorCallback) \
	X(clEnqueueReadBuffer) \
	X(clEnqueueWriteBuffer) \
	X(clEnqueueCopyBuffer) \
	X(clEnqueueFillBuffer) \
	X(clEnqueueMigrateMemObjects) \
	X(clEnqueueMapBuffer) \
	X(clEnqueueUnmapMemObject) \
	X(clSVMAlloc) \
	X(clSVMFree) \
	X(clEnqueueSVMFree) \
	X(clEnqueueSVMMemcpy) \
	X(clEnqueueSVMMemFill) \
	X(clEnqueueSVMMap) \
	X(clEnqueueSVMUnmap) \
	X(clEnqueueSVMMigrateMem) \
	X(clCreateProgramWithSource) \
	X(clRetainProgram) \
	X(clReleaseProgram) \
	X(clBuildProgram) \
	X(clGetProgramInfo) \
	X(clGetProgramBuildInfo) \
	X(clUnloadPlatformCompiler) \
	X(clCreateKernel) \
	X(clCreateKernelsInProgram) \
	X(clRetainKernel) \
	X(clReleaseKernel) \
	X(clSetKernelArg) \
	X(clSetKernelArgSVMPointer) \
	X(clSetKernelExecInfo) \
	X(clGetKernelInfo) \
	X(clGetKernelArgInfo) \
	X(clGetKernelWorkGroupInfo) \
	X(clEnqueueNDRangeKernel) \
	X(clEnqueueTask) \
	X(clEnqueueNativeKernel) \
	X(clEnqueueMarker) \
	X(clEnqueueBarrier) \
	X(clEnqueueMarkerWithWaitList) \
	X(clEnqueueBarrierWithWaitList) \
	X(clWaitForEvents) \
	X(clGetEventInfo) \
	X(clGetEventProfilingInfo) \
	X(clRetainEvent) \
	X(clReleaseEvent) \
	X(clSetEventCallback) \
	X(clCreateUserEvent) \
	X(clSetUserEventStatus) \
	X(clGetExtensionFunctionAddressForPlatform)
/* clang-format on */

enum fake_function {
#define FAKE_ENUM(name) FAKE_##name,
	FAKE_FUNCTIONS(FAKE_ENUM)
#undef FAKE_ENUM
		FAKE_FUNCTION_COUNT
};

enum fake_svm_mode { FAKE_SVM_NONE, FAKE_SVM_COARSE, FAKE_SVM_FINE };

/* Guarded by lock. */
struct fake_settings {
	unsigned long svm, unified, align, units, devices, delay, arginfo, version, pocl, cascade, lazy,
		nullmem, argsize, quiet, guard, cpu, max_alloc, races, report, skew, native, timed, full,
		nvidia;
	double rate, latency, kernel; /* bytes a second, seconds, seconds */
};

struct fake_object {
	const cl_icd_dispatch *dispatch; /* first: the ICD loader reads it. Constant */
	enum fake_cl_kind kind;          /* constant */
	unsigned refs, holds;            /* guarded by lock */
};

struct _cl_platform_id {
	const cl_icd_dispatch *dispatch; /* constant */
};

/* What a device does one of at a time with timed=1; fake_engine.c. */
enum fake_engine_kind { FAKE_ENGINE_NONE, FAKE_ENGINE_KERNEL, FAKE_ENGINE_TO_DEVICE, FAKE_ENGINE_TO_HOST };

/* Guarded by lock. */
struct fake_engine {
	uint64_t free; /* ns of the host's clock: when it can begin what comes next */
	bool busy;     /* with a command that takes as long as its code: a native kernel */
};

struct _cl_device_id {
	struct fake_object o;
	cl_device_id parent; /* NULL: a whole device. This and below: constant */
	unsigned units, index;
	cl_device_partition_property partition[8];
	size_t partition_size;                               /* bytes */
	struct fake_engine engines[FAKE_ENGINE_TO_HOST + 1]; /* a part has only one for kernels */
};

enum { FAKE_CONTEXT_DEVICES = 16 };

struct _cl_context {
	struct fake_object o;
	cl_device_id devices[FAKE_CONTEXT_DEVICES]; /* constant */
	cl_uint device_count;                       /* constant */
	cl_context_properties properties[3];        /* constant */
	size_t properties_size;                     /* bytes, constant */
};

/* A region that the host sees. Guarded by lock. */
struct fake_map {
	struct fake_map *next;
	char *pointer;  /* what the program got */
	bool own;       /* pointer is memory of our own, only for this map */
	bool active;    /* its command has run, that of the unmap has not */
	bool unmapping; /* the unmap is enqueued */
	bool gone;      /* no longer in the list */
	unsigned users; /* commands that point here */
	size_t offset, size;
	cl_map_flags flags;
};

/* A buffer, or an allocation of SVM (o.kind FAKE_CL_SVM, which is no object for the program). */
struct _cl_mem {
	struct fake_object o;
	cl_context context; /* constant; so are those below */
	cl_mem parent;      /* of a sub-buffer */
	size_t origin;      /* in the parent */
	size_t size;
	cl_mem_flags flags;
	cl_svm_mem_flags svm_flags;
	char *host; /* CL_MEM_USE_HOST_PTR, SVM: what the program sees; NULL */
	char *device; /* guarded by lock until it is there, then constant; NULL: not allocated yet, sub-buffer */
	unsigned long serial;           /* constant; for messages */
	struct fake_map *maps;          /* guarded by lock, as the rest */
	unsigned read_maps, write_maps; /* active ones */
	unsigned uses;                  /* commands enqueued and not ended */
	cl_mem next;                    /* all SVM allocations */
	void(CL_CALLBACK *destroyed)(cl_mem, void *);
	void *destroyed_data;
};

struct fake_callback {
	struct fake_callback *next;
	cl_int type;
	void(CL_CALLBACK *call)(cl_event, cl_int, void *);
	void *data;
};

struct _cl_event {
	struct fake_object o;
	cl_context context;     /* constant */
	cl_command_queue queue; /* constant; NULL: a user's */
	cl_command_type type;   /* constant */
	cl_int status;          /* guarded by lock, as the rest */
	bool never;             /* it will not end any more */
	cl_ulong times[4];      /* queued, submitted, start, end; of the device's clock */
	uint64_t ended;         /* ns of the host's clock; a user's: when that was said */
	struct fake_callback *callbacks;
};

/* What a command does with a memory object. */
struct fake_use {
	cl_mem mem; /* held */
	bool writes;
	size_t offset, size; /* bytes of mem; size 0: touches nothing */
};

/* Made by one thread, then the queue's; no lock needed but where said. */
struct fake_command {
	struct fake_command *next; /* guarded by lock */
	cl_command_queue queue;
	cl_event event;  /* held */
	cl_event *waits; /* held */
	cl_uint wait_count;
	cl_command_type type;
	bool submitted; /* guarded by lock */
	bool stuck;     /* behind an event that had failed already: never runs (pocl=1) */
	cl_int fault;   /* the status that the test wants it to end with */
	uint64_t since; /* ns of the host's clock: submitted; guarded by lock, as start and due */
	uint64_t start, due;
	enum fake_engine_kind engine;
	size_t moved; /* bytes that a copy engine has to move */
	struct fake_use *uses;
	unsigned use_count;
	/* begin and end are called with the lock, execute without it; each may be NULL */
	void (*begin)(struct fake_command *);
	void (*execute)(struct fake_command *);
	void (*end)(struct fake_command *);
	void (*cancel)(struct fake_command *); /* with the lock, when it could not be enqueued */
	/* transfers: a side is a memory object, or a pointer of the host's */
	cl_mem to_mem, from_mem;
	size_t to_offset, from_offset;
	char *to;
	const char *from;
	size_t size;
	unsigned char pattern[128];
	size_t pattern_size;
	struct fake_map *map;
	cl_mem map_mem; /* held */
	struct fake_launch_data *launch;
	struct fake_native *native;
	/* clEnqueueSVMFree */
	void **pointers;
	cl_uint pointer_count;
	void(CL_CALLBACK *free_call)(cl_command_queue, cl_uint, void **, void *);
	void *free_data;
};

struct _cl_command_queue {
	struct fake_object o;
	cl_context context;                     /* constant */
	cl_device_id device;                    /* constant */
	cl_command_queue_properties properties; /* constant */
	cl_queue_properties given[8];           /* constant */
	size_t given_size;                      /* bytes, constant */
	pthread_cond_t work;                    /* with lock: something to do for the worker */
	struct fake_command *first, **last;     /* guarded by lock; the first one may be running */
	struct fake_command *running;           /* guarded by lock: its data are being touched */
	cl_event blocked_on;                    /* guarded by lock: what the worker waits for */
	uint64_t ended;                         /* guarded by lock: when its last command did, host's clock */
	bool closing;                           /* guarded by lock */
	bool broken;           /* guarded by lock: a command failed, and with cascade=1 all later ones do */
	bool stuck;            /* guarded by lock: behind one that never runs */
	cl_command_queue next; /* guarded by lock: all queues with a worker */
};

struct _cl_program {
	struct fake_object o;
	cl_context context;     /* constant */
	char *source;           /* constant */
	char *options, *log;    /* guarded by lock; NULL: not built */
	cl_build_status status; /* guarded by lock */
	unsigned kernels;       /* guarded by lock: attached ones */
};

struct fake_value {
	bool set;
	bool had_memory; /* it was memory at some time */
	size_t size;
	unsigned char *bytes; /* private ones */
	cl_mem mem;           /* not held, as OpenCL says */
	char *svm;
};

struct _cl_kernel {
	struct fake_object o;
	cl_program program;                       /* held; constant */
	char *name;                               /* constant */
	struct fake_cl_kernel body;               /* constant */
	unsigned arg_count;                       /* constant */
	struct fake_value args[FAKE_CL_ARGS_MAX]; /* guarded by lock */
	unsigned callers;                         /* guarded by lock: threads inside a call */
};

struct fake_fault {
	int function; /* -1: any */
	unsigned left, times;
	cl_int code;
};

struct fake_command_fault {
	cl_command_type type;
	unsigned left;
	cl_int status;
};

extern struct fake {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* with lock: an event has ended, a worker has */
	struct fake_settings settings;
	struct fake_fault faults[FAKE_FAULTS_MAX]; /* left 0: free */
	struct fake_command_fault command_faults[FAKE_FAULTS_MAX];
	unsigned lose_left; /* 0: not to be lost */
	bool lost, lose_refuses;
	cl_int lose_status;
	unsigned fail_allocation; /* 0: none */
	bool held;
	unsigned steps;
	uint64_t calls[FAKE_FUNCTION_COUNT];
	struct {
		cl_command_type type;
		uint64_t count;
	} commands[FAKE_TYPES_MAX];
	uint64_t to_device, to_host;
	char *violations[FAKE_VIOLATIONS_MAX];
	unsigned violation_count;
	long live[FAKE_CL_KIND_COUNT];
	long threads;
	struct fake_cl_kernel kernels[FAKE_KERNELS_MAX];
	unsigned kernel_count;
	struct fake_object *graves[FAKE_GRAVES];
	unsigned grave;
	cl_command_queue queues;
	cl_mem svm;
	unsigned long serial;
	uint64_t random;
} fake;

extern const cl_icd_dispatch fake_dispatch;
extern struct _cl_platform_id fake_platform;
extern struct _cl_device_id fake_devices[FAKE_DEVICES_MAX];
extern const struct fake_cl_kernel fake_kernels[];
extern const unsigned fake_kernels_count;

/* fake_state.c */
const struct fake_cl *fake_control(void);
void fake_load(void); /* reads the environment, once */
cl_int fake_enter(enum fake_function);
cl_int fake_leave(cl_int err);
void *fake_leave_with(void *result, cl_int err, cl_int *errcode_ret); /* NULL if there is an error */
const char *fake_where(void); /* the function that this thread is in, for messages */
void fake_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
cl_int fake_take_command_fault(cl_command_type); /* a command is enqueued: how is it to end? */
void fake_count_command(cl_command_type);
uint64_t fake_random(void);
const struct fake_cl_kernel *fake_find_kernel(const char *name, size_t length);

/* fake_object.c */
void fake_init(void *object, enum fake_cl_kind, bool owned);
bool fake_valid(const void *object, enum fake_cl_kind); /* notes the use of a released one */
cl_int fake_retain(void *object, enum fake_cl_kind, cl_int invalid);
cl_int fake_release(void *object, enum fake_cl_kind, cl_int invalid);
void fake_hold(void *object);
void fake_drop(void *object);
cl_int fake_info(const void *from, size_t bytes, size_t size, void *value, size_t *size_ret);
#define FAKE_INFO(type, what) fake_info(&(type){ what }, sizeof(type), size, value, size_ret)

/* fake_event.c. May let go of the lock for callbacks. */
cl_event fake_event_new(cl_context, cl_command_queue, cl_command_type, bool owned);
void fake_event_set(cl_event, cl_int status);
void fake_event_set_at(cl_event, cl_int status, uint64_t host_ns);
void fake_event_wait(cl_event); /* until it has ended */
cl_int fake_check_waits(cl_context, cl_uint count, const cl_event *list);
void fake_event_destroy(cl_event);

/* fake_queue.c */
struct fake_command *fake_command_new(cl_command_queue, cl_command_type, unsigned uses);
void fake_command_use(struct fake_command *, cl_mem, bool writes, size_t offset, size_t size);
void fake_command_free(struct fake_command *);
/* Checks queue and wait list; the enqueueing functions begin with it. */
cl_int fake_check_enqueue(cl_command_queue, cl_uint count, const cl_event *list);
/* Takes the command over, also if it fails. */
cl_int fake_enqueue(
	struct fake_command *, cl_uint count, const cl_event *list, cl_event *event, bool blocking);
void fake_queue_close(cl_command_queue);
void fake_queue_destroy(cl_command_queue);
void fake_queue_flush(cl_command_queue);
void fake_queues_wake(cl_event); /* those that wait for it; NULL: all */

/* fake_engine.c. Both let go of the lock, and do nothing without timed=1. */
uint64_t fake_clock(void);                     /* ns of the host's clock */
void fake_engine_thread(void);                 /* a worker: its sleeps end on time */
void fake_engine_begin(struct fake_command *); /* returns when it may begin */
void fake_engine_end(struct fake_command *);   /* .. when its time is over */

/* fake_task.c */
const struct fake_cl_kernel *fake_task_kernel(const char *name, size_t length); /* NULL: none of task's */

/* fake_native.c */
void fake_native_free(struct fake_native *);

/* fake_memory.c */
cl_int fake_memory_ready(cl_mem); /* has memory on the device, or CL_MEM_OBJECT_ALLOCATION_FAILURE */
char *fake_memory_at(cl_mem, size_t offset);                   /* on the device */
void fake_memory_check(cl_mem, bool writes, const char *what); /* is it mapped? */
cl_mem fake_memory_root(cl_mem);
void fake_memory_destroy(cl_mem);
void fake_garbage(void *, size_t, unsigned char seed);

/* fake_svm.c */
cl_mem fake_svm_find(const void *pointer);      /* the live allocation that this points into, or NULL */
bool fake_svm_separate(const struct _cl_mem *); /* host and device see different memory */
void fake_svm_protect(cl_mem);

/* fake_map.c */
struct fake_map *fake_map_new(cl_mem, cl_map_flags, size_t offset, size_t size, char *pointer);
void fake_map_put(struct fake_map *);
struct fake_map *fake_map_find(cl_mem, const void *pointer);
cl_int fake_enqueue_map(
	cl_command_queue, cl_mem, struct fake_map *, bool blocking, cl_uint, const cl_event *, cl_event *);
cl_int fake_enqueue_unmap(cl_command_queue, cl_mem, struct fake_map *, cl_uint, const cl_event *, cl_event *);

/* fake_program.c, fake_kernel.c, fake_launch.c, fake_platform.c */
void fake_program_destroy(cl_program);
void fake_kernel_destroy(cl_kernel);
void fake_launch_free(struct fake_launch_data *);
uint64_t fake_launch_time(struct fake_command *); /* ns that the kernel takes */
void fake_context_destroy(cl_context);
bool fake_context_has(cl_context, cl_device_id);

/* the entry points that fake_platform.c puts into the table; typed as CL/cl_icd.h has them */
#define FAKE_DECLARE(name) extern __typeof__(*(cl_api_##name)0) fake_##name;
FAKE_FUNCTIONS(FAKE_DECLARE)
#undef FAKE_DECLARE

#endif
