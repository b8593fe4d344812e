/* SPDX-License-Identifier: MIT */
/* Report: figures of a network and its tables. */
#include "lib/model/actor.h"
#include "lib/base/text.h"
#include "lib/fifo/bundle.h"
#include "lib/model/adopted.h"
#include "lib/model/network.h"
#include "lib/firing/backend.h"
#include "lib/observe/host_text.h"
#include "lib/observe/stages.h"
#include "lib/observe/watch.h"
#include "lib/plan/bundles.h"
#include "lib/plan/depth.h"
#include "lib/plan/settle.h"
#include "lib/plan/rates.h"
#include "lib/plan/merges.h"
#include "lib/plan/sharing.h"
#include "lib/plan/threads.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static uint64_t wait_ns(const struct pstk_actor *a)
{
	/* once there is a task, no BUILD call changes the backend */
	uint64_t ns = a->task && ps_backend_anywhere(a) ? ps_backend_anywhere(a)->waited_ns(a) : 0;

	for (unsigned p = 0; p < a->type.port_count; p++)
		ns += atomic_load_explicit(&a->ports[p].wait_ns, memory_order_relaxed);
	return ns;
}

int pstk_actor_get_stats(const struct pstk_actor *a, struct pstk_actor_stats *stats)
{
	const struct ps_adopted_actor *adopted;
	const struct ps_task *t;

	if (!a || !stats)
		return -EINVAL;
	adopted = ps_adopted_actor(a);
	if (adopted) {
		*stats = adopted->stats;
		return 0;
	}
	t = a->task;
	stats->firings = t ? atomic_load_explicit(&t->firings, memory_order_relaxed) : 0;
	stats->control_tokens = t ? atomic_load_explicit(&t->control_tokens, memory_order_relaxed) : 0;
	stats->fire_ns = t ? atomic_load_explicit(&t->fire_ns, memory_order_relaxed) : 0;
	stats->wait_ns = wait_ns(a);
	stats->device_ns = t && ps_backend_anywhere(a) ? ps_backend_anywhere(a)->ran_ns(a) : 0;
	return 0;
}

uint64_t pstk_actor_port_wait_ns(const struct pstk_actor *a, unsigned port)
{
	const struct ps_adopted_actor *adopted;

	if (!a || port >= a->type.port_count)
		return 0;
	adopted = ps_adopted_actor(a);
	return adopted ? adopted->wait_ns[port]
	               : atomic_load_explicit(&a->ports[port].wait_ns, memory_order_relaxed);
}

uint64_t pstk_actor_cpu_ns(const struct pstk_actor *a)
{
	const struct ps_adopted_actor *adopted = a ? ps_adopted_actor(a) : NULL;
	const struct ps_task *t = a ? a->task : NULL;
	uint64_t off, fire;

	if (adopted)
		return adopted->cpu_ns;
	if (!t)
		return 0;
	/* in this order: what is off a core has been added to the clock's time before */
	off = atomic_load(&t->off_ns);
	fire = atomic_load(&t->fire_ns);
	return fire > off ? fire - off : 0;
}

static const char *memory_name(const struct pstk_fifo *f)
{
	if (f->crossing == PS_CROSSES_ELSEWHERE)
		return "elsewhere";
	return ps_backend_of(f) ? ps_backend_of(f)->fifo_memory(f) : "host";
}

/* Where another process has the windows: what that one has told. */
static uint64_t written_of(const struct pstk_fifo *f)
{
	struct ps_watch *watch = f->src->network->watch;
	_Atomic uint64_t *elsewhere = atomic_load(&watch->written_elsewhere);

	if (!elsewhere || f->crossing != PS_CROSSES_ELSEWHERE)
		return ps_bundle_written(&f->fifo, ps_counters(f));
	atomic_store(&watch->follows, true);
	return atomic_load(&elsewhere[f->index]);
}

int pstk_fifo_get_info(const struct pstk_fifo *f, struct pstk_fifo_info *info)
{
	const struct ps_adopted_fifo *adopted;

	if (!f || !info)
		return -EINVAL;
	adopted = ps_adopted_fifo(f);
	if (adopted) {
		*info = adopted->info;
		return 0;
	}
	ps_plan_settle(f->src->network);
	const struct ps_layout *l = &f->fifo.layout;

	*info = (struct pstk_fifo_info){
		.src = f->src,
		.dst = f->dst,
		.src_port = f->src_port,
		.dst_port = f->dst_port,
		.rate = l->read_rate,
		.write_rate = l->write_rate,
		.history = l->history,
		.tail = l->tail,
		.room = l->room + f->fifo.room_before,
		.delay = l->delay,
		.depth = l->depth,
		.token_size = l->token_size,
		.bytes = l->bytes,
		.allocated = f->fifo.allocated,
		.read = ps_bundle_read(&f->fifo, ps_counters(f)),
		.written = written_of(f),
		.fill = ps_bundle_fill(&f->fifo, ps_counters(f)),
		.bytes_copied = atomic_load_explicit(&f->fifo.copied, memory_order_relaxed),
		.closed = atomic_load(&ps_counters(f)->closed),
		.discards = atomic_load(&ps_counters(f)->discards),
		.memory = memory_name(f),
		.shared = ps_sharing_shared(f),
		.merged = ps_merges_merged(f),
	};
	return 0;
}

/* Of columns: the widest names. */
struct widths {
	int actor, type, out, in;
	bool memories; /* of FIFOs are worth saying: some actor is not on the cores */
};

static void widen(int *width, const char *name)
{
	int n = (int)strnlen(name, 40);

	*width = n > *width ? n : *width;
}

static const char *out_name(const struct pstk_fifo *f)
{
	return f->src->type.ports[f->src_port].name;
}

static const char *in_name(const struct pstk_fifo *f)
{
	return f->dst->type.ports[f->dst_port].name;
}

static void widen_by_stages(struct widths *w, const struct pstk_pipeline *p)
{
	for (unsigned k = 0; k < p->stage_count; k++) {
		widen(&w->actor, p->stages[k]->name);
		widen(&w->type, p->stages[k]->type.name);
	}
}

static struct widths widths(const struct pstk_network *net)
{
	struct widths w = { .actor = 5, .type = 5 };

	for (unsigned i = 0; i < net->actor_count; i++) {
		widen(&w.actor, net->actors[i]->name);
		widen(&w.type, net->actors[i]->type.name);
		w.memories |= net->actors[i]->backend != NULL;
		if (ps_is_pipeline(net->actors[i]))
			widen_by_stages(&w, net->actors[i]->pipeline);
	}
	for (unsigned i = 0; i < net->fifo_count; i++) {
		widen(&w.out, out_name(net->fifos[i]));
		widen(&w.in, in_name(net->fifos[i]));
	}
	return w;
}

/* "  src.out -> dst.in  " */
static void print_connection(const struct pstk_fifo *f, const struct widths *w, FILE *out)
{
	fprintf(out, "  %*s.%-*s -> %*s.%-*s  ", w->actor, f->src->name, w->out, out_name(f), w->actor,
		f->dst->name, w->in, in_name(f));
}

/* Those of the thread that fires it, which under a team may be others' as well. */
static void print_cores(const struct pstk_actor *a, FILE *out)
{
	cpu_set_t set;
	char text[128];

	ps_threads_cores(a, &set);
	ps_actor_list_cores(&set, text, sizeof text);
	fprintf(out, CPU_COUNT(&set) > 1 ? "cores %s" : "core %s", text);
}

static void print_place(const struct pstk_actor *a, FILE *out)
{
	if (a->guarded)
		fprintf(out, "%s%s%s", a->places[atomic_load(&a->place)].name,
			a->fails_over ? ", guarded" : "", a->core < 0 ? "" : ", fired from ");
	else if (a->backend) {
		const struct pstk_device_info *info = ps_backend_anywhere(a)->info(a);

		fprintf(out, "%s (%s; %s, driver %s)%s", info->selector, info->name, info->platform,
			info->driver, a->core < 0 ? "" : ", fired from ");
	} else if (!a->type.fire)
		fputs("no device: map it", out);
	else if (a->core < 0)
		fputs("any core", out);
	if (a->core >= 0)
		print_cores(a, out);
}

/* Deeper than by default is what the budget has room for. */
static void print_depth(const struct pstk_network *net, FILE *out)
{
	fprintf(out, "  depth auto: %u windows, budget %zu B%s\n", ps_depth_auto(net), ps_depth_budget(net),
		ps_depth_auto(net) > ps_depth_default(pstk_network_threads(net))
			? ""
			: ", which the default depth leaves no more of");
}

/* What is not the same for all actors of the network. */
static void print_mode(const struct pstk_actor *a, FILE *out)
{
	unsigned firings = ps_concurrency_of(a, NULL);

	if (pstk_network_threads(a->network) && !ps_threads_on_team(a))
		fputs(", own thread", out);
	if (a->steps > 1)
		fprintf(out, ", %u steps a firing", a->steps);
	/* of a pinned one that it is one only is worth saying: the pin made it so */
	if (firings > 1)
		fprintf(out, ", %u side by side", firings);
	else if (ps_threads_on_team(a) && a->type.stateless && !a->backend && a->core >= 0)
		fputs(", pinned: not side by side", out);
}

/* At its reader's host, if that is known. */
static struct ps_layout layout_of(const struct pstk_fifo *f, const struct pstk_fifo_info *info)
{
	struct ps_layout l = f->fifo.layout;

	if (!ps_adopted_fifo(f))
		return l;
	l.write_rate = info->write_rate;
	l.read_rate = info->rate;
	l.delay = info->delay;
	l.depth = info->depth;
	l.history = info->history;
	l.tail = info->tail;
	l.room = info->room;
	l.bytes = info->bytes;
	return l;
}

/* Whose counters say what is in it: known once the network has begun. */
static void print_bundle(const struct pstk_fifo *f, FILE *out)
{
	unsigned count = ps_bundles_count(f);
	const char *refused = ps_bundles_refused(f);

	if (f->lead != f)
		fprintf(out, ", bundled with %s", out_name(f->lead));
	else if (count > 1)
		fprintf(out, ", bundle of %u", count);
	else if (refused)
		fprintf(out, ", not bundled: %s", refused);
}

static void print_fifo(const struct pstk_fifo *f, const struct widths *w, FILE *out)
{
	struct pstk_fifo_info info;
	struct ps_layout l;
	char rates[PS_RATES_TEXT];

	print_connection(f, w, out);
	if (!ps_fifo_is_known(f)) {
		fputs("elsewhere\n", out);
		return;
	}
	pstk_fifo_get_info(f, &info);
	l = layout_of(f, &info);
	fprintf(out, "%s, delay %u, depth %u, ", ps_rates_text(&l, rates), l.delay, l.depth);
	if (l.write_rate != l.read_rate || l.history)
		fprintf(out, "room %llu, ", (unsigned long long)l.room);
	if (l.history)
		fprintf(out, "history %u, ", l.history);
	if (l.tail)
		fprintf(out, "tail %u, ", l.tail);
	fprintf(out, "token %zu B: %zu B", l.token_size, l.bytes);
	if (w->memories)
		fprintf(out, ", %s", info.memory);
	fputs(info.shared ? ", shared" : "", out);
	fputs(info.merged ? ", merged" : "", out);
	print_bundle(f, out);
	fputc('\n', out);
}

/* " 272 B" */
static void print_bytes(size_t bytes, FILE *out)
{
	if (bytes < 10000)
		fprintf(out, " %zu B", bytes);
	else
		fprintf(out, " %.3f MB", (double)bytes / 1e6);
}

/* Both figures where they differ: each FIFO for itself, and what the start takes. */
static void print_memory(const struct pstk_network *net, FILE *out)
{
	size_t apart = pstk_network_fifo_bytes(net), shared = pstk_network_shared_bytes(net);

	fputs("  FIFO memory:", out);
	print_bytes(apart, out);
	if (shared != apart) {
		fputs(", with shared buffers", out);
		print_bytes(shared, out);
	}
	fputc('\n', out);
}

/* It passes windows on, or idles: perhaps a mapping was forgotten. */
static void print_idle_hosts(const struct pstk_network *net, FILE *out)
{
	for (uint32_t r = 0; net->has_hosts && r < ps_ranks_count(net); r++) {
		unsigned i = 0;

		while (i < net->actor_count && ps_ranks_of_host(net, net->actors[i]->host) != r)
			i++;
		if (i == net->actor_count)
			fprintf(out, "  no actor is on %s\n", ps_ranks_host(net, r));
	}
}

static void print_actor(const struct pstk_actor *a, const struct widths *w, FILE *out)
{
	char host[PS_HOST_TEXT];

	fprintf(out, "  %*s  %-*s  on ", w->actor, a->name, w->type, a->type.name);
	if (ps_actor_away(a)) {
		fprintf(out, "%s\n", ps_host_text(a->network, a->host, host));
		return;
	}
	if (ps_is_pipeline(a))
		ps_stages_print_place(a->pipeline, out);
	else
		print_place(a, out);
	if (a->network->has_hosts)
		fprintf(out, " of %s", ps_host_text(a->network, a->host, host));
	if (!ps_is_pipeline(a))
		print_mode(a, out);
	fputc('\n', out);
	if (ps_is_pipeline(a))
		ps_stages_print(a->pipeline, w->actor, w->type, out);
}

int pstk_network_print(const struct pstk_network *net, FILE *out)
{
	struct widths w;

	if (!net || !out)
		return -EINVAL;
	w = widths(net);
	ps_plan_settle(net);
	fprintf(out, "network '%s': %u actor%s, %u FIFO%s", net->name, net->actor_count,
		ps_plural(net->actor_count), net->fifo_count, ps_plural(net->fifo_count));
	if (pstk_network_threads(net))
		fprintf(out, ", a team of %u thread%s", pstk_network_threads(net),
			ps_plural(pstk_network_threads(net)));
	fputc('\n', out);
	for (unsigned i = 0; i < net->actor_count; i++)
		print_actor(net->actors[i], &w, out);
	print_idle_hosts(net, out);
	for (unsigned i = 0; i < net->fifo_count; i++)
		print_fifo(net->fifos[i], &w, out);
	print_memory(net, out);
	if (net->flags &
		PSTK_DEPTH_AUTO) /* of FIFOs that were given one, or are a device's, it may be another */
		print_depth(net, out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}

static void print_actor_stats(const struct pstk_actor *a, const struct widths *w, FILE *out)
{
	const struct ps_adopted_actor *adopted = ps_adopted_actor(a);
	const char *device = adopted && adopted->on_device ? adopted->device.selector
	                     : a->backend                  ? ps_backend_anywhere(a)->info(a)->selector
	                                                   : NULL;
	char host[PS_HOST_TEXT];
	struct pstk_actor_stats s;
	double us_a_firing;

	if (!ps_actor_is_known(a)) {
		fprintf(out, "  %*s  on %s\n", w->actor, a->name, ps_host_text(a->network, a->host, host));
		return;
	}
	pstk_actor_get_stats(a, &s);
	us_a_firing = s.firings ? 1e-3 / (double)s.firings : 0;
	fprintf(out, "  %*s  %10llu  %12.3f  %12.3f  %12.6f", w->actor, a->name,
		(unsigned long long)s.firings, (double)s.fire_ns * us_a_firing,
		(double)pstk_actor_cpu_ns(a) * us_a_firing, (double)s.fire_ns / 1e9);
	if (adopted ? adopted->on_team : ps_threads_on_team(a)) /* it has no thread that could wait */
		fprintf(out, "  %12s", "-");
	else
		fprintf(out, "  %12.6f", (double)s.wait_ns / 1e9);
	if (device)
		fprintf(out, "  launches on %s", device);
	if (s.device_ns)
		fprintf(out, ", %.6f s there", (double)s.device_ns / 1e9);
	if (adopted)
		fprintf(out, "  on %s", ps_host_text(a->network, a->host, host));
	fputc('\n', out);
}

/* Of firings on a device there is no time on the cores: then there is none of a firing. */
static void print_stage_stats(const struct pstk_actor *stage, const struct widths *w, FILE *out)
{
	struct pstk_actor_stats s;
	double us_a_firing;

	pstk_actor_get_stats(stage, &s);
	us_a_firing = s.firings ? 1e-3 / (double)s.firings : 0;
	fprintf(out, "    %*s %9llu", w->actor, stage->name, (unsigned long long)s.firings);
	if (ps_stages_on_device(stage->pipeline))
		fprintf(out, "  %12s  %12s", "-", "-");
	else
		fprintf(out, "  %12.3f  %12.3f", (double)s.fire_ns * us_a_firing,
			(double)pstk_actor_cpu_ns(stage) * us_a_firing);
	fprintf(out, "  %12.6f  %12s\n", (double)s.fire_ns / 1e9, "-");
}

/* Below their pipeline, where this process has run it. */
static void print_stages_stats(const struct pstk_actor *a, const struct widths *w, FILE *out)
{
	for (unsigned k = 0; ps_is_pipeline(a) && !ps_actor_away(a) && k < a->pipeline->stage_count; k++)
		print_stage_stats(a->pipeline->stages[k], w, out);
}

static void print_fifo_stats(const struct pstk_fifo *f, const struct widths *w, FILE *out)
{
	struct pstk_fifo_info info;
	uint64_t tokens;

	if (!ps_fifo_is_known(f))
		return;
	pstk_fifo_get_info(f, &info);
	/* of a last window that was filled partly, only the tokens that there were */
	tokens = info.read < info.delay + info.written ? info.read : info.delay + info.written;
	print_connection(f, w, out);
	fprintf(out, "%llu token%s written, %llu read, %llu B copied\n", (unsigned long long)info.written,
		ps_plural(info.written), (unsigned long long)tokens, (unsigned long long)info.bytes_copied);
}

static const char *rank_of(const struct pstk_network *net, uint32_t rank, char text[static PS_HOST_TEXT])
{
	const char *name = ps_ranks_host(net, rank);

	snprintf(text, PS_HOST_TEXT, "rank %u", rank);
	return name ? name : text;
}

/* What has crossed between hosts, and how long its writers' side waited for room at the readers'. */
static void print_crossings(const struct pstk_network *net, const struct widths *w, FILE *out)
{
	const struct ps_adopted *d = atomic_load(&net->adopted);
	const struct ps_adopted_crossings *of = d ? atomic_load(&d->crossings) : NULL;
	char from[PS_HOST_TEXT], to[PS_HOST_TEXT];

	for (; of; of = atomic_load(&of->next))
		for (unsigned i = 0; i < of->count; i++) {
			const struct pstk_crossing *c = &of->crossing[i];

			print_connection(c->fifo, w, out);
			fprintf(out, "%s to %s: %llu window%s, %.3f MB, waited %.6f s for room\n",
				rank_of(net, c->from, from), rank_of(net, c->to, to),
				(unsigned long long)c->windows, ps_plural(c->windows), (double)c->bytes / 1e6,
				(double)c->wait_ns / 1e9);
		}
}

/* Where it was is known only of one that has begun. */
static void print_move(const struct pstk_move *m, int number, FILE *out)
{
	fprintf(out, "move %d: %s%s%s to %s: ", number, m->actor->name, *m->from ? " from " : "", m->from,
		m->to);
	if (m->state == PSTK_MOVE_ASKED)
		fprintf(out, "asked for firing %llu\n", (unsigned long long)m->wanted);
	else if (m->state != PSTK_MOVE_DONE)
		fprintf(out, "%s: %s\n", m->state == PSTK_MOVE_STAYED ? "stayed" : "cancelled", m->text);
	else {
		fprintf(out, "done, at firing %llu", (unsigned long long)m->firing);
		/* an end that came soon has no times of the firings behind it */
		if (m->gap_ns)
			fprintf(out, ", gap %.3f ms", (double)m->gap_ns / 1e6);
		if (m->bound_ns)
			fprintf(out, ", expected %.3f ms", (double)m->bound_ns / 1e6);
		fprintf(out, "%s%s\n", *m->text ? ": " : "", m->text);
	}
}

static void print_moves(const struct pstk_network *net, const char *indent, FILE *out)
{
	struct pstk_move m = PSTK_MOVE();

	for (int i = 0; (i = pstk_network_kept_move(net, (unsigned)i)) >= 0; i++)
		if (!pstk_network_move(net, (unsigned)i, &m)) {
			fputs(indent, out);
			print_move(&m, i, out);
		}
}

int pstk_network_print_moves(const struct pstk_network *net, FILE *out)
{
	if (!net || !out)
		return -EINVAL;
	print_moves(net, "", out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}

int pstk_network_print_stats(const struct pstk_network *net, FILE *out)
{
	struct widths w;

	if (!net || !out)
		return -EINVAL;
	w = widths(net);
	fprintf(out, "  %*s  %10s  %12s  %12s  %12s  %12s\n", w.actor, "actor", "firings", "us a firing",
		"us on a core", "firing s", "waiting s");
	for (unsigned i = 0; i < net->actor_count; i++) {
		print_actor_stats(net->actors[i], &w, out);
		print_stages_stats(net->actors[i], &w, out);
	}
	for (unsigned i = 0; i < net->fifo_count; i++)
		print_fifo_stats(net->fifos[i], &w, out);
	print_crossings(net, &w, out);
	print_moves(net, "  ", out);
	ps_stages_print_reports(net, out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
