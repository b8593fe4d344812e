/* SPDX-License-Identifier: MIT */
/* An I/Q input: files and pipes of cf32_le or cu8, or the generated signal; counts samples, keeps the first error. */
#include "config.h"

#include "actors/iq_source/input.h"

#include "actors/ofdm/ofdm.h"
#include "actors/common/sigmf.h"
#include "actors/common/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CF32, CU8, FORMATS };

static const struct ps_iq_format formats[FORMATS] = { { "cf32_le", PS_CF32_BYTES }, { "cu8", PS_CU8_BYTES } };

const struct ps_iq_format *ps_iq_format_find(const char *name)
{
	for (unsigned i = 0; i < FORMATS; i++) {
		if (!strcmp(name, formats[i].name))
			return &formats[i];
	}
	return NULL;
}

int ps_iq_input_fail(struct pstk_iq_input *input, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ps_message(input->error, sizeof(input->error), input->label, format, args);
	va_end(args);
	return err;
}

void ps_iq_input_name(struct pstk_iq_input *input, const char *path)
{
	ps_label(input->label, path);
}

int ps_iq_input_open_file(struct pstk_iq_input *input, const char *path)
{
	if (strcmp(path, "-") != 0) {
		input->file = strdup(path);
		if (!input->file)
			return -ENOMEM;
	}
	return ps_reader_open(&input->reader, path);
}

/* So many bytes are no whole samples: most likely they are of another kind; only the user knows. */
static int refuse_rest(struct pstk_iq_input *input, uint64_t bytes, bool enclosed)
{
	const struct ps_iq_format *format = input->format;

	if (enclosed)
		return ps_iq_input_fail(input, -EINVAL,
			"has %" PRIu64 " byte%s between header_bytes and trailing_bytes, and %s is %u "
			"bytes a sample: are these counts right?",
			bytes, ps_plural(bytes), format->name, format->bytes);
	return ps_iq_input_fail(input, -EINVAL,
		"%" PRIu64 " byte%s, read as %s, %u bytes a sample: is it such a file? If only its end is "
		"broken: head -c %" PRIu64 " FILE >COPY",
		bytes, ps_plural(bytes), format->name, format->bytes, bytes - bytes % format->bytes);
}

int ps_iq_input_bounds(struct pstk_iq_input *input, uint64_t header, uint64_t trailing)
{
	int64_t size = ps_reader_size(&input->reader);
	uint64_t bytes = (uint64_t)size;

	if (size < 0)
		return ps_iq_input_fail(input, (int)size, "%s", strerror((int)-size));
	if (header > bytes || trailing > bytes - header)
		return ps_iq_input_fail(input, -EINVAL,
			"has %" PRIu64 " byte%s, fewer than its %" PRIu64 " header_bytes and %" PRIu64
			" trailing_bytes",
			bytes, ps_plural(bytes), header, trailing);
	bytes -= header + trailing;
	if (bytes % input->format->bytes)
		return refuse_rest(input, bytes, header || trailing);
	if (header) {
		int64_t at = ps_reader_seek(&input->reader, (int64_t)header, SEEK_SET);

		if (at < 0)
			return ps_iq_input_fail(input, (int)at, "%s", strerror((int)-at));
	}
	input->left = input->info.samples = bytes / input->format->bytes;
	return 0;
}

static int open_file(struct pstk_iq_input *input, const char *path)
{
	int err = ps_iq_input_open_file(input, path);

	if (err)
		return ps_iq_input_fail(input, err, "%s", strerror(-err));
	if (ps_ends_with(path, ".sigmf"))
		return ps_iq_input_fail(input, -EINVAL,
			"is a SigMF archive; unpack it (tar xf) and name its .sigmf-meta file");
	if (ps_ends_with(path, ".sigmf-collection"))
		return ps_iq_input_fail(
			input, -EINVAL, "is a SigMF collection; name the .sigmf-meta file of a recording");
	return input->reader.regular ? ps_iq_input_bounds(input, 0, 0) : 0;
}

static int open_signal(struct pstk_iq_input *input, uint64_t seed)
{
	int err = ps_ofdm_create(&input->signal, seed);

	if (err == -ENOTSUP)
		return ps_iq_input_fail(input, err, "this build has no kissfft, which makes it");
	return err ? ps_iq_input_fail(input, err, "%s", strerror(-err)) : 0;
}

/* Is there a sample? A pipe's first byte is waited for, and stays in the reader. */
static int check_any(struct pstk_iq_input *input, bool recording)
{
	bool any = input->left > 0;
	int got = input->reader.regular ? 0 : ps_reader_starts_with(&input->reader, "", 1, &any);

	if (got < 0)
		return ps_iq_input_fail(input, got, "%s", strerror(-got));
	return any ? 0 : ps_iq_input_fail(input, -ENODATA, recording ? "has no samples" : "is empty");
}

static int choose_format(struct pstk_iq_input *input, const struct pstk_iq_input_spec *spec, bool recording)
{
	if (spec->format && recording)
		return ps_iq_input_fail(
			input, -EINVAL, "its metadata say what its samples are: leave the format out");
	if (!spec->format) {
		input->format = &formats[ps_ends_with(spec->path, ".cu8") ? CU8 : CF32];
		return 0;
	}
	input->format = ps_iq_format_find(spec->format);
	if (input->format)
		return 0;
	return ps_iq_input_fail(
		input, -EINVAL, "the format '%.20s' is not known: cf32_le and cu8 are", spec->format);
}

static int open_path(struct pstk_iq_input *input, const struct pstk_iq_input_spec *spec)
{
	bool recording = ps_sigmf_named(spec->path);
	int err = choose_format(input, spec, recording);

	if (err)
		return err;
	err = recording ? ps_iq_input_open_sigmf(input, spec->path) : open_file(input, spec->path);

	if (!err && spec->refuse_empty)
		err = check_any(input, recording);
	if (err)
		return err;
	input->chunk = malloc((size_t)PS_CF32_CHUNK * PS_CF32_BYTES);
	return input->chunk ? 0 : ps_iq_input_fail(input, -ENOMEM, "out of memory");
}

static int open_input(struct pstk_iq_input *input, const struct pstk_iq_input_spec *spec)
{
	int err;

	ps_iq_input_name(input, !spec->path               ? "generated signal"
				: strcmp(spec->path, "-") ? spec->path
							  : "stdin");
	ps_reader_init(&input->reader);
	input->left = input->info.samples = UINT64_MAX;
	err = spec->path ? open_path(input, spec) : open_signal(input, spec->seed);
	if (err || !spec->samples)
		return err;
	if (input->left > spec->samples)
		input->left = spec->samples;
	/* a pipe may have fewer */
	if (input->signal || input->reader.regular)
		input->info.samples = input->left;
	return 0;
}

int pstk_iq_input_open(
	struct pstk_iq_input **result, const struct pstk_iq_input_spec *given, char *error, size_t size)
{
	struct pstk_iq_input_spec spec;
	struct pstk_iq_input *input;
	int err = -EINVAL;

	if (result)
		*result = NULL;
	if (error && size)
		snprintf(error, size, "wrong arguments");
	if (result && given)
		err = ps_copy_spec(&spec, sizeof(spec), offsetof(struct pstk_iq_input_spec, refuse_empty),
			given, "pstk_iq_input", error, size);
	if (err)
		return err;
	if (error && size)
		snprintf(error, size, "out of memory");
	input = calloc(1, sizeof(*input));
	if (!input)
		return -ENOMEM;
	err = open_input(input, &spec);
	if (error && size)
		snprintf(error, size, "%s", input->error);
	if (err)
		pstk_iq_input_close(input);
	else
		*result = input;
	return err;
}

int pstk_iq_input_get_info(const struct pstk_iq_input *input, struct pstk_iq_info *info)
{
	if (!input || !info)
		return -EINVAL;
	*info = input->info;
	return 0;
}

const char *pstk_iq_input_file(const struct pstk_iq_input *input)
{
	return input ? input->file : NULL;
}

static bool stopped(const struct pstk_iq_input *input)
{
	return atomic_load(&input->reader.stopped);
}

/* Bytes into the chunk: fewer at the end, or when stopped, so that what has come by then is not lost. */
static ssize_t fill(struct pstk_iq_input *input, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got =
			ps_reader_some(&input->reader, (unsigned char *)input->chunk + done, bytes - done);

		if (got < 0 && !stopped(input))
			return got;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* The bytes have ended: where samples end, too? */
static int check_end(struct pstk_iq_input *input, size_t rest, uint64_t done)
{
	if (stopped(input))
		return 0;
	if (input->reader.regular)
		return ps_iq_input_fail(input, -EPROTO,
			"became shorter while it was read: it had %" PRIu64 " sample%s more",
			input->left - done, ps_plural(input->left - done));
	if (rest)
		return ps_iq_input_fail(input, -EPROTO,
			"ends within sample %" PRIu64 ": %zu of its %u bytes came", input->samples + done,
			rest, input->format->bytes);
	return 0;
}

static int64_t read_file(struct pstk_iq_input *input, float *re, float *im, size_t n)
{
	size_t bytes = input->format->bytes, done = 0;

	while (done < n) {
		size_t part = n - done < PS_CF32_CHUNK ? n - done : PS_CF32_CHUNK;
		ssize_t got = fill(input, part * bytes);
		size_t whole = got > 0 ? (size_t)got / bytes : 0;

		if (got < 0)
			return ps_iq_input_fail(input, (int)got, "%s", strerror((int)-got));
		if (input->format == &formats[CU8])
			ps_cu8_split(re + done, im + done, (const unsigned char *)input->chunk, whole);
		else
			input->not_finite += ps_cf32_split(re + done, im + done, input->chunk, whole);
		input->squared_peak = ps_cf32_peak(input->squared_peak, re + done, im + done, whole);
		done += whole;
		if (whole < part) {
			int err = check_end(input, (size_t)got % bytes, done);

			return err ? err : (int64_t)done;
		}
	}
	return (int64_t)done;
}

static int64_t read_signal(struct pstk_iq_input *input, float *re, float *im, size_t n)
{
	size_t done = 0;

	while (done < n && !stopped(input)) {
		size_t part = n - done < PS_CF32_CHUNK ? n - done : PS_CF32_CHUNK;

		ps_ofdm_read(input->signal, re + done, im + done, part);
		input->squared_peak = ps_cf32_peak(input->squared_peak, re + done, im + done, part);
		done += part;
	}
	return (int64_t)done;
}

int64_t ps_iq_input_take(struct pstk_iq_input *input, float *re, float *im, size_t n)
{
	int64_t got;

	if (input->failed)
		return input->failed;
	if (n > input->left)
		n = (size_t)input->left;
	if (!n || stopped(input))
		return 0;
	got = (input->signal ? read_signal : read_file)(input, re, im, n);
	if (got < 0) {
		input->failed = (int)got;
		return got;
	}
	input->samples += (uint64_t)got;
	if ((size_t)got < n && !stopped(input)) /* that was all, of a pipe, too */
		input->left = 0;
	else if (input->left != UINT64_MAX)
		input->left -= (uint64_t)got;
	return got;
}

bool ps_iq_input_has_more(const struct pstk_iq_input *input)
{
	return input->left > 0;
}

int pstk_iq_input_read(struct pstk_iq_input *input, float *re, float *im, size_t n)
{
	if (!input || !re || !im || n > INT_MAX)
		return -EINVAL;
	return (int)ps_iq_input_take(input, re, im, n);
}

uint64_t pstk_iq_input_not_finite(const struct pstk_iq_input *input)
{
	return input ? input->not_finite : 0;
}

double pstk_iq_input_peak(const struct pstk_iq_input *input)
{
	return input ? sqrt(input->squared_peak) : 0;
}

void pstk_iq_input_stop(struct pstk_iq_input *input)
{
	if (input)
		ps_reader_stop(&input->reader);
}

const char *pstk_iq_input_error(const struct pstk_iq_input *input)
{
	return input ? input->error : "";
}

void pstk_iq_input_close(struct pstk_iq_input *input)
{
	if (!input)
		return;
	if (input->signal)
		ps_ofdm_destroy(input->signal);
	free(input->chunk);
	free(input->file);
	ps_reader_close(&input->reader);
	free(input);
}
