/* SPDX-License-Identifier: MIT */
/* Does a file end before its own structure does? Of what comes through a pipe only the beginning and the length are
 * known, when it has ended. */
#include "config.h"

#include "actors/video_source/input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAIL 66000 /* more than the longest Ogg page */

struct file {
	const struct ps_reader *reader;
	int64_t size;
};

static struct file file_of(const struct ps_reader *reader)
{
	return (struct file){ reader, reader->regular ? ps_reader_size(reader) : reader->taken };
}

/* n bytes at an offset; false: they are not there */
static bool bytes_at(const struct file *file, int64_t offset, unsigned char *to, size_t n)
{
	const struct ps_reader *reader = file->reader;

	if (offset < 0 || offset > file->size - (int64_t)n)
		return false;
	if (reader->regular)
		return pread(reader->fd, to, n, reader->base + offset) == (ssize_t)n;
	if (offset || n > sizeof(reader->head))
		return false;
	memcpy(to, reader->head, n);
	return true;
}

static uint64_t big_endian(const unsigned char *bytes, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* AVI: RIFF chunks one after the other, of a length that stays 0 or all ones when the writer did not come back to
 * fill it in. */
static enum ps_cut riff_cut(const struct file *file)
{
	unsigned char head[8];
	enum ps_cut cut = PS_CUT_UNKNOWN;
	int64_t at = 0;

	while (bytes_at(file, at, head, sizeof(head)) && !memcmp(head, "RIFF", 4)) {
		uint32_t length =
			head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24;

		if (!length || length == UINT32_MAX)
			return PS_CUT_UNKNOWN;
		at += (int64_t)sizeof(head) + length;
		cut = at > file->size ? PS_CUT_YES : PS_CUT_NO;
		at += length & 1;
	}
	return cut;
}

/* The length of an EBML element of which `id` bytes are its name, with both: 0 when it doesn't say. */
static int64_t element_length(const struct file *file, int64_t at, size_t id)
{
	unsigned char head[12] = { 0 };
	size_t n = 1;
	uint64_t length, unknown;

	if (!bytes_at(file, at, head, id + 1) || !head[id])
		return 0;
	while (!(head[id] & 0x80 >> (n - 1)))
		n++;
	if (!bytes_at(file, at, head, id + n))
		return 0;
	unknown = (UINT64_C(1) << 7 * n) - 1;
	length = big_endian(head + id, n) & unknown;
	return length == unknown ? 0 : (int64_t)(id + n + length);
}

/* Matroska and WebM: a header, and a segment that has all the rest. */
static enum ps_cut ebml_cut(const struct file *file)
{
	unsigned char id[4];
	int64_t header = element_length(file, 0, 4), segment;

	if (!header || !bytes_at(file, header, id, 4) || memcmp(id, "\x18\x53\x80\x67", 4))
		return PS_CUT_UNKNOWN;
	segment = element_length(file, header, 4);
	if (!segment)
		return PS_CUT_UNKNOWN;
	return segment > file->size - header ? PS_CUT_YES : PS_CUT_NO;
}

struct box {
	char type[4];
	uint64_t length; /* with its head; 0: up to the end */
};

static bool box_at(const struct file *file, int64_t at, struct box *box)
{
	unsigned char head[16];

	if (!bytes_at(file, at, head, 8))
		return false;
	memcpy(box->type, head + 4, 4);
	box->length = big_endian(head, 4);
	if (box->length == 1 && bytes_at(file, at, head, 16))
		box->length = big_endian(head + 8, 8);
	return true;
}

static bool is_box(const struct box *box, const char *type)
{
	return !memcmp(box->type, type, 4);
}

/* MP4 and its kin: boxes. A fragment's table is followed by its data. */
static enum ps_cut boxes_cut(const struct file *file)
{
	bool table = false;
	int64_t at = 0;
	struct box box;

	while (box_at(file, at, &box)) {
		if (box.length < 8) /* 0: up to the end; else no box */
			return PS_CUT_UNKNOWN;
		table = is_box(&box, "moof");
		if (box.length > (uint64_t)(file->size - at))
			return PS_CUT_YES;
		at += (int64_t)box.length;
	}
	return table ? PS_CUT_YES : PS_CUT_NO;
}

/* Its boxes, from the first one, which says what it is, to the index, a whole one; fragments have tables instead. */
static bool boxes_without_index(const struct file *file)
{
	int64_t at = 0;
	struct box box;

	if (!box_at(file, 0, &box) || !is_box(&box, "ftyp"))
		return false;
	for (; box_at(file, at, &box); at += (int64_t)box.length) {
		if (is_box(&box, "moof"))
			return false;
		/* of a pipe no more is known */
		if (box.length < 8 || box.length > (uint64_t)(file->size - at))
			break;
		if (is_box(&box, "moov"))
			return false;
	}
	return true;
}

/* The last bytes, at most TAIL of them; NULL: not to be had. The caller frees them. */
static unsigned char *read_tail(const struct file *file, size_t *n)
{
	unsigned char *tail = malloc(TAIL);

	*n = file->size < TAIL ? (size_t)file->size : TAIL;
	if (tail && !bytes_at(file, file->size - (int64_t)*n, tail, *n)) {
		free(tail);
		tail = NULL;
	}
	return tail;
}

/* Ogg: the last page says that it is the last one, and is all there. */
static bool ogg_cut(const unsigned char *tail, size_t n)
{
	for (size_t at = n; at-- > 0;) {
		size_t length = 27;

		if (n - at < 4 || memcmp(tail + at, "OggS", 4))
			continue;
		if (n - at < length || n - at < length + tail[at + 26])
			return true;
		length += tail[at + 26];
		for (size_t i = 0; i < tail[at + 26]; i++)
			length += tail[at + 27 + i];
		return n - at < length || !(tail[at + 5] & 4);
	}
	return true;
}

/* GIF: a semicolon, before zeros that some programs append. */
static bool gif_cut(const unsigned char *tail, size_t n)
{
	while (n > 0 && !tail[n - 1])
		n--;
	return !n || tail[n - 1] != ';';
}

static bool png_cut(const unsigned char *tail, size_t n)
{
	for (size_t at = 0; at + 8 <= n; at++) {
		if (!memcmp(tail + at, "IEND\xae\x42\x60\x82", 8))
			return false;
	}
	return true;
}

/* JPEG, one or many: the last marker of these two is an end, not a start. In a picture's data there is neither. */
static bool jpeg_cut(const unsigned char *tail, size_t n)
{
	for (size_t at = n; at-- > 1;) {
		if (tail[at - 1] == 0xff && (tail[at] == 0xd8 || tail[at] == 0xd9))
			return tail[at] == 0xd8;
	}
	return true;
}

enum ps_cut ps_reader_cut(const struct ps_reader *reader, const char *format)
{
	static const struct {
		const char *format;
		enum ps_cut (*whole_file)(const struct file *);
		bool (*end)(const unsigned char *tail, size_t n);
	} formats[] = {
		{ "avi", riff_cut, NULL },
		{ "matroska,webm", ebml_cut, NULL },
		{ "mov,mp4,m4a,3gp,3g2,mj2", boxes_cut, NULL },
		{ "ogg", NULL, ogg_cut },
		{ "gif", NULL, gif_cut },
		{ "apng", NULL, png_cut },
		{ "mjpeg", NULL, jpeg_cut },
	};
	struct file file = file_of(reader);
	enum ps_cut cut = PS_CUT_UNKNOWN;

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats) && file.size > 0; i++) {
		unsigned char *tail;
		size_t n;

		if (strcmp(format, formats[i].format) != 0)
			continue;
		if (formats[i].whole_file)
			return formats[i].whole_file(&file);
		tail = read_tail(&file, &n);
		if (tail)
			cut = formats[i].end(tail, n) ? PS_CUT_YES : PS_CUT_NO;
		free(tail);
	}
	return cut;
}

bool ps_reader_lacks_index(const struct ps_reader *reader)
{
	struct file file = file_of(reader);

	return boxes_without_index(&file);
}
