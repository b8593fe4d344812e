/* SPDX-License-Identifier: MIT */
/*
 * Penstock: networks of dataflow actors on the cores and OpenCL devices of a chip.
 *
 * An actor is its ports, what it does in a firing (fire() on a core; on a device a kernel, or fire_cl(), which
 * enqueues), and around that init(), finish() and unblock() where it needs them. Actors are added to a network and
 * connected by FIFOs; each actor has a thread of its own, or a team of threads runs all of them; a firing takes a
 * window of `rate` tokens from each input and fills one on each output. A dynamic actor takes a control token first,
 * of which its control() decides what ports move a window in this firing and which move none. The model is that of
 * "dynamic-rate actors" (Boutellier et al.): blocking, double-buffered FIFOs that may hold initial (delay) tokens.
 *
 * Units     Sizes are bytes; rates, delays, depths' windows and valid counts are counted in tokens unless
 * said otherwise; times are nanoseconds of CLOCK_MONOTONIC.
 *
 * Errors    0 or a positive result is success, a negative value an errno of <errno.h> (-EINVAL, ..). The first error of
 * a network sticks; pstk_network_error() says it in one line with actor, port and cause. Functions that return a
 * pointer return NULL and leave the error in the network; after the start, when they come too late, a warning in the
 * log. Every function takes NULL for any pointer: -EINVAL, NULL, 0 or false, and nothing happens.
 *
 * Contexts  Each function says where it may be called:
 *           BUILD  before pstk_network_start(), by one thread a network;
 *           ACTOR  inside this actor's own callback; no lock of the library is held there;
 *           ANY    from any thread until pstk_network_destroy().
 *
 * Ownership A network owns its actors and FIFOs: their pointers are valid until pstk_network_destroy(). What
 * a function is given is copied unless it says "borrowed".
 *
 * A network runs once.
 */
#ifndef PENSTOCK_PENSTOCK_H
#define PENSTOCK_PENSTOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PSTK_PUBLIC __attribute__((visibility("default")))
#define PSTK_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PSTK_PUBLIC
#define PSTK_PRINTF(text, first)
#endif

#define PSTK_VERSION_MAJOR 0
#define PSTK_VERSION_MINOR 1
#define PSTK_VERSION_PATCH 0
#define PSTK_VERSION "0.1.0"

struct pstk_network;
struct pstk_actor;
struct pstk_fifo;
struct pstk_firing;

/* What fire() returns, if not a negative errno. */
enum {
	PSTK_AGAIN = 0, /* fire me again */
	PSTK_DONE = 1 /* this was my last firing (side by side later ones may have begun: see `stateless`) */
};

/* An actor with a control port is dynamic; its dynamic ports are off in a firing unless control() turns them on. */
enum pstk_port_kind {
	PSTK_INPUT,
	PSTK_OUTPUT,
	PSTK_DYNAMIC_INPUT,
	PSTK_DYNAMIC_OUTPUT,
	PSTK_CONTROL /* an input of control tokens: uint32_t, rate 1, no delay; at most one */
};

struct pstk_port {
	const char *name;         /* unique in its actor */
	enum pstk_port_kind kind; /* an input has one FIFO; an output connected k times is a broadcast */
	size_t token_size;        /* bytes; a FIFO with another token size is refused. 0: any */
	const char *token_type;   /* the element's type: "u8", "f32", ..; both ends name the same; NULL: any.
	                            Where no token_size is stated a FIFO's is any multiple of a known element's size
	                            (u8 i8 u16 i16 u32 i32 f32 u64 i64 f64 cf32 cf64): state it if only one will do */
	const void *reserved[2];  /* NULL */
};

/*
 * An actor's device form as one kernel launch a firing. The kernel's arguments, in this order:
 *   - a pointer per port but the control port, `__global T *` (an input's may be const), to the port's window:
 *     contiguous at any token size and delay, aligned to the largest power of two <= 64 that divides the token size;
 *     NULL for a port that is off in this firing;
 *   - `__global S *`, the state, if state_size is not 0: what init() has left in it, and what finish() will see (but
 *     after a failure, or an abort that has given commands up, finish() sees what init() had left);
 *   - `ulong`, the firing: 0, 1, .. of this actor's firings; one with every port off launches nothing and is none;
 *   - what pstk_actor_set_arg() has set, from index 0 on.
 * The launch has the work size of pstk_actor_set_work_size(), also for a last window that is filled partly: behind the
 * valid tokens of an input's there are zeros, and readers of an output's get zeros there whatever the kernel writes.
 * PSTK_ARG_VALID() tells how many are valid. A kernel must not write to an input's window.
 *
 * State    Firings follow one another, but the work-items of a launch run in any order, also at once. So no work-item
 *          may read what another one of the same launch writes (but in one work-group, behind a barrier): a history
 *          that is read and written in place races. Let one work-item alone use the state, or keep two halves, read
 *          the one that `firing & 1` chooses and write the other.
 *
 * Start    start() launches every kernel once, before anything fires, with its real sizes and arguments, on scratch
 *          windows and a scratch state that hold zeros, as firing 0, with PSTK_ARG_VALID() the rate. Nothing of it
 *          remains, but the kernel must end: on any data, so also on zeros.
 *
 * Checks   start() compares the number of arguments, their address spaces and constness, and the sizes of values with
 *          what they get: -EINVAL. A window's element type is only compared with the port's token_type, in size and
 *          whether it is a floating type, for a warning: other types and vectors are legal. Nobody
 *          checks that a kernel stays within windows, buffers and state; on a CPU driver one that does not, or
 *          divides an integer by zero, may end the process.
 */
struct pstk_kernel {
	const char *source;      /* OpenCL C text, or "file:PATH" (as fopen() finds it) */
	const char *name;        /* of the kernel function */
	const char *options;     /* for the compiler, "-DN=4 .."; NULL: none */
	const void *reserved[2]; /* NULL */
};

/* A parameter: a member of the actor's arg, so that programs can list, default, check and set it by name. */
struct pstk_param {
	const char *name;
	const char *type; /* "bool", "i32", "u32", "i64", "u64", "f32", "f64", "string" (const char *) */
	const char *default_value; /* as text; NULL: has none, somebody must give it */
	const char *range;         /* "0..255", "1..", "..0.5"; for a string "a|b|c"; NULL: any */
	const char *help;
	size_t offset; /* offsetof(the arg's struct, member) */
};

/*
 * What an actor does. pstk_network_add() copies it with its ports, params and strings, so it may be built on
 * the stack. Fill it with PSTK_ACTOR_TYPE(.name = .., ..), or from C++ with pstk_actor_type_init().
 */
struct pstk_actor_type {
	uint32_t struct_size; /* sizeof(struct pstk_actor_type) of the program: lets it grow from 0.1's on */
	const char *name;
	const struct pstk_port *ports; /* numbered from 0 in this order */
	unsigned port_count;           /* at most 4096 */
	const struct pstk_param *params;
	unsigned param_count;
	size_t arg_size;   /* 0: arg is borrowed until destroy; else add() copies it, NULL meaning the params'
	                      defaults */
	size_t state_size; /* bytes of zeroed private state; pstk_actor_set_state_size() for one actor */
	/* of a dynamic actor: its control values are 0 .. control_values - 1, at most 65536; equally many for all actors
	   that one output controls. A token that is not one of them ends the network (-ERANGE). 0: not declared; then the
	   analyser (pstk_network_check()) can't look at them, and what it proves of others is checked at run time */
	uint32_t control_values;
	/* Firings are independent: fire() and control() keep nothing between them, in the state or elsewhere (arg, and
	   state that init() has filled, are only read). So several may run side by side, each on another thread; what
	   they write is published in order (pstk_actor_set_concurrency()). When one of them returns PSTK_DONE or an
	   error, or ends a window partly filled, fire() of later ones may run already. What these write is dropped and
	   they are not counted, but what fire() does elsewhere (a file, a socket) stays: a sink that must not do so
	   behind its last firing isn't stateless. Behind a partly filled input none begins. Not of a kahn actor */
	bool stateless;
	/* fire() may block outside of the library (I/O, a lock, another actor's doing): under a team it keeps a thread of its
	   own, else it would hold the whole team up. A kahn actor always has one */
	bool blocks;
	/* fire() reads and writes when it likes, blocking (a Kahn process). It is called again until it returns
	   PSTK_DONE or has been handed a NULL window, which says that the stream has ended. */
	bool kahn;
	/* ACTOR. Once, in start()'s thread, in order of add. A negative errno: nothing fires anywhere. May be NULL. */
	int (*init)(struct pstk_actor *self);
	/* Of a dynamic actor, before each firing, with the control token's value: turns dynamic ports on with
	   pstk_port_enable() (all are off before). 0 or a negative errno. Pure in value and arg: it may call only
	   pstk_port_enable(), pstk_port_enabled(), pstk_firing_actor(), pstk_actor_arg(), pstk_actor_name() and
	   pstk_actor_port_rate(), and touch nothing that changes; it is called by any thread, also before the start for
	   every declared value. A decision of the run that differs from the one before the start ends the network (-EPROTO).
	   Needed if and only if there is a control port. */
	int (*control)(struct pstk_firing *firing, uint32_t value);
	/* ACTOR. One firing: PSTK_AGAIN, PSTK_DONE (ends after this firing) or a negative errno. NULL only in a type
	   that has a device form. */
	int (*fire)(struct pstk_firing *firing);
	/* ACTOR. The device form as host code that enqueues: several kernels, a library's call. See <penstock/opencl.h>.
	   Used when the actor is mapped to a device; wins over kernel. May be NULL. */
	int (*fire_cl)(struct pstk_firing *firing);
	/* The device form as one kernel launch. Used when the actor is mapped to a device. May be NULL. A type may
	   have fire() too: pstk_actor_map() decides for each actor. */
	const struct pstk_kernel *kernel;
	/* ACTOR. Once for each actor whose init() succeeded, in reverse order, in wait()'s thread, after every thread
	   has ended. A negative errno fails a network that had not failed. May be NULL. */
	int (*finish)(struct pstk_actor *self);
	/* Called from any thread, at most once for each reason (stop, abort or failure, all readers gone) and perhaps
	   before fire() blocks, so what it does must last: wakes fire() from a blocking call of its own (a socket, a
	   queue). At most one more firing begins, a kahn actor's, which a NULL window tells so, or one whose windows
	   had been taken. Not called for an actor that has ended. May be NULL. */
	void (*unblock)(struct pstk_actor *self);
};

/* A pointer to a type that is filled as the arguments say: PSTK_ACTOR_TYPE(.name = "gain", ..). C only. */
#define PSTK_ACTOR_TYPE(...)              \
	(&(const struct pstk_actor_type){ \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), __VA_ARGS__ })

struct pstk_fifo_spec {
	uint32_t struct_size; /* sizeof(struct pstk_fifo_spec) of the program */
	uint32_t rate;        /* tokens in a window, at both ends; at least 1 */
	uint32_t delay;       /* initial tokens */
	uint32_t depth;       /* windows held; 0: 2, the double buffer, under a team 2 x team (see
	                         pstk_network_set_threads() and PSTK_DEPTH_AUTO); 1: no overlap */
	size_t token_size; /* bytes; 0: as a port states (control: 4), or the first reader has, or one element of its type */
	const void *initial; /* `delay` tokens; NULL: zeros */
	uint32_t capacity; /* between two kahn actors only: a plain ring of so many tokens; then rate is 0 or
	                      1 and depth 0. 0: a FIFO of windows */
	uint32_t reserved; /* 0 */
};

/* A pointer to a spec that is filled as the arguments say: PSTK_FIFO(.rate = 1, .token_size = 4). C only. */
#define PSTK_FIFO(...)                   \
	(&(const struct pstk_fifo_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_fifo_spec), __VA_ARGS__ })

/* An empty type and spec with struct_size set, for C++ and for types built at run time. */
static inline struct pstk_actor_type pstk_actor_type_init(void)
{
	struct pstk_actor_type type = { (uint32_t)sizeof(struct pstk_actor_type), NULL, NULL, 0, NULL, 0, 0,
		0, 0, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL };

	return type;
}

static inline struct pstk_fifo_spec pstk_fifo_spec_init(void)
{
	struct pstk_fifo_spec spec = { (uint32_t)sizeof(struct pstk_fifo_spec), 0, 0, 0, 0, NULL, 0, 0 };

	return spec;
}

/*
 * Building. Wrong calls are kept as problems of the network: start() refuses it, pstk_network_error() says
 * the first, pstk_network_problem() each of them.
 */

/* ANY. A new network. name: for messages; NULL, or one that an actor could not have: "network". NULL: out of memory. */
PSTK_PUBLIC struct pstk_network *pstk_network_create(const char *name);

/* Any thread that is not an actor's; the last call on this network. Aborts a running one first and waits for it. */
PSTK_PUBLIC void pstk_network_destroy(struct pstk_network *);

/* BUILD. Adds an actor; its name is unique in the network. Names, here and in types, have 1 to 127 bytes and no
 * control characters. arg: see arg_size. Errors: -EINVAL (a type without fire(), a port twice, a
 * struct_size below 0.1's, or a larger one with a non-zero tail, ..), -ERANGE (a parameter), -EEXIST, -ENOMEM. */
PSTK_PUBLIC struct pstk_actor *pstk_network_add(
	struct pstk_network *, const char *name, const struct pstk_actor_type *, void *arg);

/* BUILD. Connects an output to an input. An output connected k times is a broadcast: k FIFOs of one rate and
 * token size, each reader sees every token. Errors: -ENOENT (no such port), -EINVAL (not an output, not an
 * input, rate 0, a token size that is not the ports' or that nothing tells, ports whose token sizes or types
 * differ, ..), -EISCONN (the input is connected already), -EOVERFLOW, -ENOMEM. */
PSTK_PUBLIC struct pstk_fifo *pstk_connect(struct pstk_actor *src, const char *out, struct pstk_actor *dst,
	const char *in, const struct pstk_fifo_spec *);

/* BUILD. Runs the actor's thread on one core (default: the OS chooses, "free mapping"); under a team it belongs
 * to one thread (pstk_network_set_threads()). -EINVAL: this process may not use such a core. */
PSTK_PUBLIC int pstk_actor_pin(struct pstk_actor *, unsigned core);

/* BUILD. Another size of private state than the type's, bytes, for this actor. */
PSTK_PUBLIC int pstk_actor_set_state_size(struct pstk_actor *, size_t bytes);

/* BUILD. Sets a parameter of an actor whose type has an arg_size, from text. -ENOENT: no such parameter;
 * -EINVAL: not of its type; -ERANGE: out of its range. */
PSTK_PUBLIC int pstk_actor_set_param(struct pstk_actor *, const char *name, const char *value);

/*
 * Devices. A selector names one OpenCL device: `platform:type:device`, each part empty, a number or a piece of the
 * name in any case, such as `pocl:cpu:0`, `nvidia:gpu:`, `:gpu:1`; or `P.D`, the platform's and device's numbers as
 * `clinfo -l` prints them. The device's number counts, from 0, the devices of its platform that have the type asked
 * for: `:gpu:1` is a platform's second GPU. Two parts are `platform:type`. A single part without a colon (`cpu`,
 * `pocl`) is a type if it is a type's name (cpu, gpu, accelerator, custom), else a piece of a device's name, of a
 * platform's or of its vendor's; a number alone is malformed, since it does not say of what. `/iofn` behind it names
 * the i-th of n equal parts of the device (i from 1), a device of its own: `pocl:cpu:0/1of2` is one half of
 * `pocl:cpu:0`.
 */

/* BUILD. Maps the actor to an OpenCL device, where its fire_cl or kernel runs instead of fire(); NULL: to the cores,
 * where every actor is at first. -ENODEV: no such device, -ENOTUNIQ: several match (the error lists what there is,
 * ready to paste); -EINVAL: a malformed selector, a type without a device form, a kahn actor. */
PSTK_PUBLIC int pstk_actor_map(struct pstk_actor *, const char *device);

/* BUILD, or ACTOR in init(). The kernel's work size for one firing: dims is 1 to 3; local NULL: the driver chooses;
 * where it is given it divides global. An actor that runs on the cores keeps it and does not use it, so one init()
 * serves both forms. -EINVAL. */
PSTK_PUBLIC int pstk_actor_set_work_size(
	struct pstk_actor *, unsigned dims, const size_t *global, const size_t *local);

/* BUILD, or ACTOR in init(). Argument `index` behind the firing's number (see struct pstk_kernel): size bytes from
 * value, copied. For a `__global const` or `__constant` parameter they become a buffer of its own that is uploaded
 * once; for a `__local` one value is NULL. value may also be PSTK_ARG_RATE(port) or PSTK_ARG_VALID(port), size
 * sizeof(uint32_t): the kernel gets a uint, the port's rate, or the tokens of its window that are data in this firing
 * (an output: what will be published; a port that is off: 0). At most 64 arguments; a later call for the same index
 * wins. What fits a kernel's argument is checked by start(), see struct pstk_kernel: a value's size is where
 * OpenCL C defines its type (not a typedef's or a struct's), but a buffer's length is not: the kernel must know it. An actor that runs on the cores keeps arguments and does not use them.
 * -EINVAL, -ENOMEM. */
PSTK_PUBLIC int pstk_actor_set_arg(struct pstk_actor *, unsigned index, size_t size, const void *value);

/* Marks for pstk_actor_set_arg(), never read. */
PSTK_PUBLIC extern const char pstk_arg_rate[4096], pstk_arg_valid[4096];
#define PSTK_ARG_RATE(port) ((const void *)&pstk_arg_rate[port])
#define PSTK_ARG_VALID(port) ((const void *)&pstk_arg_valid[port])

/* Flags of a network. */
enum {
	/* start() also what the analyser refuses (pstk_network_check()); only deadlocks are watched for then */
	PSTK_UNCHECKED = 1,
	/* FIFOs whose depth is 0 get more windows, so that an actor can fire more often before it has to wait: as many as
	   fit the budget of pstk_network_set_depth_budget(), all the same number */
	PSTK_DEPTH_AUTO = 2,
	PSTK_PROFILE = 4 /* measure what each device actor's commands take; also PENSTOCK_PROFILE=1 */
};

/* BUILD. Sets all flags. -EINVAL: unknown ones. */
PSTK_PUBLIC int pstk_network_set_flags(struct pstk_network *, unsigned flags);

/*
 * Who runs the actors.
 *
 * A thread per actor (0 threads, the default) is the paper's way: each actor waits on its own. It needs rate
 * or depth to hide what waking a thread costs (PSTK_DEPTH_AUTO). A team of n threads fires whichever actor is
 * ready: an actor, then who was fed by it, while the data are in the cache; nobody sleeps while there is
 * something to do. Kahn actors, and those whose type says that it blocks, keep a thread of their own beside
 * the team. An actor on a device is fired by the team, too: its firing is an enqueue. What is computed is the
 * same; but an actor that waits for another one's doing in fire() must say that it blocks, or may hang.
 *
 * Firings of a stateless actor may run side by side, at most
 *   - its concurrency, and no more than the windows that each of its FIFOs holds;
 *   - the threads of the team, unless its type blocks; one where it is pinned;
 *   - in a cycle of FIFOs that are always on the windows of delay tokens: the sum of floor(delay / rate).
 * The report of pstk_network_check() says how many, and what limits them, under a team or with a concurrency set.
 */

/* BUILD. 0: a thread per actor; 1 .. 256: a team of so many. Under a team FIFOs whose depth is 0 hold 2 x
 * threads windows (-EOVERFLOW: too many bytes), and pstk_actor_pin() gives an actor to thread `core mod
 * threads` of the team, which runs on all cores that it got actors for (pstk_network_print() says which). A
 * program that does not call this gets what the environment says: PENSTOCK_TEAM=threads. -EINVAL. */
PSTK_PUBLIC int pstk_network_set_threads(struct pstk_network *, unsigned threads);

/* ANY. The threads of its team; 0: a thread per actor. */
PSTK_PUBLIC unsigned pstk_network_threads(const struct pstk_network *);

/* BUILD. At most n (1 .. 256) firings of an actor side by side; its type must be stateless for n > 1.
 * Default: 1; under a team as many as can be, unless its type blocks. Without a team, and if its type blocks,
 * the actor has n threads. Refused with -EINVAL: by start() an n above the depth of one of its FIFOs; n > 1 of an actor on a
 * device, which has up to 8 firings enqueued anyway (by start() if it is mapped later). Lowered without a
 * word to what is said above: by a small team, a pin under a team, a cycle; pstk_actor_concurrency() tells. */
PSTK_PUBLIC int pstk_actor_set_concurrency(struct pstk_actor *, unsigned n);

/* ANY. How many firings of this actor may run side by side, as said above (of thousands of actors in one
 * knot of cycles perhaps too many); why: what limits them, in a few words (NULL: no text). 0 of NULL. */
PSTK_PUBLIC unsigned pstk_actor_concurrency(const struct pstk_actor *, char *why, size_t size);

/* BUILD. With PSTK_DEPTH_AUTO: what all FIFOs together may take (pstk_network_shared_bytes()), in bytes. They never
 * get more than that by it, but at least what they would have without the flag. All get the same number of windows,
 * up to 32; between host and device up to 4, between actors on devices 2, if that is not less than without. 0, the
 * default: half of a core's second-level cache, or 512 KiB where the system doesn't say. */
PSTK_PUBLIC int pstk_network_set_depth_budget(struct pstk_network *, size_t bytes);

/* An OpenCL device. */
struct pstk_device_info {
	char selector[64];  /* names this device and no other, ready to paste */
	char name[128];     /* CL_DEVICE_NAME */
	char platform[128]; /* CL_PLATFORM_NAME */
	char driver[128];   /* CL_DRIVER_VERSION */
	char version[64];   /* CL_DEVICE_VERSION */
	unsigned compute_units;
	uint64_t memory_bytes;
	bool unified;              /* shares memory with the host */
	bool svm_coarse, svm_fine; /* shared virtual memory: with mapping; without */
};

/* Any thread. The devices of all platforms, without parts of devices, into list[0 .. capacity); how many there are,
 * which may be more. -EINVAL: NULL with a capacity. */
PSTK_PUBLIC int pstk_devices(struct pstk_device_info *list, unsigned capacity);

/* Any thread. Which device a selector means: 0, -ENODEV, -ENOTUNIQ, -EINVAL, with a text of at most size bytes that
 * says what is wrong and what there is (text may be NULL). */
PSTK_PUBLIC int pstk_device_find(const char *selector, struct pstk_device_info *, char *text, size_t size);

/* Any thread. The devices as a table, or what to install if there is none: 0; -EINVAL (NULL), -EIO, -ENOMEM. */
PSTK_PUBLIC int pstk_devices_print(FILE *);

/* ANY. The device that an actor is mapped to: 0; -ENODEV: it runs on the cores. */
PSTK_PUBLIC int pstk_actor_device(const struct pstk_actor *, struct pstk_device_info *);

/* BUILD. For functions of your own that build parts of a network: records a problem, as the library's own
 * calls do. err: a negative errno; returns it. */
PSTK_PUBLIC int pstk_network_refuse(struct pstk_network *, int err, const char *format, ...)
	PSTK_PRINTF(3, 4);

/*
 * The analyser: can this network deadlock, or grow? It looks at rates, delays and the control functions, runs nothing and
 * allocates no FIFO. Its rules and their proof: doc/internals/deadlock.md.
 */

/* Which rule a network breaks. */
enum pstk_rule {
	PSTK_RULE_NONE,
	PSTK_RULE_CONTROL, /* control() returns an error for a declared value, or calls what it must not; or two actors
	                      that one output controls declare different control_values: `fifo` is the control FIFO of
	                      that which declares fewer */
	PSTK_RULE_CLOCKS, /* R1: the ends of a FIFO are not on at the same times */
	PSTK_RULE_CYCLES  /* R2: a cycle of FIFOs without delay tokens enough for a first firing */
};

/* What the analyser has found. Texts are single lines without an end of line. */
struct pstk_verdict {
	uint32_t struct_size; /* sizeof(struct pstk_verdict) of the program, before the call */
	int result;           /* what pstk_network_check() returns, but for -EIO of the report */
	enum pstk_rule rule;  /* refused: the rule that is broken */
	bool has_value;       /* refused: it is broken for `value` (a control token's) .. */
	uint32_t value;
	const struct pstk_actor *actor; /* .. of this actor's control(); NULL: for any value */
	const struct pstk_fifo *fifo; /* refused: the FIFO, one of the cycle; NULL: it is not about a FIFO */
	/* refused for what may be no fault: after 65536 cases of control values (fewer in large networks) there were
	   still more to look at, so all FIFOs that can be on were taken as on at once */
	bool conservative;
	size_t bytes;        /* memory bound: of all FIFOs, each for itself (pstk_network_fifo_bytes()) .. */
	size_t shared_bytes; /* .. and where readers of a broadcast share one buffer */
	char reason[512];    /* why */
	char remedy[400];    /* refused, or checked at run time: what would mend it */
};

/* A pointer to a verdict to be filled. C only. */
#define PSTK_VERDICT() (&(struct pstk_verdict){ .struct_size = (uint32_t)sizeof(struct pstk_verdict) })

/* BUILD. The verdict, to people (report, may be NULL) and programs (verdict, may be NULL). 0: proven free of deadlock in
 * bounded memory, whatever the control tokens are; 1: nothing is wrong, but not everything can be proven (undeclared
 * control values, kahn actors), so it is watched at run time: members of one control group compare what each control token
 * turns on, and the first difference ends the network (-EPROTO), also where it would have come through; a deadlock ends it
 * with -EDEADLK. -EDEADLK here: refused. That is a verdict, not the network's error: only start() makes it one, unless
 * PSTK_UNCHECKED is set, with which the members are not compared either. init() is not called: what an actor makes of its
 * rates is not looked at. Other errors: -EINVAL (NULL; a struct_size that
 * does not fit; a network that start() would refuse for its problems: reason is the first, the report lists them. What is only
 * not there yet, such as a connection, can still be built after that), -EBUSY (too late), -ENOMEM, -EIO (report). After -EBUSY,
 * and -EINVAL for the arguments, the verdict is untouched. */
PSTK_PUBLIC int pstk_network_check(struct pstk_network *, FILE *report, struct pstk_verdict *verdict);

/*
 * Running.
 */

/* BUILD. A network runs once: -EBUSY, which is not kept as its error. Checks the network, allocates its memory, calls
 * every init(), builds the kernels and launches each once (struct pstk_kernel), and starts the threads. Nothing is
 * allocated afterwards. On failure nothing has fired and finish() was called for each actor whose init() had
 * succeeded. */
PSTK_PUBLIC int pstk_network_start(struct pstk_network *);

/* Any thread that is not an actor's (-EDEADLK). Waits until every actor has ended and calls finish(). 0 after
 * the end of the streams or a drained stop, -ECANCELED after abort, -EINVAL before start(), else the network's
 * first error. Again: the same result.
 *
 * An actor ends when an input has ended, with PSTK_DONE, and when all readers of its outputs have ended. In a
 * feedback cycle the actors are each other's readers: one that an endless source feeds goes on when a reader
 * outside of it has ended, until stop(). While fire() of an actor does not return after a failure or an abort, an error
 * in the log names that actor every 30 s; a program that must go on uses pstk_network_wait_for(). */
PSTK_PUBLIC int pstk_network_wait(struct pstk_network *);

/* As pstk_network_wait(), but for at most ns nanoseconds until every actor has ended: -ETIMEDOUT when actors
 * still run then. What finish() takes comes on top, and what devices have still to do. */
PSTK_PUBLIC int pstk_network_wait_for(struct pstk_network *, uint64_t ns);

/* start() and wait(). */
PSTK_PUBLIC int pstk_network_run(struct pstk_network *);

/* ANY, async-signal-safe. No source fires again, the rest drains. A source is an actor without inputs; in a
 * strongly connected part of the network without outside input every actor counts as one. */
PSTK_PUBLIC void pstk_network_stop(struct pstk_network *);

/* ANY, async-signal-safe. Nothing fires again, windows in flight are dropped. wait() waits for commands in flight on
 * devices; when none of them has ended for so long, they are given up, and their memory is left to them: ten seconds after
 * an abort; two seconds after a call or command of a device has failed, or the watchdog has ended a network with actors
 * on devices, because what depends on such a command may never end. */
PSTK_PUBLIC void pstk_network_abort(struct pstk_network *);

/* ANY. The first error in one line; "" when there is none; of NULL: that there is no network. Valid until
 * destroy; it does not change once set. */
PSTK_PUBLIC const char *pstk_network_error(const struct pstk_network *);

/* BUILD or after start() failed. The index-th problem found while building, NULL after the last one. */
PSTK_PUBLIC const char *pstk_network_problem(const struct pstk_network *, unsigned index);

/* ANY. Has the network failed or been aborted? For long loops inside fire(). */
PSTK_PUBLIC bool pstk_network_failed(const struct pstk_network *);

/* BUILD. Opt-in: SIGINT and SIGTERM stop the network, the second aborts it, the third ends the process at once with
 * status 130; once every such network has ended they do what they did before. SIGSEGV, SIGBUS, SIGFPE, SIGILL and
 * SIGABRT in an actor's callback name the actor on stderr before they do what they did before. The former handlers come
 * back when the last network that handles signals is destroyed. At most 16 networks at a time: -EBUSY. Other signals are
 * the program's: SIGHUP, which else ends the process at once, stops the network if its handler calls raise(SIGTERM). */
PSTK_PUBLIC int pstk_network_handle_signals(struct pstk_network *);

/*
 * What it is doing.
 *
 * The detector needs no call: actors that wait for each other, so that nobody can ever go on, are found at once and without
 * false alarms; the network fails with -EDEADLK, and the error follows the cycle of those that wait:
 *
 *	deadlock: join (firing 4, control 2) waits for tokens on loud [rate 64, 0/128] <- limit; limit (firing 0) waits ..; ..
 *
 * is the actor, its firing and the value of the control token that it obeys there, the port, of its FIFO the rate, the
 * tokens in it and how many it holds, and who is at the FIFO's other end. The last part is what would mend it; of a network
 * that was refused and started all the same (PSTK_UNCHECKED) what the analyser said before the start. What does not fit
 * one line is in the log, which has all of it.
 *
 * For actors that are inside fire(), a device or a system call there is the watchdog. When nothing has been written, read,
 * fired or finished on a device anywhere in the network for a time, the log gets a warning for each actor that is inside
 * something: what, for how long, after how many firings. One for each actor in the network's life, so that a source which
 * waits for its input for an hour is no nuisance. The time is 30 s, or what PENSTOCK_WATCHDOG=seconds says; 0: no watchdog.
 * It looks four times in that time, so it speaks up to a quarter later.
 *
 * PENSTOCK_WATCHDOG=seconds,abort makes it end the network, with -ETIMEDOUT and an error that names the first of the
 * actors. Nobody can end a fire() from outside: what it is blocked in must be ended by its type's unblock(). Without one
 * the log gets an error with the actor's name, and wait() waits until that fire() returns. Commands of devices that do not
 * end are given up after two seconds (pstk_network_abort()). Where all threads of a team sleep for so long the detector
 * judges once more; a deadlock that it has missed before is the library's fault, and the log asks to report it.
 */

/* BUILD. Sets the watchdog for this network, whatever the environment says. ns: 0: none. */
PSTK_PUBLIC int pstk_network_set_watchdog(struct pstk_network *, uint64_t ns, bool abort);

/* ANY. Writes what each actor is doing at this moment and for how long, its firings (and control tokens, and while it is at
 * a firing the control value and which dynamic ports are on), and for each FIFO how much is in it of what it holds, what
 * was written and read, whether an end has ended, where its memory is. The figures are each of its own moment. -EIO: it can't be written. */
PSTK_PUBLIC int pstk_network_snapshot(struct pstk_network *, FILE *);

/* BUILD. Opt-in: while the network runs this signal (SIGUSR1, ..) makes it write a snapshot to stderr; before and after
 * that it does nothing. It is written by the thread that also sees to stop, abort and the watchdog: these wait while
 * stderr takes nothing. The former handler comes back when the last network with this signal is destroyed. -EINVAL: a
 * signal that can't be caught, or that pstk_network_handle_signals() is for; -EBUSY: the network has another one, or 16
 * networks at a time have one. */
PSTK_PUBLIC int pstk_network_snapshot_on_signal(struct pstk_network *, int signum);

/* ANY. The signal that stopped this network (SIGINT, SIGTERM), 0 if none did. */
PSTK_PUBLIC int pstk_network_signal(const struct pstk_network *);

/*
 * Inside a firing: the paper's four calls, on windows of `rate` tokens. ACTOR, all of them. fire() is called when every
 * port has its window, so start neither blocks nor fails; each port is started and ended once in a firing. Windows are
 * aligned to the largest power of two <= 64 that divides the token size. What fire() has ended is published when it
 * returns. Only a kahn actor may block here; it sees NULL at the end of the stream, on stop (if it is a source) and on
 * abort, and its windows are published at once.
 *
 * A wrong call does nothing, and a start returns NULL: of a port that isn't there or is off, read_start() of an output,
 * write_start() of an input, a second start or end, an end without a start. The log says so at once, as an error. When
 * fire() returns, the firing publishes nothing and the network fails (-EPROTO). If fire() crashes first because it uses
 * the NULL, the line of pstk_network_handle_signals() names the wrong call.
 */

/* The oldest window of an input, to be read until its end. NULL: a wrong call, or a kahn actor's stream has ended. */
PSTK_PUBLIC const void *pstk_fifo_read_start(struct pstk_firing *, unsigned port);
PSTK_PUBLIC void pstk_fifo_read_end(struct pstk_firing *, unsigned port);

/* The next window of an output, to be filled until its end; what is in it is not defined. NULL: as read_start(). */
PSTK_PUBLIC void *pstk_fifo_write_start(struct pstk_firing *, unsigned port);
PSTK_PUBLIC void pstk_fifo_write_end(struct pstk_firing *, unsigned port);

/* Ends a last window of which only the first `valid` tokens are data, 1 <= valid <= rate. With valid < rate this firing
 * is the actor's last (a kahn actor's: the last window of this port). */
PSTK_PUBLIC void pstk_fifo_write_end_partial(struct pstk_firing *, unsigned port, uint32_t valid);

/* In control() only. Turns a dynamic port on or off for this firing. */
PSTK_PUBLIC void pstk_port_enable(struct pstk_firing *, unsigned port, bool on);

/* In control(): what it has decided so far; in fire() and fire_cl(): does this port move a window in this firing? Static
 * ports are always on. A port that is off can't be started; a kernel gets NULL for it. */
PSTK_PUBLIC bool pstk_port_enabled(const struct pstk_firing *, unsigned port);

/* Tokens of this port's window that are data: `rate`, but for the last window of a stream; 0 for a port that is off. Of
 * an output: what this firing will publish unless it says otherwise, rate x min over the inputs that are on of valid /
 * rate, rounded up. A firing with a partly filled input is the actor's last; behind the valid tokens are zeros. */
PSTK_PUBLIC uint32_t pstk_port_valid(const struct pstk_firing *, unsigned port);

PSTK_PUBLIC struct pstk_actor *pstk_firing_actor(const struct pstk_firing *);

/* 0, 1, .. of this actor's firings. Of a dynamic actor: of the control tokens that it has taken, so that actors under one
 * control see the same number in the same firing. */
PSTK_PUBLIC uint64_t pstk_firing_index(const struct pstk_firing *);

/* Kahn actors: moves n tokens, blocking, copying. At rate 1 (a ring) as many at once as there are, or as every reader
 * has room for; else window by window. Returns the tokens moved, fewer than n only when the stream has ended (read) or
 * nobody wants them (write); -EINVAL: not a kahn actor's port, n above INT_MAX, or a window of this port is held. A
 * last window that write() left partly filled is published when the actor ends. */
PSTK_PUBLIC int pstk_fifo_read(struct pstk_firing *, unsigned port, void *buf, size_t n);
PSTK_PUBLIC int pstk_fifo_write(struct pstk_firing *, unsigned port, const void *buf, size_t n);

/*
 * About an actor.
 */

/* ANY, from start()'s init() on. Tokens in a window, bytes of a token; 0: no such port. */
PSTK_PUBLIC uint32_t pstk_actor_port_rate(const struct pstk_actor *, unsigned port);
PSTK_PUBLIC size_t pstk_actor_port_token_size(const struct pstk_actor *, unsigned port);

/* ACTOR. The private state: zeroed before init(), aligned for any type, freed by destroy. NULL: state_size is 0. */
PSTK_PUBLIC void *pstk_actor_state(struct pstk_actor *);

/* ANY. The arg that was given to add(), or the network's copy of it. */
PSTK_PUBLIC void *pstk_actor_arg(const struct pstk_actor *);
PSTK_PUBLIC const char *pstk_actor_name(const struct pstk_actor *);
PSTK_PUBLIC struct pstk_network *pstk_actor_network(const struct pstk_actor *);

/* ANY. The network's copy of the type, with its ports and params. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_actor_get_type(const struct pstk_actor *);

/* ACTOR. Says what went wrong, in one line of at most 255 bytes, for the network's error; returns err, so
 * that a callback ends with `return pstk_actor_error(self, -EIO, "cannot read %s", path);`. */
PSTK_PUBLIC int pstk_actor_error(struct pstk_actor *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/*
 * Looking at a network.
 */

struct pstk_actor_stats {
	uint64_t firings;        /* completed firings; those with every port off are none */
	uint64_t control_tokens; /* that a dynamic actor has obeyed, also those that turned every port off */
	/* in fire(), without a kahn actor's waiting at its ports. On a device: enqueueing its firings, fire_cl()
	   included, by whichever thread did it; not the time that the device takes */
	uint64_t fire_ns;
	/* its own thread's (under a team: 0), waiting at ports, all together; on a device also for earlier firings'
	   commands. What other threads launch for it meanwhile (PENSTOCK_LAUNCH) is in fire_ns and in here */
	uint64_t wait_ns;
	uint64_t device_ns; /* with PSTK_PROFILE: what its firings' commands took on the device; else 0 */
};

struct pstk_fifo_info {
	const struct pstk_actor *src, *dst;
	unsigned src_port, dst_port;
	uint32_t rate, delay, depth; /* depth: windows; of a ring: capacity - delay */
	size_t token_size;
	size_t bytes;     /* of all slots, by the layout (doc/internals/fifo.md), as if it shared nothing */
	size_t allocated; /* bytes taken from the system (up to a page more: FIFOs begin at different places of
	                     one); 0 before start(), and where it is shared */
	uint64_t written, read; /* tokens published by the writer, windows x rate taken off by the reader */
	uint64_t fill;          /* tokens in it now */
	uint64_t bytes_copied;  /* by the library: staged and broadcast windows, wrap copies */
	bool closed, discards;  /* the writer has ended; the reader has ended */
	/* Where the windows are. "host": both ends are on cores (tables of networks without devices leave it out).
	   Both ends on one device, where they stay: "device" (buffers), "device, SVM" (shared virtual memory). Host
	   and device share them: "fine-grain SVM" (at once), "coarse-grain SVM" and "mapped" (SVM and buffers, handed
	   over by mapping). Copied: "staged" (from the writer's memory to the reader's), "staged through the host"
	   (from device to device). Tables say "shared" behind it for a reader of an output that uses another reader's
	   memory */
	const char *memory;
	bool shared; /* its reader uses the memory of another reader of the same output */
};

/* ANY. How many there are, and each in order of add and of connect; NULL beyond the last. */
PSTK_PUBLIC unsigned pstk_network_actor_count(const struct pstk_network *);
PSTK_PUBLIC unsigned pstk_network_fifo_count(const struct pstk_network *);
PSTK_PUBLIC struct pstk_actor *pstk_network_actor(const struct pstk_network *, unsigned index);
PSTK_PUBLIC struct pstk_fifo *pstk_network_fifo(const struct pstk_network *, unsigned index);
PSTK_PUBLIC const char *pstk_network_name(const struct pstk_network *);

/* ANY; while the network runs the figures are those of a moment, each for itself. cpu_ns: what of the stats' fire_ns
 * threads spent on a core; less on a loaded machine or where fire() waits, as seen in firings of 100 us and more. */
PSTK_PUBLIC int pstk_actor_get_stats(const struct pstk_actor *, struct pstk_actor_stats *);
PSTK_PUBLIC uint64_t pstk_actor_cpu_ns(const struct pstk_actor *);
PSTK_PUBLIC uint64_t pstk_actor_port_wait_ns(const struct pstk_actor *, unsigned port);
PSTK_PUBLIC int pstk_fifo_get_info(const struct pstk_fifo *, struct pstk_fifo_info *);

/* ANY. The core an actor is pinned to, -1 when the OS chooses. */
PSTK_PUBLIC int pstk_actor_core(const struct pstk_actor *);

/* ANY. Bytes of all FIFOs by the layout rule, known before start(): each for itself, which is what papers count; with one
 * buffer for the readers of an output that share it (struct pstk_fifo_info's shared), which is what start() needs; and
 * what start() took from the system. SIZE_MAX: more than memory can have. Where devices share is known for good after
 * start(). */
PSTK_PUBLIC size_t pstk_network_fifo_bytes(const struct pstk_network *);
PSTK_PUBLIC size_t pstk_network_shared_bytes(const struct pstk_network *);
PSTK_PUBLIC size_t pstk_network_allocated_bytes(const struct pstk_network *);

/* BUILD or after wait(). The network as a table: actors and where they run, FIFOs and where their windows are
 * (pstk_fifo_info.memory), memory in all. */
PSTK_PUBLIC int pstk_network_print(const struct pstk_network *, FILE *);

/* After wait(). For each actor firings, time in fire(), on a core and waiting, and, if measured, on the device; for
 * each FIFO tokens written and read and bytes copied. */
PSTK_PUBLIC int pstk_network_print_stats(const struct pstk_network *, FILE *);

/*
 * The library itself.
 */

enum pstk_log_level { PSTK_LOG_ERROR, PSTK_LOG_WARNING, PSTK_LOG_INFO, PSTK_LOG_DEBUG };

/* ANY. Sends messages to fn instead of stderr (fn NULL: to stderr again). fn is called from any thread, one
 * call at a time, and must not call the library. What is said is chosen by the environment,
 * PENSTOCK_DEBUG=topic:level[,..], a level being error, warning, info or debug, a topic `*` or one of
 * network, fifo, thread, opencl; warnings and errors by default. */
typedef void (*pstk_log_fn)(void *data, enum pstk_log_level, const char *topic, const char *message);
PSTK_PUBLIC void pstk_set_log(pstk_log_fn fn, void *data);

/* ANY. The version of the library that runs, PSTK_VERSION's form; the macros are the header's. */
PSTK_PUBLIC const char *pstk_version(void);

#ifdef __cplusplus
}
#endif

#endif
