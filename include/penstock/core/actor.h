/* SPDX-License-Identifier: MIT */
/*
 * Actor: what an actor is: its ports, its parameters, its callbacks and its device form.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_CORE_ACTOR_H
#define PENSTOCK_CORE_ACTOR_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What fire() returns, if not a negative errno. */
enum {
	PSTK_AGAIN = 0, /* call fire() again */
	PSTK_DONE =
		1 /* this was the last firing; of a stateless actor later ones may have begun, see `stateless` */
};

/* An actor with a control port is dynamic. In each firing its dynamic ports are off unless control() turns them on. */
enum pstk_port_kind {
	PSTK_INPUT,
	PSTK_OUTPUT,
	PSTK_DYNAMIC_INPUT,
	PSTK_DYNAMIC_OUTPUT,
	PSTK_CONTROL /* an input of control tokens: uint32_t, rate 1, no delay; an actor has at most one */
};

struct pstk_port {
	const char *name; /* unique in its actor */
	enum pstk_port_kind
		kind;      /* an input has one FIFO; an output that is connected k times is a broadcast */
	size_t token_size; /* bytes; a FIFO with another token size is refused. 0: any size */
	/* The type of an element: "u8", "f32", ..; NULL: any type. Both ends of a FIFO name the same type.
	 * The library knows the size of u8 i8 u16 i16 u32 i32 f32 u64 i64 f64 cf32 cf64. A port that names one of these
	 * and leaves token_size 0 takes FIFOs whose token size is any multiple of the element's size. State token_size
	 * if only one size will do. */
	const char *token_type;
	/* Tokens of a step (see "Steps"). 0: not declared, the port moves whatever its FIFO says. */
	uint32_t rate;
	/* An input's: so many tokens in front of the new ones are seen again in each window; before the stream they are
	 * zeros. Or `peek`: a step sees so many tokens, at least `rate`, and the stream's first peek - rate tokens come
	 * before the first step's new ones. Only one of both; peek needs a rate. */
	uint32_t history, peek;
	uint32_t reserved; /* 0 */
};

/*
 * An actor's device form: one launch of an OpenCL kernel for each firing.
 *
 * Arguments of the kernel, in this order
 *   1. For each port but the control port a pointer to the port's window: `__global T *` (of an input it may be const).
 *      The window is contiguous at any token size and delay. It begins with the port's history. It is aligned to the
 *      largest power of two <= 64 that divides the token size. The pointer is NULL for a port that is off in this
 *      firing.
 *   2. `__global S *`: the state, if state_size is not 0. It holds what init() has left in it, and finish() sees what
 *      the kernel has left in it. After a failure, or after an abort that has given commands up, finish() sees what
 *      init() had left.
 *   3. `ulong`: the number of the firing, 0, 1, .. of this actor. A firing with every port off launches nothing and is
 *      not counted.
 *   4. What pstk_actor_set_arg() has set, from index 0 on.
 * Example: ports in, out and control port "active", state_size 8, one pstk_actor_set_arg():
 *	__kernel void f(__global const float *in, __global float *out, __global ulong *state, ulong firing, float gain)
 *
 * Partial windows
 *   The launch has the work size of pstk_actor_set_work_size() for every window, also for a last window that is filled
 *   partly. Behind the valid tokens of an input's window there are zeros. Whatever the kernel writes behind the valid
 *   tokens of an output's window, its readers get zeros there. PSTK_ARG_VALID() passes the number of valid tokens.
 *
 * Inputs
 *   A kernel must not write to an input's window.
 *
 * State
 *   Firings follow one another. But the work-items of one launch run in any order, also at the same time. So a
 *   work-item must not read what another work-item of the same launch writes, except in one work-group behind a
 *   barrier. A history that is read and written in place is a race. There are three ways out:
 *   - the port has a history (see "Steps"): then the actor needs no state for it;
 *   - one work-item alone uses the state;
 *   - the state has two halves: read the half that `firing & 1` chooses and write the other half.
 *
 * Start
 *   Before anything fires, pstk_network_start() launches every kernel once. That launch has the real sizes and
 *   arguments, scratch windows and a scratch state that hold zeros, firing 0, and the rate as PSTK_ARG_VALID().
 *   Nothing of it remains. But the kernel must end on any data, so also on zeros.
 *
 * Checks
 *   pstk_network_start() compares the number of arguments, their address spaces and constness, and the sizes of values
 *   with what they get. A difference is -EINVAL. The element type of a window is compared with the port's token_type
 *   only in size and in whether it is a floating type, and a difference is only a warning: other types and vectors are
 *   legal. The library does not check that a kernel stays inside its windows, buffers and state. On a CPU driver a
 *   kernel that leaves them, or that divides an integer by zero, may end the process.
 */
struct pstk_kernel {
	const char *source;      /* OpenCL C text, or "file:PATH" (as fopen() finds it) */
	const char *name;        /* of the kernel function */
	const char *options;     /* for the compiler, "-DN=4 .."; NULL: none */
	const void *reserved[2]; /* NULL */
};

/*
 * Steps
 *
 * A type may say how many tokens each of its ports moves in a *step*: the port's rate. A firing is as many steps as the
 * network chooses for this actor (pstk_actor_set_steps()), so a type is written once for windows of any size.
 *
 *	static const struct pstk_port ports[] = {
 *		{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 5, .history = 63 },
 *		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
 *	};
 *
 * This is a 64-tap FIR that keeps each fifth sample. With 32 steps its windows have 160 and 32 tokens, and fire() is
 * handed 63 + 160 samples: pstk_fifo_read_start() points to the oldest one, and sample i of the window's new ones is
 * in[63 + i].
 *
 * The last firing takes the steps that have a token; missing tokens are zeros. With `whole_steps` it takes only steps
 * that are whole, and what is left is dropped (the log says so, at level info). Without any step fire() is not called.
 * Its outputs hold steps x rate tokens. So what comes out does not depend on how many steps a firing has.
 */

/* A parameter: a member of the actor's arg, which programs can list, default, check and set by name. */
struct pstk_param {
	const char *name;
	const char *type; /* "bool", "i32", "u32", "i64", "u64", "f32", "f64", "string" (const char *) */
	const char *
		default_value; /* as text; NULL: there is no default, and the program must set the parameter */
	const char *range;     /* "0..255", "1..", "..0.5"; for a string "a|b|c"; NULL: any value */
	const char *help;
	size_t offset; /* offsetof(the arg's struct, member) */
};

/*
 * What an actor does.
 *
 * pstk_network_add() copies the type with its ports, params and strings, so a program may build it on the stack. Fill
 * it with PSTK_ACTOR_TYPE(.name = .., ..); from C++ begin with pstk_actor_type_init().
 */
struct pstk_actor_type {
	uint32_t
		struct_size; /* sizeof(struct pstk_actor_type) of the program: later versions may append members */
	const char *name;
	const struct pstk_port *ports; /* numbered from 0 in this order */
	unsigned port_count;           /* at most 4096 */
	const struct pstk_param *params;
	unsigned param_count;
	/* 0: arg is borrowed until pstk_network_destroy(). Else pstk_network_add() copies so many bytes of arg, and an
	 * arg of NULL means the defaults of the params. */
	size_t arg_size;
	size_t state_size; /* bytes of zeroed private state; pstk_actor_set_state_size() changes it for one actor */
	/*
	 * Of a dynamic actor: its control values are 0 .. control_values - 1; at most 65536. All actors that one output
	 * controls declare the same number. A token with another value ends the network (-ERANGE).
	 * 0: not declared. Then the analyser (pstk_network_check()) can't look at the values, and what it needs to know
	 * of them is checked at run time.
	 */
	uint32_t control_values;
	/*
	 * The firings are independent: fire() and control() keep nothing from one firing to the next, neither in the
	 * state nor elsewhere. They may read arg, and state that init() has filled.
	 *
	 * So several firings may run side by side, each on another thread. What they write is published in order. See
	 * pstk_actor_set_concurrency().
	 *
	 * A firing is the last one if it returns PSTK_DONE or an error, or ends a window partly filled. fire() of later
	 * firings may run already then. What these write is dropped, and they are not counted. But what their fire()
	 * does elsewhere (a file, a socket) stays done: a sink that must not do that behind its last firing is not
	 * stateless. Behind a partly filled input window no firing begins.
	 *
	 * A kahn actor can't be stateless.
	 */
	bool stateless;
	/*
	 * fire() may block outside of the library: in I/O, at a lock, or until another actor has done something. Under
	 * a team such an actor keeps a thread of its own; without this flag it would hold the whole team up. A kahn
	 * actor always has a thread of its own.
	 */
	bool blocks;
	/*
	 * A Kahn process: fire() reads and writes when it likes, and blocks in these calls. The library calls fire()
	 * again until it returns PSTK_DONE or has been handed a NULL window, which says that the stream has ended.
	 */
	bool kahn;
	/* Prepares the actor: once, in the thread of pstk_network_start(), in the order of pstk_network_add().
	 * Context: ACTOR. Returns 0 or a negative errno; then no actor of the network fires. May be NULL. */
	int (*init)(struct pstk_actor *self);
	/*
	 * Decides which dynamic ports are on in a firing of a dynamic actor. All of them are off before the call;
	 * pstk_port_enable() turns them on. value: that of the control token. Returns 0 or a negative errno.
	 *
	 * control() is a pure function of value and arg. It may call only pstk_port_enable(), pstk_port_enabled(),
	 * pstk_firing_actor(), pstk_actor_arg(), pstk_actor_name() and pstk_actor_port_rate(), and it touches nothing
	 * that changes. For a declared value pstk_network_start() calls it, and its decision holds for the whole run.
	 * For another value any thread calls it, before each firing. So it does where such a call has failed and the
	 * network is PSTK_UNCHECKED.
	 *
	 * An actor needs it if and only if it has a control port.
	 */
	int (*control)(struct pstk_firing *firing, uint32_t value);
	/* Computes one firing on a core. Context: ACTOR. Returns PSTK_AGAIN, PSTK_DONE (the actor ends after this
	 * firing) or a negative errno. NULL only in a type that has a device form. */
	int (*fire)(struct pstk_firing *firing);
	/* The device form as host code, which enqueues several kernels or calls a library; see <penstock/opencl.h>.
	 * Context: ACTOR. Used when the actor is mapped to a device; a type that also has a kernel uses fire_cl().
	 * May be NULL. */
	int (*fire_cl)(struct pstk_firing *firing);
	/* The device form as one kernel launch. Used when the actor is mapped to a device. A type may have fire() too:
	 * pstk_actor_map() decides for each actor. May be NULL. */
	const struct pstk_kernel *kernel;
	/* Ends the actor: once for each actor whose init() succeeded, in reverse order, in the thread of
	 * pstk_network_wait(), after every thread of the network has ended. Context: ACTOR. A negative errno fails a
	 * network that had not failed. May be NULL. */
	int (*finish)(struct pstk_actor *self);
	/*
	 * Wakes fire() from a blocking call of its own (a socket, a queue).
	 *
	 * Any thread calls it, at most once for each reason: a stop, an abort or a failure, and the end of all readers.
	 * It may be called before fire() blocks, so its effect must last. After it at most one more firing begins: that
	 * of a kahn actor, which learns the end from a NULL window, or one whose windows had been taken before. It is
	 * not called for an actor that has ended. May be NULL.
	 */
	void (*unblock)(struct pstk_actor *self);
	/*
	 * Says what the actor's ports move in a step where that depends on its parameters, by pstk_actor_set_rate(),
	 * pstk_actor_set_history() and pstk_actor_set_peek().
	 *
	 * It is a pure function of arg. It may call only these, pstk_actor_arg(), pstk_actor_name(),
	 * pstk_actor_get_type() and pstk_actor_error(). The thread that builds, checks or asks calls it, before
	 * anything looks at rates; pstk_network_start() calls it once more, and refuses an actor that says something
	 * else then. Returns 0 or a negative errno: the network is refused. May be NULL.
	 */
	int (*rates)(struct pstk_actor *self);
	bool whole_steps; /* of a last step that is not full nothing is computed; not with kahn (-EINVAL) */
	/* All that the actor keeps between two firings is in its state (pstk_actor_state()), and fire() and the device
	 * form read the same bytes there in the same way. So it may be moved between the cores and a device
	 * (<penstock/core/move.h>). */
	bool portable_state;
	/*
	 * Of a type with fire_cl(): makes what belongs to one device, for each device place of an actor
	 * (pstk_actor_may_move()). Without it such an actor has one device place at most.
	 *
	 * start() calls it behind init(), once for each place, in its thread. pstk_cl_device() and pstk_cl_context()
	 * are those of that place. place: its number, from 0, as pstk_cl_place() says it in fire_cl(). Returns 0 or a
	 * negative errno: the network does not start. finish() releases all of it, also after an open_place() that
	 * has failed. May be NULL.
	 */
	int (*open_place)(struct pstk_actor *self, unsigned place);
	/*
	 * Of a stage of a pipeline whose tokens are seldom full, such as frames of several sizes: how many bytes of a
	 * token of this port are used in an item. A device with memory of its own gets and gives no more of them; what
	 * lies behind them is not defined then. NULL: whole tokens. So too for items of several tokens, and for a run
	 * in which a stage before this one has no token_bytes().
	 *
	 * came_in: the first 64 bytes of the token with which the item came to the device, and zeros behind a shorter
	 * one: of the first input of this stage, or of one before it. So all stages of a pipeline tell by the same
	 * first bytes of their tokens, such as the size of a frame (<penstock/vision.h>).
	 *
	 * A pure function of its arguments and the actor's arg. It may call only pstk_actor_arg(), pstk_actor_name(),
	 * pstk_actor_get_type() and pstk_actor_port_token_size(). Any thread calls it. 0, and more than a token has:
	 * the whole token.
	 */
	size_t (*token_bytes)(const struct pstk_actor *self, unsigned port, const void *came_in);
};

/* A pointer to a type that is filled as the arguments say: PSTK_ACTOR_TYPE(.name = "gain", ..). C only. */
#define PSTK_ACTOR_TYPE(...)              \
	(&(const struct pstk_actor_type){ \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), __VA_ARGS__ })

/* Returns an empty type with struct_size set: for C++, and for types that are built at run time. */
static inline struct pstk_actor_type pstk_actor_type_init(void)
{
	struct pstk_actor_type type = { (uint32_t)sizeof(struct pstk_actor_type), NULL, NULL, 0, NULL, 0, 0,
		0, 0, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL,
		NULL };

	return type;
}

#ifdef __cplusplus
}
#endif

#endif
