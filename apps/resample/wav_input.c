/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/resample/wav_input.h"
#include "apps/common/app.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_PCM = 1, TAG_FLOAT = 3, TAG_EXTENSIBLE = 0xfffe, FMT_LEAST = 16 };

/* Programs that write to a pipe do not know the length yet: FFmpeg and SoX put these there. */
#define UNKNOWN_FFMPEG UINT32_C(0xffffffff)
#define UNKNOWN_SOX UINT32_C(0x7ffff000)

#define FIX "PCM of 16 or 24 bits and 32-bit floats are; convert it: ffmpeg -i IN.wav -c:a pcm_s24le OUT.wav"

static uint32_t get16(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t get32(const unsigned char *bytes)
{
	return get16(bytes) | get16(bytes + 2) << 16;
}

static int refuse(const struct wav_input *in, const char *text)
{
	return app_fail(EXIT_USAGE, "%s: %s", in->label, text);
}

/* err: a negative errno */
static int fail(const struct wav_input *in, int err)
{
	bool memory = err == -ENOMEM;

	return app_fail(memory ? EXIT_FAILED : EXIT_USAGE, "%s: %s", in->label, strerror(-err));
}

static const char *tag_name(uint32_t tag)
{
	switch (tag) {
	case TAG_PCM:
		return "PCM";
	case TAG_FLOAT:
		return "floats";
	case 6:
		return "A-law";
	case 7:
		return "mu-law";
	case 2:
	case 0x11:
		return "ADPCM";
	case 0x55:
		return "MP3";
	default:
		return "an unknown format";
	}
}

/* An extensible chunk has the tag in the first two bytes of a GUID, the rest of which is always the same. */
static bool find_tag(const struct wav_format *format, uint32_t *tag)
{
	static const unsigned char rest[] = "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71";

	*tag = get16(format->fmt);
	if (*tag != TAG_EXTENSIBLE)
		return true;
	if (format->fmt_size < WAV_FMT || memcmp(format->fmt + 26, rest, 14) != 0)
		return false;
	*tag = get16(format->fmt + 24);
	return true;
}

static int read_format(struct wav_input *in)
{
	struct wav_format *format = &in->format;
	uint32_t tag, bits = get16(format->fmt + 14);

	format->channels = get16(format->fmt + 2);
	format->rate = get32(format->fmt + 4);
	format->bytes = bits / 8;
	format->frame = get16(format->fmt + 12);
	if (!find_tag(format, &tag))
		return refuse(in, "has samples of an unknown format, which is not read; " FIX);
	format->is_float = tag == TAG_FLOAT;
	if ((tag != TAG_PCM || (bits != 16 && bits != 24)) && (tag != TAG_FLOAT || bits != 32))
		return app_fail(EXIT_USAGE,
			"%s: its samples are %s of %" PRIu32 " bits (tag %" PRIu32
			"), which is not read; " FIX,
			in->label, tag_name(tag), bits, tag);
	if (!format->channels || format->channels > WAV_CHANNELS)
		return app_fail(EXIT_USAGE, "%s: has %" PRIu32 " channels: 1 to %d can be read", in->label,
			format->channels, WAV_CHANNELS);
	if (!format->rate || format->frame != format->channels * format->bytes)
		return app_fail(EXIT_USAGE,
			"%s: its fmt chunk is broken: rate %" PRIu32 ", %" PRIu32 " channel%s of %" PRIu32
			" bytes in frames of %" PRIu32 " bytes",
			in->label, format->rate, format->channels, ps_plural(format->channels), format->bytes,
			format->frame);
	return 0;
}

/* n bytes, or what to exit with because there are not so many. to NULL: skips them. */
static int take(struct wav_input *in, void *to, size_t n, const char *missing)
{
	ssize_t got = ps_reader_full(&in->reader, to, n);

	if (got < 0)
		return fail(in, (int)got);
	return (size_t)got == n ? 0 : refuse(in, missing);
}

static int read_fmt_chunk(struct wav_input *in, uint32_t size)
{
	static const char cut[] = "is cut off within its fmt chunk: get it once more";
	uint32_t kept = size < WAV_FMT ? size : WAV_FMT;
	int status;

	if (size < FMT_LEAST)
		return app_fail(
			EXIT_USAGE, "%s: its fmt chunk is broken: %" PRIu32 " bytes", in->label, size);
	in->format.fmt_size = kept < WAV_FMT ? FMT_LEAST : WAV_FMT;
	status = take(in, in->format.fmt, kept, cut);
	if (!status)
		status = take(in, NULL, size - kept + size % 2, cut);
	return status ? status : read_format(in);
}

/* The reader stands at the first sample. */
static int begin_data(struct wav_input *in, uint32_t size)
{
	bool known = size != UNKNOWN_FFMPEG && size != UNKNOWN_SOX;
	uint64_t frame = in->format.frame, bytes = known ? size : UINT64_MAX;

	if (in->reader.regular) {
		int64_t end = ps_reader_size(&in->reader), at = ps_reader_seek(&in->reader, 0, SEEK_CUR);
		uint64_t there = end > at ? (uint64_t)(end - at) : 0;

		if (end < 0 || at < 0)
			return fail(in, (int)(end < 0 ? end : at));
		bytes = bytes < there ? bytes : there;
	}
	in->said = known ? size / frame : UINT64_MAX;
	in->frames = in->left = bytes == UINT64_MAX ? bytes : bytes / frame;
	in->is_cut = (known && bytes < size) || (bytes != UINT64_MAX && bytes % frame);
	return in->frames ? 0 : refuse(in, "has no samples");
}

static int read_chunks(struct wav_input *in)
{
	static const char cut[] = "has no data chunk: it is cut off, or no sound: get it once more";
	unsigned char head[8];

	for (;;) {
		uint32_t size;
		int status = take(in, head, sizeof head, cut);

		if (status)
			return status;
		size = get32(head + 4);
		if (!memcmp(head, "data", 4))
			return in->format.rate ? begin_data(in, size)
			                       : refuse(in, "has no fmt chunk before its data chunk");
		if (!memcmp(head, "fmt ", 4))
			status = read_fmt_chunk(in, size);
		else
			status = take(in, NULL, (size_t)size + size % 2, cut);
		if (status)
			return status;
	}
}

/* Relatives whose names say WAVE, too. */
static const char *kind_of(const unsigned char head[12])
{
	if (!memcmp(head, "RF64", 4) || !memcmp(head, "BW64", 4))
		return "is an RF64 file, which is not read: ffmpeg -i IN.wav -rf64 never OUT.wav makes a WAV "
		       "file";
	if (!memcmp(head, "RIFX", 4))
		return "is a RIFX file, big-endian, which is not read: ffmpeg -i IN.wav OUT.wav makes a WAV "
		       "file";
	return "is no WAV file: ffmpeg -i FILE OUT.wav makes one";
}

static int read_head(struct wav_input *in)
{
	unsigned char head[12];
	ssize_t got = ps_reader_full(&in->reader, head, sizeof head);

	if (got < 0)
		return fail(in, (int)got);
	if (got == 0)
		return refuse(in, "is empty");
	if ((size_t)got < sizeof head || memcmp(head, "RIFF", 4) != 0 || memcmp(head + 8, "WAVE", 4) != 0) {
		memset(head + got, 0, sizeof head - (size_t)got);
		return refuse(in, kind_of(head));
	}
	return read_chunks(in);
}

int wav_input_open(struct wav_input *in, const char *path)
{
	int err, status;

	*in = (struct wav_input){ 0 };
	atomic_init(&in->given, 0);
	ps_label(in->label, strcmp(path, "-") ? path : "stdin");
	ps_reader_init(&in->reader);
	err = ps_reader_open(&in->reader, path);
	if (err)
		return fail(in, err);
	status = read_head(in);
	if (status)
		return status;
	in->chunk = malloc((size_t)WAV_CHUNK * in->format.frame);
	return in->chunk ? 0 : app_out_of_memory();
}

static float float_of(const unsigned char *bytes)
{
	uint32_t bits = get32(bytes);
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void convert(const struct wav_format *format, float *to, const unsigned char *from, size_t samples)
{
	for (size_t i = 0; i < samples; i++, from += format->bytes) {
		if (format->is_float)
			to[i] = float_of(from);
		else if (format->bytes == 2)
			to[i] = (float)(int16_t)get16(from) / 0x1p15f;
		else /* the sign is in the highest one of four bytes, then */
			to[i] = (float)((int32_t)(get16(from) << 8 | (uint32_t)from[2] << 24) / 256) /
			        0x1p23f;
	}
}

/* Bytes into the chunk: fewer at the end, or when stopped, so that what has come by then is not lost. */
static ssize_t fill(struct wav_input *in, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got = ps_reader_some(&in->reader, in->chunk + done, bytes - done);

		if (got < 0 && !atomic_load(&in->reader.stopped))
			return got;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int64_t wav_input_read(struct wav_input *in, float *samples, size_t n)
{
	const struct wav_format *format = &in->format;
	size_t done = 0;

	n = n < in->left ? n : (size_t)in->left;
	while (done < n && in->left) {
		size_t part = n - done < WAV_CHUNK ? n - done : WAV_CHUNK;
		ssize_t got = fill(in, part * format->frame);
		size_t whole = got > 0 ? (size_t)got / format->frame : 0;

		if (got < 0)
			return got;
		convert(format, samples + done * format->channels, in->chunk, whole * format->channels);
		done += whole;
		if (in->left != UINT64_MAX)
			in->left -= whole;
		if (whole < part && !atomic_load(&in->reader.stopped)) {
			in->is_cut |= in->left != UINT64_MAX || (size_t)got % format->frame;
			in->left = 0;
		}
		if (whole < part)
			break;
	}
	return (int64_t)done;
}

void wav_input_close(struct wav_input *in)
{
	if (*in->label)
		ps_reader_close(&in->reader);
	free(in->chunk);
}
