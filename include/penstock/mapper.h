/* SPDX-License-Identifier: MIT */
/*
 * Mapper: which stages of a pipeline a device does, and how many threads carry items, from measurements of a few items:
 * how fast each configuration is predicted to be, what energy it takes, and which one is best.
 *
 * It is arithmetic: nothing here runs, measures or keeps anything. Every function may be called by any thread.
 *
 * Words
 *   - A stage is one stateless actor of a pipeline; an item is one firing of the pipeline.
 *   - Coarse grain, CG: each thread carries one item through all stages. Medium grain, MG: one item at a time is on the
 *     cores, and each stage is spread over all of them.
 *   - The mask of a configuration is the stages that the device does. All of them: the configuration is decoupled, DP;
 *     some: coupled, CP: the thread that has the device does the other stages of the item on the cores; none: CPU.
 *   - The device path is that of an item that gets the device. An item that finds it busy takes the CPU path: all of
 *     its stages run on the cores.
 *
 * The source is Vilches, Navarro, Asenjo, Corbera, Gran and Garzaran, "Mapping Streaming Applications on Commodity
 * Multi-CPU and GPU On-Chip Processors" (IEEE TPDS 2016), called the paper here.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_MAPPER_H
#define PENSTOCK_MAPPER_H

#include <penstock/core/types.h>
#include <penstock/energy.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PSTK_MAPPER_STAGES 16u  /* of a pipeline, at most: there are 2^stages masks */
#define PSTK_MAPPER_CORES 4096u /* at most */

/*
 * Configuration. Source: section II, fig. 1.
 */

struct pstk_configuration {
	uint32_t mask;     /* bit k: the device does stage k + 1 */
	uint32_t threads;  /* that carry items: 1 to cores + 1; medium grain: cores + 1 */
	bool medium_grain; /* else coarse grain */
};

/* Bytes of its notation at most, with the end. */
#define PSTK_CONFIGURATION_TEXT 40u

/*
 * Reads the notation KIND-GRAIN:MASK:N, such as "CP-CG:101:4": KIND is CPU, CP or DP, GRAIN is CG or MG, MASK has a 0
 * or 1 for each stage, the first one first, and N is the number of threads. "KIND-" may be left out, as may ":N" of MG,
 * because they follow from the rest. Context: any thread.
 * error: gets what is wrong and what is expected; NULL: it is not wanted.
 * -EINVAL: NULL, 0 or more than PSTK_MAPPER_STAGES stages, 0 or more than PSTK_MAPPER_CORES cores, or a text that is
 *          no configuration of so many stages and cores
 */
PSTK_PUBLIC int pstk_configuration_parse(const char *text, unsigned stages, unsigned cores,
	struct pstk_configuration *, char *error, size_t size);

/*
 * Writes it, in full. Context: any thread. Returns the length of the text. Errors:
 *   -EINVAL: NULL, 0 or more than PSTK_MAPPER_STAGES stages, or the mask has more
 *   -ENOSPC: size is too little; PSTK_CONFIGURATION_TEXT is enough
 */
PSTK_PUBLIC int pstk_configuration_print(
	const struct pstk_configuration *, unsigned stages, char *text, size_t size);

/*
 * Measurements: what was measured of a pipeline. Source: section III.A, tables I and II.
 */

/* Seconds that an item may take, and what joules and watts may be at most. So all that follows from them is finite. */
#define PSTK_MEASURED_LEAST 1e-12
#define PSTK_MEASURED_MOST 1e12

/*
 * Arrays are borrowed. Those that end in [s] have an entry for each stage, those in [s + 1] one for what lies in front
 * of each stage and one for what lies behind the last. Those in [nC + 1] have one for each number of threads from 1 on.
 * Times are in s, energies in J, both of one item. T_CG .. are the names that files and messages have for them.
 */
struct pstk_measurements {
	uint32_t struct_size; /* sizeof(struct pstk_measurements) of the program */
	uint32_t stages;      /* s */
	uint32_t cores;       /* nC */
	uint32_t in_flight;   /* R: items between the input and the output, which are in order; 0: no bound */
	uint32_t device_ok;   /* stages that the device can do, as a mask */
	uint32_t device_must; /* stages that only the device can do, as a mask: a part of device_ok */
	bool medium_grain;    /* may configurations have medium grain? */
	double tdp;           /* TDP: W that the chip may take; 0: not known */
	const double *t_cg1;  /* T_CG1[s]: of each stage, by one thread */
	const double *t_cg;   /* T_CG[nC + 1]: of all stages, by n threads side by side: their time / n */
	const double *t_g;    /* T_G[s]: of each stage of device_ok, on the device; NULL: device_ok is 0 */
	const double *t_mg;   /* T_MG[s]: of each stage, by all cores; NULL: there is no medium grain */
	/* h2d[s + 1], d2h[s + 1]: to bring what lies there to the device, and from it; NULL: all are 0 */
	const double *h2d, *d2h;
	/* E_CG1[s], E_CG[nC + 1], E_G[s], E_MG[s]: the energies of the same; all are NULL: there is no meter */
	const struct pstk_joules *e_cg1, *e_cg, *e_g, *e_mg;
};

/* Measurements that are filled as the arguments say. C only. */
#define PSTK_MEASUREMENTS(...) \
	((struct pstk_measurements){ .struct_size = (uint32_t)sizeof(struct pstk_measurements), __VA_ARGS__ })

/*
 * Looks at them; all functions that take measurements do so first. Values that no configuration needs are not looked
 * at: T_G and E_G of stages outside of device_ok, T_MG and E_MG without medium grain. Context: any thread.
 * text: gets what is wrong, with the name of the value and what is expected; NULL: it is not wanted.
 * -EINVAL: NULL, another struct_size, no stage or more than PSTK_MAPPER_STAGES, no core or more than PSTK_MAPPER_CORES,
 *          a mask with other stages, a time below PSTK_MEASURED_LEAST (of h2d and d2h: below 0), an energy or a TDP
 *          below 0, a value that is above PSTK_MEASURED_MOST or is no number, an array that is missing
 */
PSTK_PUBLIC int pstk_measurements_check(const struct pstk_measurements *, char *text, size_t size);

/*
 * Prediction. Source: section IV.
 */

/* How rates are predicted. lib/mapping/prediction.c has the formulas. */
enum pstk_mapper_rule {
	/* the cores' capacity is shared between both paths, and in_flight is heeded */
	PSTK_RULE_CAPACITY,
	/* the paper's, but a device and a thread do one thing at a time */
	PSTK_RULE_BOUNDED,
	PSTK_RULE_PAPER /* the paper's tables III and IV to the letter */
};

struct pstk_prediction {
	struct pstk_configuration configuration;
	double rate;         /* items/s */
	double energy;       /* J an item; NAN: there is no meter */
	double device_share; /* of the items: those on the device path, 0 to 1 */
};

/*
 * How many configurations there are: (cores + 2) for each mask that device_ok and device_must allow, or, without medium
 * grain, (cores + 1). Context: any thread. -EINVAL: as pstk_measurements_check() says.
 */
PSTK_PUBLIC int pstk_mapper_count(const struct pstk_measurements *);

/*
 * Predicts one of them. Context: any thread. Source: eqs. 3 to 10. Errors:
 *   -EINVAL: NULL, no such rule, no such configuration, or as pstk_measurements_check() says
 *   -ENOENT: the measurements leave this configuration out
 */
PSTK_PUBLIC int pstk_mapper_predict(const struct pstk_measurements *, enum pstk_mapper_rule,
	const struct pstk_configuration *, struct pstk_prediction *);

/*
 * Predicts all of them. In order: masks as binary numbers, in which stage 1 is 1, stage 2 is 2, ..; of each the
 * numbers of threads from 1 on, and then medium grain. Context: any thread. Returns how many they are. Errors:
 *   -EINVAL: as above
 *   -ENOSPC: the list has not room for all
 */
PSTK_PUBLIC int pstk_mapper_predict_all(
	const struct pstk_measurements *, enum pstk_mapper_rule, struct pstk_prediction *list, unsigned room);

/*
 * Choice. Source: section IV: "finding the optimal".
 */

enum pstk_objective {
	PSTK_OBJECTIVE_THROUGHPUT, /* the highest rate */
	PSTK_OBJECTIVE_ENERGY,     /* the least energy of an item */
	PSTK_OBJECTIVE_RATIO,      /* the highest rate / energy */
	PSTK_OBJECTIVE_SCORE       /* the highest score */
};

/* First the limits count, then the objective. */
struct pstk_goal {
	uint32_t struct_size; /* sizeof(struct pstk_goal) of the program */
	enum pstk_objective objective;
	double min_rate;  /* items/s; 0: no limit */
	double max_watts; /* W, which is rate x energy; 0: no limit */
	/* Of PSTK_OBJECTIVE_SCORE. The calling thread calls it once for each configuration. joules: of an item; NAN:
	 * there is no meter. Of a pipeline it must not call the library: locks are held. */
	double (*score)(void *data, double rate, double joules);
	void *data; /* for score */
};

/* A pointer to a goal that is filled as the arguments say. C only. */
#define PSTK_GOAL(...) \
	(&(const struct pstk_goal){ .struct_size = (uint32_t)sizeof(struct pstk_goal), __VA_ARGS__ })

struct pstk_candidate {
	struct pstk_prediction prediction;
	/* the higher, the better: the rate, the energy x -1, rate / energy, or what score() has said */
	double score;
	/* how many times it is beyond the worse of the limits; up to 1 it meets them; 0: there are none */
	double excess;
	bool met; /* does it meet the limits? */
};

/*
 * Chooses the best ones, the best first: what meets the limits comes before what does not. Those that meet them are in
 * the order of their scores, the others in that of their excess. What differs by less than 1e-9 of it is alike; then
 * come in this order: fewer threads, fewer stages on the device, coarse grain, the mask that pstk_mapper_predict_all()
 * has first. Context: any thread.
 * list: predictions of the same measurements; count: how many, at least 1. room: candidates that are wanted, from 1.
 * Returns how many there are: the lesser of count and room. Errors:
 *   -EINVAL: NULL, another struct_size, no such objective, a count or room of 0 or above INT_MAX, a limit that is
 *            negative, infinite or NAN, or no score() where one is needed
 *   -ENODATA: energy, ratio and max_watts need energies, and there is no meter
 *   -EDOM: a score is NAN
 */
PSTK_PUBLIC int pstk_mapper_choose(const struct pstk_prediction *list, unsigned count,
	const struct pstk_goal *, struct pstk_candidate *candidates, unsigned room);

/*
 * Overhead: what a training, which is to take the measurements, costs. Source: section III.B.
 */

/* The times of its experiments, in s. */
struct pstk_training {
	uint32_t struct_size; /* sizeof(struct pstk_training) of the program */
	uint32_t cores;       /* nC */
	uint64_t items;       /* that all experiments took; 0: pstk_training_items() */
	double t_cg;          /* one thread on the cores */
	const double *t_cgn;  /* n threads on the cores, n = 2 .. nC + 1; borrowed */
	double t_mg, t_g; /* medium grain, and the device; 0: there was no such experiment, nor its item */
	double trying; /* what candidates that were tried cost more than running as now would have; 0: none were */
	double rate; /* items/s of the configuration that runs now */
};

/* N_s: the items of a training of nC + 3 experiments. Context: any thread. -EINVAL: no core, or more than
 * PSTK_MAPPER_CORES. */
PSTK_PUBLIC int pstk_training_items(unsigned cores);

/*
 * dt: the seconds that a training takes longer than its items would have taken without it, at least 0; and what trying
 * candidates took besides. Context: any thread. Source: eq. 1. -EINVAL: NULL, another struct_size, no core or more than
 * PSTK_MAPPER_CORES, a time or a rate beyond PSTK_MEASURED_LEAST or PSTK_MEASURED_MOST, or a `trying` that is negative.
 */
PSTK_PUBLIC int pstk_training_overhead(const struct pstk_training *, double *dt);

/*
 * The least seconds from one training to the next, with which trainings take no more than this share of the time.
 * Context: any thread. Source: eq. 2. -EINVAL: NULL, a negative or infinite dt, a share below PSTK_MEASURED_LEAST or
 * above 1, or NAN.
 */
PSTK_PUBLIC int pstk_training_interval(double dt, double max_overhead, double *seconds);

/*
 * The seconds after which a training has paid for itself whose choice runs `gain` times as fast as before. Context: any
 * thread. -EINVAL: NULL, a negative or infinite dt, a gain that is not above 1, or is infinite, or NAN.
 */
PSTK_PUBLIC int pstk_training_break_even(double dt, double gain, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
