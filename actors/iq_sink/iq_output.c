/* SPDX-License-Identifier: MIT */
/* An I/Q output: cf32_le to a file or a pipe, and a recording's meta file; keeps the first error. */
#include "config.h"

#include "actors/iq_sink/output.h"

#include "actors/common/sigmf.h"
#include "actors/common/spec.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ps_iq_output_fail(struct pstk_iq_output *output, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ps_message(output->error, sizeof(output->error), output->label, format, args);
	va_end(args);
	return err;
}

static int open_cf32(struct pstk_iq_output *output, const char *path)
{
	int err;

	if (ps_ends_with(path, ".sigmf") || ps_ends_with(path, ".sigmf-collection"))
		return ps_iq_output_fail(
			output, -EINVAL, "a SigMF recording is written as NAME.sigmf-meta, no other way");
	err = ps_writer_open(&output->writer, path);
	return err ? ps_iq_output_fail(output, err, "%s", strerror(-err)) : 0;
}

static int open_output(struct pstk_iq_output *output, const struct pstk_iq_output_spec *spec)
{
	int err;

	ps_label(output->label, strcmp(spec->path, "-") ? spec->path : "stdout");
	ps_writer_init(&output->writer);
	ps_writer_init(&output->meta);
	output->writer.dry = output->meta.dry = spec->dry;
	output->chunk = malloc((size_t)PS_CF32_CHUNK * PS_CF32_BYTES);
	if (!output->chunk)
		return ps_iq_output_fail(output, -ENOMEM, "out of memory");
	err = ps_sigmf_named(spec->path) ? ps_iq_output_open_sigmf(output, spec)
	                                 : open_cf32(output, spec->path);
	return err;
}

int pstk_iq_output_open(
	struct pstk_iq_output **result, const struct pstk_iq_output_spec *given, char *error, size_t size)
{
	struct pstk_iq_output_spec spec;
	struct pstk_iq_output *output;
	int err = -EINVAL;

	if (result)
		*result = NULL;
	if (error && size)
		snprintf(error, size, "wrong arguments");
	if (result && given)
		err = ps_copy_spec(&spec, sizeof(spec), offsetof(struct pstk_iq_output_spec, dry), given,
			"pstk_iq_output", error, size);
	if (!err && (!spec.path || !*spec.path))
		err = -EINVAL;
	if (err)
		return err;
	if (error && size)
		snprintf(error, size, "out of memory");
	output = calloc(1, sizeof(*output));
	if (!output)
		return -ENOMEM;
	err = open_output(output, &spec);
	if (error && size)
		snprintf(error, size, "%s", output->error);
	if (err)
		pstk_iq_output_close(output);
	else
		*result = output;
	return err;
}

static int write_all(struct pstk_iq_output *output, const float *re, const float *im, size_t n)
{
	if (atomic_load(&output->writer.stopped))
		return ps_iq_output_fail(output, -ECANCELED, "stopped");
	for (size_t done = 0; done < n;) {
		size_t part = n - done < PS_CF32_CHUNK ? n - done : PS_CF32_CHUNK;
		uint32_t wrong = ps_cf32_join(output->chunk, re + done, im + done, part);
		int err = ps_writer_write(&output->writer, output->chunk, part * PS_CF32_BYTES);

		if (err == -ECANCELED)
			return ps_iq_output_fail(output, err, "stopped");
		if (err)
			return ps_iq_output_fail(output, err, "%s", strerror(-err));
		output->not_finite += wrong;
		done += part;
	}
	return 0;
}

int ps_iq_output_put(struct pstk_iq_output *output, const float *re, const float *im, size_t n)
{
	if (!output->failed)
		output->failed = write_all(output, re, im, n);
	return output->failed;
}

int pstk_iq_output_write(struct pstk_iq_output *output, const float *re, const float *im, size_t n)
{
	if (!output || !re || !im || output->completed)
		return -EINVAL;
	return ps_iq_output_put(output, re, im, n);
}

static int complete(struct pstk_iq_output *output)
{
	bool recording = output->meta.fd >= 0;
	int err = recording ? ps_writer_complete_both(&output->writer, &output->meta)
	                    : ps_writer_complete(&output->writer);

	/* which of the two names a folder has taken */
	if (err == -EISDIR && recording)
		ps_label(output->label,
			(ps_sigmf_check(output->writer.part.path) ? &output->writer : &output->meta)
				->part.path);
	return err ? ps_iq_output_fail(output, err, "%s", err == -ECANCELED ? "stopped" : strerror(-err)) : 0;
}

int pstk_iq_output_complete(struct pstk_iq_output *output)
{
	if (!output || output->completed)
		return -EINVAL;
	if (!output->failed)
		output->failed = complete(output);
	output->completed = !output->failed;
	return output->failed;
}

uint64_t pstk_iq_output_not_finite(const struct pstk_iq_output *output)
{
	return output ? output->not_finite : 0;
}

void pstk_iq_output_stop(struct pstk_iq_output *output)
{
	if (output)
		ps_writer_stop(&output->writer);
}

const char *pstk_iq_output_error(const struct pstk_iq_output *output)
{
	return output ? output->error : "";
}

void pstk_iq_output_close(struct pstk_iq_output *output)
{
	if (!output)
		return;
	ps_writer_close(&output->writer);
	ps_writer_close(&output->meta);
	free(output->chunk);
	free(output);
}
