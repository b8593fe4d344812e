/* SPDX-License-Identifier: MIT */
/* penstock run --control and penstock ctl: orders, refusals, clients that behave badly. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"
#include "penstock/penstock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 16 }; /* that are served at once */

static char graph[] = TEST_SOURCE "/examples/moving.yaml";

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (!connect(fd, (struct sockaddr *)&address, sizeof address))
		return fd;
	close(fd);
	return -1;
}

/* Until it is there, which the test's guard limits. */
static void await_socket(const char *path)
{
	int fd;

	while ((fd = connect_to(path)) < 0)
		poll(NULL, 0, 1);
	close(fd);
}

/* Runs until it is stopped; on the cores alone its actors can't move. */
static void start(struct run *run, const char *device)
{
	const char *on_device[] = { "run", graph, "--control", "s", "--set", "device=pocl:cpu:0/1of2",
		"--set", "other=pocl:cpu:0/2of2", NULL };
	const char *on_cores[] = { "run", "-e", "count ! expect", "--control", "s", NULL };

	program_start(run, device ? on_device : on_cores);
	await_socket("s");
}

static void stop(struct run *run)
{
	struct run ctl = { 0 };

	RUN(&ctl, 0, "ctl", "s", "stop");
	program_free(&ctl);
	program_wait(run);
	ck_assert_int_eq(run->status, 0);
	ck_assert_int_eq(access("s", F_OK), -1);
	program_free(run);
}

static const char *device(void)
{
	struct pstk_device_info info;

	setenv("POCL_DEVICES", "pthread", 1);
	if (!pstk_device_find("pocl:cpu:0/2of2", &info, NULL, 0))
		return "pocl:cpu:0";
	printf("no pocl:cpu:0/2of2: skipped\n");
	return NULL;
}

/* Asks until the answer has this. */
static void await_answer(const char *words, const char *order)
{
	for (bool found = false; !found;) {
		struct run ctl = { 0 };

		RUN(&ctl, 0, "ctl", "s", order);
		found = strstr((char *)ctl.out, words) != NULL;
		program_free(&ctl);
	}
}

START_TEST(orders)
{
	struct run run = { 0 }, ctl = { 0 };
	struct stat st;

	if (!device())
		return;
	start(&run, device());
	ck_assert_int_eq(stat("s", &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	RUN(&ctl, 0, "ctl", "s", "places");
	TEST_SAYS((char *)ctl.out, "gauss: at pocl:cpu:0/1of2; else cores, pocl:cpu:0/2of2\n",
		"median: at pocl:cpu:0/1of2; else cores, pocl:cpu:0/2of2\n");
	program_free(&ctl);
	RUN(&ctl, 0, "ctl", "s", "move", "gauss", "pocl:cpu:0/2of2");
	TEST_SAYS((char *)ctl.out, "move 0: gauss to pocl:cpu:0/2of2: asked\n");
	program_free(&ctl);
	await_answer("move 0: gauss from pocl:cpu:0/1of2 to pocl:cpu:0/2of2: done, at firing ", "moves");
	RUN(&ctl, 0, "ctl", "s", "evacuate", "pocl:cpu:0/1of2");
	ck_assert_str_eq((char *)ctl.out, "move 1: median to cores: asked\n");
	program_free(&ctl);
	await_answer("median: at cores; else pocl:cpu:0/1of2, ", "places");
	RUN(&ctl, 0, "ctl", "s", "move", "gauss", "cores", "at", "1000000000000");
	program_free(&ctl);
	await_answer("move 2: gauss to cores: asked for firing 1000000000000\n", "moves");
	RUN(&ctl, 0, "ctl", "s", "evacuate", "pocl:cpu:0/1of2");
	ck_assert_str_eq((char *)ctl.out, "no actor that may move is at pocl:cpu:0/1of2\n");
	program_free(&ctl);
	stop(&run);
}
END_TEST

#ifdef HAVE_OPENCL
/* A guarded actor loses the first of its three devices, which a machine names, and is not sent back there. start()
 * launches less than 300 times, to find how long a loop takes. */
START_TEST(evacuates_past_a_dead_place)
{
	struct run run = { 0 }, ctl = { 0 };

	setenv("OCL_ICD_VENDORS", FAKE_CL_DRIVER, 1);
	setenv("PENSTOCK_FAKE_CL", "devices=3,quiet=1,fail=clEnqueueNDRangeKernel:300:-5", 1);
	files_text("g.yaml",
		"actors:\n  s: {type: task, outputs: 1, time: 1e-3}\n  e: {type: task, inputs: 1}\n"
		"  m: {type: task, inputs: 1, outputs: 1, time: 1e-4, guard: true, may_move: [h/b, h/c]}\n"
		"fifos:\n  - {from: s.out1, to: m.in1, rate: 1, token_size: 64}\n"
		"  - {from: m.out1, to: e.in1, rate: 1, token_size: 64}\nmapping: {m: h/a}\n"
		"machine: {hosts: {h: {devices: {a: 'pstk:gpu:0', b: '::1', c: 'pstk:gpu:2'}}},\n"
		"  links: [{between: [h, h/a], kind: copy}, {between: [h, h/b], kind: copy},\n"
		"    {between: [h, h/c], kind: copy}]}\n");
	program_start(&run, (const char *[]){ "run", "g.yaml", "--control", "s", NULL });
	await_socket("s");
	await_answer("m: at pstk:gpu:1; else pstk:gpu:0 (failed), pstk:gpu:2\n", "places");
	RUN(&ctl, 0, "ctl", "s", "evacuate", "h/a");
	ck_assert_str_eq((char *)ctl.out, "no actor that may move is at h/a\n");
	program_free(&ctl);
	RUN(&ctl, 0, "ctl", "s", "evacuate", "h/b");
	ck_assert_str_eq((char *)ctl.out, "move 1: m to pstk:gpu:2: asked\n");
	program_free(&ctl);
	await_answer("m: at pstk:gpu:2; else pstk:gpu:0 (failed), pstk:gpu:1\n", "places");
	stop(&run);
}
END_TEST
#endif

static const struct {
	int status;
	const char *words, *order[6];
} refusals[] = {
	{ 1, "penstock: the network has no actor 'nobody'\n", { "move", "nobody", "cores" } },
	{ 1, "penstock: 'count' (count): it can't move to 'cores', which is none of its places",
		{ "move", "count", "cores" } },
	{ 1, "penstock: expected move ACTOR PLACE [at FIRING]\n", { "move", "count" } },
	{ 1, "expected move ACTOR PLACE [at FIRING]\n", { "move", "count", "cores", "at", "x" } },
	{ 1, "expected move ACTOR PLACE [at FIRING]\n", { "move", "count", "cores", "on", "1" } },
	{ 1, "penstock: expected evacuate PLACE\n", { "evacuate" } },
	{ 1, "penstock: 'cores' is a place of no actor that may move\n", { "evacuate", "cores" } },
	{ 1, "penstock: 'fly': expected move ACTOR PLACE [at FIRING], moves, places, ", { "fly" } },
	{ 1, "penstock: 'stop': expected move ", { "stop", "now" } },
	{ 2, "penstock: a socket and an order are needed\n", { NULL } },
	{ 2, "penstock: 'a\tb': no word of an order is empty, or has tabs", { "a\tb" } },
};

START_TEST(refused)
{
	struct run run = { 0 };

	start(&run, NULL);
	for (unsigned i = 0; i < TEST_COUNT(refusals); i++) {
		const char *const *o = refusals[i].order;

		FAILS(refusals[i].status, refusals[i].words, "ctl", "s", o[0], o[1], o[2], o[3], o[4]);
	}
	FAILS(1, "nothing: No such file or directory", "ctl", "nothing", "stop");
	stop(&run);
}
END_TEST

/* What a client gets until its connection ends. */
static size_t read_all(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < size && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(fd);
	return length;
}

/* Garbage is refused; a line that does not end ends the connection. */
START_TEST(bad_lines)
{
	static const char zeros[3] = { 0, 0, '\n' };
	static char lines[1 << 16], text[1024];
	struct run run = { 0 };
	int fd;

	memset(lines, 'x', sizeof lines);
	start(&run, NULL);
	fd = connect_to("s");
	ck_assert_int_eq(send(fd, zeros, sizeof zeros, 0), sizeof zeros);
	read_all(fd, text, sizeof text);
	TEST_SAYS(text, "no '': expected move ");
	fd = connect_to("s");
	ck_assert_int_eq(send(fd, "\xff\xfe\1\n", 4, 0), 4);
	read_all(fd, text, sizeof text);
	TEST_SAYS(text, "no '\xff\xfe\1': expected move ");
	fd = connect_to("s");
	while (send(fd, lines, sizeof lines, MSG_NOSIGNAL) > 0)
		;
	ck_assert_uint_eq(read_all(fd, text, sizeof text), 0);
	fd = connect_to("s");
	ck_assert_int_eq(send(fd, "pla", 3, 0), 3);
	close(fd); /* in the middle of a line */
	stop(&run);
}
END_TEST

/* Clients that say nothing or do not read hold up no other client: the oldest one goes. */
START_TEST(idle_clients)
{
	struct run run = { 0 };
	char text[8];
	int idle[3 * CLIENTS];

	start(&run, NULL);
	for (unsigned i = 0; i < TEST_COUNT(idle); i++) {
		idle[i] = connect_to("s");
		ck_assert_int_ge(idle[i], 0);
		if (i % 2)
			ck_assert_int_eq(send(idle[i], "move a b\n", 9, 0), 9);
	}
	ck_assert_uint_eq(read_all(idle[0], text, sizeof text), 0);
	stop(&run);
	for (unsigned i = 1; i < TEST_COUNT(idle); i++)
		close(idle[i]);
}
END_TEST

/* Runs until it is stopped; has been asked for so many moves that an answer is more than a connection holds. */
static void start_with_moves(struct run *run, unsigned moves)
{
	FILE *f = fopen("g.yaml", "w");

	fprintf(f, "include: [%s]\nmoves:\n", graph);
	for (unsigned i = 0; i < moves; i++)
		fprintf(f, "- {actor: gauss, at: %u, to: cores}\n", 1000000000 + i);
	ck_assert_int_eq(fclose(f), 0);
	program_start(run, (const char *[]){ "run", "g.yaml", "--control", "s", "--set",
				   "device=pocl:cpu:0/1of2", "--set", "other=pocl:cpu:0/2of2", NULL });
	await_socket("s");
}

/* A client that reads late gets all of it; one that does not read holds nothing up. */
START_TEST(long_answers)
{
	enum { MOVES = 10000, SIZE = 100 * MOVES };
	static char text[SIZE];
	struct run run = { 0 };
	unsigned lines = 0;
	int late, never;

	if (!device())
		return;
	start_with_moves(&run, MOVES);
	never = connect_to("s");
	late = connect_to("s");
	ck_assert_int_eq(send(never, "moves\n", 6, 0), 6);
	ck_assert_int_eq(send(late, "moves\n", 6, 0), 6);
	await_answer("gauss: at ", "places");
	read_all(late, text, SIZE);
	for (const char *at = text; (at = strstr(at, ": asked for firing ")); at++)
		lines++;
	ck_assert_uint_eq(lines, MOVES);
	stop(&run);
	close(never);
}
END_TEST

/* Is the thread that serves asleep? */
static bool is_asleep(pid_t pid)
{
	char path[64], stat[512] = "";
	struct dirent *entry;
	bool asleep = false;
	DIR *tasks;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) && !asleep) {
		FILE *f;

		snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)pid, entry->d_name);
		f = fopen(path, "r");
		if (f && fgets(stat, sizeof stat, f))
			asleep = strstr(stat, "(penstock-ctl) S") != NULL;
		if (f)
			fclose(f);
	}
	if (tasks)
		closedir(tasks);
	return asleep;
}

static void set_descriptors(pid_t pid, rlim_t most)
{
	struct rlimit limit;

	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = most;
	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, &limit, NULL), 0);
}

/* It may have so many descriptors, which idle clients use up: a new one takes the oldest one's. */
START_TEST(few_descriptors)
{
	struct run run = { 0 };
	int idle[CLIENTS];
	char text[8];

	start(&run, NULL);
	await_answer("", "places");
	set_descriptors(run.pid, CLIENTS + 2);
	for (unsigned i = 0; i < CLIENTS; i++)
		idle[i] = connect_to("s");
	await_answer("", "places");
	ck_assert_uint_eq(read_all(idle[0], text, sizeof text), 0);
	stop(&run);
	for (unsigned i = 1; i < CLIENTS; i++)
		close(idle[i]);
}
END_TEST

/* Without a descriptor for a client, or with so few that it can't even poll, it sleeps; then it serves that client. */
START_TEST(no_descriptor)
{
	int inherited[CLIENTS + 2], fd;
	struct run run = { 0 };
	struct rlimit before;
	char text[1024];

	for (unsigned i = 0; i < TEST_COUNT(inherited); i++)
		inherited[i] = open("/dev/null", O_RDONLY);
	start(&run, NULL);
	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, NULL, &before), 0);
	set_descriptors(run.pid, _i ? TEST_COUNT(inherited) : 0);
	fd = connect_to("s");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(send(fd, "fly\n", 4, 0), 4);
	poll(NULL, 0, 10); /* now it has seen that client, most likely */
	while (!is_asleep(run.pid))
		poll(NULL, 0, 1);
	ck_assert_int_eq(recv(fd, text, 1, MSG_DONTWAIT), -1);
	set_descriptors(run.pid, before.rlim_cur);
	read_all(fd, text, sizeof text);
	TEST_SAYS(text, "no 'fly': expected move ");
	stop(&run);
	for (unsigned i = 0; i < TEST_COUNT(inherited); i++)
		close(inherited[i]);
}
END_TEST

START_TEST(wrong_sockets)
{
	char name[200];

	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	FAILS(2, "--control s: there is such a file: another run may use it; else remove it", "run", "-e",
		"count tokens=3 ! expect", "--control", (files_text("s", "mine"), "s"));
	expect_file("s", (const unsigned char *)"mine", 4);
	FAILS(2, "the name of a socket has 1 to 107 letters", "run", "-e", "count tokens=3 ! expect",
		"--control", name);
	FAILS(2, "--control : the name of a socket has 1 to 107 letters", "run", "-e",
		"count tokens=3 ! expect", "--control", "");
	FAILS(2, "the name of a socket has 1 to 107 letters", "ctl", name, "stop");
	FAILS(1, "--control none/s: No such file or directory", "run", "-e", "count tokens=3 ! expect",
		"--control", "none/s");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("control");
	TCase *c = files_case(suite, "control");

	command_find();
	tcase_add_test(c, orders);
	tcase_add_test(c, refused);
#ifdef HAVE_OPENCL
	tcase_add_test(c, evacuates_past_a_dead_place);
#endif
	tcase_add_test(c, bad_lines);
	tcase_add_test(c, idle_clients);
	tcase_add_test(c, long_answers);
	tcase_add_test(c, few_descriptors);
	tcase_add_loop_test(c, no_descriptor, 0, 2);
	tcase_add_test(c, wrong_sockets);
	return test_main(suite);
}
