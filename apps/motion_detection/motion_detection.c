/* SPDX-License-Identifier: MIT */
/* Motion detection on video: the program. */
#include "config.h"

#include "apps/motion_detection/files.h"
#include "apps/motion_detection/network.h"
#include "apps/motion_detection/options.h"
#include "apps/motion_detection/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_NS UINT64_C(200000000) /* between two progress lines */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static double per_second(uint64_t frames, uint64_t ns)
{
	return ns ? (double)frames * 1e9 / (double)ns : 0;
}

/* Waits for the end, on a terminal with a line that says how far it is. */
static int wait_with_progress(const struct motion *motion, const struct options *options, uint64_t begin)
{
	int err;

	if (!isatty(STDERR_FILENO))
		return pstk_network_wait(motion->network);
	while ((err = pstk_network_wait_for(motion->network, PROGRESS_NS)) == -ETIMEDOUT) {
		uint64_t frames = motion_frames(motion);

		fprintf(stderr, "\r%" PRIu64, frames);
		if (options->frames)
			fprintf(stderr, " of %" PRIu64, options->frames);
		fprintf(stderr, " frames, %.1f frames/s\033[K", per_second(frames, now_ns() - begin));
	}
	fputs("\r\033[K", stderr);
	return err;
}

/* How long an actor was busy: in its function, or with PENSTOCK_PROFILE on its device. */
static uint64_t busy_ns(const struct pstk_actor *actor, uint64_t *firings, bool *on_device)
{
	struct pstk_actor_stats stats = { 0 };
	struct pstk_device_info device;

	pstk_actor_get_stats(actor, &stats);
	*on_device = !pstk_actor_device(actor, &device);
	*firings = stats.firings;
	return *on_device ? stats.device_ns : stats.fire_ns;
}

/* What a device's actors take is known only when it is measured: without, the cores' are compared. */
static void print_busiest(const struct motion *motion, uint64_t ns)
{
	const struct pstk_actor *busiest = NULL;
	uint64_t most = 0, most_firings = 0;
	bool unknown = false;

	for (unsigned i = 0; i < pstk_network_actor_count(motion->network); i++) {
		const struct pstk_actor *actor = pstk_network_actor(motion->network, i);
		uint64_t firings, busy;
		bool on_device;

		busy = busy_ns(actor, &firings, &on_device);
		if (on_device && firings && !busy)
			unknown = true;
		else if (!busiest || busy > most) {
			busiest = actor;
			most = busy;
			most_firings = firings;
		}
	}
	fprintf(stderr, "busiest actor%s: %s, %.0f %% of the time in %" PRIu64 " firings\n",
		unknown ? " on the cores" : "", pstk_actor_name(busiest),
		ns ? 100.0 * (double)most / (double)ns : 0, most_firings);
}

/* The time to build kernels, in start(), is told apart: it does not grow with the video. */
static void print_summary(const struct motion *motion, const struct motion_times *times)
{
	uint64_t frames = motion_frames(motion);

	if (motion->uses_device)
		fprintf(stderr, "the kernels were ready after %.3f s\n", (double)times->start_ns / 1e9);
	fprintf(stderr, "%" PRIu64 " frames in %.3f s: %.1f frames/s\n", frames, (double)times->run_ns / 1e9,
		per_second(frames, times->run_ns));
	print_busiest(motion, times->run_ns);
}

/* A signal that ended the input is no failure; one that came before the first frame leaves nothing to
 * complete. */
static bool was_interrupted(const struct motion *motion, int err)
{
	return pstk_network_signal(motion->network) && (!err || err == -ECANCELED || err == -ENODATA);
}

static int run(
	struct motion *motion, const struct options *options, struct stats *stats, const sigset_t *blocked)
{
	struct motion_times times = { 0 };
	uint64_t begin;
	int err, status;

	pstk_network_print(motion->network, stderr);
	err = pstk_network_handle_signals(motion->network);
	if (!err)
		err = pstk_network_snapshot_on_signal(motion->network, SIGUSR1);
	sigprocmask(SIG_UNBLOCK, blocked, NULL);
	begin = now_ns();
	if (!err)
		err = pstk_network_start(motion->network);
	times.start_ns = now_ns() - begin;
	begin += times.start_ns;
	if (!err)
		err = wait_with_progress(motion, options, begin);
	times.run_ns = now_ns() - begin;
	if (err && !was_interrupted(motion, err)) {
		fprintf(stderr, "motion_detection: %s\n", pstk_network_error(motion->network));
		stats_drop(stats);
		return err == -EDEADLK ? EXIT_DEADLOCKED : EXIT_FAILED;
	}
	print_summary(motion, &times);
	status = stats_write(stats, motion, options, &times);
	if (was_interrupted(motion, err)) {
		fprintf(stderr, "motion_detection: interrupted%s\n", err ? ", no file was completed" : "");
		return EXIT_INTERRUPTED;
	}
	return status;
}

/* Before the network handles signals: what may wait, the input and FIFOs, is opened while there are no files
 * yet, and a signal ends the program at once. The files are opened while signals are blocked. Afterwards only
 * files are closed and named, which the first signal lets happen. */
static volatile sig_atomic_t files_begun;

static void on_signal(int number)
{
	static const char text[] = "motion_detection: interrupted\n";

	(void)number;
	if (!files_begun && write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
		/* it ends anyway */
	}
	if (files_begun != 1)
		_exit(EXIT_INTERRUPTED);
	files_begun = 2;
}

static void handle_signals(sigset_t *set)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = on_signal }, former;

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		sigaddset(set, numbers[i]);
		if (!sigaction(numbers[i], NULL, &former) && former.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	/* a closed pipe and a file that is too large are errors like any other */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* --check: the analyser's word, and no file is touched but the input. */
static int check(const struct motion *motion)
{
	int err = pstk_network_check(motion->network, stdout, NULL);

	if (fflush(stdout) && err >= 0)
		err = -errno;
	if (err < 0 && err != -EDEADLK)
		fprintf(stderr, "motion_detection: --check: %s\n", strerror(-err));
	return err == -EDEADLK ? EXIT_DEADLOCKED : err < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Opens everything; the files last. */
static int open_all(
	struct motion *motion, const struct options *options, struct stats **stats, const sigset_t *set)
{
	int status = motion_open(motion, options);

	if (!status)
		status = motion_open_outputs(motion, options, true);
	if (!status && options->stats && files_is_fifo(options->stats))
		status = stats_open(stats, options->stats);
	sigprocmask(SIG_BLOCK, set, NULL);
	files_begun = 1;
	if (!status)
		status = motion_open_outputs(motion, options, false);
	if (!status && !*stats)
		status = stats_open(stats, options->stats);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct motion motion = { 0 };
	struct stats *stats = NULL;
	sigset_t set;
	int status;

	files_fill_standard();
	handle_signals(&set);
	if (options_parse(&options, argc, argv, &status)) {
		status = options.check ? motion_open(&motion, &options)
		                       : open_all(&motion, &options, &stats, &set);
		if (status)
			stats_drop(stats);
		else
			status = options.check ? check(&motion) : run(&motion, &options, stats, &set);
		motion_close(&motion, &options);
	}
	options_free(&options);
	return status;
}
