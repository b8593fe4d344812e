/* SPDX-License-Identifier: MIT */
/* Whether a file is whole, by its own structure; and the reader's moves in it. */
#include "config.h"

#include "actors/common/check_media.h"
#include "actors/video_source/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BYTES(text) text, sizeof(text) - 1
#define EBML "\x1a\x45\xdf\xa3\x80"
#define SEGMENT "\x18\x53\x80\x67"
#define PAGE(flags) "OggS\0" flags "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct {
	const char *format, *bytes;
	size_t size;
	enum ps_cut expected;
} files[] = {
	{ "avi", BYTES("RIFF\4\0\0\0AVI "), PS_CUT_NO },
	{ "avi", BYTES("RIFF\5\0\0\0AVI "), PS_CUT_YES },
	{ "avi", BYTES("RIFF\0\0\0\0AVI "), PS_CUT_UNKNOWN },
	{ "avi", BYTES("RIFF\xff\xff\xff\xff"), PS_CUT_UNKNOWN },
	{ "avi", BYTES("RI"), PS_CUT_UNKNOWN },
	{ "matroska,webm", BYTES(EBML SEGMENT "\x82xx"), PS_CUT_NO },
	{ "matroska,webm", BYTES(EBML SEGMENT "\x83xx"), PS_CUT_YES },
	{ "matroska,webm", BYTES(EBML SEGMENT "\xff"), PS_CUT_UNKNOWN },
	{ "matroska,webm", BYTES(EBML SEGMENT "\x40"), PS_CUT_UNKNOWN },
	{ "matroska,webm", BYTES(EBML "none\x81x"), PS_CUT_UNKNOWN },
	{ "matroska,webm", BYTES("\x1a\x45"), PS_CUT_UNKNOWN },
	{ "mov,mp4,m4a,3gp,3g2,mj2",
		BYTES("\0\0\0\xc"
		      "ftyp1234"),
		PS_CUT_NO },
	{ "mov,mp4,m4a,3gp,3g2,mj2",
		BYTES("\0\0\0\xd"
		      "ftyp1234"),
		PS_CUT_YES },
	{ "mov,mp4,m4a,3gp,3g2,mj2", BYTES("\0\0\0\0mdat1234"), PS_CUT_UNKNOWN },
	{ "mov,mp4,m4a,3gp,3g2,mj2", BYTES("\0\0\0\1mdat\0\0\0\0\0\0\0\x10"), PS_CUT_NO },
	{ "mov,mp4,m4a,3gp,3g2,mj2", BYTES("\0\0\0\1mdat\0\0\0\0\0\0\0\x11"), PS_CUT_YES },
	{ "mov,mp4,m4a,3gp,3g2,mj2", BYTES("\0\0\0\x8moof"), PS_CUT_YES },
	{ "ogg", BYTES(PAGE("\4") "\1\2xx"), PS_CUT_NO },
	{ "ogg", BYTES(PAGE("\0") "\1\2xx"), PS_CUT_YES },
	{ "ogg", BYTES(PAGE("\4") "\1\3xx"), PS_CUT_YES },
	{ "ogg", BYTES(PAGE("\4") "\3\2"), PS_CUT_YES },
	{ "ogg", BYTES("OggS\0\4"), PS_CUT_YES },
	{ "ogg", BYTES("nothing"), PS_CUT_YES },
	{ "gif", BYTES("GIF;"), PS_CUT_NO },
	{ "gif", BYTES("GIF;\0\0"), PS_CUT_NO },
	{ "gif", BYTES("GIF"), PS_CUT_YES },
	{ "gif", BYTES("\0\0"), PS_CUT_YES },
	{ "apng", BYTES("PNG IEND\xae\x42\x60\x82"), PS_CUT_NO },
	{ "apng", BYTES("PNG IEND"), PS_CUT_YES },
	{ "mjpeg", BYTES("\xff\xd8\xff\xd9"), PS_CUT_NO },
	{ "mjpeg", BYTES("\xff\xd9\xff\xd8x"), PS_CUT_YES },
	{ "mjpeg", BYTES("xyz"), PS_CUT_YES },
	{ "flv", BYTES("FLV"), PS_CUT_UNKNOWN },
};

START_TEST(structures)
{
	struct ps_reader reader;

	files_write("a", files[_i].bytes, files[_i].size);
	ps_reader_init(&reader);
	ck_assert_int_eq(ps_reader_open(&reader, "a"), 0);
	ck_assert_int_eq(ps_reader_cut(&reader, files[_i].format), files[_i].expected);
	ps_reader_close(&reader);
}
END_TEST

/* What can't be read says nothing. */
START_TEST(unreadable)
{
	struct ps_reader reader;

	files_text("a", "GIF;");
	ps_reader_init(&reader);
	ck_assert_int_eq(ps_reader_open(&reader, "a"), 0);
	close(reader.fd);
	reader.fd = open("a", O_WRONLY);
	ck_assert_int_eq(ps_reader_cut(&reader, "gif"), PS_CUT_UNKNOWN);
	ps_reader_close(&reader);
}
END_TEST

START_TEST(moves)
{
	struct ps_reader reader;
	char got[4];

	files_text("a", "0123456789");
	ps_reader_init(&reader);
	ck_assert_int_eq(ps_reader_open(&reader, "a"), 0);
	ck_assert_int_eq(ps_reader_full(&reader, got, 2), 2);
	/* what the buffer holds has not been taken */
	ck_assert_int_eq(ps_reader_seek(&reader, 3, SEEK_CUR), 5);
	ck_assert_int_eq(ps_reader_full(&reader, got, 2), 2);
	ck_assert_mem_eq(got, "56", 2);
	ck_assert_int_eq(ps_reader_seek(&reader, -1, SEEK_SET), -EINVAL);
	ck_assert_int_eq(ps_reader_seek(&reader, 9, SEEK_SET), 9);
	ck_assert_int_eq(ps_reader_full(&reader, got, 2), 1);
	ck_assert_int_eq(ps_reader_size(&reader), 10);
	ps_reader_close(&reader);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cut");
	TCase *c = files_case(suite, "cut");

	tcase_add_loop_test(c, structures, 0, (int)TEST_COUNT(files));
	tcase_add_test(c, unreadable);
	tcase_add_test(c, moves);
	return test_main(suite);
}
