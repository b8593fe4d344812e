/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/numbers.h"
#include "actors/common/message.h"
#include "apps/common/app.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 4 }; /* bytes */

static float decode(const unsigned char bytes[NUMBER])
{
	uint32_t word =
		bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	float number;

	memcpy(&number, &word, sizeof number);
	return number;
}

/* What is read of a file. A device may have no end. */
struct reading {
	const struct numbers *what;
	FILE *file;
	float *to;
	size_t least, most; /* sets */
	size_t count, room; /* numbers */
	uint64_t bytes;
};

static int wrong_length(const struct reading *r)
{
	const struct numbers *n = r->what;
	const unsigned long long bytes = r->bytes, each = n->each * NUMBER;

	if (r->least < r->most)
		return app_fail(EXIT_USAGE,
			"--%s: %s has %llu byte%s: expected %zu to %zu %s of %zu numbers, 4 bytes each: a "
			"multiple of %llu",
			n->option, n->path, bytes, ps_plural(bytes), r->least, r->most, n->sets, n->each,
			each);
	return app_fail(EXIT_USAGE,
		"--%s: %s has %s%llu byte%s, but %zu %s of %zu numbers, 4 bytes each, have %llu", n->option,
		n->path, bytes > r->most * each ? "more, " : "", bytes, ps_plural(bytes), r->most, n->sets,
		n->each, r->most * each);
}

/* The rest of it, to say how long it is. */
static int too_long(struct reading *r)
{
	enum { MOST = 1 << 26 };

	for (unsigned n = 1; n < MOST && getc(r->file) != EOF; n++)
		r->bytes++;
	return wrong_length(r);
}

static int make_room(struct reading *r)
{
	size_t room = r->room ? 2 * r->room : 1024;
	float *to = realloc(r->to, room * sizeof *to);

	if (!to)
		return app_out_of_memory();
	r->to = to;
	r->room = room;
	return 0;
}

static int add(struct reading *r, const unsigned char bytes[NUMBER])
{
	int status = r->count < r->room ? 0 : make_room(r);

	if (status)
		return status;
	r->to[r->count++] = decode(bytes);
	if (isfinite(r->to[r->count - 1]))
		return 0;
	return app_fail(EXIT_USAGE, "--%s: %s: number %zu is %g: they are finite", r->what->option,
		r->what->path, r->count - 1, (double)r->to[r->count - 1]);
}

static int read_numbers(struct reading *r)
{
	const struct numbers *n = r->what;
	unsigned char bytes[NUMBER];
	int status = 0;
	size_t got;

	while (!status && (got = fread(bytes, 1, NUMBER, r->file)) == NUMBER) {
		r->bytes += got;
		if (r->count == r->most * n->each)
			return too_long(r);
		status = add(r, bytes);
	}
	if (status)
		return status;
	if (ferror(r->file))
		return app_fail(EXIT_USAGE, "--%s: %s: %s", n->option, n->path, strerror(errno));
	r->bytes += got;
	return got || r->count % n->each || r->count < r->least * n->each ? wrong_length(r) : 0;
}

static int read_file(struct reading *r)
{
	const struct numbers *n = r->what;
	int status;

	if (!strcmp(n->path, "-"))
		return app_fail(EXIT_USAGE,
			"--%s: - is standard input, which is not read here: name a file, or /dev/stdin",
			n->option);
	r->file = fopen(n->path, "rbe");
	if (!r->file)
		return app_fail(EXIT_USAGE, "--%s: %s: %s", n->option, n->path, strerror(errno));
	status = read_numbers(r);
	fclose(r->file);
	if (!status)
		return 0;
	free(r->to);
	r->to = NULL;
	return status;
}

int numbers_read(const struct numbers *n, float **to)
{
	struct reading r = { .what = n, .least = n->count, .most = n->count };
	int status = read_file(&r);

	*to = r.to;
	return status;
}

int numbers_read_up_to(struct numbers *n, size_t most, float **to)
{
	struct reading r = { .what = n, .least = 1, .most = most };
	int status = read_file(&r);

	*to = r.to;
	n->count = r.count / n->each;
	return status;
}

int numbers_write(FILE *file, const float *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t word;

		memcpy(&word, from + i, sizeof word);
		for (unsigned k = 0; k < NUMBER; k++)
			if (putc((int)(word >> 8 * k & 0xff), file) == EOF)
				return -1;
	}
	return 0;
}
