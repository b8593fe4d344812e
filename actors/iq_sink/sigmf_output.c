/* SPDX-License-Identifier: MIT */
/* SigMF recordings: the meta file. */
#include "config.h"

#include "actors/iq_sink/output.h"

#include "actors/common/sigmf.h"

#include <errno.h>

#ifndef HAVE_JANSSON

int ps_iq_output_open_sigmf(struct pstk_iq_output *output, const struct pstk_iq_output_spec *spec)
{
	(void)spec;
	return ps_iq_output_fail(output, -ENOTSUP, "this build has no jansson, which writing SigMF needs");
}

#else

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPECIFICATION "1.0.0" /* the first with all that is said here, so that older readers take it */
#define LIMIT 1e12            /* SigMF's of rates and frequencies */

static int check_spec(struct pstk_iq_output *output, const struct pstk_iq_output_spec *spec)
{
	double rate = spec->sample_rate, frequency = spec->frequency;

	/* so that NaN is outside, too */
	if (rate != 0 && !(rate >= 1 && rate <= LIMIT))
		return ps_iq_output_fail(
			output, -EINVAL, "wrong sample rate %g (SigMF has 1 to 1e12, 0 is unknown)", rate);
	if (!(fabs(frequency) <= LIMIT))
		return ps_iq_output_fail(output, -EINVAL,
			"wrong frequency %g (SigMF has -1e12 to 1e12, 0 is unknown)", frequency);
	return 0;
}

/* Takes value. What is missing is out of memory. */
static bool set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

/* NULL: out of memory, or the description is no UTF-8. */
static json_t *make_global(const struct pstk_iq_output_spec *spec)
{
	json_t *global = json_object();
	bool ok = set(global, "core:datatype", json_string("cf32_le")) &&
	          set(global, "core:version", json_string(SPECIFICATION));

	if (spec->sample_rate != 0)
		ok = ok && set(global, "core:sample_rate", json_real(spec->sample_rate));
	if (spec->description)
		ok = ok && set(global, "core:description", json_string(spec->description));
	ok = ok && set(global, "core:recorder", json_string("penstock " PSTK_VERSION));
	if (ok)
		return global;
	json_decref(global);
	return NULL;
}

static json_t *make_captures(const struct pstk_iq_output_spec *spec)
{
	json_t *captures = json_array(), *capture = json_object();
	bool ok = set(capture, "core:sample_start", json_integer(0));

	if (spec->frequency != 0)
		ok = ok && set(capture, "core:frequency", json_real(spec->frequency));
	if (!ok) {
		json_decref(capture);
		capture = NULL;
	}
	if (!json_array_append_new(captures, capture))
		return captures;
	json_decref(captures);
	return NULL;
}

/* The meta file's text, which the caller frees. json_dumps() of jansson 2.14 leaves pieces out when its
 * buffer can't grow, so it gets one that is large enough. */
static char *make_text(const struct pstk_iq_output_spec *spec, size_t *size)
{
	json_t *root = json_object();
	bool ok = set(root, "global", make_global(spec)) && set(root, "captures", make_captures(spec)) &&
	          set(root, "annotations", json_array());
	char *text;

	*size = ok ? json_dumpb(root, NULL, 0, JSON_INDENT(4)) : 0;
	text = *size ? malloc(*size + 1) : NULL;
	if (text && json_dumpb(root, text, *size, JSON_INDENT(4)) != *size) {
		free(text);
		text = NULL;
	}
	if (text)
		text[(*size)++] = '\n';
	json_decref(root);
	return text;
}

/* What makes no text: memory, or a description that is no UTF-8? */
static bool is_utf8(const char *description)
{
	json_t *any = json_string_nocheck(description), *checked = json_string(description);
	bool wrong = any && !checked;

	json_decref(any);
	json_decref(checked);
	return !wrong;
}

static int write_meta(struct pstk_iq_output *output, const struct pstk_iq_output_spec *spec)
{
	size_t size;
	char *text = make_text(spec, &size);
	int err;

	if (!text && spec->description && !is_utf8(spec->description))
		return ps_iq_output_fail(output, -EINVAL, "its description is no UTF-8");
	err = text ? ps_writer_write(&output->meta, text, size) : -ENOMEM;
	free(text);
	return err ? ps_iq_output_fail(output, err, "%s", strerror(-err)) : 0;
}

/* Takes the name. */
static int open_part(struct pstk_iq_output *output, struct ps_writer *writer, char *name)
{
	int err = name ? ps_writer_open_part(writer, name) : -ENOMEM;

	if (name)
		ps_label(output->label, name);
	free(name);
	return err ? ps_iq_output_fail(output, err, "%s", strerror(-err)) : 0;
}

/* Takes the name. Both are looked at before either file is made. */
static int check_name(struct pstk_iq_output *output, char *name)
{
	int err = name ? ps_sigmf_check(name) : -ENOMEM;

	if (name && err)
		ps_label(output->label, name);
	free(name);
	if (err == -EINVAL)
		return ps_iq_output_fail(output, err, "a SigMF recording is two regular files");
	return err ? ps_iq_output_fail(output, err, "%s", strerror(-err)) : 0;
}

int ps_iq_output_open_sigmf(struct pstk_iq_output *output, const struct pstk_iq_output_spec *spec)
{
	int err = check_spec(output, spec);

	if (!err)
		err = check_name(output, ps_sigmf_meta_path(spec->path));
	if (!err)
		err = check_name(output, ps_sigmf_data_path(spec->path));
	if (!err)
		err = open_part(output, &output->meta, ps_sigmf_meta_path(spec->path));
	if (!err)
		err = write_meta(output, spec);
	if (!err)
		err = open_part(output, &output->writer, ps_sigmf_data_path(spec->path));
	if (!err)
		ps_label(output->label, spec->path); /* what comes concerns both */
	return err;
}

#endif
