/* SPDX-License-Identifier: MIT */
/* The source and the sink in a network: every sample once at every rate, errors become the network's, a
 * stop wakes them, what failed leaves no file. */
#include "config.h"

#include "actors/common/check_iq.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pstk_iq_output *create(const char *path)
{
	struct pstk_iq_output *output;

	ck_assert_int_eq(pstk_iq_output_open(&output, PSTK_IQ_OUTPUT(.path = path), NULL, 0), 0);
	return output;
}

static void join(struct pstk_actor *source, struct pstk_actor *sink, uint32_t re, uint32_t im, size_t token)
{
	pstk_connect(source, "re", sink, "re", PSTK_FIFO(.rate = re, .token_size = token));
	pstk_connect(source, "im", sink, "im", PSTK_FIFO(.rate = im, .token_size = token));
}

static struct pstk_network *build(struct pstk_iq_input *input, struct pstk_iq_output *output, uint32_t rate)
{
	struct pstk_network *net = pstk_network_create("test");
	struct pstk_actor *source = pstk_network_add(net, "source", pstk_iq_source_type_for(input), input);

	join(source, pstk_network_add(net, "sink", pstk_iq_sink_type_for(output), output), rate, rate,
		0); /* a token is a float */
	return net;
}

START_TEST(every_sample_at_every_rate)
{
	static const uint32_t rates[] = { 1, 2, 3, 7, 12, 13, 14, 100, 40000 };
	static const size_t lengths[] = { 0, 1, 5, 12, 13, 1000, 20001 };
	unsigned char *bytes = files_random((size_t)20001 * 8, 1);

	for (size_t k = 0; k < TEST_COUNT(lengths); k++) {
		files_write("in", bytes, lengths[k] * 8);
		for (size_t i = 0; i < TEST_COUNT(rates); i++) {
			struct pstk_iq_input *input = iq_open(PSTK_IQ_INPUT(.path = "in"));
			struct pstk_iq_output *output = create("out");
			struct pstk_network *net = build(input, output, rates[i]);
			struct pstk_actor_stats stats;

			ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
			/* the window of the last sample is the last one */
			pstk_actor_get_stats(pstk_network_actor(net, 1), &stats);
			ck_assert_uint_eq(stats.firings, (lengths[k] + rates[i] - 1) / rates[i]);
			pstk_actor_get_stats(pstk_network_actor(net, 0), &stats);
			ck_assert_uint_eq(
				stats.firings, lengths[k] ? (lengths[k] + rates[i] - 1) / rates[i] : 1);
			pstk_network_destroy(net);
			pstk_iq_input_close(input);
			pstk_iq_output_close(output);
			iq_expect_file("out", bytes, lengths[k] * 8);
		}
	}
	free(bytes);
}
END_TEST

/* A pipe's end is only known when it comes: also where a window ends. */
START_TEST(from_a_pipe)
{
	unsigned char *bytes = files_random(120 * 8, 2);

	for (uint32_t rate = 1; rate <= 121; rate += 7) {
		int ends[2], saved = dup(STDIN_FILENO);
		struct pstk_iq_input *input;
		struct pstk_iq_output *output = create("out");
		struct pstk_network *net;

		ck_assert_int_eq(pipe(ends), 0);
		ck_assert_int_eq(write(ends[1], bytes, 960), 960);
		close(ends[1]);
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		input = iq_open(PSTK_IQ_INPUT(.path = "-"));
		dup2(saved, STDIN_FILENO);
		close(saved);
		net = build(input, output, rate);
		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		pstk_network_destroy(net);
		pstk_iq_input_close(input);
		pstk_iq_output_close(output);
		iq_expect_file("out", bytes, 960);
	}
	free(bytes);
}
END_TEST

START_TEST(without_an_output)
{
	unsigned char *bytes = files_random(88, 3);
	struct pstk_iq_input *input;
	struct pstk_network *net;

	files_write("in", bytes, 88);
	input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	net = build(input, NULL, 4);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_iq_input_close(input);
	ck_assert_uint_eq(files_count(), 1);
	free(bytes);
}
END_TEST

/* Runs into an error of the network that says all the words; nothing is written then. */
static void fails(struct pstk_network *net, int err, const char *actor, const char *text)
{
	int got = pstk_network_run(net);

	TEST_SAYS(pstk_network_error(net), actor, text);
	ck_assert_int_eq(got, err);
	pstk_network_destroy(net);
}

/* A source of the test's own: its streams are not of one length. */
static int fire_uneven(struct pstk_firing *firing)
{
	for (unsigned port = 0; port < 2; port++) {
		size_t token = pstk_actor_port_token_size(pstk_firing_actor(firing), port);

		memset(pstk_fifo_write_start(firing, port), 0, 3 * token);
		pstk_fifo_write_end_partial(firing, port, 1 + port);
	}
	return PSTK_DONE;
}

/* The neighbour of the one that refuses its ports. */
static struct pstk_actor *add_other(struct pstk_network *net, bool sink)
{
	static const struct pstk_port out[] = { { .name = "re", .kind = PSTK_OUTPUT },
		{ .name = "im", .kind = PSTK_OUTPUT } };
	static const struct pstk_port in[] = { { .name = "re", .kind = PSTK_INPUT },
		{ .name = "im", .kind = PSTK_INPUT } };

	return pstk_network_add(net, "other",
		PSTK_ACTOR_TYPE(.name = "other", .ports = sink ? in : out, .port_count = 2,
			.fire = fire_uneven),
		NULL);
}

/* Ports of these rates and of this size are refused. */
static void refuses(bool source, uint32_t re, uint32_t im, size_t token, int err, const char *text)
{
	struct pstk_iq_input *input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	struct pstk_iq_output *output = create("out");
	struct pstk_network *net = pstk_network_create("test");

	if (source)
		join(pstk_network_add(net, "source", pstk_iq_source_type(), input), add_other(net, true), re,
			im, token);
	else
		join(add_other(net, false), pstk_network_add(net, "sink", pstk_iq_sink_type(), output), re,
			im, token);
	fails(net, err, source ? "source" : "sink", text);
	pstk_iq_input_close(input);
	pstk_iq_output_close(output);
	ck_assert_uint_eq(files_count(), 1);
}

START_TEST(wrong_ports)
{
	files_text("in", "0123456789abcdef");
	for (int source = 0; source < 2; source++) {
		refuses(source, 3, 3, 8, -EINVAL,
			source ? "token size is 8, but 'source'.re has tokens of 4 bytes: give it "
				 "4, or none"
			       : "token size is 8, but 'sink'.re has tokens of 4 bytes: give it 4, "
				 "or none");
		refuses(source, 3, 4, 4, -EINVAL, "port 'im' moves 1 token a step");
	}
	refuses(false, 3, 3, 4, -EPROTO, "re ends with 1 sample, im with 2: they are not of one signal");
	fails(build(NULL, NULL, 3), -EINVAL, "source", "its arg is no I/Q input");
}
END_TEST

/* Two chains in one network. */
static struct pstk_network *build_two(struct pstk_iq_input *inputs[2], struct pstk_iq_output *outputs[2])
{
	struct pstk_network *net = pstk_network_create("test");

	for (unsigned i = 0; i < 2; i++) {
		struct pstk_actor *source =
			pstk_network_add(net, i ? "source 2" : "source", pstk_iq_source_type(), inputs[i]);

		join(source, pstk_network_add(net, i ? "sink 2" : "sink", pstk_iq_sink_type(), outputs[i]), 4,
			4, 4);
	}
	return net;
}

/* In one network; a start that fails leaves both as they were. */
START_TEST(shared_in_one_network)
{
	unsigned char *bytes = files_random(80, 6);
	struct pstk_iq_input *inputs[2];
	struct pstk_iq_output *output = create("out"), *other = create("other");
	struct pstk_network *net;

	files_write("in", bytes, 80);
	for (unsigned i = 0; i < 2; i++)
		inputs[i] = iq_open(PSTK_IQ_INPUT(.path = "in"));
	for (unsigned round = 0; round < 2; round++) {
		fails(build_two((struct pstk_iq_input *[]){ inputs[0], inputs[0] },
			      (struct pstk_iq_output *[]){ output, other }),
			-EBUSY, "'source 2'", "another actor has its input: open one for each");
		fails(build_two(inputs, (struct pstk_iq_output *[]){ output, output }), -EBUSY, "'sink 2'",
			"another actor has its output: open one for each");
	}
	net = build_two(inputs, (struct pstk_iq_output *[]){ output, other });
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	fails(build(inputs[0], output, 4), -EINVAL, "sink", "out: has been completed: open another one");
	for (unsigned i = 0; i < 2; i++)
		pstk_iq_input_close(inputs[i]);
	pstk_iq_output_close(output);
	pstk_iq_output_close(other);
	iq_expect_file("out", bytes, 80);
	iq_expect_file("other", bytes, 80);
	free(bytes);
}
END_TEST

/* While the first network waits for its pipe, and after it; two that swallow share nothing. */
START_TEST(shared_by_two_networks)
{
	struct pstk_iq_output *output = create("out");
	struct pstk_iq_input *input, *others[2];
	struct pstk_network *net;
	int fd;

	files_text("in", "0123456789abcdef");
	for (unsigned i = 0; i < 2; i++)
		others[i] = iq_open(PSTK_IQ_INPUT(.path = "in"));
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	input = iq_open(PSTK_IQ_INPUT(.path = "pipe"));
	net = build(input, output, 1);
	ck_assert_int_eq(pstk_network_start(net), 0);
	fails(build(input, NULL, 1), -EBUSY, "source", "another actor has its input: open one for each");
	fails(build(others[0], output, 1), -EBUSY, "sink", "another actor has its output: open one for each");
	ck_assert_int_eq(write(fd, "0123456789abcdef", 16), 16);
	close(fd);
	ck_assert_msg(!pstk_network_wait(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_iq_output_close(output);
	iq_expect_file("out", "0123456789abcdef", 16);
	net = build(input, NULL, 1);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	net = build_two(others, (struct pstk_iq_output *[]){ NULL, NULL });
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_iq_input_close(input);
	for (unsigned i = 0; i < 2; i++)
		pstk_iq_input_close(others[i]);
}
END_TEST

/* Takes one window and ends. */
static int fire_once(struct pstk_firing *firing)
{
	for (unsigned port = 0; port < 2; port++) {
		pstk_fifo_read_start(firing, port);
		pstk_fifo_read_end(firing, port);
	}
	return PSTK_DONE;
}

/* An input that was stopped, by its readers' end or by the program, gives nothing more: a second network
 * must not take that for the stream's end. */
START_TEST(spent_input)
{
	static const struct pstk_port in[] = { { .name = "re", .kind = PSTK_INPUT },
		{ .name = "im", .kind = PSTK_INPUT } };
	unsigned char *bytes = files_random(8000, 8);
	struct pstk_iq_input *input;

	files_write("in", bytes, 8000);
	input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	if (_i) {
		pstk_iq_input_stop(input);
	} else {
		struct pstk_network *net = pstk_network_create("first");
		struct pstk_actor *source = pstk_network_add(net, "source", pstk_iq_source_type(), input);

		join(source,
			pstk_network_add(net, "once",
				PSTK_ACTOR_TYPE(.name = "once", .ports = in, .port_count = 2,
					.fire = fire_once),
				NULL),
			1, 1, 4);
		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		pstk_network_destroy(net);
	}
	for (int round = 0; round < 2; round++)
		fails(build(input, NULL, 4), -EPIPE, "source", "in: was stopped: open it again");
	pstk_iq_input_close(input);
	free(bytes);
}
END_TEST

static void open_pipe(const unsigned char *bytes, size_t n, struct pstk_iq_input **input)
{
	int both;

	ck_assert_int_eq(mkfifo("in", 0600), 0);
	both = open("in", O_RDWR);
	ck_assert_int_eq(write(both, bytes, n), n);
	*input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	close(both);
}

/* An input of which all has been read may be stopped before its source has ended: that has cut nothing off. A file,
 * then a pipe. */
START_TEST(stopped_at_its_end)
{
	unsigned char *bytes = files_random(80, 8);
	struct pstk_network *net;
	struct pstk_iq_input *input;
	float re[12], im[12];

	if (_i) {
		open_pipe(bytes, 80, &input);
	} else {
		files_write("in", bytes, 80);
		input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	}
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, 12), 10);
	pstk_iq_input_stop(input);
	net = build(input, NULL, 4);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_iq_input_close(input);
	free(bytes);
}
END_TEST

/* Directly written ones, too: nothing of a second network gets into the pipe. */
START_TEST(completed_pipe)
{
	struct pstk_iq_input *inputs[2];
	struct pstk_iq_output *output;
	char got[20];
	int reader;

	files_text("in", "01234567");
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	output = create("pipe");
	for (unsigned i = 0; i < 2; i++)
		inputs[i] = iq_open(PSTK_IQ_INPUT(.path = "in"));
	for (unsigned i = 0; i < 2; i++) {
		struct pstk_network *net = build(inputs[i], output, 1);

		if (i) {
			fails(net, -EINVAL, "sink", "pipe: has been completed: open another one");
			continue;
		}
		ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
		pstk_network_destroy(net);
	}
	ck_assert_int_eq(read(reader, got, sizeof(got)), 8);
	ck_assert_int_eq(read(reader, got, sizeof(got)), 0);
	for (unsigned i = 0; i < 2; i++)
		pstk_iq_input_close(inputs[i]);
	pstk_iq_output_close(output);
	close(reader);
}
END_TEST

START_TEST(failing_input)
{
	unsigned char *bytes = files_random(85, 4);
	struct pstk_iq_output *output = create("out");
	struct pstk_iq_input *input;
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	ck_assert_int_eq(write(fd, bytes, 85), 85);
	input = iq_open(PSTK_IQ_INPUT(.path = "pipe"));
	close(fd);
	fails(build(input, output, 4), -EPROTO, "source",
		"pipe: ends within sample 10: 5 of its 8 bytes came");
	pstk_iq_input_close(input);
	pstk_iq_output_close(output);
	ck_assert_uint_eq(files_count(), 1);
	free(bytes);
}
END_TEST

START_TEST(failing_output)
{
	struct pstk_iq_output *output;
	struct pstk_iq_input *input;

	files_text("in", "0123456789abcdef");
	ck_assert_int_eq(symlink("/dev/full", "full"), 0);
	output = create("full");
	input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	fails(build(input, output, 1), -ENOSPC, "sink", "full: No space left on device");
	pstk_iq_input_close(input);
	pstk_iq_output_close(output);
	/* what goes wrong in completing is the network's error, too: the folder is gone */
	ck_assert_int_eq(mkdir("sub", 0777), 0);
	output = create("sub/out");
	ck_assert_int_eq(remove(files_part("sub/out")), 0);
	ck_assert_int_eq(remove("sub"), 0);
	input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	fails(build(input, output, 1), -ENOENT, "sink", "sub/out: No such file or directory");
	pstk_iq_input_close(input);
	pstk_iq_output_close(output);
	ck_assert_uint_eq(files_count(), 2);
}
END_TEST

static uint64_t written(struct pstk_network *net)
{
	struct pstk_fifo_info info;

	ck_assert_int_eq(pstk_fifo_get_info(pstk_network_fifo(net, 0), &info), 0);
	return info.written;
}

/* The pipe gives three samples and a bit and then nothing: a stop, or an abort, ends the wait. Stopped,
 * the output is complete with what came; aborted, there is none. */
START_TEST(silent_pipe)
{
	struct pstk_iq_output *output = create("out");
	struct pstk_iq_input *input;
	struct pstk_network *net;
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	ck_assert_int_eq(write(fd, "0123456789abcdefghijklmnop", 26), 26);
	input = iq_open(PSTK_IQ_INPUT(.path = "pipe"));
	net = build(input, output, _i % 2 ? 1 : 2);
	ck_assert_int_eq(pstk_network_start(net), 0);
	while (written(net) < (_i % 2 ? 3 : 2))
		;
	if (_i / 2)
		pstk_network_abort(net);
	else
		pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), _i / 2 ? -ECANCELED : 0);
	pstk_network_destroy(net);
	pstk_iq_input_close(input);
	pstk_iq_output_close(output);
	if (_i / 2) {
		ck_assert_uint_eq(files_count(), 1);
	} else {
		size_t size;
		unsigned char *got = files_read("out", &size);

		/* the third sample may still have been in the pipe */
		ck_assert(size == 24 || (_i == 0 && size == 16));
		ck_assert_mem_eq(got, "0123456789abcdefghijklmn", size);
		free(got);
	}
	close(fd);
}
END_TEST

/* A pipe that no process reads: the network stands, then an abort ends it; a stop alone would let it drain. */
START_TEST(full_pipe)
{
	enum { N = 100000 };
	struct pollfd writer = { .events = POLLOUT };
	struct pstk_iq_output *output;
	struct pstk_iq_input *input;
	struct pstk_network *net;
	unsigned char *bytes = files_random((size_t)N * 8, 5);
	int reader, held;

	files_write("in", bytes, (size_t)N * 8);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	writer.fd = open("pipe", O_WRONLY | O_NONBLOCK);
	output = create("pipe");
	input = iq_open(PSTK_IQ_INPUT(.path = "in"));
	net = build(input, output, 64);
	ck_assert_int_eq(pstk_network_start(net), 0);
	/* the pipe takes no more, and there is a sample that it has not */
	do {
		ck_assert_int_eq(ioctl(reader, FIONREAD, &held), 0);
	} while (poll(&writer, 1, 0) != 0 || written(net) * 8 <= (uint64_t)held);
	pstk_network_stop(net);
	pstk_network_abort(net);
	ck_assert_int_eq(pstk_network_wait(net), -ECANCELED);
	pstk_network_destroy(net);
	pstk_iq_output_close(output);
	pstk_iq_input_close(input);
	close(writer.fd);
	close(reader);
	free(bytes);
}
END_TEST

#ifdef HAVE_KISSFFT
/* An endless signal that is stopped: the output is complete, and is the signal's beginning. */
START_TEST(stop_completes)
{
	struct pstk_iq_input *input = iq_open(PSTK_IQ_INPUT(.seed = 7));
	struct pstk_iq_output *output = create("out");
	struct pstk_network *net = build(input, output, 500);
	unsigned char *got;
	float *re, *im;
	size_t n;

	ck_assert_int_eq(pstk_network_start(net), 0);
	while (written(net) < 5000)
		;
	pstk_network_stop(net);
	ck_assert_int_eq(pstk_network_wait(net), 0);
	n = (size_t)written(net);
	pstk_network_destroy(net);
	pstk_iq_input_close(input);
	pstk_iq_output_close(output);
	re = calloc(n, sizeof(*re));
	im = calloc(n, sizeof(*im));
	input = iq_open(PSTK_IQ_INPUT(.seed = 7));
	ck_assert_int_eq(pstk_iq_input_read(input, re, im, n), (int)n);
	pstk_iq_input_close(input);
	got = files_read("out", &(size_t){ 0 });
	input = iq_open(PSTK_IQ_INPUT(.path = "out"));
	for (size_t i = 0; i < n; i++) {
		float r, m;

		ck_assert_int_eq(pstk_iq_input_read(input, &r, &m, 1), 1);
		ck_assert(r == re[i] && m == im[i]);
	}
	pstk_iq_input_close(input);
	free(got);
	free(re);
	free(im);
}
END_TEST
#endif

static bool source_keeps_a_thread(const struct pstk_iq_input_spec *spec)
{
	struct pstk_iq_input *input = iq_open(spec);
	const struct pstk_actor_type *type = pstk_iq_source_type_for(input);

	ck_assert_str_eq(type->name, pstk_iq_source_type()->name);
	ck_assert(type->blocks == (type == pstk_iq_source_type()));
	pstk_iq_input_close(input);
	return type->blocks;
}

static bool sink_keeps_a_thread(const char *path)
{
	struct pstk_iq_output *output = create(path);
	const struct pstk_actor_type *type = pstk_iq_sink_type_for(output);

	ck_assert_str_eq(type->name, pstk_iq_sink_type()->name);
	ck_assert(type->blocks == (type == pstk_iq_sink_type()));
	pstk_iq_output_close(output);
	return type->blocks;
}

START_TEST(types_for)
{
	int fd;

	ck_assert(pstk_iq_source_type()->blocks && pstk_iq_sink_type()->blocks);
	ck_assert_ptr_eq(pstk_iq_source_type_for(NULL), pstk_iq_source_type());
	ck_assert(!pstk_iq_sink_type_for(NULL)->blocks); /* samples are swallowed */
	files_write("in", "01234567", 8);
	ck_assert(!source_keeps_a_thread(PSTK_IQ_INPUT(.path = "in")));
#ifdef HAVE_KISSFFT
	ck_assert(!source_keeps_a_thread(PSTK_IQ_INPUT(.samples = 8)));
#endif
	ck_assert(!sink_keeps_a_thread("out"));
	ck_assert(!sink_keeps_a_thread("/dev/null"));
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR);
	ck_assert(source_keeps_a_thread(PSTK_IQ_INPUT(.path = "pipe")));
	ck_assert(sink_keeps_a_thread("pipe"));
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("iq_actors");
	TCase *good = files_case(suite, "good"), *bad = files_case(suite, "bad");

	signal(SIGPIPE, SIG_IGN);
	tcase_add_test(good, every_sample_at_every_rate);
	tcase_add_test(good, from_a_pipe);
	tcase_add_test(good, without_an_output);
	tcase_add_test(good, types_for);
#ifdef HAVE_KISSFFT
	tcase_add_test(good, stop_completes);
#endif
	tcase_add_test(bad, wrong_ports);
	tcase_add_test(bad, shared_in_one_network);
	tcase_add_test(bad, shared_by_two_networks);
	tcase_add_loop_test(bad, spent_input, 0, 2);
	tcase_add_loop_test(good, stopped_at_its_end, 0, 2);
	tcase_add_test(bad, completed_pipe);
	tcase_add_test(bad, failing_input);
	tcase_add_test(bad, failing_output);
	tcase_add_loop_test(bad, silent_pipe, 0, 4);
	tcase_add_test(bad, full_pipe);
	return test_main(suite);
}
