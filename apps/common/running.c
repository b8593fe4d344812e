/* SPDX-License-Identifier: MIT */
/* A run of a network: from its start to its summary. */
#include "config.h"

#include "apps/common/running.h"
#include "actors/common/message.h"
#include "apps/common/app.h"
#include "apps/common/arguments.h"
#include "apps/common/changes.h"
#include "apps/common/signals.h"
#include "apps/common/top.h"

#include <penstock/hosts.h>
#include <penstock/pipeline.h>
#include <penstock/plan.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PROGRESS_NS UINT64_C(200000000) /* between two progress lines */
#define TOP_NS UINT64_C(1000000000)     /* .. and two tables */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static double per_second(uint64_t count, uint64_t ns)
{
	return ns ? (double)count * 1e9 / (double)ns : 0;
}

uint64_t running_count(const struct running *running)
{
	struct pstk_fifo_info info;

	return pstk_fifo_get_info(running->last, &info) ? 0 : info.written;
}

double running_per_second(const struct running *running)
{
	return per_second(running_count(running), running->run_ns);
}

bool running_is_sink(const struct pstk_fifo *fifo)
{
	struct pstk_fifo_info info = { 0 };
	const struct pstk_actor_type *type;

	if (pstk_fifo_get_info(fifo, &info))
		return false;
	type = pstk_actor_get_type(info.dst);
	for (unsigned i = 0; i < type->port_count; i++)
		if (type->ports[i].kind == PSTK_OUTPUT || type->ports[i].kind == PSTK_DYNAMIC_OUTPUT)
			return false;
	return true;
}

/* Does a plan say when first windows come? */
static bool is_planned(const struct pstk_network *network)
{
	struct pstk_arrival arrival;

	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++)
		if (!pstk_fifo_get_arrival(pstk_network_fifo(network, i), &arrival) &&
			arrival.planned != PSTK_NO_CYCLE)
			return true;
	return false;
}

/* "1 frame", "2 frames"; of samples there are millions: "1.2 Msamples/s". whole: so many are to come, if not 0. */
static void print_flow(
	FILE *out, const char *unit, uint64_t count, uint64_t whole, uint64_t ns, const char *between)
{
	double rate = per_second(count, ns);
	bool mega = rate >= 1e6;

	if (whole)
		fprintf(out, "%" PRIu64 " of ", count);
	fprintf(out, "%" PRIu64 " %.*s", whole ? whole : count,
		(int)strlen(unit) - ((whole ? whole : count) == 1), unit);
	if (between)
		fprintf(out, " in %.3f s", (double)ns / 1e9);
	fprintf(out, "%s%.1f %s%s/s", between ? between : ", ", mega ? rate / 1e6 : rate, mega ? "M" : "",
		unit);
}

/* What has come to each sink. */
static void print_flows(
	FILE *out, const struct running *running, uint64_t ns, const char *between, const char *apart)
{
	struct pstk_fifo_info info;
	bool first = true;

	if (running->last) {
		print_flow(out, running->unit, running_count(running), between ? 0 : running->expected, ns,
			between);
		return;
	}
	for (unsigned i = 0; i < pstk_network_fifo_count(running->network); i++) {
		const struct pstk_fifo *fifo = pstk_network_fifo(running->network, i);

		if (!running_is_sink(fifo) || pstk_fifo_get_info(fifo, &info))
			continue;
		fprintf(out, "%s%s.%s: ", first ? "" : apart, pstk_actor_name(info.dst),
			pstk_actor_get_type(info.dst)->ports[info.dst_port].name);
		print_flow(out, running->unit, info.written, 0, ns, between);
		first = false;
	}
	if (first)
		fputs("no actor without outputs", out);
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
struct busiest {
	const struct pstk_actor *actor; /* NULL: there is none */
	uint64_t ns, firings;
	bool unknown, is_device;
};

static struct busiest find_busiest(const struct pstk_network *network)
{
	struct busiest busiest = { 0 };

	for (unsigned i = 0; i < pstk_network_actor_count(network); i++) {
		const struct pstk_actor *actor = pstk_network_actor(network, i);
		uint64_t firings, busy;
		bool on_device;

		busy = busy_ns(actor, &firings, &on_device);
		if (on_device && firings && !busy)
			busiest.unknown = true;
		else if (!busiest.actor || busy > busiest.ns)
			busiest = (struct busiest){ actor, busy, firings, busiest.unknown, on_device };
	}
	return busiest;
}

static void print_busiest(const struct pstk_network *network, uint64_t ns)
{
	struct busiest busiest = find_busiest(network);
	double percent = ns ? 100.0 / (double)ns : 0;

	if (!busiest.actor)
		return;
	fprintf(stderr, "busiest actor%s: %s, %.0f %% of one thread's time ",
		busiest.unknown ? " on the cores" : "", pstk_actor_name(busiest.actor),
		(double)busiest.ns * percent);
	if (!busiest.is_device) /* on a loaded machine, or in a call that waits, it is less */
		fprintf(stderr, "(CPU time %.0f %%) ", (double)pstk_actor_cpu_ns(busiest.actor) * percent);
	fprintf(stderr, "in %" PRIu64 " firing%s\n", busiest.firings, ps_plural(busiest.firings));
}

/* How full all FIFOs are together, in percent of their bytes. */
static double fill_of(const struct pstk_network *network)
{
	double full = 0, room = 0;

	for (unsigned i = 0; i < pstk_network_fifo_count(network); i++) {
		struct pstk_fifo_info info = { 0 };

		pstk_fifo_get_info(pstk_network_fifo(network, i), &info);
		full += (double)info.fill * (double)info.token_size;
		room += (double)info.room * (double)info.token_size;
	}
	return room > 0 && full < room ? 100 * full / room : room > 0 ? 100 : 0;
}

/* One line, so much of it as the terminal has room for. */
static void print_progress(const struct running *running, uint64_t ns)
{
	struct busiest busiest = find_busiest(running->network);
	char line[512] = "";
	struct winsize window = { 0 };
	FILE *out = fmemopen(line, sizeof line, "w");
	int room = sizeof line;

	if (!out)
		return;
	print_flows(out, running, ns, NULL, "; ");
	fprintf(out, "; FIFOs %.0f %% full", fill_of(running->network));
	if (busiest.ns)
		fprintf(out, "; busiest: %s", pstk_actor_name(busiest.actor));
	fclose(out);
	line[sizeof line - 1] = '\0';
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col)
		room = window.ws_col - 1;
	fprintf(stderr, "\r%.*s\033[K", room, line);
}

/* Waits for the end, with a table each second. Without memory for it there is none. */
static int wait_with_top(const struct running *running)
{
	struct top *top = top_create(running->network, running->host);
	int err;

	while ((err = pstk_network_wait_for(running->network, TOP_NS)) == -ETIMEDOUT)
		if (top)
			top_print(top, stderr);
	if (top) /* of the run's end, which may be its only one */
		top_print(top, stderr);
	top_free(top);
	return err;
}

static void add_rates(const struct running *running, uint64_t begin)
{
	if (running->rates)
		rates_add(running->rates, running->network, running_count(running), now_ns() - begin);
}

/* Waits for the end, on a terminal with a line that says how far it is, and one for each change of a pipeline. */
static int wait_with_progress(const struct running *running, uint64_t begin)
{
	bool terminal = !running->quiet && isatty(STDERR_FILENO);
	struct changes *changes;
	int err;

	if (running->top && !running->quiet)
		return wait_with_top(running);
	if (!terminal && !running->rates)
		return pstk_network_wait(running->network);
	changes = terminal ? changes_create(running->network) : NULL;
	while ((err = pstk_network_wait_for(running->network, PROGRESS_NS)) == -ETIMEDOUT) {
		changes_print(changes, stderr);
		if (terminal)
			print_progress(running, now_ns() - begin);
		add_rates(running, begin);
	}
	if (terminal)
		fputs("\r\033[K", stderr);
	changes_print(changes, stderr);
	changes_free(changes);
	add_rates(running, begin);
	return err;
}

/* The time to build kernels, in start(), is told apart: it does not grow with the stream. */
static void print_summary(const struct running *running)
{
	if (running->uses_device)
		fprintf(stderr, "the kernels were ready after %.3f s\n", (double)running->start_ns / 1e9);
	print_flows(stderr, running, running->run_ns, ": ", "\n");
	fputc('\n', stderr);
	print_busiest(running->network, running->run_ns);
}

/* A signal that ended the input is no failure; one that came before its first token leaves nothing to
 * complete. */
static bool was_interrupted(const struct running *running)
{
	int err = running->err;

	return pstk_network_signal(running->network) && (!err || err == -ECANCELED || err == -ENODATA);
}

/* Has an earlier actor the same device? */
static bool is_said(const struct pstk_network *network, unsigned index, const char *selector)
{
	struct pstk_device_info device;

	for (unsigned i = 0; i < index; i++) {
		if (!pstk_actor_device(pstk_network_actor(network, i), &device) &&
			!strcmp(device.selector, selector))
			return true;
	}
	return false;
}

/* Each device once, with the actors that it runs. */
static void print_devices(const struct pstk_network *network)
{
	struct pstk_device_info device, other;
	unsigned count = pstk_network_actor_count(network);

	for (unsigned i = 0; i < count; i++) {
		if (pstk_actor_device(pstk_network_actor(network, i), &device) ||
			is_said(network, i, device.selector))
			continue;
		fprintf(stderr, "  on %s (%s, driver %s):", device.selector, device.name, device.driver);
		for (unsigned k = i; k < count; k++) {
			const struct pstk_actor *actor = pstk_network_actor(network, k);

			if (!pstk_actor_device(actor, &other) && !strcmp(other.selector, device.selector))
				fprintf(stderr, " %s", pstk_actor_name(actor));
		}
		fputc('\n', stderr);
	}
}

static void print_network(const struct running *running)
{
	const struct pstk_network *network = running->network;
	unsigned threads = pstk_network_threads(network), actors = pstk_network_actor_count(network),
		 fifos = pstk_network_fifo_count(network);

	if (!running->listed_by) {
		pstk_network_print(network, stderr);
		return;
	}
	fprintf(stderr, "network '%s': %u actor%s, %u FIFO%s", pstk_network_name(network), actors,
		ps_plural(actors), fifos, ps_plural(fifos));
	if (threads)
		fprintf(stderr, ", a team of %u thread%s", threads, ps_plural(threads));
	fprintf(stderr, ", %.3f MB of FIFO memory; %s lists them\n",
		(double)pstk_network_shared_bytes(network) / 1e6, running->listed_by);
	print_devices(network);
}

static int set_trace(const struct running *running)
{
	const struct running_trace *t = &running->trace;

	if (!t->path)
		return 0;
	return pstk_network_set_trace(running->network, strcmp(t->path, "-") != 0 ? t->path : "/dev/stdout",
		t->bytes ? t->bytes : PSTK_TRACE_BYTES, t->keep);
}

/* What is looked at while it runs. */
static int set_watch(struct running *running)
{
	int err = set_trace(running);

	running->cycles = running->cycles && is_planned(running->network);
	if (!err && (running->looks || running->explain || running->top))
		err = pstk_network_set_sampling(running->network, PSTK_SAMPLING_NS);
	if (!err && (running->looks || running->latency))
		err = pstk_network_set_latency(running->network, PSTK_LATENCY_NS);
	if (!err && running->cycles)
		err = pstk_network_note_arrivals(running->network);
	return err;
}

/* Of those that this process has run. */
static void print_pipelines(const struct running *running)
{
	const struct pstk_pipeline *p;

	for (unsigned n = 0; (p = pstk_network_pipeline(running->network, n)); n++) {
		const char *host = pstk_actor_host(pstk_pipeline_actor(p));

		if (!running->host || !host || !strcmp(host, running->host))
			pstk_pipeline_print(p, stderr);
	}
}

static void print_results(const struct running *running)
{
	print_summary(running);
	if (running->pipelines)
		print_pipelines(running);
	if (running->explain)
		pstk_network_explain(running->network, stderr);
	if (running->latency)
		pstk_network_print_latencies(running->network, stderr);
	if (running->cycles)
		pstk_network_print_arrivals(running->network, stderr);
}

int running_run(struct running *running)
{
	uint64_t begin;
	int err;

	if (!running->quiet)
		print_network(running);
	err = set_watch(running);
	if (!err)
		err = pstk_network_handle_signals(running->network);
	if (!err)
		err = pstk_network_snapshot_on_signal(running->network, SIGUSR1);
	signals_unblock();
	begin = now_ns();
	if (!err)
		err = pstk_network_start(running->network);
	running->start_ns = now_ns() - begin;
	begin += running->start_ns;
	if (!err && running->started)
		running->started(running->data, running->network);
	if (!err)
		err = wait_with_progress(running, begin);
	running->run_ns = now_ns() - begin;
	running->err = err;
	if (err && !was_interrupted(running)) {
		if (!running->quiet)
			app_fail(EXIT_FAILED, "%s", pstk_network_error(running->network));
		return err == -EDEADLK ? EXIT_DEADLOCKED : EXIT_FAILED;
	}
	if (!running->quiet)
		print_results(running);
	return 0;
}

int running_status(const struct running *running, int status)
{
	if (!was_interrupted(running))
		return status;
	if (running->quiet)
		return EXIT_INTERRUPTED;
	return app_fail(EXIT_INTERRUPTED, "interrupted%s", running->err ? ", no file was completed" : "");
}

/* Of what was printed: what to exit with. */
static int verdict_status(const char *option, int err)
{
	if (ferror(stdout) | fflush(stdout))
		return arguments_stdout_failed();
	if (err < 0 && err != -EDEADLK)
		return app_fail(EXIT_FAILED, "%s: %s", option, strerror(-err));
	return err == -EDEADLK ? EXIT_DEADLOCKED : EXIT_DONE;
}

int running_print_network(struct pstk_network *net)
{
	int err = pstk_network_print(net, stdout);

	if (!err) {
		putchar('\n');
		err = pstk_network_check(net, stdout, NULL);
	}
	return verdict_status("--print-network", err);
}

int running_check(struct pstk_network *net)
{
	return verdict_status("--check", pstk_network_check(net, stdout, NULL));
}
