/* SPDX-License-Identifier: MIT */
/* Allocations that fail, in suites whose fragment of Makefile.am names malloc, calloc or strdup in `wrapped`. */
#ifndef PENSTOCK_TESTS_ALLOCATION_H
#define PENSTOCK_TESTS_ALLOCATION_H

#include <stdbool.h>

/* The n-th wrapped allocation of this thread from now on fails, and only that one; 0: none does. */
void test_fail_allocation(unsigned n);

/* Has it failed? None does any more. */
bool test_allocation_failed(void);

#endif
