/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline.h"
#include "lib/base/clock.h"
#include "lib/base/environment.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"
#include "lib/firing/task.h"
#include "lib/model/error.h"
#include "lib/model/place.h"
#include "lib/model/type.h"
#include "lib/observe/timeline_arrows.h"
#include "lib/observe/timeline_file.h"
#include "lib/observe/timeline_moves.h"
#include "lib/observe/timeline_spans.h"
#include "lib/observe/watch.h"
#include "lib/plan/ranks.h"
#include "lib/plan/threads.h"
#include "lib/schedule/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_timeline(struct ps_timeline *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	ps_trace_free(t->own);
	ps_memory_free(t->actors);
	ps_memory_free(t->partials);
	ps_memory_free(t->fills);
	ps_memory_free(t->queues);
	ps_memory_free((void *)t->first);
	ps_memory_free((void *)t->next);
	while (t->parts) {
		struct ps_trace_part *next = t->parts->next;

		ps_trace_part_free(t->parts);
		t->parts = next;
	}
	ps_trace_free(t->joined);
	ps_memory_free(t->path);
	ps_memory_free(t);
}

/* path: is copied. NULL: out of memory. */
static struct ps_timeline *create(const char *path)
{
	struct ps_timeline *t = ps_memory_zalloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->fd = -1;
	t->bytes = PSTK_TRACE_BYTES;
	t->path = ps_memory_strdup(path);
	if (t->path)
		return t;
	free_timeline(t);
	return NULL;
}

int ps_timeline_create(struct pstk_network *net)
{
	const char *path = ps_environment_text(PS_VARIABLE_TRACE);

	if (!path || !*path)
		return 0;
	net->watch->timeline = create(path);
	net->traces = net->watch->timeline;
	if (!net->traces)
		return -ENOMEM;
	net->watch->timeline->from_environment = true;
	return 0;
}

void ps_timeline_free(struct pstk_network *net)
{
	struct ps_timeline *t = net->watch ? net->watch->timeline : NULL;

	/* a start that has failed leaves no file that says nothing */
	if (t && t->created && t->fd >= 0 && !lseek(t->fd, 0, SEEK_END))
		unlink(t->path);
	free_timeline(t);
}

static int refuse(struct pstk_network *net, const char *path, size_t bytes, enum pstk_trace_keep keep)
{
	if (!*path)
		return pstk_network_refuse(net, -EINVAL, "network '%s': its trace has no name", net->name);
	if (!bytes)
		return pstk_network_refuse(net, -EINVAL,
			"network '%s': trace '%.200s': 0 bytes of memory: PSTK_TRACE_BYTES are %zu",
			net->name, path, PSTK_TRACE_BYTES);
	return pstk_network_refuse(net, -EINVAL,
		"network '%s': trace '%.200s': keep is %d: PSTK_TRACE_LAST or PSTK_TRACE_FIRST", net->name,
		path, (int)keep);
}

int pstk_network_set_trace(
	struct pstk_network *net, const char *path, size_t bytes, enum pstk_trace_keep keep)
{
	int err = ps_network_building(net, __func__);
	struct ps_timeline *t = NULL;

	if (err)
		return err;
	if (path && (!*path || !bytes || (keep != PSTK_TRACE_LAST && keep != PSTK_TRACE_FIRST)))
		return refuse(net, path, bytes, keep);
	if (path) {
		t = create(path);
		if (!t)
			return pstk_network_refuse(
				net, -ENOMEM, "network '%s': no memory for its trace's name", net->name);
		t->bytes = bytes;
		t->keep_first = keep == PSTK_TRACE_FIRST;
	}
	free_timeline(net->watch->timeline);
	net->watch->timeline = t;
	net->traces = t;
	return 0;
}

/*
 * Start.
 */

/* The environment has one name for all networks that this process starts: FILE, FILE.2, FILE.3, .. */
static bool number_file(struct ps_timeline *t)
{
	static atomic_uint networks;
	unsigned n = atomic_fetch_add(&networks, 1) + 1;
	size_t size = strlen(t->path) + 12;
	char *name = n > 1 ? ps_memory_zalloc(1, size) : NULL;

	if (n == 1)
		return true;
	if (!name)
		return false;
	snprintf(name, size, "%s.%u", t->path, n);
	ps_memory_free(t->path);
	t->path = name;
	return true;
}

/* Does it begin as a trace does, or is it empty? What else is there may be precious. */
static bool is_trace(int fd)
{
	char begin[sizeof PS_TIMELINE_BEGIN];
	ssize_t n = pread(fd, begin, sizeof begin - 1, 0);

	return !n || (n == sizeof begin - 1 && !memcmp(begin, PS_TIMELINE_BEGIN, sizeof begin - 1));
}

/* A negative errno: it can't be written, and which. -EEXIST: it is no trace. */
static int open_regular(struct ps_timeline *t)
{
	t->fd = open(t->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (t->fd < 0)
		return -errno;
	if (flock(t->fd, LOCK_EX | LOCK_NB)) {
		t->created = false; /* it is another one's */
		return -EBUSY;
	}
	return is_trace(t->fd) ? 0 : -EEXIST;
}

/* A pipe whose reader goes away shall say so: so it is not opened for reading too. */
static int open_file(struct ps_timeline *t)
{
	struct stat s;

	t->created = stat(t->path, &s) != 0;
	if (t->created || S_ISREG(s.st_mode))
		return open_regular(t);
	t->fd = open(t->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (t->fd < 0)
		return -errno;
	fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) & ~O_NONBLOCK);
	return 0;
}

static const char *why_not(int err, char *buffer, size_t size)
{
	switch (err) {
	case -EBUSY:
		return "another network or process writes its trace there";
	case -EEXIST:
		return "it is there and is no trace: remove it, or give another name";
	case -ENXIO:
		return "a pipe that nobody reads";
	default:
		return ps_strerror(-err, buffer, size);
	}
}

/* A file of the environment's that can't be had is no reason to have no run. */
static int refuse_file(struct pstk_network *net, int err)
{
	const struct ps_timeline *t = net->watch->timeline;
	char reason[64];
	const char *why = why_not(err, reason, sizeof reason);

	if (!t->from_environment)
		return ps_network_fail(net, err, "network '%s': trace '%.200s': %s", net->name, t->path, why);
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: no trace: %s: '%.200s': %s", net->name,
		ps_environment_table[PS_VARIABLE_TRACE].name, t->path, why);
	return 0;
}

static unsigned count_threads(const struct pstk_network *net)
{
	unsigned threads = pstk_network_threads(net);

	for (unsigned i = 0; i < net->task_count; i++)
		threads += ps_thread_count(net->tasks[i]);
	return threads;
}

static bool take_memory(struct pstk_network *net, struct ps_timeline *t)
{
	const struct pstk_fifo **first;
	uint32_t *partial;
	size_t count = 0;

	for (unsigned i = 0; i < net->actor_count; i++)
		count += net->actors[i]->type.port_count;
	t->trace = t->own = ps_trace_create(t->bytes, count_threads(net), t->keep_first);
	t->actors = ps_memory_zalloc(net->actor_count, sizeof *t->actors);
	t->partials = partial = ps_memory_zalloc(count, sizeof *t->partials);
	t->fills = ps_memory_zalloc(net->fifo_count, sizeof *t->fills);
	t->queues = ps_memory_zalloc(
		PSTK_PLACES_MAX * (net->actor_count + 2 * (size_t)net->fifo_count), sizeof *t->queues);
	t->first = first = ps_memory_zalloc(count, sizeof(*first));
	t->next = ps_memory_zalloc(net->fifo_count, sizeof(*t->next));
	if (!t->trace || !t->actors || !t->partials || !t->fills || !t->queues || !first || !t->next)
		return false;
	for (unsigned i = 0; i < net->actor_count; i++) {
		t->actors[i].partial = partial;
		t->actors[i].first = first;
		partial += net->actors[i]->type.port_count;
		first += net->actors[i]->type.port_count;
	}
	return true;
}

/* Does the process of rank 0 write the file of all? */
static bool is_for_another(const struct pstk_network *net)
{
	return ps_ranks_count(net) && ps_ranks_of_host(net, net->host);
}

int ps_timeline_prepare(struct pstk_network *net)
{
	struct ps_timeline *t = net->watch->timeline;
	size_t least;
	int err;

	if (!t)
		return 0;
	least = ps_trace_least(count_threads(net));
	if (t->bytes < least || net->actor_count > PS_TRACE_ACTORS_MOST)
		return ps_network_fail(net, -EINVAL,
			"network '%s': its trace has %zu bytes of memory: with so many threads it needs %zu",
			net->name, t->bytes, least);
	if (t->from_environment && !is_for_another(net) && !number_file(t))
		return ps_network_fail(
			net, -ENOMEM, "network '%s': no memory for its trace's name", net->name);
	err = is_for_another(net) ? 0 : open_file(t);
	if (err)
		return refuse_file(net, err);
	if (!take_memory(net, t))
		return ps_network_fail(net, -ENOMEM, "network '%s': no memory for a trace of %.3f MB",
			net->name, (double)t->bytes / 1e6);
	net->trace = t->trace;
	for (unsigned i = 0; i < net->task_count; i++)
		net->tasks[i]->trace = t->trace;
	t->zero = ps_clock_ns();
	return 0;
}

/*
 * The end.
 */

/* A file without a name is read by the program itself, which finds in it what is lost. */
static void say_lost(const struct pstk_network *net, const struct ps_timeline *t)
{
	uint64_t lost = ps_trace_lost(t->trace), fired = ps_trace_fired(t->trace);
	struct stat s;
	bool named = fstat(t->fd, &s) || s.st_nlink;

	if (lost)
		ps_log(PS_TOPIC_NETWORK, named ? PSTK_LOG_WARNING : PSTK_LOG_INFO,
			"%s: the trace '%.200s' has the %s %llu of %llu firings: more memory than %zu bytes "
			"would keep more",
			net->name, t->path, t->keep_first ? "first" : "last",
			(unsigned long long)(fired - lost), (unsigned long long)fired, t->bytes);
}

static int write_file(const struct pstk_network *net, const struct ps_timeline *t)
{
	struct ps_timeline_file f = { .net = net, .timeline = t };
	int err = ps_timeline_open(&f);

	if (err)
		return err;
	ps_timeline_look_at_ends(net, t);
	ps_timeline_spans(&f);
	ps_timeline_moves(&f);
	ps_timeline_fills(&f);
	ps_timeline_arrows(&f);
	return ps_timeline_close(&f);
}

/* A reader of a pipe that goes away shall end the writing, and not the program. */
static int write_file_quietly(const struct pstk_network *net, const struct ps_timeline *t)
{
	static const struct timespec now;
	sigset_t pipe, former;
	int err;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &former);
	err = write_file(net, t);
	if (err == -EPIPE && !sigismember(&former, SIGPIPE))
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	return err;
}

/* Is what has its name another file by now? An output that gets its name at the end has replaced it. */
static bool is_replaced(const struct ps_timeline *t)
{
	struct stat here, there;

	return !fstat(t->fd, &here) && S_ISREG(here.st_mode) &&
	       (stat(t->path, &there) || here.st_ino != there.st_ino || here.st_dev != there.st_dev);
}

void ps_timeline_pack(const struct pstk_network *net, struct ps_bytes *to)
{
	struct ps_trace *trace = net->trace;

	ps_bytes_put_number(to, trace != NULL);
	if (!trace)
		return;
	ps_trace_collect(trace);
	ps_trace_pack(trace, to);
}

int ps_timeline_take(struct pstk_network *net, unsigned host, int64_t ahead, struct ps_bytes_left *from)
{
	struct ps_timeline *t = net->watch->timeline;
	struct ps_trace_part *part;
	uint64_t there;
	int err;

	if (!ps_bytes_take_number(from, &there) || there > 1)
		return -EPROTO;
	part = there ? ps_trace_take(from, host, ahead, net->actor_count, &err) : NULL;
	if (there && !part)
		return err;
	if (!part || !net->trace) {
		ps_trace_part_free(part);
		return 0;
	}
	part->next = t->parts;
	t->parts = part;
	return 0;
}

/* The file begins with what was first in any process. */
static void find_zero(struct ps_timeline *t)
{
	for (uint32_t n = 0; n < t->trace->order_count; n++)
		if (ps_trace_at(t->trace, n)->begin < t->zero)
			t->zero = ps_trace_at(t->trace, n)->begin;
}

static void collect(const struct pstk_network *net, struct ps_timeline *t)
{
	ps_trace_collect(t->own);
	t->joined = t->parts ? ps_trace_join(t->own, net->host, t->parts) : NULL;
	if (t->parts && !t->joined)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING,
			"%s: the trace '%.200s' lacks those of other hosts: out of memory", net->name,
			t->path);
	if (!t->joined)
		return;
	t->trace = t->joined;
	find_zero(t);
}

int ps_timeline_write(struct pstk_network *net)
{
	struct ps_timeline *t = net->watch->timeline;
	char reason[64];
	const char *why;
	int err;

	if (!t || !net->trace || t->fd < 0)
		return 0;
	collect(net, t);
	say_lost(net, t);
	err = is_replaced(t) ? -ENOENT : write_file_quietly(net, t);
	why = err == -ENOENT ? "another file has taken its name" : ps_strerror(-err, reason, sizeof reason);
	if (err && t->from_environment)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING, "%s: %s: '%.200s': %s: it ends early", net->name,
			ps_environment_table[PS_VARIABLE_TRACE].name, t->path, why);
	else if (err)
		ps_network_fail(
			net, err, "network '%s': trace '%.200s': %s: it ends early", net->name, t->path, why);
	flock(t->fd, LOCK_UN); /* a process that was forked meanwhile may have the file open for long */
	close(t->fd);
	t->fd = -1;
	return t->from_environment ? 0 : err;
}
