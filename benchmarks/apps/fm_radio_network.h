/* SPDX-License-Identifier: MIT */
/*
 * The FM radio as StreamIt's graph: 56 actors. Each band's filters are joined by an interleave of two, the bands by one
 * of ten. Or merged, with one actor for the equaliser, as a pipeline has it: 5 actors.
 */
#ifndef PENSTOCK_BENCHMARKS_APPS_FM_RADIO_NETWORK_H
#define PENSTOCK_BENCHMARKS_APPS_FM_RADIO_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

/* steps: of each actor; 0: PSTK_STEPS_AUTO. state: filters and demodulator keep what they look back at there, else it
 * is their FIFOs' history, and they are stateless. */
struct fm_way {
	uint32_t team, steps;
	bool merged, state;
};

/* For rounds.h. arg: struct fm_way. items: samples */
uint64_t fm_run_network(const void *arg, uint64_t items);

#endif
