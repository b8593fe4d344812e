/* SPDX-License-Identifier: MIT */
/* A flow from a file of tests/data, and what its plan is to be. */
#ifndef PENSTOCK_TESTS_FLOW_CASE_H
#define PENSTOCK_TESTS_FLOW_CASE_H

#include "lib/mapping/outline.h"

#include <jansson.h>

struct flow_case {
	json_t *json;
	struct pstk_machine *machine;
	struct ps_flow flow;
};

/* Reads it; a test fails if it can't. */
void flow_case_open(struct flow_case *, const char *name);
void flow_case_close(struct flow_case *);

/* Fails the test where the outline is not what the file says with or without overlap. */
void flow_case_compare(const struct flow_case *, const struct ps_outline *);

#endif
