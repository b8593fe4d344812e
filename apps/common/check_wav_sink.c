/* SPDX-License-Identifier: MIT */
/* Files that are larger than a header can say, which have a hole. What else is written, tests of programs look at. */
#include "config.h"

#include "actors/common/check_files.h"
#include "apps/common/app.h"
#include "apps/common/wav_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char app_name[] = "check";

enum { MORE = 64, MOST = 2147483625 }; /* frames; MOST have 4 GiB - 45 bytes */

static int ramp_fire(struct pstk_firing *f)
{
	float *out = pstk_fifo_write_start(f, 0);

	for (int i = 0; i < MORE; i++)
		out[i] = (float)i / MORE;
	pstk_fifo_write_end(f, 0);
	return PSTK_DONE;
}

static int run(struct wav_sink *sink, char *error, size_t size)
{
	const struct pstk_port out = {
		.name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = MORE
	};
	struct pstk_network *net = pstk_network_create("sound");
	struct pstk_actor *ramp = pstk_network_add(net, "ramp",
		PSTK_ACTOR_TYPE(.name = "ramp", .ports = &out, .port_count = 1, .fire = ramp_fire), NULL);
	int err;

	pstk_connect(
		ramp, "out", pstk_network_add(net, "sink", wav_sink_type(sink), sink), "in", PSTK_FIFO());
	err = pstk_network_run(net);
	snprintf(error, size, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}

/* As if all but 25 frames of what a header can say had been written. */
static void open_large(struct wav_output *out)
{
	const struct wav_format format = wav_format_pcm16(48000, 1);
	const uint64_t hole = MOST - 25 - 1;

	ck_assert_int_eq(wav_output_open(out, "large.wav", &format, UINT64_MAX), 0);
	ck_assert_int_eq(wav_output_write(out, &(const float){ 0.5F }, 1), 0);
	ck_assert_int_gt(ps_writer_seek(&out->writer, (int64_t)(hole * 2), SEEK_CUR), 0);
	out->frames += hole;
	ck_assert(wav_output_has_room(out, 25) && !wav_output_has_room(out, 26));
}

/* A recording goes on; its header says that the length is not known. */
START_TEST(live)
{
	struct wav_output out;
	struct wav_sink sink = { .output = &out, .channels = 1, .live = true };
	unsigned char head[46];
	char error[256];
	int file;

	open_large(&out);
	ck_assert_msg(run(&sink, error, sizeof error) == 0, "%s", error);
	wav_output_close(&out);
	ck_assert_int_eq(files_size("large.wav"), 44 + 2 * ((off_t)MOST - 25 + MORE));
	file = open("large.wav", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(read(file, head, sizeof head), sizeof head);
	close(file);
	ck_assert(!memcmp(head, "RIFF\xff\xff\xff\xffWAVEfmt ", 16));
	ck_assert(!memcmp(head + 36, "data\xff\xff\xff\xff\x00\x40", 10));
}
END_TEST

START_TEST(refused)
{
	struct wav_output out;
	struct wav_sink sink = { .output = &out, .channels = 1 };
	char error[256];

	open_large(&out);
	ck_assert_int_eq(run(&sink, error, sizeof error), -EFBIG);
	TEST_SAYS(error, "large.wav: File too large, or has 4 GiB, which a WAV file can't: cut the input");
	wav_output_close(&out);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

/* `>> file`: what is written goes to its end, so its header stays as it is. */
START_TEST(appended)
{
	const struct wav_format format = wav_format_pcm16(48000, 1);
	int file = open("log.wav", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
	    before = dup(STDOUT_FILENO);
	struct wav_output out;

	ck_assert_int_eq(write(file, "before", 6), 6);
	ck_assert_int_eq(dup2(file, STDOUT_FILENO), STDOUT_FILENO);
	ck_assert_int_eq(wav_output_open(&out, "-", &format, UINT64_MAX), 0);
	ck_assert_int_eq(wav_output_write(&out, &(const float){ 0.5F }, 1), 0);
	ck_assert_int_eq(wav_output_complete(&out), 0);
	wav_output_close(&out);
	ck_assert_int_eq(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
	close(before);
	close(file);
	ck_assert_int_eq(files_size("log.wav"), 6 + 44 + 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("wav_sink");
	TCase *tcase = files_case(suite, "large files");

	tcase_add_test(tcase, live);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, appended);
	return test_main(suite);
}
