/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/hosts.h"
#include "apps/common/app.h"
#include "apps/penstock/reminder.h"
#include "apps/penstock/talk.h"

#include <penstock/hosts.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a rank says when they agree. */
struct word {
	uint64_t said; /* app_said() */
	uint32_t status;
	char host[256]; /* its name, once it is known; a longer one is cut */
	char subject[64];
};

void hosts_look(struct hosts *h, const char *subject)
{
	*h = (struct hosts){ .launcher = launcher_look(), .subject = subject };
	if (h->launcher.found && h->launcher.rank)
		held_begin(&h->held);
}

bool hosts_are_several(const struct hosts *h)
{
	return h && h->transport;
}

bool hosts_is_first(const struct hosts *h)
{
	return !hosts_are_several(h) || !h->transport->rank;
}

static const char *name_of_machine(struct hosts *h)
{
	if (!*h->machine)
		gethostname(h->machine, sizeof h->machine - 1);
	return h->machine;
}

/* Of this process's host, or of its machine. */
static const char *name_of(struct hosts *h)
{
	return h->own ? h->own : name_of_machine(h);
}

/* Each line with the rank's name in front. */
static void print_held(struct hosts *h, const char *text)
{
	while (text && *text) {
		size_t length = strcspn(text, "\n");

		app_say(stderr, "rank %u (%s): ", h->launcher.rank, name_of(h));
		fprintf(stderr, "%.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void say_held(struct hosts *h, bool wanted)
{
	char *text = held_take(&h->held);

	if (wanted)
		print_held(h, text);
	free(text);
}

/* What the library says counts as said, too. Before the run one thread says it. */
static void say_log(void *data, enum pstk_log_level level, const char *topic, const char *message)
{
	static const char *const names[] = { "error", "warning", "info", "debug" };

	(void)data;
	app_say(stderr, "penstock: %s: %s: %s\n", names[level], topic, message);
}

void hosts_hold(struct hosts *h)
{
	if (hosts_are_several(h))
		pstk_set_log(say_log, NULL);
	if (!hosts_is_first(h))
		held_begin(&h->held);
}

/* Of a wait for other processes. What is held is no place for it. */
static void begin_reminder(struct hosts *h, struct reminder *r, const char *what)
{
	char text[sizeof r->text];

	snprintf(text, sizeof text, "%s: rank %u (%s): has waited for %u s: %s", app_name, h->launcher.rank,
		name_of(h), reminder_seconds, what);
	reminder_begin(r, h->held.on ? h->held.written : STDERR_FILENO, text);
}

/* An actor that ends the process by exit() leaves the other ranks without a word. MPI calls it, too, where it is told
 * of another rank's end: on a thread that makes its calls, this one or the network's. */
static struct hosts *unended; /* between hosts_begin() and hosts_end(); NULL: is alone, or has ended */
static pthread_t opener;

static bool is_of_mpi(void)
{
	char name[16] = "";

	pthread_getname_np(pthread_self(), name, sizeof name);
	return pthread_equal(pthread_self(), opener) || !strcmp(name, "pstk-remote");
}

static void leave(void)
{
	struct hosts *h = unended;

	if (!h || is_of_mpi())
		return;
	unended = NULL;
	held_end(&h->held);
	hosts_fail(h, "the process ends by exit() before its run has");
	hosts_abort(h, EXIT_FAILED);
}

/* Without MPI no rank knows of the others: each says what is wrong, and ends them. */
__attribute__((noreturn)) static void fail(struct hosts *h, int status, const char *what)
{
	app_fail(status, "rank %u (%s): %s", h->launcher.rank, name_of(h), what);
	say_held(h, true);
	/* what the launcher has not read by then is lost */
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 200000000 }, NULL);
	launcher_give_up(status);
}

/* All processes take themselves for the only one. */
static int refuse_other_mpi(struct hosts *h)
{
	unsigned ranks = h->launcher.ranks;

	h->library.free(h->transport);
	h->transport = NULL;
	if (h->launcher.rank)
		held_begin(&h->held);
	app_fail(EXIT_USAGE,
		"%u processes were started, but libpenstock-mpi finds one only: it was built with another "
		"MPI than that of this mpirun. Start them with its mpirun, or name the library that fits, "
		"PENSTOCK_MPI=FILE",
		ranks);
	say_held(h, false);
	return h->status = EXIT_USAGE;
}

void hosts_fail(struct hosts *h, const char *what)
{
	app_fail(EXIT_FAILED, "rank %u (%s): %s", h->launcher.rank, name_of(h), what);
}

/* Once MPI has begun. */
__attribute__((noreturn)) static void lose(struct hosts *h, const char *what)
{
	say_held(h, true);
	hosts_fail(h, what);
	hosts_abort(h, EXIT_FAILED);
}

void hosts_lose(struct hosts *h, int err)
{
	const char *words = h->transport->error(h->transport->self);

	if (err == -ENOMEM)
		words = "out of memory";
	lose(h, *words ? words : h->beside->error(h->beside->self));
}

void hosts_end_rank(struct hosts *h, unsigned rank)
{
	if (h->processes && rank != h->transport->rank &&
		!strcmp(h->processes[rank].machine, name_of_machine(h)))
		kill(h->processes[rank].number, SIGKILL);
}

/* Which process each rank is. */
static void learn_processes(struct hosts *h)
{
	struct hosts_process mine = { .number = (int)getpid() };

	snprintf(mine.machine, sizeof mine.machine, "%s", name_of_machine(h));
	h->processes = calloc(h->transport->ranks, sizeof *h->processes);
	if (!h->processes)
		lose(h, "out of memory");
	if (talk_round(h->talk, &mine, sizeof mine, h->processes))
		lose(h, h->beside->error(h->beside->self));
}

static void open_talk(struct hosts *h, char *text, size_t size)
{
	int err = 0;

	h->beside = h->library.transport(text, size);
	if (!h->beside)
		fail(h, EXIT_FAILED, text);
	h->talk = talk_open(h->beside, 0, &err);
	if (!h->talk)
		lose(h, err == -ENOMEM ? "out of memory" : h->beside->error(h->beside->self));
	learn_processes(h);
	opener = pthread_self();
	if (!atexit(leave))
		unended = h;
}

int hosts_begin(struct hosts *h, int status)
{
	struct reminder reminder;
	char text[1024];

	if (!h->launcher.found)
		return status;
	/* what MPI has to say is said at once */
	held_end(&h->held);
	if (!mpi_library_load(&h->library, text, sizeof text))
		fail(h, EXIT_USAGE, text);
	begin_reminder(h, &reminder,
		"the other processes do not begin MPI. Does each run the same command, and has each host "
		"penstock and its libraries?");
	h->transport = h->library.transport(text, sizeof text);
	reminder_end(&reminder);
	if (!h->transport)
		fail(h, EXIT_FAILED, text);
	if (h->transport->ranks < 2 && h->launcher.ranks)
		return refuse_other_mpi(h);
	if (h->transport->ranks < 2) {
		h->library.free(h->transport);
		h->transport = NULL;
		return status;
	}
	h->launcher.rank = h->transport->rank;
	open_talk(h, text, sizeof text);
	hosts_hold(h);
	return status;
}

void hosts_abort(struct hosts *h, int status)
{
	unended = NULL;
	fflush(NULL);
	h->transport->abort(h->transport->self, status);
	_exit(status);
}

/* Every rank's word. */
static void meet(struct hosts *h, int status, struct word *words)
{
	struct word mine = { .said = app_said(), .status = (uint32_t)status };
	struct reminder reminder;
	int err;

	snprintf(mine.host, sizeof mine.host, "%s", h->own ? h->own : "");
	snprintf(mine.subject, sizeof mine.subject, "%s", h->subject);
	begin_reminder(h, &reminder, "another rank has not come as far");
	err = talk_round(h->talk, &mine, sizeof mine, words);
	reminder_end(&reminder);
	if (err)
		lose(h, h->beside->error(h->beside->self));
}

/* Ranks that do different things would wait for each other in vain. */
static int check_subjects(const struct hosts *h, const struct word *words)
{
	unsigned r = 1;

	while (r < h->transport->ranks && !strcmp(words[r].subject, words[0].subject))
		r++;
	if (r == h->transport->ranks)
		return 0;
	if (hosts_is_first(h))
		app_fail(EXIT_USAGE,
			"rank 0 runs 'penstock %s' and rank %u 'penstock %s': start the same command in each "
			"process",
			words[0].subject, r, words[r].subject);
	return EXIT_USAGE;
}

static struct word *allocate(struct hosts *h)
{
	struct word *words = calloc(h->transport->ranks, sizeof *words);

	if (!words)
		lose(h, "out of memory");
	return words;
}

int hosts_agree(struct hosts *h, int status)
{
	struct word *words;
	bool same;

	if (!h->talk || h->status)
		return h->status ? h->status : status;
	held_end(&h->held);
	pstk_set_log(NULL, NULL);
	words = allocate(h);
	meet(h, status, words);
	for (unsigned r = 0; r < h->transport->ranks && !h->status; r++)
		h->status = (int)words[r].status;
	if (!h->status)
		h->status = check_subjects(h, words);
	same = words[0].said == app_said() && (!status || words[0].status == (uint32_t)status);
	say_held(h, !same);
	free(words);
	return h->status;
}

/* Two ranks can't be one host. */
static int check_names(struct hosts *h)
{
	struct word *words = allocate(h);
	int status = 0;

	meet(h, 0, words);
	for (unsigned r = 0; r < h->transport->ranks && !status; r++)
		for (unsigned k = 0; k < r && !status; k++)
			if (!strcmp(words[k].host, words[r].host))
				status = app_fail(EXIT_USAGE,
					"ranks %u and %u are both host '%s', and each host has one process: "
					"say which rank is which host, by --host or by their addresses in "
					"the machine",
					k, r, words[r].host);
	free(words);
	return status;
}

int hosts_join(struct hosts *h, struct pstk_network *network)
{
	int status = hosts_agree(h, 0);

	if (status || !h->talk)
		return status;
	hosts_hold(h);
	status = hosts_agree(h, check_names(h));
	if (status)
		return status;
	if (pstk_network_set_hosts(network, h->transport, h->own)) {
		app_say_problems(network);
		hosts_abort(h, EXIT_FAILED);
	}
	hosts_hold(h);
	return 0;
}

int hosts_end(struct hosts *h, int status)
{
	status = hosts_agree(h, status);
	unended = NULL;
	say_held(h, true);
	talk_close(h->talk);
	if (h->beside)
		h->library.free(h->beside);
	if (h->transport)
		h->library.free(h->transport);
	free(h->own);
	free(h->processes);
	return status;
}
