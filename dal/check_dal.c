/* SPDX-License-Identifier: MIT */
#include "dal/check_dal.h"

#include "penstock/penstock.h"

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_uint dal_fail_allocation;
atomic_bool dal_allocation_failed;

static bool fails(void)
{
	unsigned left = atomic_load(&dal_fail_allocation);

	if (!left || atomic_fetch_sub(&dal_fail_allocation, 1) != 1)
		return false;
	atomic_store(&dal_allocation_failed, true);
	return true;
}

void *__real_malloc(size_t size);
PSTK_PUBLIC void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
PSTK_PUBLIC void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

char *__real_strdup(const char *text);
PSTK_PUBLIC char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

static void *xml_realloc(void *old, size_t size)
{
	return fails() ? NULL : realloc(old, size);
}

void dal_watch_allocations(void)
{
	ck_assert_int_eq(xmlMemSetup(free, __wrap_malloc, xml_realloc, __wrap_strdup), 0);
	xmlInitParser();
}
