/* SPDX-License-Identifier: MIT */
/*
 * Network: building it, which threads run its actors, starting it and ending it.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_CORE_NETWORK_H
#define PENSTOCK_CORE_NETWORK_H

#include <penstock/core/actor.h>
#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- Building ---------------------------------------------------------------------------------------------------------
 *
 * The network keeps wrong calls as its problems. pstk_network_start() refuses it then; pstk_network_error() returns the
 * first problem, pstk_network_problem() each of them.
 */

/*
 * A FIFO. Both of its ends move windows of `rate` tokens; or the writer's windows have `write_rate` tokens and the
 * reader's `read_rate`. Where none is given, an end moves steps x rate of its port (struct pstk_port); an end whose
 * port declares nothing takes what the other end has.
 *
 * Initial tokens. A FIFO may begin with `delay` tokens; the reader gets these first. With rate 4, delay 2 and the
 * initial tokens a b, a writer that writes 1 .. 8 and ends gives its reader these windows:
 *
 *	written           1 2 3 4   5 6 7 8
 *	read    a b 1 2   3 4 5 6   7 8 0 0     the last window is filled partly: its valid count is 2
 *
 * So the reader can fire for the first time when the writer has written one window. With delay 4 it can fire before
 * that, which is what makes a cycle of FIFOs run.
 *
 * A ring. Between two kahn actors a FIFO may be a plain ring of `capacity` tokens instead.
 */
struct pstk_fifo_spec {
	uint32_t struct_size; /* sizeof(struct pstk_fifo_spec) of the program */
	uint32_t rate;        /* tokens in a window, at both ends; or write_rate, read_rate */
	uint32_t delay;       /* initial tokens */
	/* Windows that the FIFO holds. 1: its ends can't overlap. 0: two, the double buffer; under a team 2 x threads.
	 * See pstk_network_set_threads() and PSTK_DEPTH_AUTO. */
	uint32_t depth;
	/* bytes; 0: the size that a port states (a control port: 4), or that of the output's first FIFO, or one element
	 * of the ports' type */
	size_t token_size;
	const void *initial; /* `delay` tokens; NULL: zeros; without a delay -EINVAL */
	/* Between two kahn actors only: a ring of so many tokens; then rate is 0 or 1, and depth is 0.
	 * 0: a FIFO of windows. */
	uint32_t capacity;
	uint32_t reserved; /* 0 */
	/* Instead of rate: tokens of a write window and of a read window. The balance of all rates must come out
	 * (pstk_network_check(), R0). */
	uint32_t write_rate, read_rate;
	/* So many zeros follow the stream's last token and count as tokens, for what the reader still has inside: a
	 * filter's ring-out, a resampler's flush. Not for control tokens, not in a ring. */
	uint32_t tail;
};

/* A pointer to a spec that is filled as the arguments say: PSTK_FIFO(.rate = 1, .token_size = 4). C only. */
#define PSTK_FIFO(...)                   \
	(&(const struct pstk_fifo_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_fifo_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_fifo_spec pstk_fifo_spec_init(void)
{
	struct pstk_fifo_spec spec = { (uint32_t)sizeof(struct pstk_fifo_spec), 0, 0, 0, 0, NULL, 0, 0, 0, 0,
		0 };

	return spec;
}

/*
 * Creates an empty network. Context: ANY.
 *
 * name: for messages. NULL, or a name that an actor could not have, means "network".
 * The call reads the variables of the environment that decide how a network runs, see penstock(7). Changing them later
 * changes nothing in this network.
 * Returns NULL when there is no memory.
 */
PSTK_PUBLIC struct pstk_network *pstk_network_create(const char *name);

/*
 * Frees a network; it is the last call on it. Context: any thread that is not an actor's.
 *
 * A network that runs is aborted first, and the call waits for its end.
 */
PSTK_PUBLIC void pstk_network_destroy(struct pstk_network *);

/*
 * Adds an actor. Context: BUILD.
 *
 * name: unique in the network. Names, here and in types, have 1 to 127 bytes and no control characters.
 * arg: copied or borrowed, see the type's arg_size.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: a type without fire(), a port twice, .., or a struct_size that does not fit: below that of 0.1, or above
 *            what this library knows with something set in the part that it does not know
 *   -ERANGE: a parameter's value
 *   -EEXIST: another actor has this name
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_network_add(
	struct pstk_network *, const char *name, const struct pstk_actor_type *, void *arg);

/*
 * Connects an output to an input by a FIFO. Context: BUILD.
 *
 * An output that is connected k times is a broadcast: k FIFOs of one write rate and token size, and each reader sees
 * every token.
 * Errors (NULL is returned, and the network has the problem):
 *   -ENOENT: no such port
 *   -EINVAL: src's port is not an output, dst's is not an input, there is no rate and none of both ports declares one,
 *            or rate and another one of an end,
 *            the token size is not that of the ports, nothing tells the token size, the ports' token sizes or types
 * differ, ..
 *   -EISCONN: the input is connected already
 *   -EOVERFLOW: more bytes than memory can have
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_fifo *pstk_connect(struct pstk_actor *src, const char *out, struct pstk_actor *dst,
	const char *in, const struct pstk_fifo_spec *);

/*
 * Chooses how many steps a firing of an actor has (see "Steps" in <penstock/core/actor.h>). Context: BUILD.
 *
 * Without this call a firing has as many steps as the rates say that its FIFOs were given, else one. Each port that
 * declares a rate moves steps x rate tokens in a firing; a FIFO that was given another rate is refused at the start.
 * Errors:
 *   -EINVAL: n is 0
 * pstk_network_start() returns -EINVAL
 *   - for n steps of an actor of which no port declares a rate;
 *   - for a FIFO whose rate is not steps x rate of its port.
 */
PSTK_PUBLIC int pstk_actor_set_steps(struct pstk_actor *, uint32_t n);

/* Returns what pstk_actor_set_steps() was given; 0: nothing. Context: BUILD. */
PSTK_PUBLIC uint32_t pstk_actor_given_steps(const struct pstk_actor *);

/* Returns the steps of a firing; 0: no port of this actor declares a rate, or they are not known yet. Context: ANY,
 * from pstk_network_check() or pstk_network_start() on. */
PSTK_PUBLIC uint32_t pstk_actor_steps(const struct pstk_actor *);

/*
 * Declare what a port moves in a step, instead of its type: tokens of a step, tokens of history, tokens that a step
 * sees (struct pstk_port). Context: BUILD, or the actor's own rates().
 *
 * 0 takes the declaration back.
 * Errors:
 *   -ERANGE: no such port
 *   -EINVAL: a history or a peek of an output, a control port or a kahn actor; a rate of a control port other than 1
 *   -EBUSY: in rates(): of another actor
 * pstk_network_start() returns -EINVAL for a port with both history and peek, or with a peek below its rate.
 */
PSTK_PUBLIC int pstk_actor_set_rate(struct pstk_actor *, unsigned port, uint32_t tokens);
PSTK_PUBLIC int pstk_actor_set_history(struct pstk_actor *, unsigned port, uint32_t tokens);
PSTK_PUBLIC int pstk_actor_set_peek(struct pstk_actor *, unsigned port, uint32_t tokens);

/*
 * Returns how often an actor fires in an iteration of its part of the network: the smallest whole numbers with which
 * every FIFO gets as many tokens as are taken (source: Lee, Messerschmitt, Synchronous data flow, 1987). Context: ANY.
 *
 * 1 where all FIFOs have one rate. 0: the rates contradict each other, or the number has more than 63 bits.
 */
PSTK_PUBLIC uint64_t pstk_actor_repetitions(const struct pstk_actor *);

/*
 * Runs the actor's thread on one core. Context: BUILD.
 *
 * Without this call the OS chooses ("free mapping"). Under a team the actor belongs to one thread of the team, see
 * pstk_network_set_threads().
 * Errors:
 *   -EINVAL: this process may not use such a core
 */
PSTK_PUBLIC int pstk_actor_pin(struct pstk_actor *, unsigned core);

/*
 * Gives one actor a private state of another size than its type's, in bytes. Context: BUILD.
 *
 * Errors:
 *   -EOVERFLOW: more bytes than memory can have
 */
PSTK_PUBLIC int pstk_actor_set_state_size(struct pstk_actor *, size_t bytes);

/*
 * Sets a parameter from text, in an actor whose type has an arg_size. Context: BUILD.
 *
 * Errors:
 *   -ENOENT: no such parameter
 *   -EINVAL: the text is not of the parameter's type
 *   -ERANGE: the value is out of the parameter's range
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_actor_set_param(struct pstk_actor *, const char *name, const char *value);

/*
 * Records a problem, as the library's own calls do: for functions of a program that build parts of a network.
 * Context: BUILD.
 *
 * err: a negative errno. Returns err.
 */
PSTK_PUBLIC int pstk_network_refuse(struct pstk_network *, int err, const char *format, ...)
	PSTK_PRINTF(3, 4);

/* Flags of a network. */
enum {
	/* pstk_network_start() starts also a network that the analyser refuses (pstk_network_check()). The run is then
	 * only watched for deadlocks. */
	PSTK_UNCHECKED = 1,
	/* FIFOs whose depth is 0 get more windows, so that an actor can fire more often before it has to wait. All of
	 * them get the same number, as many as fit the budget of pstk_network_set_depth_budget(). */
	PSTK_DEPTH_AUTO = 2,
	/* The run measures what the commands of each actor on a device take. PENSTOCK_PROFILE=1 does the same. */
	PSTK_PROFILE = 4,
	/* Actors that declare what a step is, and whose steps neither pstk_actor_set_steps() nor a FIFO says, get so
	 * many that a firing moves 16 KiB or more, and that the windows at the two ends of a FIFO are equal; fewer
	 * where the budget of pstk_network_set_depth_budget() does not allow it. What comes out is the same. Actors of
	 * a cycle, actors that fire by control tokens, and those that declare a rate for some of their ports only,
	 * with their neighbours, keep one step. */
	PSTK_STEPS_AUTO = 8
};

/*
 * Sets all flags. Context: BUILD.
 *
 * Errors:
 *   -EINVAL: a flag that does not exist
 */
PSTK_PUBLIC int pstk_network_set_flags(struct pstk_network *, unsigned flags);

/* Returns all flags. Context: ANY. */
PSTK_PUBLIC unsigned pstk_network_flags(const struct pstk_network *);

/*
 * -- Which threads run the actors ------------------------------------------------------------------------------------
 *
 * A thread for each actor (0 threads, the default) is the way of the paper: each actor waits by itself. Waking a thread
 * costs time, which a larger rate or depth hides (PSTK_DEPTH_AUTO).
 *
 * A team of n threads fires whichever actor is ready. After an actor a team's thread fires the actors that it fed,
 * while the data are in the cache. No thread of the team sleeps while there is an actor that it could fire.
 *   - Kahn actors, and actors whose type says that they block, keep a thread of their own beside the team.
 *   - The team also fires actors on devices: such a firing is an enqueue.
 *   - What a network computes is the same as with a thread for each actor.
 *   - An actor whose fire() waits for what another actor does must say that it blocks; else the network may hang.
 *
 * Firings of a stateless actor may run side by side. The most that do so is the least of
 *   - the actor's concurrency (pstk_actor_set_concurrency());
 *   - the windows that each of its FIFOs holds;
 *   - the threads of the team, unless its type blocks; 1 if the actor is pinned.
 * Example: concurrency 8, FIFOs of depth 6, a team of 4: 4 firings side by side.
 * In a cycle of FIFOs no more are in flight than the windows of delay tokens around it: the others wait for theirs.
 * Under a team, or with a concurrency set, the report of pstk_network_check() says how many there are and what limits
 * them.
 */

/*
 * Chooses which threads run the actors. Context: BUILD.
 *
 * threads: 0: a thread for each actor; 1 .. 256: a team of so many threads.
 * Under a team
 *   - a FIFO whose depth is 0 holds 2 x threads windows;
 *   - pstk_actor_pin() gives an actor to thread `core mod threads` of the team. That thread runs on all the cores for
 *     which it got actors; pstk_network_print() says which.
 * Without this call the environment decides: PENSTOCK_TEAM=threads.
 * Errors:
 *   -EINVAL: more than 256 threads
 *   -EOVERFLOW: a FIFO of that depth would have more bytes than memory can have
 */
PSTK_PUBLIC int pstk_network_set_threads(struct pstk_network *, unsigned threads);

/* Returns the threads of the network's team; 0: a thread for each actor. Context: ANY. */
PSTK_PUBLIC unsigned pstk_network_threads(const struct pstk_network *);

/*
 * Returns what suits most networks, for pstk_network_set_threads(), once all actors are added: as many threads as this
 * process has cores where there are more actors, else 0. Context: ANY.
 */
PSTK_PUBLIC unsigned pstk_network_auto_threads(const struct pstk_network *);

/*
 * Lets at most n firings of an actor run side by side, 1 .. 256. Context: BUILD.
 *
 * n > 1 needs a stateless type. Without this call n is 1; under a team it is as many as can be, unless the type blocks.
 * Without a team, and if its type blocks, the actor has n threads.
 *
 * The network lowers n without a message to what a small team or a pin under a team allows, see above;
 * pstk_actor_concurrency() tells the result.
 * Errors:
 *   -EINVAL: n is 0 or above 256; n > 1 and the type is not stateless; n > 1 and the actor is on a device, which has up
 *            to 8 firings enqueued anyway
 * pstk_network_start() returns -EINVAL
 *   - for n above the depth of one of the actor's FIFOs;
 *   - for n > 1 if the actor was mapped to a device later.
 */
PSTK_PUBLIC int pstk_actor_set_concurrency(struct pstk_actor *, unsigned n);

/*
 * Returns how many firings of this actor may run side by side, 0 for NULL. Context: ANY. Of a stage of a pipeline it is
 * the threads that carry items, one more than the pipeline's cores.
 *
 * why: gets what limits them, in a few words, at most size bytes. NULL: no text.
 */
PSTK_PUBLIC unsigned pstk_actor_concurrency(const struct pstk_actor *, char *why, size_t size);

/* Returns what pstk_actor_set_concurrency() was given; 0: nothing. Context: BUILD. */
PSTK_PUBLIC unsigned pstk_actor_given_concurrency(const struct pstk_actor *);

/*
 * Sets what all FIFOs together may take under PSTK_DEPTH_AUTO and PSTK_STEPS_AUTO, in bytes
 * (pstk_network_shared_bytes()). Context: BUILD.
 *
 * bytes: 0, the default: half of a core's second-level cache, or 512 KiB where the system does not tell its size.
 * All FIFOs whose depth is 0 get the same number of windows: up to 32, between host and device up to 4, between actors
 * on devices 2. They never exceed the budget by that, but they never get fewer windows than without the flag, nor less
 * room than FIFOs of several rates need (PSTK_RULE_ROOM), which counts.
 */
PSTK_PUBLIC int pstk_network_set_depth_budget(struct pstk_network *, size_t bytes);

/* Returns what pstk_network_set_depth_budget() was given; 0: the default. Context: ANY. */
PSTK_PUBLIC size_t pstk_network_depth_budget(const struct pstk_network *);

/*
 * -- Running ----------------------------------------------------------------------------------------------------------
 */

/*
 * Starts the network. Context: BUILD. A network runs once.
 *
 * The call checks the network, allocates its memory, calls every init(), builds the kernels, launches each of them once
 * (struct pstk_kernel) and starts the threads. Nothing is allocated afterwards.
 *
 * After a failure nothing has fired, and finish() was called for each actor whose init() had succeeded.
 * Errors:
 *   -EBUSY: the network was started before; this is not kept as its error
 *   else the first problem of the network, what the analyser refuses (-EDEADLK), or what failed at the start
 */
PSTK_PUBLIC int pstk_network_start(struct pstk_network *);

/*
 * Waits until every actor has ended, then calls finish(). Context: any thread that is not an actor's.
 *
 * A further call returns the same result.
 *
 * An actor ends
 *   - when an input has ended;
 *   - when fire() returns PSTK_DONE;
 *   - when it has published a window that is not full (not a Kahn actor);
 *   - when all readers of its outputs have ended.
 * In a feedback cycle the actors are each other's readers. Such a cycle, fed by an endless source, goes on when a
 * reader outside of it has ended, until pstk_network_stop().
 *
 * While fire() of an actor does not return after a failure or an abort, an error in the log names that actor every
 * 30 s. A program that must go on uses pstk_network_wait_for().
 * Returns
 *   0: the streams have ended, or a stop has drained the network
 *   -ECANCELED: the network was aborted
 *   -EINVAL: the network was not started
 *   -EDEADLK: the call came from one of its actors
 *   else the network's first error
 */
PSTK_PUBLIC int pstk_network_wait(struct pstk_network *);

/*
 * Waits as pstk_network_wait() does, but at most ns nanoseconds until every actor has ended. Context: as there.
 *
 * The time of finish() comes on top, and the time for what devices still have to do.
 * Errors: as pstk_network_wait(), and
 *   -ETIMEDOUT: actors still run
 */
PSTK_PUBLIC int pstk_network_wait_for(struct pstk_network *, uint64_t ns);

/* Starts the network and waits: pstk_network_start(), then pstk_network_wait(). Context: BUILD. */
PSTK_PUBLIC int pstk_network_run(struct pstk_network *);

/*
 * Stops the sources and lets the rest drain: what they have written reaches the sinks. Context: ANY, async-signal-safe.
 *
 * No source fires again. A source is an actor without inputs. In a strongly connected part of the network that gets
 * nothing from outside every actor counts as a source.
 */
PSTK_PUBLIC void pstk_network_stop(struct pstk_network *);

/*
 * Ends the network at once: nothing fires again, and windows in flight are dropped. Context: ANY, async-signal-safe.
 *
 * pstk_network_wait() still waits for commands in flight on devices. When none of them has ended for a time, they are
 * given up, and their memory is left to them. That time is
 *   - ten seconds after an abort;
 *   - two seconds after a call or command of a device has failed, or after the watchdog has ended a network with actors
 *     on devices: what depends on such a command may never end.
 */
PSTK_PUBLIC void pstk_network_abort(struct pstk_network *);

/*
 * Returns the first error in one line; "" when there is none; for NULL a text that there is no network. Context: ANY.
 *
 * The text is valid until pstk_network_destroy() and does not change once it is set.
 */
PSTK_PUBLIC const char *pstk_network_error(const struct pstk_network *);

/* Returns the index-th problem found while building, NULL behind the last one. Context: BUILD, or after
 * pstk_network_start() has failed. */
PSTK_PUBLIC const char *pstk_network_problem(const struct pstk_network *, unsigned index);

/* Returns whether the network has failed or been aborted: for long loops inside fire(). Context: ANY. */
PSTK_PUBLIC bool pstk_network_failed(const struct pstk_network *);

/*
 * Lets signals end this network; opt-in. Context: BUILD.
 *
 *   - The first SIGINT or SIGTERM stops the network, the second aborts it, and the third ends the process at once with
 *     status 130. When every such network has ended, these signals do again what they did before.
 *   - SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT in an actor's callback name the actor on stderr. Then they do what
 *     they did before.
 *   - The former handlers come back when the last network that handles signals is destroyed.
 *   - Other signals are the program's. SIGHUP would end the process at once; it stops the network if the program's
 *     handler of it calls raise(SIGTERM).
 * Errors:
 *   -EBUSY: 16 networks handle signals already
 */
PSTK_PUBLIC int pstk_network_handle_signals(struct pstk_network *);

/* Returns the signal that stopped this network (SIGINT, SIGTERM), 0 if none did. Context: ANY. */
PSTK_PUBLIC int pstk_network_signal(const struct pstk_network *);

/*
 * -- What is in a network ---------------------------------------------------------------------------------------------
 */

/* Returns the network's name. Context: ANY. */
PSTK_PUBLIC const char *pstk_network_name(const struct pstk_network *);

/* How many actors and FIFOs there are, and each of them in the order of pstk_network_add() and pstk_connect(); NULL
 * behind the last one. Context: ANY. */
PSTK_PUBLIC unsigned pstk_network_actor_count(const struct pstk_network *);
PSTK_PUBLIC unsigned pstk_network_fifo_count(const struct pstk_network *);
PSTK_PUBLIC struct pstk_actor *pstk_network_actor(const struct pstk_network *, unsigned index);
PSTK_PUBLIC struct pstk_fifo *pstk_network_fifo(const struct pstk_network *, unsigned index);

/*
 * Returns a spec with which pstk_connect() makes such a FIFO again: what it was given, and its token size. Context:
 * BUILD.
 *
 * spec->initial: the FIFO's own copy, valid until pstk_network_start(); NULL: zeros.
 * Errors:
 *   -EINVAL: NULL
 *   -EBUSY: the network was started
 */
PSTK_PUBLIC int pstk_fifo_get_spec(const struct pstk_fifo *, struct pstk_fifo_spec *spec);

#ifdef __cplusplus
}
#endif

#endif
