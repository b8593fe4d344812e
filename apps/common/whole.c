/* SPDX-License-Identifier: MIT */
/* A text file that gets its name when it is whole. */
#include "config.h"

#include "apps/common/whole.h"
#include "actors/common/file.h"
#include "apps/common/app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct whole {
	const char *path;
	struct ps_part part; /* empty: a device, written directly */
	FILE *file;
};

static int fail(const struct whole *whole, int err)
{
	return app_fail(EXIT_FAILED, "%s: %s", whole->path, strerror(err));
}

static int open_file(struct whole *whole)
{
	int fd = ps_file_open_direct(whole->path), err;

	if (fd == 0)
		fd = ps_part_open(&whole->part, whole->path);
	if (fd < 0)
		return fail(whole, -fd);
	whole->file = fdopen(fd, "w");
	if (whole->file)
		return 0;
	err = errno;
	close(fd);
	return fail(whole, err);
}

int whole_open(struct whole **result, const char *path)
{
	struct whole *whole = calloc(1, sizeof(*whole));
	int status;

	*result = NULL;
	if (!whole)
		return app_out_of_memory();
	whole->path = path;
	status = open_file(whole);
	if (status)
		whole_drop(whole);
	else
		*result = whole;
	return status;
}

FILE *whole_file(struct whole *whole)
{
	return whole->file;
}

/* Flushes and closes it: is all of it written? */
static int end(struct whole *whole)
{
	int failed = ferror(whole->file) | fflush(whole->file), err = errno;

	if (fclose(whole->file) && !failed) {
		failed = 1;
		err = errno;
	}
	whole->file = NULL;
	return failed ? fail(whole, err ? err : EIO) : 0;
}

/* Gives it its name; a device has it. */
static int name(struct whole *whole)
{
	int err = ps_part_complete(&whole->part);

	return err ? fail(whole, -err) : 0;
}

int whole_complete(struct whole *whole)
{
	int status = end(whole);

	if (!status)
		status = name(whole);
	whole_drop(whole);
	return status;
}

static int name_both(struct whole *first, struct whole *second)
{
	int err;

	if (!first->part.name || !second->part.name)
		return first->part.name ? name(first) : name(second);
	err = ps_part_complete_both(&first->part, &second->part);
	return err ? app_fail(EXIT_FAILED, "%s, %s: %s", first->path, second->path, strerror(-err)) : 0;
}

int whole_complete_both(struct whole *first, struct whole *second)
{
	int status = end(first);

	if (!status)
		status = end(second);
	if (!status)
		status = name_both(first, second);
	whole_drop(first);
	whole_drop(second);
	return status;
}

void whole_drop(struct whole *whole)
{
	if (!whole)
		return;
	if (whole->file)
		fclose(whole->file);
	ps_part_drop(&whole->part);
	free(whole);
}
