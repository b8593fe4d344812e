/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/fm_radio_network.h"

#include "actors/common/polyphase.h"
#include "benchmarks/apps/fm_radio.h"
#include "benchmarks/common/rounds.h"
#include "penstock/actors.h"

#include <stdio.h>
#include <string.h>

enum { DEMODULATOR = FM_FILTERS, EQUALIZER };

/* An actor's loop, as its arg. */
struct loop {
	uint32_t pop, history;
	unsigned number; /* a filter, DEMODULATOR, EQUALIZER, a band */
	void (*run)(const struct loop *, float *out, const float *in, size_t n);
};

static void look_back(const struct loop *loop, float *out, const float *in, size_t n)
{
	if (loop->number == DEMODULATOR)
		fm_demodulate(out, in, n);
	else if (loop->number == EQUALIZER)
		fm_equalize(out, in, n);
	else
		ps_polyphase_run(fm_filter(loop->number), out, in, n);
}

static void subtract(const struct loop *loop, float *out, const float *in, size_t n)
{
	(void)loop;
	fm_subtract_pairs(out, in, n);
}

static void amplify(const struct loop *loop, float *out, const float *in, size_t n)
{
	fm_amplify(out, in, n, loop->number);
}

static void add_rows(const struct loop *loop, float *out, const float *in, size_t n)
{
	(void)loop;
	fm_add_rows(out, in, n);
}

static int fire(struct pstk_firing *f)
{
	const struct loop *loop = pstk_actor_arg(pstk_firing_actor(f));

	loop->run(loop, pstk_fifo_write_start(f, 1), pstk_fifo_read_start(f, 0), pstk_firing_steps(f));
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* The state is the history, and room for a window. */
static int fire_kept(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct loop *loop = pstk_actor_arg(self);
	uint32_t steps = pstk_firing_steps(f);
	size_t samples = (size_t)steps * loop->pop;
	float *seen = pstk_actor_state(self);

	memcpy(seen + loop->history, pstk_fifo_read_start(f, 0), samples * sizeof *seen);
	loop->run(loop, pstk_fifo_write_start(f, 1), seen, steps);
	memmove(seen, seen + samples, loop->history * sizeof *seen);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* What is under construction. */
struct radio {
	const struct fm_way *way;
	struct pstk_network *net;
};

static struct pstk_actor *behind(struct pstk_actor *from, struct pstk_actor *to, const char *port)
{
	pstk_connect(from, "out", to, port, PSTK_FIFO());
	return to;
}

static struct pstk_actor *sized(const struct radio *r, struct pstk_actor *actor)
{
	if (r->way->steps)
		pstk_actor_set_steps(actor, r->way->steps);
	return actor;
}

static struct pstk_actor *add(const struct radio *r, const char *name, struct loop loop)
{
	bool kept = r->way->state && loop.history;
	const struct pstk_port ports[] = {
		{ .name = "in",
			.kind = PSTK_INPUT,
			.token_type = "f32",
			.rate = loop.pop,
			.history = kept ? 0 : loop.history },
		{ .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};

	return sized(r,
		pstk_network_add(r->net, name,
			PSTK_ACTOR_TYPE(.name = "loop", .ports = ports, .port_count = 2,
				.arg_size = sizeof loop, .stateless = !kept,
				.state_size =
					kept ? (loop.history + r->way->steps * loop.pop) * sizeof(float) : 0,
				.fire = kept ? fire_kept : fire),
			&loop));
}

static struct pstk_actor *add_filter(const struct radio *r, const char *name, unsigned filter)
{
	if (r->way->state)
		return add(r, name,
			(struct loop){
				filter == FM_LOW ? FM_DECIMATION : 1, FM_TAPS - 1, filter, look_back });
	return sized(r, fm_filter_add(r->net, name, filter));
}

static struct pstk_actor *join(const struct radio *r, const char *name, uint32_t inputs)
{
	uint32_t ones[FM_BANDS];

	for (uint32_t i = 0; i < inputs; i++)
		ones[i] = 1;
	return sized(r, pstk_interleave_add(r->net, name, ones, inputs));
}

/* Two filters, whose difference is what lies between two edges. */
static struct pstk_actor *add_band(const struct radio *r, unsigned band, struct pstk_actor *from)
{
	static const char *const parts[] = { "below", "upto", "both", "minus", "gain" };
	char names[5][16];
	struct pstk_actor *both, *minus;

	for (unsigned i = 0; i < 5; i++)
		snprintf(names[i], sizeof names[i], "%s%u", parts[i], band);
	both = join(r, names[2], 2);
	behind(behind(from, add_filter(r, names[0], FM_BELOW + band), "in"), both, "in1");
	behind(behind(from, add_filter(r, names[1], FM_UPTO + band), "in"), both, "in2");
	minus = behind(both, add(r, names[3], (struct loop){ 2, 0, 0, subtract }), "in");
	return behind(minus, add(r, names[4], (struct loop){ 1, 0, band, amplify }), "in");
}

/* The split-join of bands; its last actor. */
static struct pstk_actor *add_bands(const struct radio *r, struct pstk_actor *from)
{
	struct pstk_actor *bands = join(r, "join", FM_BANDS);

	for (unsigned band = 0; band < FM_BANDS; band++) {
		char port[16];

		snprintf(port, sizeof port, "in%u", band + 1);
		behind(add_band(r, band, from), bands, port);
	}
	return behind(bands, add(r, "add", (struct loop){ FM_BANDS, 0, 0, add_rows }), "in");
}

uint64_t fm_run_network(const void *arg, uint64_t items)
{
	struct stages_run run = { fm_stages(), items, 0 };
	const struct radio r = { arg, pstk_network_create("fm_radio") };
	struct pstk_actor *source = stages_source_add(r.net, &run), *last;

	pstk_network_set_threads(r.net, r.way->team);
	if (r.way->steps)
		pstk_actor_set_steps(source, FM_DECIMATION * r.way->steps);
	else
		pstk_network_set_flags(r.net, PSTK_STEPS_AUTO);
	last = behind(source, add_filter(&r, "low", FM_LOW), "in");
	last = behind(last, add(&r, "fm", (struct loop){ 1, 1, DEMODULATOR, look_back }), "in");
	if (r.way->merged)
		last = behind(last,
			add(&r, "equalizer", (struct loop){ 1, FM_TAPS - 1, EQUALIZER, look_back }), "in");
	else
		last = add_bands(&r, last);
	last = behind(last, stages_sink_add(r.net, &run), "in");
	if (r.way->steps)
		pstk_actor_set_steps(last, r.way->steps / run.stages->piece);
	rounds_run_network(r.net);
	return run.hash;
}
