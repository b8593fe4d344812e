/* SPDX-License-Identifier: MIT */
/*
 * Pipeline: a row of stateless actors that finds its place on cores and a device while it runs.
 *
 * To all others a pipeline is one stateless actor. Its ports are those ports of its stages that lead out. A firing of
 * it, an item, takes the windows of all of them or of none, fires the stages one after the other, and is published in
 * the order in which it was taken. What lies between stages is memory of the thread that carries the item.
 *
 * Which stages run on the device, how many threads carry items, and whether each stage is spread over all cores, is a
 * configuration; <penstock/mapper.h> has the words and the notation. It is given, or the pipeline measures its stages
 * on live items, whose outputs are used like all others, predicts all configurations, tries the best ones, and stays
 * with the fastest. It does so again when its rate has changed.
 *
 * The source is Vilches, Navarro, Asenjo, Corbera, Gran and Garzaran, "Mapping Streaming Applications on Commodity
 * Multi-CPU and GPU On-Chip Processors" (IEEE TPDS 2016), called the paper here.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_PIPELINE_H
#define PENSTOCK_PIPELINE_H

#include <penstock/core/types.h>
#include <penstock/energy.h>
#include <penstock/mapper.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- Building ---------------------------------------------------------------------------------------------------------
 */

struct pstk_pipeline;

/* Which granularities an adaptive pipeline may choose from. */
enum pstk_granularity { PSTK_GRAIN_BOTH, PSTK_GRAIN_COARSE, PSTK_GRAIN_MEDIUM };

/* What a pipeline is told. 0 and NULL mean the default, which is said behind each. Strings are copied. */
struct pstk_pipeline_spec {
	uint32_t struct_size; /* sizeof(struct pstk_pipeline_spec) of the program */
	const char *device;   /* a selector (pstk_actor_map()); NULL or "cores": the cores only */
	/* "CP-CG:101:4", "MG:111", or "baseline": it stays at that. NULL or "adaptive": it is adaptive.
	 * baseline is what the paper compares with: medium grain; each stage runs on the device if it was measured to
	 * be faster there, and items wait for the device. */
	const char *configuration;
	uint32_t cores; /* nC; 0: as many as this process may use */
	/* R: items between the input and the output; 0: 2 (cores + 1). Fewer than a configuration has threads: the
	 * others are idle. */
	uint32_t in_flight;
	enum pstk_objective objective; /* throughput */
	double min_rate;               /* items/s that are to be reached; 0: any */
	double max_watts;              /* 0: any */
	/* Of PSTK_OBJECTIVE_SCORE: as pstk_goal has them. The thread that takes an item calls it. */
	double (*score)(void *data, double rate, double joules);
	void *data;
	/* Share of the time, of a long run, that later trainings may cost; 0: 0.05. A single one may cost more: then
	 * the next one waits longer. */
	double max_overhead;
	bool once; /* it trains at the start, and never again by itself (pstk_pipeline_retrain() still asks it to) */
	double change;              /* of the rate, by which it trains again; 0: 0.2 */
	enum pstk_mapper_rule rule; /* capacity */
	uint32_t candidates;  /* that are tried behind a training, up to 1024; 0: 4, or 8 above four stages */
	uint32_t repetitions; /* of each experiment; the median counts; 0: 3; 1: no thread is warmed up */
	enum pstk_granularity granularities; /* both */
	/* See <penstock/energy.h>. NULL: none is opened, unless the goal needs one (energy, ratio, max_watts): then it
	 * is the first that there is. What it costs to have one is paid where it is wanted alone. */
	const char *meter;
	const struct pstk_meter *own_meter; /* copied; NULL: that one */
	double tdp;                         /* W that the chip may take; 0: not known */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_PIPELINE(...)                   \
	(&(const struct pstk_pipeline_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_pipeline_spec), __VA_ARGS__ })

/*
 * Makes a pipeline of 1 to 16 actors, in the order in which an item passes them. Context: BUILD, when all ports of the
 * stages are connected: what is connected to them later is refused.
 *
 * From here on the stages are no actors of the network's list (pstk_network_actor()), but the pipeline's own actor is,
 * under the pipeline's name; its ports are called STAGE.PORT. No other actor may have the name of a stage.
 * A stage may read any stage before it, and any stage may have ports that lead out. FIFOs between stages take no
 * memory. A FIFO that leads out and was built without a depth gets in_flight windows.
 *
 * Times and shares of stages (pstk_actor_set_time()) are forgotten: give the pipeline's actor its own.
 *
 * A firing of a stage is a firing like any other. A stage that returns PSTK_DONE ends the pipeline with this item. A
 * stage one of whose inputs has no valid token in the last item is not fired in it. pstk_actor_get_stats() has figures
 * of a stage; its place, loads, waits and latencies are the pipeline's.
 *
 * Returns the pipeline, which is the network's. NULL: it is refused, and the network has a problem that names the actor
 * or the FIFO, and what to do. Errors, also such that pstk_network_check() and pstk_network_start() find later:
 *   -EINVAL
 *     - NULL, no stage or more than 16, a spec without struct_size
 *     - a stage twice, or of another pipeline or network
 *     - a stage that is not stateless, or is dynamic, kahn, a source, or has no fire(); one that is pinned, mapped,
 *       guarded or may move
 *     - a port of a stage that is not connected
 *     - a FIFO between stages with delay tokens or history, with two rates, or to a stage that is not later
 *     - a way out of the pipeline and back into it
 *     - a FIFO that leads out with fewer windows than in_flight
 *     - a configuration that is none, or needs the device for a stage that has no form for it, or without a device
 *     - a negative number or NAN; in_flight below 2 or above 256; cores above 255
 *   -EEXIST: a name that another actor has
 *   -ENODATA: energy, ratio and max_watts without a meter
 *   -EACCES: the meter is there, but can't be read
 *   -ENODEV, -ENOTUNIQ: as pstk_actor_map()
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_pipeline *pstk_pipeline_add(struct pstk_network *, const char *name,
	struct pstk_actor *const *stages, unsigned count, const struct pstk_pipeline_spec *);

/* Returns the actor that a pipeline is to all others. Context: ANY. NULL: NULL. */
PSTK_PUBLIC struct pstk_actor *pstk_pipeline_actor(const struct pstk_pipeline *);

/* Returns the pipeline that an actor is, or whose stage it is; NULL: neither. Context: ANY. */
PSTK_PUBLIC struct pstk_pipeline *pstk_actor_pipeline(const struct pstk_actor *);

/* Returns a stage, from 0; NULL: there are not so many. Context: ANY. */
PSTK_PUBLIC struct pstk_actor *pstk_pipeline_stage(const struct pstk_pipeline *, unsigned index);

/* Returns a FIFO between two stages, from 0; NULL: there are not so many. Context: ANY. */
PSTK_PUBLIC struct pstk_fifo *pstk_pipeline_fifo(const struct pstk_pipeline *, unsigned index);

/*
 * Tells which stage has a port of the pipeline's actor, and as which of its ports. Context: ANY.
 * stage, stage_port: NULL: it is not wanted. -EINVAL: NULL, or the actor has not so many ports.
 */
PSTK_PUBLIC int pstk_pipeline_port(
	const struct pstk_pipeline *, unsigned port, struct pstk_actor **stage, unsigned *stage_port);

/*
 * Gets what the pipeline was told: by pstk_pipeline_add(), without defaults, and since by
 * pstk_pipeline_set_configuration() and pstk_pipeline_set_goal(). Context: ANY. Strings are the pipeline's,
 * `configuration` until the next pstk_pipeline_set_configuration(). own_meter and data are the program's.
 * -EINVAL: NULL.
 */
PSTK_PUBLIC int pstk_pipeline_get_spec(const struct pstk_pipeline *, struct pstk_pipeline_spec *spec);

/* Returns the n-th pipeline of a network, from 0; NULL: there are not so many. Context: ANY. */
PSTK_PUBLIC struct pstk_pipeline *pstk_network_pipeline(const struct pstk_network *, unsigned n);

/*
 * -- Stages -----------------------------------------------------------------------------------------------------------
 */

/*
 * Calls body(data, from, to) for parts of 0 .. count - 1, until each number was in one part. Context: ACTOR, in fire().
 *
 * grain: numbers in a part, at least; 0: the library chooses. Where the stage is spread over all cores (medium grain)
 * several threads call body() at the same time; else, and outside of pipelines, the calling thread does. So body() may
 * touch what other parts do not. It may call pstk_actor_error() and what tells something, not the calls of windows.
 * Returns when all parts are through. A call inside of body() runs all of its parts in the thread that makes it.
 * Returns 0. -EINVAL: NULL.
 */
PSTK_PUBLIC int pstk_parallel_for(struct pstk_firing *, size_t count, size_t grain,
	void (*body)(void *data, size_t from, size_t to), void *data);

/*
 * -- While it runs ----------------------------------------------------------------------------------------------------
 */

/*
 * Fixes the configuration; NULL: it is adaptive from here on. Context: ANY.
 *
 * If it is another one, no further item is taken, those in flight are published, then the pipeline goes on under the
 * new one. The call does not wait for that. Of several calls the last one counts.
 * Errors; nothing changes:
 *   -EINVAL: NULL for the pipeline, a text that is no configuration of it (pstk_pipeline_spec), or one that needs what
 *            is not there. error: gets why; NULL: it is not wanted
 */
PSTK_PUBLIC int pstk_pipeline_set_configuration(
	struct pstk_pipeline *, const char *configuration, char *error, size_t size);

/*
 * Sets the goal: an adaptive pipeline chooses anew, from what was measured last; in the middle of the experiments of a
 * training behind them. Limits come first: of the configurations that meet them the objective's best is chosen.
 * Context: ANY. error: gets why not; NULL: it is not wanted. Errors; nothing changes:
 *   -EINVAL: NULL, another struct_size, no such objective, a limit that is negative, infinite or NAN, no score() where
 *            one is needed
 *   -ENODATA: energy, ratio and max_watts, and there is no meter
 */
PSTK_PUBLIC int pstk_pipeline_set_goal(
	struct pstk_pipeline *, const struct pstk_goal *, char *error, size_t size);

/*
 * Wants an adaptive pipeline to measure its stages again. Context: ANY. It does so as soon as max_overhead allows it.
 * error: gets why not; NULL: it is not wanted. -EINVAL: NULL, or its configuration is fixed.
 */
PSTK_PUBLIC int pstk_pipeline_retrain(struct pstk_pipeline *, char *error, size_t size);

/*
 * -- Reports ----------------------------------------------------------------------------------------------------------
 */

/* Why the configuration is what it is. */
enum pstk_pipeline_why {
	PSTK_WHY_BEGINS,    /* it has not begun, or nothing could be chosen: the cores, a thread each */
	PSTK_WHY_FIXED,     /* it was given */
	PSTK_WHY_BASELINE,  /* it was given as "baseline", and measured */
	PSTK_WHY_ONLY,      /* no other one is possible */
	PSTK_WHY_TRAINING,  /* an experiment, or a candidate that is tried */
	PSTK_WHY_PREDICTED, /* the model's choice; one candidate, or all waited for items */
	PSTK_WHY_TRIED      /* the best of the candidates, tried one after the other */
};

/* What a candidate was predicted to reach, and has reached. */
struct pstk_pipeline_candidate {
	/* measured: until it was given up, if it was too slow for more; rate 0: it was not tried */
	struct pstk_prediction predicted, measured;
};

/* Why it has trained. */
enum pstk_training_why {
	PSTK_TRAINED_FIRST,   /* nothing was measured yet */
	PSTK_TRAINED_CHANGED, /* the rate was off by more than `change`, twice running */
	PSTK_TRAINED_ASKED    /* the program wanted it: pstk_pipeline_retrain(), or another configuration */
};

/* A training. Rates are items/s as measured; NAN: no window that counts has told it. */
struct pstk_pipeline_training {
	uint64_t items;
	double at; /* s from the pipeline's start to this one's */
	enum pstk_training_why why;
	struct pstk_configuration before, after; /* threads 0: it had none; the training was given up */
	/* of the reference and of the latest window before it; of the first window behind it that is a reference. So
	 * rate_after / rate_before is what it has gained */
	double rate_reference, rate_before, rate_after;
	double seconds;      /* that it took, from its first item on */
	double dt, interval; /* s: what it has cost, and after which another one was allowed */
	bool estimated;      /* items came too slowly to measure threads side by side: they count as ideal */
	bool whole;          /* all was measured; else something else was wanted meanwhile */
};

/* A stage: seconds of its latest firing on one core, spread over all cores, on the device; 0: it has not fired
 * there. On the device it is the latest training's, else that of the latest run that was timed: the first one under a
 * configuration, then so few that they take 1/64 of the device's time. */
struct pstk_pipeline_stage_times {
	double core, loop, device;
};

/* By how much limits are missed; 0: they are met, or there is none. */
struct pstk_pipeline_miss {
	double rate;  /* items/s below min_rate */
	double watts; /* W above max_watts */
};

/* A configuration that it had, until the next change. */
struct pstk_pipeline_change {
	double at; /* s from the pipeline's start on */
	struct pstk_configuration configuration;
	enum pstk_pipeline_why why;
	bool tries; /* PSTK_WHY_TRAINING: a candidate that is tried, no experiment */
};

/* At one moment. Rates are items/s, energies J an item; NAN: not known. */
struct pstk_pipeline_report {
	struct pstk_configuration configuration;
	enum pstk_pipeline_why why;
	struct pstk_prediction predicted; /* rate NAN: none was */
	bool met;                         /* does the prediction reach min_rate and max_watts? */
	double rate, energy;              /* measured, of the latest window of items .. */
	double reference; /* .. and of the second one under this configuration, or the first behind it that counts */
	uint64_t windows, starved,
		blocked; /* windows; those that waited for input, or for room behind, don't count */
	uint64_t on_device, on_cores; /* items by their path */
	/* Copied. Where host and device share memory, that is only for FIFOs at the border with two rates, history or
	 * tail, delay tokens that are no whole windows, several readers, or more than 8192 windows */
	uint64_t bytes_to_device, bytes_to_host;
	uint32_t trainings;
	bool pending; /* a change was seen, or a training asked for: max_overhead does not allow it yet */
	double training_seconds; /* of all trainings */
	uint64_t training_items;
	double dt, interval; /* s: what the latest one has cost, and after which another one is allowed */
	double overhead;     /* the share of the time that trainings but the first have cost */
	bool estimated;      /* items came too slowly to measure threads side by side: they count as ideal */
	bool has_measurements;
	struct pstk_measurements measurements; /* of the latest training; arrays are the report's */
	uint32_t candidate_count;
	const struct pstk_pipeline_candidate *candidates; /* of the latest training; the report's */
	uint32_t stage_count;
	const struct pstk_pipeline_stage_times *stages; /* the report's */
	const char *meter;                              /* its name; "none" */
	/* enum pstk_energy_flag. Split: energies of stages in `measurements` are shares of those of whole items */
	unsigned meter_flags;
	bool has_run;                  /* an item is through; else there are no figures: all are 0 or NAN */
	bool tries;                    /* PSTK_WHY_TRAINING: a candidate that is tried, no experiment */
	double min_rate, max_watts;    /* the limits that it has now; 0: none */
	double predicted_watts, watts; /* W, which is rate x energy: predicted; measured */
	/* by the prediction; by the latest window, of the rate only if not all windows waited */
	struct pstk_pipeline_miss predicted_miss, measured_miss;
	bool nearest;          /* no configuration is predicted to meet the limits: this one comes nearest */
	uint32_t latest_count; /* the latest trainings: up to 8 .. */
	const struct pstk_pipeline_training *latest; /* .. the oldest first; the report's */
	uint64_t changes;      /* configurations that it had, one after the other; and of them .. */
	uint32_t change_count; /* .. the latest, up to 64 .. */
	const struct pstk_pipeline_change *latest_changes; /* .. the oldest first; the report's */
	/* Measured, of all windows under this configuration but the first: their mean. NAN: there were not two */
	double mean_rate, mean_energy;
};

/* Returns a report, which the caller gives back. Context: ANY. Of a pipeline that has not run, because start() was
 * refused, say, it has no figures. NULL: NULL, a pipeline that pstk_pipeline_add() refused, or out of memory. */
PSTK_PUBLIC struct pstk_pipeline_report *pstk_pipeline_get_report(const struct pstk_pipeline *);
PSTK_PUBLIC void pstk_pipeline_free_report(struct pstk_pipeline_report *);

/* Writes one in words, with all that the latest training has measured, under the names of <penstock/mapper.h>; of a
 * pipeline that was refused, or has not run, that. pstk_network_print_stats() writes that of each pipeline, too.
 * Context: ANY. -EINVAL: NULL; -ENOMEM; -EIO: it can't be written. */
PSTK_PUBLIC int pstk_pipeline_print(const struct pstk_pipeline *, FILE *);

/* Writes a line for each configuration that a pipeline had since the last call: which, why, and from which second on.
 * *seen: how many were written so far, 0 at first; the call counts on. What is so long ago that the pipeline has not
 * kept it is one line that says how many. Context: ANY. -EINVAL: NULL; -ENOMEM; -EIO: it can't be written. */
PSTK_PUBLIC int pstk_pipeline_print_changes(const struct pstk_pipeline *, uint64_t *seen, FILE *);

#ifdef __cplusplus
}
#endif

#endif
