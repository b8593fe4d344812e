/* SPDX-License-Identifier: MIT */
/* What the program says and leaves behind when something is wrong, when it is interrupted, and its
 * statistics. */
#include "config.h"

#include "apps/motion_detection/check_motion.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCENE "--synthetic", "32x24", "--frames", "5"

static const struct {
	const char *words;
	const char *arguments[10];
} usages[] = {
	{ "--input FILE or --synthetic WxH is needed", { NULL } },
	{ "--input and --synthetic exclude each other", { "--input", "a.y4m", "--synthetic", "32x24" } },
	{ "--frames: '0' is not a number from 1", { "--synthetic", "32x24", "--frames", "0" } },
	{ "--frames: '-1' is not", { "--synthetic", "32x24", "--frames", "-1" } },
	{ "--frames: '5x' is not", { "--synthetic", "32x24", "--frames", "5x" } },
	{ "--frames: '' is not", { "--synthetic", "32x24", "--frames", "" } },
	{ "--frames: '18446744073709551616' is not",
		{ "--synthetic", "32x24", "--frames", "18446744073709551616" } },
	{ "--rate: '0' is not a number from 1 to 4294967295", { SCENE, "--rate", "0" } },
	{ "--rate: '4294967296' is not", { SCENE, "--rate", "4294967296" } },
	{ "--rate: ' 4' is not", { SCENE, "--rate", " 4" } },
	{ "--rate: '+4' is not", { SCENE, "--rate", "+4" } },
	{ "--rate: '1.5' is not", { SCENE, "--rate", "1.5" } },
	{ "--depth: '0' is not a number from 1", { SCENE, "--depth", "0" } },
	{ "--depth: 'two' is not a number from 1 to 4294967295, or auto", { SCENE, "--depth", "two" } },
	{ "--depth: 'automatic' is not", { SCENE, "--depth", "automatic" } },
	{ "--device-depth: 'auto' is not a number from 1 to 4294967295",
		{ SCENE, "--device-depth", "auto" } },
	{ "--team: '257' is not a number from 0 to 256", { SCENE, "--team", "257" } },
	{ "--team: '-1' is not", { SCENE, "--team", "-1" } },
	{ "--team: '' is not", { SCENE, "--team", "" } },
	{ "--team: '2,2' is not", { SCENE, "--team", "2,2" } },
	{ "--overlap: 'maybe' is not on or off", { SCENE, "--overlap", "maybe" } },
	{ "--threshold: '256' is not a number from 0 to 255", { SCENE, "--threshold", "256" } },
	{ "--size: '320' is not a size such as 320x240", { SCENE, "--size", "320" } },
	{ "--size: '0x0' is not", { SCENE, "--size", "0x0" } },
	{ "--size: '320x' is not", { SCENE, "--size", "320x" } },
	{ "--size: '320x240x3' is not", { SCENE, "--size", "320x240x3" } },
	{ "--size: '320X240' is not", { SCENE, "--size", "320X240" } },
	{ "--synthetic: 'x' is not a size", { "--synthetic", "x" } },
	{ "synthetic scene: wrong size 4x4", { "--synthetic", "4x4" } },
	{ "synthetic scene: wrong size 100000x100000", { "--synthetic", "100000x100000" } },
	{ "wrong size 99999x1", { SCENE, "--size", "99999x1" } },
	{ "--pin: '' is not a list", { SCENE, "--pin", "" } },
	{ "--pin: '0,' is not a list", { SCENE, "--pin", "0," } },
	{ "--pin: '0,a' is not a list", { SCENE, "--pin", "0,a" } },
	{ "--pin: '0;1' is not a list", { SCENE, "--pin", "0;1" } },
	{ "--pin: there is no core 100000", { SCENE, "--pin", "100000,0" } },
	{ "a .gray input needs --size", { "--input", "a.gray" } },
	{ "motion_detection: unrecognized option '--nonsense'", { SCENE, "--nonsense" } },
	{ "option '--rate' requires an argument", { SCENE, "--rate" } },
	{ "unexpected argument 'clip.avi'", { SCENE, "clip.avi" } },
	{ "--overlay needs --output", { SCENE, "--overlay" } },
	{ "no overlay with raw maps", { SCENE, "--overlay", "--output", "a.gray" } },
	{ "no overlay with raw maps", { SCENE, "--overlay", "--output", "-" } },
	{ "no overlay with raw maps", { SCENE, "--overlay", "--output", "/dev/null" } },
	{ "--input needs a name", { "--input", "" } },
	{ "--output needs a name", { SCENE, "--output", "" } },
	{ "--trace needs a name", { SCENE, "--trace", "" } },
	{ "--output and --trace name the same file", { SCENE, "--trace", "a", "--output", "a" } },
	{ "the same --output twice", { SCENE, "--output", "a.gray", "--output", "a.gray" } },
#ifdef HAVE_JANSSON
	{ "--stats needs a name", { SCENE, "--stats", "" } },
	{ "--output and --stats name the same file", { SCENE, "--stats", "a", "--output", "a" } },
#else
	{ "--stats: this build has no jansson", { SCENE, "--stats", "a.json" } },
#endif
	{ "none.y4m: No such file or directory", { "--input", "none.y4m" } },
	{ ".: Is a directory", { "--input", "." } },
	{ "empty.y4m: is empty", { "--input", "empty.y4m" } },
	{ "empty.gray: is empty", { "--input", "empty.gray", "--size", "4x4" } },
	{ "text.avi: is n", { "--input", "text.avi" } }, /* not a video, or neither .gray nor Y4M */
	{ "a.xyz: ", { SCENE, "--output", "a.xyz" } },
};

START_TEST(usage)
{
	files_text("empty.y4m", "");
	files_text("empty.gray", "");
	files_text("text.avi",
		"This is no video, but a text that is long enough to be looked at by all of them.\n");
	program_fails(2, usages[_i].words, usages[_i].arguments);
	ck_assert_uint_eq(files_count(), 3);
}
END_TEST

START_TEST(bad_input_leaves_no_output)
{
	files_text("cut.gray", "0123456789abcdef0123456789abcdef0123");
	files_text("cut.y4m", "YUV4MPEG2 W4 H4 F25:1 Cmono\nFRAME\n0123456789abcdefFRAME\n0123");
	files_text("two.y4m",
		"YUV4MPEG2 W4 H4 F25:1 Cmono\nFRAME\n0123456789abcdefYUV4MPEG2 W5 H5 F25:1 Cmono\nFRAME\n");
	files_text("none.y4m", "YUV4MPEG2 W4 H4 F25:1 Cmono\n");
	FAILS(1, "cut.gray: truncated: frame 2 has 4 of 16 bytes (--frames 2 takes those before it)\n",
		"--input", "cut.gray", "--size", "4x4", "--output", "out.gray");
	FAILS(1, "cut.y4m: truncated: frame 1 has 4 of 16 bytes (--frames 1 takes those before it)\n",
		"--input", "cut.y4m", "--output", "out.gray");
	FAILS(1, "cut.y4m: truncated", "--input", "cut.y4m", "--output", "out.gray", "--rate", "16",
		"--output", "out.y4m");
	FAILS(1, "two.y4m: the frame size changes", "--input", "two.y4m", "--output", "out.gray");
	FAILS(1, "none.y4m: has no frames", "--input", "none.y4m", "--output", "out.gray");
#ifdef HAVE_JANSSON
	FAILS(1, "cut.y4m: truncated", "--input", "cut.y4m", "--stats", "out.json");
#endif
	ck_assert_uint_eq(files_count(), 4);
}
END_TEST

START_TEST(a_former_output_stays)
{
	files_text("cut.gray", "0123456789abcdef0123");
	files_text("out.gray", "former");
	FAILS(1, "truncated", "--input", "cut.gray", "--size", "4x4", "--output", "out.gray");
	expect_file("out.gray", (const unsigned char *)"former", 6);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

START_TEST(output_errors)
{
	ck_assert_int_eq(mkdir("folder", 0777), 0);
	FAILS(1, "/dev/full: No space left on device", SCENE, "--output", "/dev/full");
	FAILS(1, "/dev/full: No space left on device", SCENE, "--output", "out.gray", "--output",
		"/dev/full");
	FAILS(1, "missing/out.gray: No such file or directory", SCENE, "--output", "missing/out.gray");
	FAILS(1, "missing/out.gray: No such file or directory", SCENE, "--output", "out.y4m", "--output",
		"missing/out.gray");
	FAILS(1, "folder: Is a directory", SCENE, "--output", "folder");
	FAILS(1, "'missing/out.json': No such file or directory", SCENE, "--trace", "missing/out.json");
	FAILS(1, "'folder': Is a directory", SCENE, "--trace", "folder");
	FAILS(1, "'/dev/full': No space left on device", SCENE, "--trace", "/dev/full");
#ifdef HAVE_JANSSON
	FAILS(1, "missing/out.json: No such file or directory", SCENE, "--output", "out.gray", "--stats",
		"missing/out.json");
	FAILS(1, "folder: Is a directory", SCENE, "--stats", "folder");
	FAILS(1, "/dev/full: No space left on device", SCENE, "--stats", "/dev/full");
	/* the maps were whole before the figures failed */
	ck_assert_uint_eq(files_count(), 1);
#endif
	ck_assert_int_eq(remove("folder"), 0);
}
END_TEST

START_TEST(full_disk)
{
	struct run run = { .file_limit = 2000 };

	RUN(&run, 1, SCENE, "--output", "out.gray");
	TEST_SAYS(run.err, "sink", "out.gray: File too large");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(no_permission)
{
	if (geteuid() == 0)
		return; /* root may write everywhere */
	ck_assert_int_eq(mkdir("folder", 0500), 0);
	FAILS(1, "folder/out.gray: Permission denied", SCENE, "--output", "folder/out.gray");
	ck_assert_int_eq(rmdir("folder"), 0);
}
END_TEST

/* stdout is a pipe that no process reads any more. */
START_TEST(closed_pipe)
{
	struct run run = { .out_fd = program_broken_pipe() };

	RUN(&run, 1, "--synthetic", "320x240", "--output", "-", "--output", "out.gray");
	TEST_SAYS(run.err, "sink", "stdout: Broken pipe");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(help_to_a_full_device)
{
	program_help_to_a_full_device();
}
END_TEST

START_TEST(not_enough_memory)
{
	FAILS(1, "its FIFOs take", SCENE, "--rate", "4294967295", "--output", "out.gray");
	FAILS(1, "more bytes than memory can have", "--synthetic", "3200x2400", "--rate", "4294967295",
		"--depth", "4294967295", "--output", "out.gray");
	ck_assert_uint_eq(files_count(), 0);
}
END_TEST

START_TEST(one_frame)
{
	struct run run = { 0 };

	RUN(&run, 0, "--synthetic", "32x24", "--frames", "1");
	TEST_SAYS(run.err, "\n1 frame in ", " frames/s\n", "% of one thread's time (CPU time ",
		" %) in 1 firing\n");
	program_free(&run);
}
END_TEST

/* The first signal ends the input; what was written is whole. */
START_TEST(interrupted)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct run run = { 0 };

	program_start(&run,
		(const char *const[]){ "--synthetic", "64x48", "--rate", "4", "--output", "out.gray", NULL });
	while (files_size(files_part("out.gray")) < 64 * 48)
		sched_yield();
	ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted", "frames/s");
	ck_assert_int_ge(files_size("out.gray"), 64 * 48);
	ck_assert_int_eq(files_size("out.gray") % (64 * 48), 0);
	ck_assert_uint_eq(files_count(), 1);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON
#define STATS , "--stats", "s.json"
#else
#define STATS
#endif

/* No process reads the FIFO: the first signal's draining can't end, the second aborts, and the other output
 * is gone. */
START_TEST(interrupted_twice)
{
	static const int signals[] = { SIGINT, SIGHUP };
	struct run run = { 0 };
	int reader;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	program_start(&run, (const char *const[]){ "--synthetic", "640x480", "--output", "out.gray",
				    "--output", "pipe" STATS, NULL });
	while (files_size(files_part("out.gray")) < 640 * 480)
		sched_yield();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(kill(run.pid, signals[_i]), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	TEST_SAYS(run.err, "interrupted, no file was completed");
	ck_assert_uint_eq(files_count(), 1);
	close(reader);
	program_free(&run);
}
END_TEST

/* Under nohup a hangup changes nothing: the SIGINT behind it is the first signal, and lets the rest drain. */
START_TEST(no_hangup)
{
	struct run run = { .nohup = true };

	program_start(&run, (const char *const[]){ "--synthetic", "64x48", "--output", "out.gray", NULL });
	while (files_size(files_part("out.gray")) < 64 * 48)
		sched_yield();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(kill(run.pid, SIGHUP), 0);
		while (!program_has_taken(&run))
			sched_yield();
	}
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	ck_assert_ptr_null(strstr(run.err, "no file was completed"));
	ck_assert_int_ge(files_size("out.gray"), 64 * 48);
	ck_assert_uint_eq(files_count(), 1);
	program_free(&run);
}
END_TEST

/* SIGUSR1 makes snapshots while the network runs; before and afterwards nothing happens. */
START_TEST(snapshot_at_a_fifo)
{
	struct run run = { 0 };
	char bytes[64 * 48];
	int reader;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	program_start(&run, (const char *const[]){ SCENE, "--frames", "3", "--output", "pipe", NULL });
	program_await_asleep(&run, SIGINT);
	ck_assert_int_eq(kill(run.pid, SIGUSR1), 0);
	reader = open("pipe", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(reader, 0);
	while (read(reader, bytes, sizeof(bytes)) > 0)
		continue;
	close(reader);
	program_wait(&run);
	ck_assert_int_eq(run.status, 0);
	program_free(&run);
}
END_TEST

START_TEST(snapshots)
{
	for (uint64_t i = 0; i < test_rounds(TEST_SANITIZED ? 5 : 20); i++) {
		struct run run = { 0 };

		program_start(
			&run, (const char *const[]){ SCENE, "--frames", "20", "--output", "out.gray", NULL });
		program_pester(&run, SIGUSR1, test_seed() + i);
		program_wait(&run);
		ck_assert_int_eq(run.status, 0);
		ck_assert_uint_eq(files_count(), 1);
		ck_assert_int_eq(remove("out.gray"), 0);
		program_free(&run);
	}
}
END_TEST

/* On a terminal there is a line that is written over and over. */
START_TEST(progress_on_a_terminal)
{
	char text[65536];
	size_t size = 0;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct run run = { 0 };

	if (master < 0) {
		printf("no pseudo-terminal here: the progress line is not tested\n");
		return;
	}
	ck_assert_int_eq(grantpt(master) | unlockpt(master), 0);
	run.err_fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	program_start(&run, (const char *const[]){ "--synthetic", "64x48", "--frames", "99999999999", NULL });
	for (const char *line = NULL; !line;) {
		ssize_t got = read(master, text + size, sizeof(text) - 1 - size);

		ck_assert_int_gt(got, 0);
		size += (size_t)got;
		text[size] = '\0';
		line = strstr(text, " of 99999999999 frames, ");
	}
	ck_assert_int_eq(kill(run.pid, SIGINT), 0);
	program_wait(&run);
	ck_assert_int_eq(run.status, 130);
	ck_assert_uint_eq(run.out_size, 0);
	close(master);
	program_free(&run);
}
END_TEST

#ifdef HAVE_JANSSON

#include <jansson.h>

static json_int_t integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_integer(value), "%s", key);
	return json_integer_value(value);
}

static const char *string(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	ck_assert_msg(json_is_string(value), "%s", key);
	return json_string_value(value);
}

static json_t *stats_of(const char *rate, const char *pin)
{
	struct run run = { 0 };
	json_error_t error;
	json_t *stats;

	/* the figures are those of the default mode, whatever the environment says */
	RUN(&run, 0, "--synthetic", "320x240", "--frames", "10", "--rate", rate, "--pin", pin, "--team", "0",
		"--stats", "s.json");
	program_free(&run);
	ck_assert_uint_eq(files_count(), 1);
	stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(stats != NULL, "%s", error.text);
	return stats;
}

START_TEST(statistics)
{
	static const char *const names[] = { "source", "gauss", "thres", "med", "sink" };
	static const char *const types[] = { "video_source", "gauss5x5", "threshold", "median5",
		"video_sink" };
	bool four = _i;
	char core[32] = "core ";
	int digits = snprintf(core + 5, sizeof(core) - 5, "%u", test_core(0));
	json_t *stats = stats_of(four ? "4" : "1", core + 5), *actors = json_object_get(stats, "actors"),
	       *fifos = json_object_get(stats, "fifos");
	unsigned shared = 0;
	double seconds = json_real_value(json_object_get(stats, "seconds"));

	ck_assert_int_gt(digits, 0);
	ck_assert_int_eq(integer(stats, "frames"), 10);
	ck_assert_double_gt(seconds, 0);
	ck_assert_double_eq_tol(
		json_real_value(json_object_get(stats, "frames_per_second")) * seconds, 10, 1e-6);
	ck_assert_int_eq(integer(stats, "fifo_bytes"), four ? 3456000 : 844800);
	/* gauss -> thres twice in one buffer: 13 and 3 slots of 76,800 bytes instead of 21 and 5 */
	ck_assert_int_eq(integer(stats, "shared_bytes"),
		four ? 3456000 - (21 - 13) * 76800 : 844800 - (5 - 3) * 76800);
	/* large FIFOs begin at different places of a page */
	ck_assert_int_ge(integer(stats, "allocated_bytes"), integer(stats, "shared_bytes"));
	ck_assert_int_lt(integer(stats, "allocated_bytes"), integer(stats, "shared_bytes") + 5 * 4096);
	ck_assert_int_eq(integer(stats, "bytes_copied"), four ? 76800 : 0); /* the wrap, once in 3 windows */
	ck_assert_uint_eq(json_array_size(actors), 5);
	for (size_t i = 0; i < 5; i++) {
		const json_t *actor = json_array_get(actors, i);

		ck_assert_str_eq(string(actor, "name"), names[i]);
		ck_assert_ptr_nonnull(strstr(string(actor, "type"), types[i]));
		ck_assert_str_eq(string(actor, "where"), core);
		ck_assert_int_ge(integer(actor, "firings"), four ? 3 : 10);
		ck_assert_int_le(integer(actor, "firings"), four ? 3 : 10);
		ck_assert_int_gt(integer(actor, "fire_ns"), 0);
		ck_assert_int_gt(integer(actor, "cpu_ns"), 0);
		ck_assert_int_le(integer(actor, "cpu_ns"), integer(actor, "fire_ns"));
		ck_assert_int_ge(integer(actor, "wait_ns"), 0);
	}
	ck_assert_uint_eq(json_array_size(fifos), 5);
	for (size_t i = 0; i < 5; i++) {
		const json_t *fifo = json_array_get(fifos, i);
		bool pair = !strcmp(string(fifo, "from"), "gauss") && !strcmp(string(fifo, "to"), "thres");
		bool delayed = integer(fifo, "delay") == 1;

		ck_assert(!delayed || pair);
		ck_assert_int_eq(integer(fifo, "bytes"), (four ? 8 + 5 * delayed : 2 + delayed) * 76800);
		ck_assert_int_eq(json_is_true(json_object_get(fifo, "shared")), pair && !delayed);
		shared += pair;
	}
	ck_assert_uint_eq(shared, 2);
	json_decref(stats);
}
END_TEST

/* The budget of PSTK_DEPTH_AUTO: half of the second-level cache. */
static size_t budget(void)
{
	long cache = 0;

#ifdef _SC_LEVEL2_CACHE_SIZE
	cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
	return cache > 0 ? (size_t)cache / 2 : 512 * 1024;
}

/* The largest depth that fits: the pair from gauss to thres has one buffer with a slot more. */
static json_int_t automatic_depth(size_t frame)
{
	json_int_t depth = 32;

	while (depth > 2 && (4 * (size_t)depth + 1) * frame > budget())
		depth--;
	return depth;
}

static const struct {
	const char *environment, *arguments[4];
	json_int_t threads, depth; /* 0: the automatic one */
} teams[] = {
	{ "", { NULL }, 0, 2 },
	{ "", { "--team", "3" }, 3, 6 },
	{ "", { "--team", "3", "--depth", "4" }, 3, 4 },
	{ "2", { NULL }, 2, 4 },
	{ "2", { "--team", "0" }, 0, 2 },
	{ "2", { "--team", "1" }, 1, 2 },
	{ "2", { "--depth", "7" }, 2, 7 },
	{ "", { "--depth", "auto" }, 0, 0 },
};

/* A pipe may keep the sink waiting, which the team must not; a file or /dev/null does not. */
START_TEST(sink_of_a_team)
{
	static const char *const outputs[] = { "pipe.y4m", "o.y4m", "/dev/null" };
	const char *line;
	struct run run = { 0 };
	int both;

	ck_assert_int_eq(mkfifo("pipe.y4m", 0600), 0);
	both = open("pipe.y4m", O_RDWR); /* holds the frames */
	RUN(&run, 0, "--synthetic", "64x48", "--frames", "10", "--team", "2", "--output", outputs[_i]);
	line = strstr(run.err, "  sink  ");
	ck_assert_ptr_nonnull(line);
	ck_assert_int_eq(!strncmp(line + strcspn(line, ","), ", own thread\n", 13), _i == 0);
	program_free(&run);
	close(both);
}
END_TEST

START_TEST(statistics_of_teams)
{
	const char *const *a = teams[_i].arguments;
	const size_t frame = 64 * 48;
	json_int_t depth = teams[_i].depth ? teams[_i].depth : automatic_depth(frame);
	json_error_t error;
	struct run run = { 0 };
	json_t *stats, *fifos;

	setenv("PENSTOCK_TEAM", teams[_i].environment, 1);
	/* arguments end with the first NULL */
	RUN(&run, 0, "--synthetic", "64x48", "--frames", "10", "--stats", "s.json", a[0], a[1], a[2], a[3]);
	if (teams[_i].threads)
		TEST_SAYS(run.err, "a team of ");
	else
		ck_assert_ptr_null(strstr(run.err, "a team of "));
	program_free(&run);
	stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, &error);
	ck_assert_int_eq(integer(stats, "team"), teams[_i].threads);
	ck_assert_int_eq(integer(stats, "depth"), depth);
	ck_assert_int_eq(integer(stats, "frames"), 10);
	fifos = json_object_get(stats, "fifos");
	for (size_t i = 0; i < 5; i++)
		ck_assert_int_eq(integer(json_array_get(fifos, i), "depth"), depth);
	ck_assert_int_eq(integer(stats, "shared_bytes"), (4 * depth + 1) * (json_int_t)frame);
	json_decref(stats);
	/* the FIFO past the others is as deep as they were together before it was there */
	RUN(&run, 0, "--synthetic", "64x48", "--frames", "10", "--overlay", "--output", "o.y4m", "--stats",
		"s.json", a[0], a[1], a[2], a[3]);
	program_free(&run);
	stats = json_load_file("s.json", JSON_REJECT_DUPLICATES, &error);
	fifos = json_object_get(stats, "fifos");
	ck_assert_int_eq(integer(json_array_get(fifos, 5), "depth"), 4 * depth);
	ck_assert_int_le(integer(json_array_get(fifos, 0), "depth"), depth);
	json_decref(stats);
}
END_TEST

START_TEST(statistics_any_core)
{
	struct run run = { 0 };
	json_t *stats;

	files_text("s.json", "former");
	RUN(&run, 0, "--synthetic", "32x24", "--frames", "3", "--stats", "s.json");
	stats = json_load_file("s.json", 0, NULL);
	ck_assert_ptr_nonnull(stats);
	ck_assert_str_eq(string(json_array_get(json_object_get(stats, "actors"), 2), "where"), "any core");
	json_decref(stats);
	program_free(&run);
	RUN(&run, 0, "--synthetic", "32x24", "--frames", "3", "--stats", "/dev/null");
	program_free(&run);
}
END_TEST

#endif

int main(void)
{
	Suite *suite = suite_create("motion_errors");
	TCase *errors = files_case(suite, "errors"), *running = files_case(suite, "running");

	motion_find();
	tcase_add_loop_test(errors, usage, 0, TEST_COUNT(usages));
	tcase_add_test(errors, bad_input_leaves_no_output);
	tcase_add_test(errors, a_former_output_stays);
	tcase_add_test(errors, output_errors);
	tcase_add_test(errors, full_disk);
	tcase_add_test(errors, no_permission);
	tcase_add_test(errors, closed_pipe);
	tcase_add_test(errors, help_to_a_full_device);
	tcase_add_test(errors, not_enough_memory);
	tcase_add_test(running, one_frame);
	tcase_add_loop_test(running, interrupted, 0, 3);
	tcase_add_loop_test(running, interrupted_twice, 0, 2);
	tcase_add_test(running, no_hangup);
	tcase_add_test(running, snapshot_at_a_fifo);
	tcase_add_test(running, snapshots);
	tcase_add_test(running, progress_on_a_terminal);
#ifdef HAVE_JANSSON
	tcase_add_loop_test(running, sink_of_a_team, 0, 3);
	tcase_add_loop_test(running, statistics_of_teams, 0, TEST_COUNT(teams));
	tcase_add_loop_test(running, statistics, 0, 2);
	tcase_add_test(running, statistics_any_core);
#endif
	return test_main(suite);
}
