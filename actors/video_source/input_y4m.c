/* SPDX-License-Identifier: MIT */
/* Y4M: a text line for the stream and one for each frame; luma and chroma planes. Only luma is taken. */
#include "config.h"

#include "actors/video_source/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_LINE 4096 /* longer ones exist with X comments, though none of this length */
#define FRAME_LINE 256

struct y4m {
	size_t chroma; /* bytes of a frame after its luma */
	unsigned char grey[256];
};

struct chroma {
	const char *name;
	uint32_t x, y; /* luma samples for a chroma sample; 0: no chroma */
	uint32_t planes;
};

static const struct chroma chromas[] = {
	{ "mono", 0, 0, 0 },
	{ "420", 2, 2, 2 },
	{ "420jpeg", 2, 2, 2 },
	{ "420mpeg2", 2, 2, 2 },
	{ "420paldv", 2, 2, 2 },
	{ "411", 4, 1, 2 },
	{ "422", 2, 1, 2 },
	{ "444", 1, 1, 2 },
	{ "444alpha", 1, 1, 3 },
};

/* What libswscale does to luma of limited range in its 15-bit intermediate form. */
static void stretch_table(unsigned char grey[256])
{
	for (int y = 0; y < 256; y++) {
		int wide = y << 7 < 30189 ? y << 7 : 30189;
		int value = (((wide * 19077 - 39057361) >> 14) + 64) >> 7;

		grey[y] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
	}
}

/* "320" up to the end of the word. */
static int parse_number(const char *text, char end, uint32_t *value, const char **after)
{
	uint64_t number = 0;
	const char *digit = text;

	for (; *digit >= '0' && *digit <= '9' && number <= UINT32_MAX; digit++)
		number = number * 10 + (uint64_t)(*digit - '0');
	if (digit == text || *digit != end || number > UINT32_MAX)
		return -EINVAL;
	*value = (uint32_t)number;
	if (after)
		*after = digit + 1;
	return 0;
}

static int parse_chroma(struct pstk_video_input *input, const char *name)
{
	struct y4m *y4m = input->data;
	size_t w = input->width, h = input->height;

	for (size_t i = 0; i < sizeof(chromas) / sizeof(*chromas); i++) {
		const struct chroma *c = &chromas[i];

		if (strcmp(name, c->name))
			continue;
		y4m->chroma = c->x ? c->planes * ((w + c->x - 1) / c->x) * ((h + c->y - 1) / c->y) : 0;
		input->limited = input->limited && c->x;
		return 0;
	}
	return ps_input_fail(input, -ENOTSUP,
		"Y4M colour space C%.24s: only 8-bit 420, 411, 422, 444 and mono are read", name);
}

static int parse_size(struct pstk_video_input *input, char tag, const char *text)
{
	uint32_t *side = tag == 'W' ? &input->width : &input->height;

	if (parse_number(text, '\0', side, NULL) || !*side || *side > PS_VIDEO_MAX_SIDE)
		return ps_input_fail(input, -EINVAL, "wrong %s '%.24s' in the Y4M header (1 to %u)",
			tag == 'W' ? "width" : "height", text, PS_VIDEO_MAX_SIDE);
	return 0;
}

static int parse_rate(struct pstk_video_input *input, const char *text)
{
	const char *den;
	uint32_t a, b;

	if (parse_number(text, ':', &a, &den) || parse_number(den, '\0', &b, NULL))
		return ps_input_fail(input, -EINVAL, "wrong frame rate '%.24s' in the Y4M header", text);
	if (a && b) { /* 0:0 is "unknown" */
		input->info.rate_num = a;
		input->info.rate_den = b;
	}
	return 0;
}

static int parse_header(struct pstk_video_input *input, char *line)
{
	const char *chroma = "420";
	char *rest = NULL;

	strtok_r(line, " ", &rest);
	for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		int err = 0;

		if (*word == 'W' || *word == 'H')
			err = parse_size(input, *word, word + 1);
		else if (*word == 'F')
			err = parse_rate(input, word + 1);
		else if (*word == 'C')
			chroma = word + 1;
		else if (!strcmp(word, "XCOLORRANGE=FULL"))
			input->limited = false;
		if (err)
			return err;
	}
	if (!input->width || !input->height)
		return ps_input_fail(
			input, -EINVAL, "the Y4M header has no %s", input->width ? "height" : "width");
	return parse_chroma(input, chroma);
}

/* A line that is there up to some byte before its end, which a line without an end is not. */
static bool begins_frame_line(const char *line)
{
	size_t length = strlen(line), name = strlen("FRAME");

	return length < FRAME_LINE - 1 && !strncmp(line, "FRAME", length < name ? length : name) &&
	       (length <= name || line[name] == ' ');
}

/* The line before a frame: 1, or 0 at the end. */
static int y4m_frame_line(struct pstk_video_input *input)
{
	char line[FRAME_LINE];
	ssize_t got = ps_reader_line(&input->reader, line, sizeof(line));

	if (got == -ENODATA)
		return 0;
	if (got < 0 && got != -EPROTO)
		return ps_input_fail(input, (int)got, "%s", strerror((int)-got));
	if (got == -EPROTO && begins_frame_line(line))
		return ps_input_truncated(input, input->frames, "those before it",
			": frame %" PRIu64 " has a part of its FRAME line", input->frames);
	if (got >= 0 && !strncmp(line, "YUV4MPEG2 ", 10))
		return ps_input_fail(input, -EPROTO,
			"the frame size changes: a second Y4M header after %" PRIu64 " frame%s",
			input->frames, ps_plural(input->frames));
	if (got < 0 || strncmp(line, "FRAME", 5) || (line[5] && line[5] != ' '))
		return ps_input_fail(
			input, -EPROTO, "damaged: no FRAME line before frame %" PRIu64, input->frames);
	return 1;
}

static int y4m_part(struct pstk_video_input *input, unsigned char *to, size_t part, size_t before)
{
	size_t whole = (size_t)input->width * input->height + ((struct y4m *)input->data)->chroma;
	ssize_t got = ps_reader_full(&input->reader, to, part);

	if (got < 0)
		return ps_input_fail(input, (int)got, "%s", strerror((int)-got));
	if ((size_t)got < part)
		return ps_input_truncated(input, input->frames, "those before it",
			": frame %" PRIu64 " has %zu of %zu bytes", input->frames, before + (size_t)got,
			whole);
	return 0;
}

static int y4m_read(struct pstk_video_input *input, unsigned char *frame)
{
	struct y4m *y4m = input->data;
	size_t luma = (size_t)input->width * input->height;
	int got = y4m_frame_line(input);

	if (got != 1)
		return got;
	got = y4m_part(input, frame, luma, 0);
	if (!got)
		got = y4m_part(input, NULL, y4m->chroma, luma);
	if (got)
		return got;
	/* a scaler does both at once, as FFmpeg has it */
	if (input->limited && !input->scaler) {
		for (size_t i = 0; i < luma; i++)
			frame[i] = y4m->grey[frame[i]];
	}
	return 1;
}

static void y4m_close(struct pstk_video_input *input)
{
	free(input->data);
}

int ps_input_open_y4m(struct pstk_video_input *input)
{
	static const struct ps_input_format format = { .read = y4m_read, .close = y4m_close };
	char line[STREAM_LINE];
	struct y4m *y4m = calloc(1, sizeof(*y4m));
	ssize_t got;

	if (!y4m)
		return ps_input_fail(input, -ENOMEM, "out of memory");
	input->format = &format;
	input->data = y4m;
	input->limited = true;
	stretch_table(y4m->grey);
	got = ps_reader_line(&input->reader, line, sizeof(line));
	if (got < 0)
		return ps_input_fail(input, (int)got, "the Y4M header has no end");
	return parse_header(input, line);
}
