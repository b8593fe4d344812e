/* SPDX-License-Identifier: MIT */
/* SigMF recordings: what the meta file says, as far as it concerns a reader of the samples. */
#include "config.h"

#include "actors/iq_source/input.h"

#include "actors/common/file.h"
#include "actors/common/sigmf.h"

#include <errno.h>

#ifndef HAVE_JANSSON

int ps_iq_input_open_sigmf(struct pstk_iq_input *input, const char *path)
{
	(void)path;
	return ps_iq_input_fail(input, -ENOTSUP, "this build has no jansson, which reading SigMF needs");
}

#else

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_META (INT64_C(64) << 20) /* bytes: some 100,000 annotations */
#define MAX_EXACT 9007199254740992.0 /* above it a double is not each whole number */

struct meta {
	const char *dataset;       /* the JSON's; NULL: none */
	uint64_t header, trailing; /* bytes beside the samples */
	bool without_data;
};

/* What jansson reads. */
struct stream {
	struct ps_reader reader;
	int err;
};

static size_t more(void *buffer, size_t size, void *data)
{
	struct stream *stream = data;
	ssize_t got = ps_reader_some(&stream->reader, buffer, size);

	if (got < 0)
		stream->err = (int)got;
	return got < 0 ? (size_t)-1 : (size_t)got;
}

static int refuse_meta(struct pstk_iq_input *input)
{
	return ps_iq_input_fail(input, -EINVAL, "is no metadata: no regular file of at most 64 MiB");
}

/* Malformed, and where; or it could not be read at all. */
static int refuse_text(struct pstk_iq_input *input, int err, const json_error_t *error)
{
	char place[PS_LABEL_SIZE + 32];

	/* what jansson says when it is out of memory: often nothing, sometimes it is a token to it; its error
	   code (up to 2.14) knows no more */
	if (!err && !error->text[0])
		err = -ENOMEM;
	if (err)
		return ps_iq_input_fail(input, err, "%s", strerror(-err));
	snprintf(place, sizeof(place), "%s:%d:%d", input->label, error->line, error->column);
	ps_iq_input_name(input, place);
	return ps_iq_input_fail(input, -EINVAL, "%s", error->text);
}

static json_t *parse(struct pstk_iq_input *input, struct stream *stream, int *err)
{
	int64_t size = stream->reader.regular ? ps_reader_size(&stream->reader) : 0;
	json_error_t error;
	json_t *root;

	if (!stream->reader.regular || size > MAX_META) {
		*err = refuse_meta(input);
		return NULL;
	}
	root = json_load_callback(more, stream, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		*err = refuse_text(input, stream->err, &error);
	return root;
}

/* The whole file; NULL: *err, with its text. */
static json_t *load(struct pstk_iq_input *input, const char *path, int *err)
{
	struct stream stream = { .err = 0 };
	json_t *root = NULL;

	if (ps_sigmf_check(path) == -EINVAL) {
		*err = refuse_meta(input);
		return NULL;
	}
	ps_reader_init(&stream.reader);
	*err = ps_reader_open(&stream.reader, path);
	if (*err)
		ps_iq_input_fail(input, *err, "%s", strerror(-*err));
	else
		root = parse(input, &stream, err);
	ps_reader_close(&stream.reader);
	return root;
}

/* A number that may be missing. */
static int get_number(struct pstk_iq_input *input, const json_t *object, const char *key, double *value)
{
	const json_t *number = json_object_get(object, key);

	*value = json_number_value(number);
	return number && !json_is_number(number) ? ps_iq_input_fail(input, -EINVAL, "%s is no number", key)
	                                         : 0;
}

/* A whole number, 0 or more, that may be missing: then *value stays. */
static int get_count(struct pstk_iq_input *input, const json_t *object, const char *key, uint64_t *value)
{
	const json_t *number = json_object_get(object, key);
	double real = json_number_value(number);

	if (!number)
		return 0;
	if (!json_is_number(number) || !(real >= 0) || real > MAX_EXACT || real != floor(real))
		return ps_iq_input_fail(input, -EINVAL, "%s is no whole number from 0 on", key);
	*value = (uint64_t)real;
	return 0;
}

/* A text that may be missing: then *value is NULL. */
static int get_text(struct pstk_iq_input *input, const json_t *object, const char *key, const char **value)
{
	const json_t *text = json_object_get(object, key);

	*value = json_string_value(text);
	return text && !*value ? ps_iq_input_fail(input, -EINVAL, "%s is no text", key) : 0;
}

static int check_samples(struct pstk_iq_input *input, const json_t *global)
{
	const char *datatype, *version;
	uint64_t channels = 1;
	int err = get_text(input, global, "core:version", &version);

	/* versions before 1 differ in nothing that is read here */
	if (!err && version && strtol(version, NULL, 10) > 1)
		err = ps_iq_input_fail(input, -ENOTSUP, "SigMF of version %.20s; up to 1 is read", version);
	if (!err)
		err = get_text(input, global, "core:datatype", &datatype);
	if (!err && !datatype)
		err = ps_iq_input_fail(input, -EINVAL, "has no core:datatype");
	if (!err)
		input->format = ps_iq_format_find(datatype);
	if (!err && !input->format)
		err = ps_iq_input_fail(input, -EINVAL,
			"core:datatype %.20s; only cf32_le and cu8 are read: convert the samples, with numpy "
			"or GNU "
			"Radio",
			datatype);
	if (!err)
		err = get_count(input, global, "core:num_channels", &channels);
	if (!err && channels != 1)
		err = ps_iq_input_fail(input, -EINVAL,
			"core:num_channels %" PRIu64 "; one is read: give each a recording of its own",
			channels);
	return err;
}

/* A reader that doesn't know an extension that isn't optional must not read the recording. */
static int check_extensions(struct pstk_iq_input *input, const json_t *global)
{
	const json_t *extensions = json_object_get(global, "core:extensions"), *extension;
	size_t i;

	json_array_foreach(extensions, i, extension)
	{
		const char *name = json_string_value(json_object_get(extension, "name"));

		if (json_is_false(json_object_get(extension, "optional")))
			return ps_iq_input_fail(input, -ENOTSUP,
				"needs the extension %.40s, which is unknown here; \"optional\": true lets "
				"it be read",
				name ? name : "without a name");
	}
	return 0;
}

static int check_global(struct pstk_iq_input *input, const json_t *global, struct meta *meta)
{
	const json_t *rate = json_object_get(global, "core:sample_rate");
	int err = check_samples(input, global);

	if (!err)
		err = check_extensions(input, global);
	if (!err)
		err = get_number(input, global, "core:sample_rate", &input->info.sample_rate);
	/* jansson takes no number that is not finite */
	if (!err && rate && !(input->info.sample_rate > 0))
		err = ps_iq_input_fail(
			input, -EINVAL, "core:sample_rate %g is not above 0", input->info.sample_rate);
	if (!err)
		err = get_text(input, global, "core:dataset", &meta->dataset);
	if (!err && meta->dataset && (!*meta->dataset || strchr(meta->dataset, '/')))
		err = ps_iq_input_fail(input, -EINVAL,
			"core:dataset \"%.40s\" is no name of a file in its own folder", meta->dataset);
	if (!err)
		err = get_count(input, global, "core:trailing_bytes", &meta->trailing);
	meta->without_data = json_is_true(json_object_get(global, "core:metadata_only"));
	return err;
}

static int check_captures(struct pstk_iq_input *input, const json_t *captures, struct meta *meta)
{
	const json_t *capture;
	size_t i;

	if (captures && !json_is_array(captures))
		return ps_iq_input_fail(input, -EINVAL, "captures is no array");
	json_array_foreach(captures, i, capture)
	{
		uint64_t header = 0;
		double frequency;
		int err = 0;

		if (!json_is_object(capture))
			err = ps_iq_input_fail(input, -EINVAL, "captures[%zu] is no object", i);
		if (!err)
			err = get_number(input, capture, "core:frequency", &frequency);
		if (!err)
			err = get_count(input, capture, "core:header_bytes", &header);
		if (!err && i && header)
			err = ps_iq_input_fail(input, -ENOTSUP,
				"core:header_bytes in captures[%zu]; they are skipped in the first one only",
				i);
		if (err)
			return err;
		if (i)
			continue;
		input->info.frequency = frequency;
		meta->header = header;
	}
	return 0;
}

static int check_meta(struct pstk_iq_input *input, const json_t *root, struct meta *meta)
{
	const json_t *global = json_object_get(root, "global");
	int err;

	if (!json_is_object(global))
		return ps_iq_input_fail(input, -EINVAL, "is no SigMF metadata: it has no object \"global\"");
	err = check_global(input, global, meta);
	return err ? err : check_captures(input, json_object_get(root, "captures"), meta);
}

/* The dataset beside the meta file; the caller frees it. */
static char *dataset_path(const char *path, const char *dataset)
{
	/* "-" alone would be stdin */
	return ps_file_beside(path, strcmp(dataset, "-") || strchr(path, '/') ? dataset : "./-");
}

static int open_data(struct pstk_iq_input *input, const char *path, const struct meta *meta)
{
	char *data = meta->dataset ? dataset_path(path, meta->dataset) : ps_sigmf_data_path(path);
	bool unfit = data && ps_sigmf_check(data) == -EINVAL;
	int err = !data ? -ENOMEM : unfit ? 0 : ps_iq_input_open_file(input, data);

	if (err == -ENOENT && meta->without_data)
		ps_iq_input_fail(
			input, err, "describes a signal, but its samples are not there: core:metadata_only");
	else if (data)
		ps_iq_input_name(input, data);
	if (err && !input->error[0])
		ps_iq_input_fail(input, err, "%s", strerror(-err));
	free(data);
	if (!err && (unfit || !input->reader.regular))
		err = ps_iq_input_fail(input, -EINVAL, "the samples of a recording are a regular file");
	return err ? err : ps_iq_input_bounds(input, meta->header, meta->trailing);
}

int ps_iq_input_open_sigmf(struct pstk_iq_input *input, const char *path)
{
	char *name = ps_sigmf_meta_path(path);
	struct meta meta = { .dataset = NULL };
	json_t *root;
	int err;

	if (!name)
		return ps_iq_input_fail(input, -ENOMEM, "out of memory");
	ps_iq_input_name(input, name);
	root = load(input, name, &err);
	if (root)
		err = check_meta(input, root, &meta);
	if (!err)
		err = open_data(input, name, &meta);
	json_decref(root);
	free(name);
	return err;
}

#endif
