/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/wav_output.h"
#include "apps/common/app.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { HEAD_MOST = 12 + 8 + WAV_FMT + 12 + 8 };

static void put16(unsigned char *bytes, uint32_t value)
{
	bytes[0] = (unsigned char)value;
	bytes[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char *bytes, uint32_t value)
{
	put16(bytes, value);
	put16(bytes + 2, value >> 16);
}

struct wav_format wav_format_pcm16(uint32_t rate, uint32_t channels)
{
	struct wav_format format = {
		.rate = rate, .channels = channels, .bytes = 2, .frame = 2 * channels, .fmt_size = 16
	};

	put16(format.fmt, 1); /* PCM */
	put16(format.fmt + 2, channels);
	put16(format.fmt + 12, format.frame);
	put16(format.fmt + 14, 8 * format.bytes);
	return format;
}

/* All but PCM has a fact chunk, which says how many frames there are. */
static size_t head_size(const struct wav_format *format)
{
	return 12 + 8 + format->fmt_size + (format->is_float ? 12u : 0u) + 8;
}

/* Does a WAV file have room for so many frames? */
static bool fits(const struct wav_format *format, uint64_t frames)
{
	return frames <= (UINT32_MAX - head_size(format) - 1) / format->frame;
}

static size_t make_head(const struct wav_output *out, unsigned char head[HEAD_MOST], uint64_t frames)
{
	const struct wav_format *format = &out->format;
	bool known = frames != UINT64_MAX && fits(format, frames);
	uint32_t bytes = known ? (uint32_t)frames * format->frame : UINT32_MAX;
	size_t size = head_size(format);
	unsigned char *at = head + 20 + format->fmt_size;

	memcpy(head, "RIFF....WAVEfmt ", 16);
	put32(head + 4, known ? bytes + bytes % 2 + (uint32_t)size - 8 : UINT32_MAX);
	put32(head + 16, format->fmt_size);
	memcpy(head + 20, format->fmt, format->fmt_size);
	put32(head + 24, format->rate);
	put32(head + 28, format->rate * format->frame);
	if (format->is_float) {
		memcpy(at, "fact", 4);
		put32(at + 4, 4);
		put32(at + 8, known ? (uint32_t)frames : UINT32_MAX);
		at += 12;
	}
	memcpy(at, "data", 4);
	put32(at + 4, bytes);
	return size;
}

static int begin(struct wav_output *out)
{
	unsigned char head[HEAD_MOST];

	if (out->begun)
		return 0;
	out->begun = true;
	return ps_writer_write(&out->writer, head, make_head(out, head, out->expected));
}

int wav_output_check_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;
	struct stat status;

	if (!name || !strcmp(name, "-") || (!stat(name, &status) && !S_ISREG(status.st_mode)) ||
		(length > 4 && !strcasecmp(name + length - 4, ".wav")))
		return 0;
	return app_fail(
		EXIT_USAGE, "--output %s: what is written is a WAV file, whose name ends in .wav", name);
}

int wav_output_open(
	struct wav_output *out, const char *path, const struct wav_format *format, uint64_t expected)
{
	int err;

	*out = (struct wav_output){ .format = *format, .expected = expected };
	ps_label(out->label, strcmp(path, "-") ? path : "stdout");
	ps_writer_init(&out->writer);
	if (expected != UINT64_MAX && !fits(format, expected))
		return app_fail(EXIT_USAGE,
			"%s: would have %" PRIu64 " frames of %" PRIu32
			" bytes, and a WAV file has less than 4 GiB: cut the input in parts",
			out->label, expected, format->frame);
	out->chunk = malloc((size_t)WAV_CHUNK * format->frame);
	if (!out->chunk)
		return app_out_of_memory();
	err = ps_writer_open(&out->writer, path);
	return err ? app_fail(EXIT_FAILED, "%s: %s", out->label, strerror(-err)) : 0;
}

/* What is no number becomes 0. */
static int32_t round_to(struct wav_output *out, float value, float scale)
{
	float scaled = rintf(value * scale);

	if (scaled >= -scale && scaled < scale)
		return (int32_t)scaled;
	out->clipped++;
	return isnan(scaled) ? 0 : (int32_t)(scaled < 0 ? -scale : scale - 1);
}

static void convert(struct wav_output *out, const float *from, size_t samples)
{
	const struct wav_format *format = &out->format;
	unsigned char *to = out->chunk;
	uint32_t bits;

	for (size_t i = 0; i < samples; i++, to += format->bytes) {
		if (format->is_float) {
			memcpy(&bits, &from[i], sizeof bits);
			put32(to, bits);
		} else if (format->bytes == 2) {
			put16(to, (uint32_t)round_to(out, from[i], 0x1p15f));
		} else {
			bits = (uint32_t)round_to(out, from[i], 0x1p23f);
			put16(to, bits);
			to[2] = (unsigned char)(bits >> 16);
		}
	}
}

bool wav_output_has_room(const struct wav_output *out, uint64_t n)
{
	return fits(&out->format, out->frames + n);
}

int wav_output_write(struct wav_output *out, const float *samples, size_t n)
{
	const struct wav_format *format = &out->format;
	int err = begin(out);

	for (size_t done = 0; done < n && !err;) {
		size_t part = n - done < WAV_CHUNK ? n - done : WAV_CHUNK;

		convert(out, samples + done * format->channels, part * format->channels);
		err = ps_writer_write(&out->writer, out->chunk, part * format->frame);
		done += part;
	}
	if (!err)
		out->frames += n;
	return err;
}

static int correct_head(struct wav_output *out)
{
	unsigned char head[HEAD_MOST];
	size_t size = make_head(out, head, out->frames);
	int64_t end, err;

	if (!out->writer.regular || out->frames == out->expected)
		return 0;
	/* stdout may be a file that had something before */
	end = ps_writer_seek(&out->writer, 0, SEEK_CUR);
	if (end < 0)
		return (int)end;
	err = ps_writer_seek(&out->writer,
		end - (int64_t)(size + out->frames * out->format.frame + out->frames * out->format.frame % 2),
		SEEK_SET);
	if (err >= 0)
		err = ps_writer_write(&out->writer, head, size);
	if (err >= 0)
		err = ps_writer_seek(&out->writer, end, SEEK_SET);
	return err < 0 ? (int)err : 0;
}

int wav_output_complete(struct wav_output *out)
{
	int err = begin(out);

	if (!err && out->frames * out->format.frame % 2)
		err = ps_writer_write(&out->writer, "", 1);
	if (!err)
		err = correct_head(out);
	return err ? err : ps_writer_complete(&out->writer);
}

bool wav_output_header_is_wrong(const struct wav_output *out)
{
	return !out->writer.regular && out->begun && out->expected != UINT64_MAX &&
	       out->frames != out->expected;
}

void wav_output_close(struct wav_output *out)
{
	if (*out->label)
		ps_writer_close(&out->writer);
	free(out->chunk);
}
