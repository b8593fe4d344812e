/* SPDX-License-Identifier: MIT */
/*
 * Plan: what a network will need on a machine, before anything runs.
 *
 * A machine is hosts, their devices, and the links between them. Its hosts and devices are its places: "c0" is a host,
 * "c0/g0" a device of it. From a network, a machine and a mapping of actors to places follow
 *   - the order in which the actors of a place fire,
 *   - the buffers: where each lies, how deep it is, which of them share memory,
 *   - the cycle in which each actor has its first windows,
 *   - the load of each place and link, and so the period: the time that an iteration takes at least.
 * The source is "PACCO" (Boulos, Houzet, Huet et al., "Efficient implementation of data flow graphs on multi-gpu
 * clusters"); doc/planning.md says what was changed, and why.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_PLAN_FACE_H
#define PENSTOCK_PLAN_FACE_H

#include <penstock/core/device.h>
#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Machine.
 *
 * One thread at a time may use it. The functions take NULL for any pointer, and then return -EINVAL, NULL or 0.
 */

struct pstk_machine; /* hosts, devices and links */

/* How two places pass windows on. */
enum pstk_link_kind {
	PSTK_LINK_SHARED, /* they use one memory: nothing is copied */
	PSTK_LINK_COPY,   /* a copy between a host and its device, or between two devices of a host */
	PSTK_LINK_NET     /* a network between two hosts */
};

struct pstk_link {
	const char *a, *b; /* places */
	enum pstk_link_kind kind;
	double rate;    /* bytes/s in each direction; INFINITY: not known; a shared link has none, 0 */
	double latency; /* s that each transfer takes besides */
	bool half;      /* half duplex: both directions take turns */
};

struct pstk_place {
	const char *name;     /* "c0", "c0/g0" */
	const char *selector; /* of a device, or NULL: it can be planned, but nothing runs there */
	unsigned host;        /* the number of its host; a host has its own */
	unsigned cores;       /* of a host; a device counts as 1 */
	uint64_t memory;      /* bytes that it has; 0: not known */
	const char *address;  /* of a host: the name of the machine that it is, or NULL */
};

/* Creates a machine without places. NULL: out of memory. */
PSTK_PUBLIC struct pstk_machine *pstk_machine_create(void);
PSTK_PUBLIC void pstk_machine_destroy(struct pstk_machine *);

/*
 * Adds a host, or a device of a host, whose name then is HOST/NAME. memory: bytes, 0: not known. selector: as
 * pstk_actor_map() takes it; NULL or "": none. Returns
 *   the number of the place, from 0
 *   -EINVAL: no core, or no name; a name may not contain '/', and begins with a letter, a digit or '_'
 *   -ENOENT: there is no such host
 *   -EEXIST: there is such a place already
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_machine_add_host(
	struct pstk_machine *, const char *name, unsigned cores, uint64_t memory);
PSTK_PUBLIC int pstk_machine_add_device(
	struct pstk_machine *, const char *host, const char *name, const char *selector, uint64_t memory);

/* Says which machine a host is, by its name (gethostname(2)), for runs on several hosts (<penstock/hosts.h>). NULL or
 * "": not known. -ENOENT: there is no such place; -EINVAL: NULL, or a device; -ENOMEM. */
PSTK_PUBLIC int pstk_machine_set_address(struct pstk_machine *, const char *host, const char *address);

/*
 * Adds a link between two places. Returns
 *   the number of the link, from 0
 *   -ENOENT: there is no such place
 *   -EINVAL: a rate that is not above 0 (or is given for a shared link), a latency below 0, both ends are one place,
 *            or the kind does not fit: net is between hosts, the others are within one
 *   -EEXIST: these places have a link already
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_machine_add_link(struct pstk_machine *, const struct pstk_link *);

/* Why the last call that failed did so, with the nearest name where one is unknown; "" if none has. */
PSTK_PUBLIC const char *pstk_machine_error(const struct pstk_machine *);

/* How many places and links there are. */
PSTK_PUBLIC unsigned pstk_machine_place_count(const struct pstk_machine *);
PSTK_PUBLIC unsigned pstk_machine_link_count(const struct pstk_machine *);

/* One of them. Its strings are borrowed. -EINVAL: there are not so many. */
PSTK_PUBLIC int pstk_machine_get_place(const struct pstk_machine *, unsigned index, struct pstk_place *);
PSTK_PUBLIC int pstk_machine_get_link(const struct pstk_machine *, unsigned index, struct pstk_link *);

/* The number of the place of that name. -ENOENT: there is none; pstk_machine_error() says what may have been meant. */
PSTK_PUBLIC int pstk_machine_find(struct pstk_machine *, const char *place);

/*
 * The machine that the program runs on.
 */

/*
 * Tells how this library passes windows on between a device and the host (other: NULL), or between two devices: by a
 * copy, or through memory that both use. Parts of one device share it. PENSTOCK_MEMORY=copy lets the host copy always.
 * device, other: as pstk_devices() and pstk_device_find() fill them. kind: gets PSTK_LINK_SHARED or PSTK_LINK_COPY.
 * Context: any thread. -EINVAL: NULL.
 */
PSTK_PUBLIC int pstk_device_link(const struct pstk_device_info *device, const struct pstk_device_info *other,
	enum pstk_link_kind *kind);

/* How fast transfers are. Rates are bytes/s of all that go on at once: [..][0] of one, [..][1] of 2, [..][2] of 6. [0]
 * are of pageable, [1] of page-locked memory of the host. */
struct pstk_transfers {
	size_t bytes; /* of each transfer */
	double to_device[2][3], to_host[2][3];
	double latency; /* s: of a transfer of 8 bytes in the slower direction, page-locked */
	double both; /* one transfer in each direction at once: how long it takes, as a multiple of the slower one */
};

/*
 * Measures transfers between the host and a device. Context: any thread; it takes a second or more, and other work on
 * the machine disturbs it.
 * bytes: of each transfer, 0: 64 MiB. Less, down to 1 MiB, where memory does not do for six. text: gets what is wrong.
 * Errors:
 *   -EINVAL: NULL, bytes below 8, or a malformed selector
 *   -ENODEV, -ENOTUNIQ: as pstk_device_find()
 *   -ENOMEM, -EIO, ..: a driver's call has failed
 */
PSTK_PUBLIC int pstk_device_measure(
	const char *selector, size_t bytes, struct pstk_transfers *, char *text, size_t size);

/*
 * What a network says for its plan. Context: BUILD.
 */

/*
 * Says at which place an actor runs. NULL or "": at the machine's first host, as without this call. The name is looked
 * up when a plan is made. -EINVAL, -EBUSY, -ENOMEM.
 */
PSTK_PUBLIC int pstk_actor_place(struct pstk_actor *, const char *place);

/* Returns what it was given; NULL: nothing. Borrowed, until the next call. Context: ANY. */
PSTK_PUBLIC const char *pstk_actor_given_place(const struct pstk_actor *);

/* Says how long a firing takes, at one place, or, NULL, at all that have no time of their own. -EINVAL, -EBUSY,
 * -ENOMEM. */
PSTK_PUBLIC int pstk_actor_set_time(struct pstk_actor *, const char *place, uint64_t ns);

/* Tells it. -ENOENT: no time is known there. Context: ANY. */
PSTK_PUBLIC int pstk_actor_get_time(const struct pstk_actor *, const char *place, uint64_t *ns);

/* Says in which share of its firings an actor has work to do, above 0 up to 1: its time counts by it. 1 if nothing is
 * said. -EINVAL, -EBUSY, -ENOMEM. */
PSTK_PUBLIC int pstk_actor_set_share(struct pstk_actor *, double share);
PSTK_PUBLIC double pstk_actor_share(const struct pstk_actor *);

/*
 * Plan.
 */

struct pstk_plan;

struct pstk_plan_options {
	uint32_t struct_size; /* sizeof(struct pstk_plan_options) of the program */
	bool no_overlap; /* one window where transfers touch: half the memory, and places wait for transfers */
	bool no_merge;   /* no two buffers share memory */
	/* Chooses the places of all actors, but for the fixed ones: the least period, then the least simulated one,
	 * then the fewest bytes over links, then the least latency. An actor can be where it has a time
	 * (pstk_actor_set_time()). They are set as pstk_actor_place() does. */
	bool choose;
	const char *const *fixed; /* names of actors that stay where they are; ends with NULL; NULL: none */
	/* that the choice may take; 0: 2000000, or, of at most 1000000 mappings, as many as it takes */
	uint64_t steps;
	/* Of a choice: the actors that can be at several places and are at one follow each other in the schedule: a
	 * pipeline with a stage for each place. */
	bool contiguous;
};

/* A pointer to options that are filled as the arguments say. C only. */
#define PSTK_PLAN(...)                      \
	(&(const struct pstk_plan_options){ \
		.struct_size = (uint32_t)sizeof(struct pstk_plan_options), __VA_ARGS__ })

/*
 * Plans a network on a machine. Context: BUILD. The plan keeps neither; it is of no use once the network was changed.
 * options: NULL: with overlap and merging.
 *
 * Dynamic ports are planned as on. The tokens of control ports are read on the host of their actor. Actors without a
 * time count as taking none.
 * Returns the plan, or one that pstk_plan_result() says is none. NULL: out of memory, or NULL was given.
 */
PSTK_PUBLIC struct pstk_plan *pstk_plan_create(
	struct pstk_network *, struct pstk_machine *, const struct pstk_plan_options *options);
PSTK_PUBLIC void pstk_plan_destroy(struct pstk_plan *);

/*
 * Is there a plan? pstk_plan_error() is a line that says why not; "" if there is one. Returns
 *   0
 *   -EINVAL: options without struct_size, a network with problems or rates that don't fit, a machine without hosts; of
 *            a choice: an actor without a time, a fixed one that there is not
 *   -ENOENT: a place that the machine lacks, or no links join two places that need it; no mapping was found
 *   -EDEADLK: a cycle of FIFOs without a whole iteration of initial tokens
 *   -EOVERFLOW: more windows or bytes than 63 bits
 *   -EBUSY: the network was started
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_plan_result(const struct pstk_plan *);
PSTK_PUBLIC const char *pstk_plan_error(const struct pstk_plan *);

/* The FIFO that there is no plan for: one of the cycle, or the one that no links lead along. NULL: another reason. It
 * is the network's. Context: BUILD. */
PSTK_PUBLIC const struct pstk_fifo *pstk_plan_error_fifo(const struct pstk_plan *);

#define PSTK_PLAN_NONE 0xffffffffu /* no such index */

/* Texts and indices of a plan. Strings are borrowed from the plan. */
struct pstk_planned_actor {
	const char *name, *place;
	uint32_t schedule; /* its position among all actors */
	uint64_t
		latency; /* the cycle in which it fires first; UINT64_MAX: not known (`slow` of the summary) */
	uint64_t slack;  /* cycles that the earliest of its inputs waits for the latest */
	double seconds;  /* that its firings of an iteration take; NAN: it has no time at this place */
};

struct pstk_planned_buffer {
	const char *place;
	const char *
		writer; /* "actor", or "actor.port" if it has several outputs; NULL: a transfer fills it .. */
	uint32_t from;  /* .. from this buffer; PSTK_PLAN_NONE: none */
	uint32_t depth; /* windows */
	uint32_t group; /* buffers of one number share memory */
	size_t window_bytes;
	size_t delay_bytes; /* initial tokens besides */
};

struct pstk_planned_memory {
	const char *place;
	uint64_t bytes, merged_bytes; /* each buffer by itself; what the plan takes */
};

struct pstk_planned_load {
	const char *
		name; /* "c0/g0"; of a link's direction "c0 -> c0/g0"; of a half duplex link "c0 <-> c0/g0" */
	double seconds; /* an iteration */
};

/* How places were chosen. */
enum pstk_choice {
	PSTK_CHOICE_NONE, /* they were given */
	PSTK_CHOICE_BEST, /* no other mapping is better */
	PSTK_CHOICE_FOUND /* the best that was found in so many steps */
};

struct pstk_plan_summary {
	enum pstk_choice choice;
	uint64_t steps; /* that the choice took */
	bool overlap;
	double period;     /* seconds an iteration, at least: the largest load */
	double simulated;  /* .. when each actor fires as soon as it can; NAN: too large to be executed */
	double other;      /* simulated, with overlap the other way; NAN: not known */
	const char *limit; /* what has the largest load; "" if there is none */
	const char *slow;  /* a cycle of FIFOs that can't have a window in each cycle, in words; NULL: none */
	const char *untimed; /* an actor without a time; NULL: none */
	uint32_t untimed_count;
};

/* Context: ANY. -EINVAL: NULL, no such index, or there is no plan. Memory: places with buffers. Loads:
 * places and links that have something to do. */
PSTK_PUBLIC int pstk_plan_get_summary(const struct pstk_plan *, struct pstk_plan_summary *);
PSTK_PUBLIC int pstk_plan_get_actor(const struct pstk_plan *, unsigned index, struct pstk_planned_actor *);
PSTK_PUBLIC int pstk_plan_get_buffer(const struct pstk_plan *, unsigned index, struct pstk_planned_buffer *);
PSTK_PUBLIC int pstk_plan_get_memory(const struct pstk_plan *, unsigned index, struct pstk_planned_memory *);
PSTK_PUBLIC int pstk_plan_get_load(const struct pstk_plan *, unsigned index, struct pstk_planned_load *);

/* The k-th actor that reads a buffer: its name; NULL: there are not so many. Context: ANY. */
PSTK_PUBLIC const char *pstk_plan_buffer_reader(const struct pstk_plan *, unsigned buffer, unsigned k);

/* Writes tables of all of it. Context: ANY. -EINVAL; -EIO: it can't be written. */
PSTK_PUBLIC int pstk_plan_print(const struct pstk_plan *, FILE *);

/*
 * Migration: an actor of a pipeline moves to another place while data flow. What stops when, and what that costs, in
 * iterations: in each one every actor fires and every transfer goes on, side by side. The source is "Task migration of
 * DSP application specified with a DFG and implemented with the BSP computing model on a CPU-GPU cluster" (Mansouri,
 * Huet, Fristot, Houzet, DASIP 2013), Algorithm 1 and section IV; doc/planning.md says what was changed, and why.
 *
 * It is a prediction, and moves nothing.
 */

#define PSTK_PATH_BUFFERS 1000u /* on a path, at most */

/* The path of windows from the actor before the one that moves to the actor behind it. */
struct pstk_path {
	uint32_t buffers; /* on it, each of which a window takes an iteration to cross */
	uint32_t before;  /* those of them before the actor that moves */
};

/* Nothing moves in iterations t with stop <= t < start. Both 0: there is no such pause. */
struct pstk_pause {
	uint32_t stop, start;
};

/*
 * Both paths, and what follows. Iterations are counted from the move's first one, 0.
 *
 * A path of B buffers, h of them before the actor, has B + 2 edges: 0 leads from the actor before it into the first
 * buffer, h into the actor that moves, h + 1 out of it, B + 1 into the actor behind it.
 */
struct pstk_migration {
	struct pstk_path original, migrated;
	uint32_t difference;        /* of their buffers */
	struct pstk_pause upstream; /* what feeds both paths; it pauses if the migrated path is shorter */
	/* what both paths feed; it pauses if the migrated path is longer: these iterations are silent */
	struct pstk_pause downstream;
	uint32_t duration; /* iterations: from the first one to that from which on all is as after the move */
	uint32_t longest_gap; /* iterations from one window behind the paths to the next one, at most */
};

/*
 * Finds it. Context: any thread. Source: section IV.B, Algorithm 1. -EINVAL: NULL, a path with more than
 * PSTK_PATH_BUFFERS buffers, or with more before the actor than it has.
 */
PSTK_PUBLIC int pstk_migration_find(
	const struct pstk_path *original, const struct pstk_path *migrated, struct pstk_migration *);

/*
 * The weight of an edge: an edge of the original path moves windows in the iterations before its stop weight, one of
 * the migrated path from its start weight on. Context: any thread. Source: section IV.B. Returns the iteration, or
 * -EINVAL: NULL, or the path has not so many edges.
 */
PSTK_PUBLIC int pstk_migration_stop(const struct pstk_migration *, unsigned edge);
PSTK_PUBLIC int pstk_migration_start(const struct pstk_migration *, unsigned edge);

/* Seconds that an iteration may take. So all that follows from it is finite. */
#define PSTK_ITERATION_LEAST 1e-12
#define PSTK_ITERATION_MOST 1e12

/* A run with a move in it. */
struct pstk_migration_run {
	double original,
		migrated;    /* s that an iteration takes with the actor at its old and at its new place */
	uint64_t iterations; /* of the run; 0: only rates are asked for */
	uint64_t first;      /* the move's first one; the run's first one is 1 */
};

struct pstk_migration_prediction {
	/* windows/s behind the paths: before the move, at least while it lasts, after it */
	double rate_before, rate_during, rate_after;
	/* s: the iterations before the move's first one, the move's own, and those after them; NAN: not asked for */
	double before, during, after, total;
};

/*
 * Predicts rates and times. While the move lasts an iteration takes the longer of both times. Context: any thread.
 * Source: section IV.C. Errors:
 *   -EINVAL: NULL, or a time below PSTK_ITERATION_LEAST or above PSTK_ITERATION_MOST
 *   -ERANGE: the move does not lie within the run's iterations
 */
PSTK_PUBLIC int pstk_migration_predict(
	const struct pstk_migration *, const struct pstk_migration_run *, struct pstk_migration_prediction *);

/*
 * The path through an actor, as planned: buffers are the cycles that a window takes on its way. Context: ANY. Errors:
 *   -EINVAL: NULL, or there is no plan
 *   -ENOENT: there is no such actor
 *   -ENOTSUP: it has not one input and one output with one reader
 *   -ELOOP: it lies on a cycle of FIFOs
 *   -EOVERFLOW: there are more than PSTK_PATH_BUFFERS
 *   -ENOMEM
 */
PSTK_PUBLIC int pstk_plan_get_path(const struct pstk_plan *, const char *actor, struct pstk_path *);

/*
 * Lets a network run as planned: maps its actors to the devices of their places, and gives FIFOs that were built
 * without a depth the depths of the plan, at each place that they cross. Context: BUILD. A FIFO whose ends have
 * different rates, or history, keeps the library's depth. Of several calls the last one counts. What is refused is a
 * problem of the network, too.
 * Where an actor or a FIFO was added later, or a rate is another one, pstk_network_start() merges no buffers, and logs
 * it.
 * Returns
 *   0
 *   -EINVAL: NULL, there is no plan, or it is one of another network, or of this one before something was added; or
 *            pstk_actor_may_move() was called for a place of the machine, which is looked up at the call
 *   -ENOTSUP: actors are at places of several hosts, and the network has no transport (<penstock/hosts.h>)
 *   -EINVAL, -ENOENT, -EEXIST: the processes that it runs over are not one a host
 *   -ENODEV, -ENOTUNIQ, ..: as pstk_actor_map(); a place without a selector is -ENODEV
 *   -ENOMEM: a place has less memory than the plan needs
 *   -EBUSY
 */
PSTK_PUBLIC int pstk_plan_apply(struct pstk_network *, const struct pstk_plan *);

/*
 * The same for what a network's actors are mapped to (pstk_actor_map()), without a machine of the program's own.
 * Context: BUILD, once all is built.
 *
 * pstk_network_machine() makes a machine: "host" with the cores that the calling thread may use, a device "host/dN" for
 * each that actors are mapped to, links of kind shared or copy as the library will use them. It says of each actor at
 * which of these places it is (pstk_actor_place()). The caller destroys it. NULL: out of memory, or the network was
 * started.
 *
 * pstk_network_plan() makes that machine, a plan on it, and applies that. What is refused is a problem of the network,
 * too. Returns 0, or as pstk_plan_result() and pstk_plan_apply().
 */
PSTK_PUBLIC struct pstk_machine *pstk_network_machine(struct pstk_network *);
PSTK_PUBLIC int pstk_network_plan(struct pstk_network *, const struct pstk_plan_options *options);

/*
 * Does a run keep to its plan? In a plan's cycle each actor fires an iteration. A run has no cycles: here one is an
 * iteration that a source is through with. Where a source keeps step with the rest, as in the plan, these are the same.
 * It may be behind (it is the slowest), or ahead by what FIFOs hold: doc/planning.md, "Planned and measured cycles".
 */

#define PSTK_NO_CYCLE UINT64_MAX /* it is not known, or nothing has come */

/* The first window of an input. */
struct pstk_arrival {
	uint64_t planned; /* the cycle in which the plan expects it that pstk_plan_apply() was given */
	uint64_t came;    /* iterations that the source was through with when it was there */
};

/*
 * Lets the run note when the first window of each input was there. Context: BUILD. A firing costs a little more then.
 * The source that counts is the first one, in the order in which actors were added, that a way leads from. What comes
 * from a Kahn actor is not noted, nor where rates do not fit together. -EBUSY, -EINVAL.
 */
PSTK_PUBLIC int pstk_network_note_arrivals(struct pstk_network *);

/* Of the input that a FIFO leads to. Context: ANY. -EINVAL: NULL. */
PSTK_PUBLIC int pstk_fifo_get_arrival(const struct pstk_fifo *, struct pstk_arrival *);

/* Writes these of all inputs as a table. Context: ANY. -EINVAL: NULL; -EIO: it can't be written. */
PSTK_PUBLIC int pstk_network_print_arrivals(const struct pstk_network *, FILE *);

#ifdef __cplusplus
}
#endif

#endif
