/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_source.h"
#include "lib/base/memory.h"
#include "lib/model/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *ps_cl_source_path(const char *source)
{
	return strncmp(source, "file:", 5) ? NULL : source + 5;
}

static int refuse_file(struct ps_cl_fault *fault, int err, const char *path, const char *why)
{
	return ps_cl_refuse(fault, err, "kernel source '%s': %s", path, why);
}

/* Reads to the end: size says little about a pipe. *length: what there was, a 0 is behind it. */
static int read_all(FILE *file, char **text, size_t *length)
{
	size_t capacity = 0, got;

	*text = NULL;
	*length = 0;
	do {
		if (*length + 1 >= capacity) {
			char *larger = ps_memory_resize(*text, capacity ? capacity * 2 : 16384, 1);

			if (!larger)
				return -ENOMEM;
			*text = larger;
			capacity = capacity ? capacity * 2 : 16384;
		}
		errno = 0;
		got = fread(*text + *length, 1, capacity - *length - 1, file);
		*length += got;
		if (ferror(file))
			return errno ? -errno : -EIO;
		if (*length > PS_CL_SOURCE_MAX)
			return -EFBIG;
	} while (got);
	(*text)[*length] = '\0';
	return 0;
}

/* "#line 1 "PATH"", of which a compiler makes PATH again. */
static char *line_of(const char *path)
{
	static const char begin[] = "#line 1 \"", end[] = "\"\n";
	char *line = ps_memory_zalloc(2 * strlen(path) + sizeof begin + sizeof end, 1), *out = line;

	if (!line)
		return NULL;
	memcpy(out, begin, sizeof begin - 1);
	out += sizeof begin - 1;
	for (const char *c = path; *c; c++) {
		if (*c == '"' || *c == '\\')
			*out++ = '\\';
		*out++ = iscntrl((unsigned char)*c) ? '?' : *c;
	}
	memcpy(out, end, sizeof end);
	return line;
}

static int read_file(struct ps_cl_source *s, const char *path, struct ps_cl_fault *fault)
{
	char reason[64];
	size_t length;
	FILE *file = fopen(path, "re");
	int err;

	if (!file) {
		err = -errno;
		return refuse_file(fault, err, path, ps_strerror(err, reason, sizeof reason));
	}
	err = read_all(file, &s->own_text, &length);
	fclose(file);
	if (err == -EFBIG)
		return refuse_file(fault, err, path, "larger than 64 MiB");
	if (err)
		return refuse_file(fault, err, path, ps_strerror(err, reason, sizeof reason));
	if (!length)
		return refuse_file(fault, -EINVAL, path, "the file is empty");
	if (strlen(s->own_text) != length)
		return refuse_file(fault, -EINVAL, path, "has bytes of 0: this is not a text");
	s->own_line = line_of(path);
	if (!s->own_line)
		return refuse_file(fault, -ENOMEM, path, "out of memory");
	s->line = s->own_line;
	/* a byte order mark may only be where a text begins, and there is #line now */
	s->text = s->own_text + (strncmp(s->own_text, "\xef\xbb\xbf", 3) ? 0 : 3);
	return 0;
}

int ps_cl_source_get(struct ps_cl_source *s, const char *source, struct ps_cl_fault *fault)
{
	const char *path = ps_cl_source_path(source);
	int err;

	*s = (struct ps_cl_source){ .line = "#line 1 \"kernel-source\"\n", .text = source };
	err = path ? read_file(s, path, fault) : 0;
	if (err)
		ps_cl_source_free(s);
	return err;
}

void ps_cl_source_free(struct ps_cl_source *s)
{
	ps_memory_free(s->own_line);
	ps_memory_free(s->own_text);
	*s = (struct ps_cl_source){ 0 };
}
