/* SPDX-License-Identifier: MIT */
/*
 * Observe: what a network is doing, what it has done, where its memory is, and what the library says.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 *
 * Deadlocks
 *   The detector needs no call. It finds actors that wait for each other, so that none of them can ever go on. It finds
 *   them at once and without false alarms. The network fails with -EDEADLK, and the error follows the cycle of actors:
 *
 *	deadlock: join (firing 4, control 2) waits for tokens on loud [rate 64, 0/128] <- limit; limit (firing 0) ..; ..
 *
 *	join                    the actor
 *	firing 4, control 2     its firing, and the value of the control token that it obeys there
 *	loud                    the port at which it waits
 *	rate 64, 0/128          the FIFO's rate, the tokens in the FIFO and how many it holds
 *	limit                   the actor at the FIFO's other end
 *
 *   The last part says what would fix it. For a network that was refused and started all the same (PSTK_UNCHECKED) that
 *   is what the analyser said before the start. What does not fit one line is in the log, which has all of it.
 *
 * Watchdog
 *   The watchdog is for actors that are inside fire(), a device or a system call. When nothing has been written, read,
 *   fired or finished on a device anywhere in the network for a time, the log gets a warning for each actor that is
 *   inside something: what it is, for how long, after how many firings.
 *   - There is one warning for each actor in the network's life. So a source that waits for its input for an hour does
 *     not flood the log.
 *   - The time is 30 s, or what PENSTOCK_WATCHDOG=seconds says; 0: no watchdog. The watchdog looks four times in that
 *     time, so it may speak up to a quarter later.
 *   - PENSTOCK_WATCHDOG=seconds,abort makes it end the network with -ETIMEDOUT and an error that names the first of the
 *     actors. A fire() can't be ended from outside: its type's unblock() must end what it is blocked in. Without an
 *     unblock() the log gets an error with the actor's name, and pstk_network_wait() waits until that fire() returns.
 *   - Commands of devices that do not end are given up after two seconds (pstk_network_abort()).
 *   - When all threads of a team sleep for so long, the detector judges once more. A deadlock that it finds only then
 *     is a fault of the library, and the log asks to report it.
 */
#ifndef PENSTOCK_CORE_OBSERVE_H
#define PENSTOCK_CORE_OBSERVE_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- At this moment ---------------------------------------------------------------------------------------------------
 */

/*
 * Sets the watchdog of this network, whatever the environment says. Context: BUILD.
 *
 * ns: the time in which nothing has moved; 0: no watchdog.
 * abort: end the network then.
 */
PSTK_PUBLIC int pstk_network_set_watchdog(struct pstk_network *, uint64_t ns, bool abort);

/* Returns the time of the watchdog, as the program or else the environment says; 0: no watchdog. Context: ANY. */
PSTK_PUBLIC uint64_t pstk_network_watchdog(const struct pstk_network *);

/*
 * Writes what the network is doing at this moment. Context: ANY.
 *
 *   - For each actor: what it is doing and for how long, and its firings. Of a dynamic actor also its control tokens
 *     and, while it is at a firing, the control value and which dynamic ports are on.
 *   - For each FIFO: how much of what it holds is filled, what was written and read, whether an end has ended, where
 *     its memory is.
 * Each figure is of a moment of its own. Of a network over several hosts it is the part of this process; the others
 * write theirs to their stderr.
 * Errors:
 *   -EIO: the file can't be written
 */
PSTK_PUBLIC int pstk_network_snapshot(struct pstk_network *, FILE *);

/*
 * Lets a signal (SIGUSR1, ..) write a snapshot to stderr while the network runs; opt-in. Context: BUILD.
 *
 * Before and after the run the signal does nothing. The thread that also sees to stop, abort and the watchdog writes
 * the snapshot: these wait while stderr takes nothing. The former handler comes back when the last network with this
 * signal is destroyed.
 * Errors:
 *   -EINVAL: the signal can't be caught, or pstk_network_handle_signals() is for it
 *   -EBUSY: the network has another one, or 16 networks have one
 */
PSTK_PUBLIC int pstk_network_snapshot_on_signal(struct pstk_network *, int signum);

/*
 * -- A timeline -------------------------------------------------------------------------------------------------------
 */

/* What is kept when the memory of a trace is full. */
enum pstk_trace_keep {
	PSTK_TRACE_LAST, /* the end of the run: where it stood still, or became slow */
	PSTK_TRACE_FIRST /* its beginning */
};

/* Memory that is enough for half a minute of 50,000 firings a second. */
#define PSTK_TRACE_BYTES ((size_t)64 << 20)

/*
 * Records what each thread of the network does, and writes it to a file at the end of pstk_network_wait(). Context:
 * BUILD.
 *
 * The file is Chrome's trace format (JSON), which https://ui.perfetto.dev and chrome://tracing open:
 *   - a track for each thread, with its firings, its waits at ports and for devices, a team's member's sleep, and what
 *     control tokens turned on
 *   - a track for each queue of a device, with what kernels and transfers took there, on the host's clock
 *   - a counter for each FIFO: tokens in it
 *   - an arrow from the firing that wrote a window to each that has read of it
 * Without a call the environment's PENSTOCK_TRACE says which file; of a process that builds several networks the
 * second one's has ".2" behind its name, and so on.
 *
 * path: is copied; opened by pstk_network_start(). NULL: no trace, whatever the environment says.
 * bytes: of memory for records, 36 each: a firing, a wait, a command of a device. It is taken at the start. What was
 *        lost is in the file, and in the log.
 * Errors:
 *   -EINVAL: the path is empty; 0 bytes
 *   -ENOMEM: the copy
 * Errors of pstk_network_start():
 *   -EINVAL: too few bytes for so many threads
 *   -EBUSY: another network or process writes its trace to this file
 *   -EEXIST: the file is there, is not empty and is no trace, so it may be precious
 *   what open(2) says
 * Errors of pstk_network_wait(), of a network that has not failed otherwise:
 *   what write(2) says; the file can be read and ends where the disk was full. Of the environment's file only the
 *   log says so
 */
PSTK_PUBLIC int pstk_network_set_trace(
	struct pstk_network *, const char *path, size_t bytes, enum pstk_trace_keep);

/*
 * -- Figures ----------------------------------------------------------------------------------------------------------
 */

struct pstk_actor_stats {
	uint64_t firings;        /* completed firings; those with every port off are not counted */
	uint64_t control_tokens; /* that a dynamic actor has obeyed, also those that turned every port off */
	/* Time in fire(), without that in which a kahn actor waits at its ports. On a device: the time to enqueue its
	 * firings, fire_cl() included, in whichever thread; not the time that the device takes. */
	uint64_t fire_ns;
	/* Time that the actor's own thread waited at ports, all together; on a device also for commands of earlier
	 * firings. Under a team 0. What other threads launch for the actor meanwhile (PENSTOCK_LAUNCH) is in fire_ns
	 * and in here. */
	uint64_t wait_ns;
	uint64_t
		device_ns; /* with PSTK_PROFILE: what the commands of its firings took on the device; else 0 */
};

struct pstk_fifo_info {
	const struct pstk_actor *src, *dst;
	unsigned src_port, dst_port;
	/* rate: of the reader; depth: windows, at each place that they cross (`memory`); of a ring: capacity - delay */
	uint32_t rate, delay, depth;
	size_t token_size;
	size_t bytes; /* of all slots, by the layout (doc/internals/fifo.md), as if the FIFO shared nothing */
	/* bytes taken from the system, up to a page more: FIFOs begin at different places of a page. 0 before
	 * pstk_network_start(), and where the memory is shared */
	size_t allocated;
	/* Tokens that the writer has published. Of a FIFO that lies at other hosts (<penstock/hosts.h>) rank 0 has
	 * what the reader's process tells it while the network runs: about each second, after the first call that
	 * asks. Other ranks have 0 */
	uint64_t written;
	uint64_t read; /* windows x rate that the reader has taken off */
	uint64_t fill; /* tokens in it now */
	/* by the library: staged and broadcast windows, wrap copies, the last window of a reader that shares memory */
	uint64_t bytes_copied;
	bool closed;   /* the writer has ended */
	bool discards; /* the reader has ended */
	/*
	 * Where the windows are:
	 *   "host"                      both ends are on cores; tables of networks without devices leave it out
	 *   "device"                    both ends are on one device: buffers that stay there
	 *   "device, gathered"          the same, of windows that overlap: each is copied together for its reader
	 *   "device, SVM"               the same in shared virtual memory
	 *   "fine-grain SVM"            host and device share them at once
	 *   "coarse-grain SVM"          shared virtual memory, handed over by mapping
	 *   "mapped"                    buffers, handed over by mapping
	 *   "staged"                    copied from the writer's memory to the reader's
	 *   "staged through the host"   copied from device to device
	 * Tables say "shared" behind it for a reader of an output that uses another reader's memory.
	 */
	const char *memory;
	uint32_t write_rate; /* of the writer */
	uint32_t
		history; /* tokens in front of the new ones of a read window: the reader's history, or peek - rate */
	uint32_t tail; /* zeros behind the stream that count as tokens */
	/* Tokens: what was not taken off, and what is being written, never are more. It counts the windows of each
	 * place that they cross: "staged" has two, "staged through the host" three. */
	uint64_t room;
	bool shared; /* its reader uses the memory of another reader of the same output */
	/* A buffer of it lies in memory of other outputs' buffers, too, as a plan has said (<penstock/plan.h>). Before
	 * pstk_network_start(): it is to; on a device it keeps its own where all others of that memory need theirs.
	 * `allocated` counts that memory once, for one of them */
	bool merged;
};

/* The figures of an actor and of a FIFO. Context: ANY; while the network runs each figure is of a moment of its own. */
PSTK_PUBLIC int pstk_actor_get_stats(const struct pstk_actor *, struct pstk_actor_stats *);
PSTK_PUBLIC int pstk_fifo_get_info(const struct pstk_fifo *, struct pstk_fifo_info *);

/*
 * Returns how much of the stats' fire_ns threads spent on a core. Context: ANY.
 *
 * It is less than fire_ns on a loaded machine, or where fire() waits. It is measured in firings of 100 us and more.
 */
PSTK_PUBLIC uint64_t pstk_actor_cpu_ns(const struct pstk_actor *);

/* Returns the time that the actor waited at one port. Context: ANY. */
PSTK_PUBLIC uint64_t pstk_actor_port_wait_ns(const struct pstk_actor *, unsigned port);

/* Returns the core that an actor is pinned to, -1 when the OS chooses. Context: ANY. */
PSTK_PUBLIC int pstk_actor_core(const struct pstk_actor *);

/*
 * The bytes of all FIFOs. Context: ANY.
 *
 *   fifo_bytes        by the layout rule, each FIFO by itself: what papers count
 *   shared_bytes      with one buffer for the readers of an output that share it (struct pstk_fifo_info's shared): what
 *                     pstk_network_start() needs
 *   allocated_bytes   what pstk_network_start() took from the system
 * The first two are known before the start; where devices share is known for good after it.
 * SIZE_MAX: more than memory can have.
 */
PSTK_PUBLIC size_t pstk_network_fifo_bytes(const struct pstk_network *);
PSTK_PUBLIC size_t pstk_network_shared_bytes(const struct pstk_network *);
PSTK_PUBLIC size_t pstk_network_allocated_bytes(const struct pstk_network *);

/*
 * Writes the network as a table: actors and where they run, FIFOs and where their windows are (struct pstk_fifo_info's
 * memory), memory in all. Below a pipeline are its stages. Once the network has started it says which FIFOs between two
 * actors share one pair of counters (a bundle), or why not. Context: BUILD, or after pstk_network_wait().
 */
PSTK_PUBLIC int pstk_network_print(const struct pstk_network *, FILE *);

/*
 * Writes what the run did. Context: after pstk_network_wait().
 *
 * For each actor: firings, time in fire(), on a core and waiting, and on the device if that was measured. For each
 * FIFO: tokens written and read, and bytes copied. For each move that is kept: from where to where, at which firing,
 * how long nothing came and what was to be expected; or why it was not made. Behind these what pstk_pipeline_print()
 * writes of each pipeline.
 */
PSTK_PUBLIC int pstk_network_print_stats(const struct pstk_network *, FILE *);

/*
 * -- Why is it slow? --------------------------------------------------------------------------------------------------
 */

/* So often the network is looked at, where nothing else is asked for: 500 times a second. */
#define PSTK_SAMPLING_NS ((uint64_t)2000000)

/*
 * Lets the network's watcher look at each actor and FIFO while it runs, for pstk_network_explain(). Context: BUILD.
 *
 * ns: from one look to the next, 100 us to 10 s; 0: never, which is what a network begins with. A look takes about a
 * microsecond an actor, on a thread of its own; of networks with many actors they come less often, so that they take
 * 2 % of a core at most.
 * Errors:
 *   -EINVAL: ns is out of range
 */
PSTK_PUBLIC int pstk_network_set_sampling(struct pstk_network *, uint64_t ns);

/*
 * What an actor was seen doing so far. What it did in a part of the run is the difference of two of these; a share of
 * the time is a count over looks, or a time over ns.
 */
struct pstk_actor_load {
	uint64_t ns;    /* since the network's threads began, until it ended */
	uint64_t looks; /* of which saw it .. */
	uint64_t waits; /* .. waiting for tokens or room at a port; pstk_actor_port_waits() says at which */
	uint64_t for_device; /* .. waiting for what a device has */
	uint64_t for_core;   /* .. with nothing missing, but its own thread not yet awake, or not on a core */
	uint64_t for_thread; /* .. waiting for a thread of the team */
	uint64_t device_runs; /* .. with its device at one of its firings */
	uint64_t fire_ns;     /* as struct pstk_actor_stats has it */
	uint64_t cpu_ns;      /* .. and pstk_actor_cpu_ns() */
	uint64_t firings;
	unsigned
		side_by_side; /* firings that it may have: all of them are busy where fire_ns is so many times ns */
};

/* What a FIFO was seen holding so far. */
struct pstk_fifo_load {
	uint64_t looks;    /* of which saw it .. */
	uint64_t full;     /* .. without room for another window */
	uint64_t empty;    /* .. without a window to read */
	uint64_t fill;     /* tokens, of all looks together */
	uint64_t capacity; /* tokens that it holds */
};

/*
 * The load of an actor and of a FIFO, and how many looks saw an actor waiting at a port. Context: ANY; while the
 * network runs each figure is of a moment of its own. For ports that are not there, and without sampling, 0.
 * Errors:
 *   -EINVAL: the network has not begun, or there was no pstk_network_set_sampling(); a stage of a pipeline, or a FIFO
 *            between two: its pipeline is looked at
 */
PSTK_PUBLIC int pstk_actor_get_load(const struct pstk_actor *, struct pstk_actor_load *);
PSTK_PUBLIC int pstk_fifo_get_load(const struct pstk_fifo *, struct pstk_fifo_load *);
PSTK_PUBLIC uint64_t pstk_actor_port_waits(const struct pstk_actor *, unsigned port);

/* What limits the throughput of a network. */
enum pstk_cause_kind {
	PSTK_CAUSE_SOURCE,    /* a source that waits for something outside gives no more */
	PSTK_CAUSE_ACTOR,     /* an actor without a state is busy all the time */
	PSTK_CAUSE_SERIAL,    /* an actor with a state is, or one that can't have more firings side by side */
	PSTK_CAUSE_IMBALANCE, /* one branch of a dynamic actor gets most of the work */
	PSTK_CAUSE_DEVICE,    /* a device runs kernels of an actor all the time */
	PSTK_CAUSE_TRANSFER,  /* actors wait for windows on their way to or from a device */
	PSTK_CAUSE_CORES,     /* all threads or cores are busy */
	PSTK_CAUSE_SWITCHING, /* firings are so short that threads mostly sleep and wake up */
	PSTK_CAUSE_DEPTH,     /* a FIFO that is too shallow: its ends wait for each other in turns */
	PSTK_CAUSE_NONE       /* nothing of these: no actor and no thread is busy all the time */
};

struct pstk_cause {
	enum pstk_cause_kind kind;
	const struct pstk_actor *actor; /* that limits; NULL: no single one does */
	const struct pstk_fifo *fifo;   /* that limits; NULL: none */
	double gain;                    /* at most, in throughput, when the advice is followed; 1: nothing */
	char evidence[400];             /* "gauss is busy 98 % of the time; .." */
	char advice[400];               /* "give it .."; "": nothing would help */
};

/*
 * Finds what limits the throughput, the first cause first. Context: ANY, from pstk_network_start() on.
 *
 * It is worked out from the times in fire(), and from how often an actor was seen waiting at which port: the busiest
 * actor, device or set of threads limits. Where nothing is busy, it is the FIFO whose ends wait in turns, or the time
 * that threads take to wake up. The rules: doc/guide/observing.md, "Why is it slow?".
 *
 * causes: room for so many; the others are counted only.
 * Returns how many there are, at least 1; errors:
 *   -EINVAL: the network has not begun, or there was no pstk_network_set_sampling()
 */
PSTK_PUBLIC int pstk_network_causes(const struct pstk_network *, struct pstk_cause *causes, unsigned size);

/*
 * Writes these causes, and how busy each actor is, where it waits, and how full each FIFO is. Context: ANY, from
 * pstk_network_start() on.
 *
 * Errors:
 *   -EINVAL: as of pstk_network_causes()
 *   -EIO: the file can't be written
 */
PSTK_PUBLIC int pstk_network_explain(const struct pstk_network *, FILE *);

/*
 * -- How late is it? --------------------------------------------------------------------------------------------------
 */

/* So often a window of each source is followed, where nothing else is asked for: 1,000 times a second. */
#define PSTK_LATENCY_NS ((uint64_t)1000000)

/*
 * Follows windows from each source to each sink that it reaches, for the calls below. Context: BUILD.
 *
 * Latency is the time from when the source has published a window until the sink is through with the firing that read
 * its last token. What is dropped, repeated, delayed or goes two ways: doc/guide/observing.md, "How late is it?".
 *
 * ns: from one window that is followed to the next; 1: nearly all windows; 0: none, which is what a network begins
 *     with.
 */
PSTK_PUBLIC int pstk_network_set_latency(struct pstk_network *, uint64_t ns);

/* From a source (an actor that nothing feeds but itself or its own cycle) to a sink (an actor without outputs). */
struct pstk_latency {
	const struct pstk_actor *source, *sink;
	uint64_t followed; /* windows of the source .. */
	uint64_t arrived;  /* .. that have come to the sink */
	/* So many percent took no longer: up to 3 % too large. All ns; 0 where none has arrived. */
	uint64_t p50_ns, p90_ns, p99_ns;
	uint64_t max_ns, mean_ns;
	uint64_t actors_ns; /* of mean_ns, in actors behind the source; the rest in FIFOs */
};

/*
 * The latencies of the first 4,096 paths so far, by sources in the order in which their actors were added. Context:
 * ANY, from pstk_network_start() on; while the network runs each figure is of a moment of its own.
 *
 * latencies: room for so many; the others are counted only.
 * Returns how many there are; errors:
 *   -EINVAL: the network has not begun, or there was no pstk_network_set_latency()
 */
PSTK_PUBLIC int pstk_network_latencies(
	const struct pstk_network *, struct pstk_latency *latencies, unsigned size);

/* Windows that took from_ns to to_ns, both included. */
struct pstk_latency_bucket {
	uint64_t from_ns, to_ns, windows;
};

/*
 * The histogram behind the latency of this index: its buckets with windows in them. Context: as above.
 *
 * buckets: room for so many; the others are counted only.
 * Returns how many there are; errors:
 *   -EINVAL: as of pstk_network_latencies(); there is no such index
 */
PSTK_PUBLIC int pstk_network_latency_buckets(
	const struct pstk_network *, unsigned index, struct pstk_latency_bucket *buckets, unsigned size);

/*
 * Returns how long windows that were followed lay in a FIFO on average, in nanoseconds. Context: ANY; 0 before
 * pstk_network_start() and without pstk_network_set_latency().
 *
 * windows: how many these were; NULL: not wanted.
 */
PSTK_PUBLIC uint64_t pstk_fifo_latency_ns(const struct pstk_fifo *, uint64_t *windows);

/*
 * Writes the latencies as a table, and the FIFOs in which windows lay longest. Context: ANY, from
 * pstk_network_start() on.
 *
 * Errors:
 *   -EINVAL: as of pstk_network_latencies()
 *   -EIO: the file can't be written
 */
PSTK_PUBLIC int pstk_network_print_latencies(const struct pstk_network *, FILE *);

/*
 * -- The library itself -----------------------------------------------------------------------------------------------
 */

enum pstk_log_level { PSTK_LOG_ERROR, PSTK_LOG_WARNING, PSTK_LOG_INFO, PSTK_LOG_DEBUG };

/* Gets one message. Any thread calls it, one call at a time. It must not call the library. data: borrowed. */
typedef void (*pstk_log_fn)(void *data, enum pstk_log_level, const char *topic, const char *message);

/*
 * Sends messages to fn instead of stderr. Context: ANY.
 *
 * fn: NULL: to stderr again.
 * The environment chooses what is said: PENSTOCK_DEBUG=topic:level[,..]. A level is error, warning, info or debug; a
 * topic is `*` or one of network, fifo, thread, opencl. The default is warnings and errors.
 */
PSTK_PUBLIC void pstk_set_log(pstk_log_fn fn, void *data);

/* Returns the version of the library that runs, in PSTK_VERSION's form; the macros are of the headers. Context: ANY. */
PSTK_PUBLIC const char *pstk_version(void);

#ifdef __cplusplus
}
#endif

#endif
