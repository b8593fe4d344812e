/* SPDX-License-Identifier: MIT */
/*
 * Made chip: folders as Linux has them of a chip's counters, in a temporary one, events in pipes, and a machine whose
 * work takes no time. All paths here are relative to the temporary folder.
 */
#ifndef PENSTOCK_TESTS_MADE_CHIP_H
#define PENSTOCK_TESTS_MADE_CHIP_H

#include "lib/energy/energy.h"
#include "lib/energy/system.h"
#include "tests/common/common.h"

enum { MADE_RANGE = 100000000 }; /* max_energy_range_uj of made zones: 100 J */

/* Each work moves the clock by 50 ms and calls this; NULL: nothing more. */
extern void (*made_on_work)(void);
extern unsigned made_works;     /* how often a thread has worked */
extern uint64_t made_now_ns;    /* the clock */
extern const char *made_locked; /* opening a path that ends so fails with made_error; NULL: none does */
extern int made_error;

/* Makes the folder, and sets the functions of ps_energy_system. Powercap and perf are the folders "powercap" and "perf"
 * there, which are not made. There is no NVML. */
void made_start(void);
void made_stop(void);

const char *made_path(const char *path); /* the whole path; until the next call but three */
void made_write(const char *path, const char *text);
void made_remove(const char *path);
void made_link(const char *path, const char *to); /* `to` is relative to the folder of the link */

/* A zone of powercap, which moves by so many uJ at each work. */
void made_zone(const char *folder, const char *name, uint64_t uj, uint64_t step);
void made_zone_set(const char *folder, uint64_t uj);

/* An event of perf: its three files, and what it counts on each core that it is opened on: 0 when it is opened, step
 * after the work, twice, thrice step at the next reads. */
void made_event(const char *name, unsigned number, uint64_t step);
extern struct made_opened {
	int pid, cpu;
	unsigned type;
	uint64_t config;
} made_opened[8]; /* each event that was opened */
extern unsigned made_opened_count;
extern int made_refused_cpu;      /* events of this one alone fail with made_error; -1: those of all */
extern unsigned made_event_reads; /* readings that an event has from now on; 16 */
extern unsigned made_event_bytes; /* of each of them; 8 */

/* Open descriptors of this process. */
unsigned made_descriptors(void);

/* Opens a meter, which succeeds; or fails with err, says these words, and leaves nothing open. */
struct ps_energy *made_open(const char *selector);
void made_refused(const char *selector, int err, const char *words, ...);
#define MADE_REFUSED(selector, err, ...) made_refused(selector, err, __VA_ARGS__, (const char *)NULL)

/* Reads it, and compares what each part has taken since it was opened. */
void made_reads(struct ps_energy *, double cores, double device, double rest);

#endif
