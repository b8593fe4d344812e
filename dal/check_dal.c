/* SPDX-License-Identifier: MIT */
#include "dal/check_dal.h"

#include "penstock/penstock.h"

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char paths[2][128];

const char *dal_file(const char *name, const char *text)
{
	unsigned i = 0;
	FILE *f;

	if (!folder[0]) {
		snprintf(
			folder, sizeof folder, "%s/penstock-dal-XXXXXX", access("/tmp", W_OK) ? "." : "/tmp");
		ck_assert_ptr_nonnull(mkdtemp(folder));
	}
	while (i < 2 && paths[i][0] && strcmp(paths[i] + strlen(folder) + 1, name) != 0)
		i++;
	ck_assert_uint_lt(i, 2);
	snprintf(paths[i], sizeof paths[i], "%s/%s", folder, name);
	f = fopen(paths[i], "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	return paths[i];
}

void dal_remove(void)
{
	for (unsigned i = 0; i < 2; i++) {
		if (paths[i][0])
			remove(paths[i]);
		paths[i][0] = '\0';
	}
	if (folder[0])
		ck_assert_int_eq(rmdir(folder), 0);
	folder[0] = '\0';
}

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
