/* SPDX-License-Identifier: MIT */
/*
 * Networks of the suites of lib/plan: actors with an input `in` and an output `out` of uint32_t, and what is asked of
 * them.
 */
#ifndef PENSTOCK_TESTS_PLAN_NET_H
#define PENSTOCK_TESTS_PLAN_NET_H

#include <penstock/penstock.h>

/* The environment as these suites want it: no team, sharing, PoCL's plain device. */
void plan_setup(void);

/* What such an actor is made of. */
extern const struct pstk_port plan_ports[2];
int plan_copy(struct pstk_firing *);

/* Copies on the cores; with a kernel on devices, too, and stateless. */
struct pstk_actor *plan_add(struct pstk_network *, const char *name, bool kahn);
struct pstk_actor *plan_add_kernel(struct pstk_network *, const char *name);

struct pstk_fifo_info plan_info(const struct pstk_fifo *);

/* What pstk_network_print() prints. */
void plan_printed(const struct pstk_network *, char *text, size_t size);

/* One with an output "out" only, or an input "in" only. */
struct pstk_actor *plan_add_source(struct pstk_network *, const char *name);
struct pstk_actor *plan_add_sink(struct pstk_network *, const char *name);

#endif
