/* SPDX-License-Identifier: MIT */
/* Explain: the causes and the load behind them, for people. */
#include "lib/model/adopted.h"
#include "lib/observe/causes.h"
#include "lib/plan/threads.h"

#include <errno.h>

/* With fewer a share of the time is a guess. */
enum { FEW_LOOKS = 50 };

static unsigned percent(double share)
{
	return share >= 1 ? 100 : (unsigned)(100 * share + 0.5);
}

static void print_cause(const struct pstk_cause *c, bool first, FILE *out)
{
	fprintf(out, "  %s %s\n", first ? "limit:" : "also: ", c->evidence);
	if (c->advice[0])
		fprintf(out, "         help: %s", c->advice);
	if (c->advice[0] && c->gain > 1.005)
		fprintf(out, " (at most %.1f x)", c->gain);
	if (c->advice[0])
		fputc('\n', out);
}

static void print_actor(const struct ps_actor_load *l, FILE *out)
{
	fprintf(out, "  %s: busy %u %%", l->actor->name, percent(l->busy));
	if (l->limit.firings > 1)
		fprintf(out, " of %u side by side", l->limit.firings);
	if (l->wait > 0.005)
		fprintf(out, ", waits %u %% for %s at %s", percent(l->wait),
			l->actor->ports[l->port].reads ? "tokens" : "room",
			l->actor->type.ports[l->port].name);
	if (l->for_device > 0.005)
		fprintf(out, ", waits %u %% for a device", percent(l->for_device));
	if (l->for_core > 0.005)
		fprintf(out, ", waits %u %% for a core", percent(l->for_core));
	if (l->may_fire > 0.005)
		fprintf(out, ", waits %u %% for a thread of the team", percent(l->may_fire));
	fputc('\n', out);
}

static void print_fifo(const struct pstk_fifo *f, const struct ps_fifo_load *l, FILE *out)
{
	fprintf(out, "  %s.%s -> %s.%s: filled %u %%, full %u %%, empty %u %% of the time\n", f->src->name,
		f->src->type.ports[f->src_port].name, f->dst->name, f->dst->type.ports[f->dst_port].name,
		percent(l->fill), percent(l->full), percent(l->empty));
}

int pstk_network_explain(const struct pstk_network *net, FILE *out)
{
	struct pstk_cause found[PS_CAUSES_MOST];
	struct ps_load load;
	unsigned count;
	int err;

	if (!net || !out)
		return -EINVAL;
	err = ps_load_measure(&load, net);
	if (err)
		return err;
	count = ps_causes_find(&load, found);
	flockfile(out);
	fprintf(out, "network '%s': %.1f s, %llu looks%s\n", net->name, load.seconds,
		(unsigned long long)load.looks, load.looks < FEW_LOOKS ? ", too few to be sure" : "");
	for (unsigned i = 0; i < count; i++)
		print_cause(&found[i], !i, out);
	for (unsigned i = 0; i < net->actor_count; i++)
		if (ps_actor_is_known(net->actors[i]))
			print_actor(&load.actors[i], out);
	for (unsigned i = 0; i < net->fifo_count; i++)
		if (ps_fifo_is_known(net->fifos[i]))
			print_fifo(net->fifos[i], &load.fifos[i], out);
	funlockfile(out);
	ps_load_free(&load);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
