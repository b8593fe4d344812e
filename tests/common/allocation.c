/* SPDX-License-Identifier: MIT */
#include "tests/common/allocation.h"

#include "penstock/penstock.h"

#include <errno.h>
#include <stddef.h>

/* The linker sends the code under test here: --wrap. Check's own allocations come here too, also from other threads. */
static _Thread_local unsigned allocations, fails_at;
static _Thread_local bool has_failed;

void test_fail_allocation(unsigned n)
{
	allocations = 0;
	fails_at = n;
	has_failed = false;
}

bool test_allocation_failed(void)
{
	fails_at = 0;
	return has_failed;
}

static bool fails(void)
{
	bool now = fails_at && ++allocations == fails_at;

	has_failed = has_failed || now;
	if (now)
		errno = ENOMEM;
	return now;
}

/* weak: a suite need not wrap all of them */
__attribute__((weak)) void *__real_malloc(size_t size);
__attribute__((weak)) void *__real_calloc(size_t count, size_t size);
__attribute__((weak)) char *__real_strdup(const char *text);
/* public: sanitizers come as shared libraries, which see these too */
PSTK_PUBLIC void *__wrap_malloc(size_t size);
PSTK_PUBLIC void *__wrap_calloc(size_t count, size_t size);
PSTK_PUBLIC char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}
