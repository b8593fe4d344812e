/* SPDX-License-Identifier: MIT */
/* A change of the rate as a network: source, for each channel the stages and skip, sink. */
#include "config.h"

#include <penstock/actors.h>

#include "apps/common/app.h"
#include "apps/common/devices.h"
#include "apps/resample/network.h"

#include <inttypes.h>
#include <stdio.h>

enum { BUDGET = 16 << 20 }; /* bytes of FIFOs for each channel, at most */

/* An actor and the output of it that a channel goes on from. */
struct place {
	struct pstk_actor *actor;
	const char *port;
};

/* The ratio of the two rates, in the output's rate, which a header has as a whole number of Hz. */
static int make_plan(struct resample *r, const struct options *options)
{
	uint32_t rate = r->input.format.rate;
	uint64_t p = options->rate ? options->rate : options->p, q = options->rate ? rate : options->q;
	double exact = (double)rate * (double)p / (double)q;

	if (exact < 0.5 || exact >= 4294967295)
		return app_fail(EXIT_USAGE,
			"%s: its rate of %" PRIu32 " Hz times %" PRIu64 "/%" PRIu64
			" is no rate that a WAV file can have: 1 to 4294967295 Hz",
			r->input.label, rate, p, q);
	if (!plan_make(&r->plan, p, q))
		return app_fail(EXIT_USAGE,
			"%s: its rate times %" PRIu64 "/%" PRIu64
			" takes too large a filter: choose a ratio of smaller numbers, such as 160/147",
			r->input.label, p, q);
	r->rate = (uint32_t)(exact + 0.5);
	if (!options->rate && (uint64_t)rate * r->plan.p % r->plan.q)
		app_fail(EXIT_DONE,
			"warning: the output's rate is %.3f Hz, and its header has whole ones: it says "
			"%" PRIu32,
			exact, r->rate);
	return 0;
}

static void set_steps(struct pstk_actor *actor, const struct options *options)
{
	if (options->steps && actor)
		pstk_actor_set_steps(actor, options->steps);
}

/* A name that several channels have, with the channel's number. */
static const char *name_of(
	char room[32], const char *base, unsigned number, unsigned channel, unsigned channels)
{
	int used = number ? snprintf(room, 32, "%s%u", base, number) : snprintf(room, 32, "%s", base);

	if (channels > 1)
		snprintf(room + used, 32 - (size_t)used, "_%u", channel + 1);
	return room;
}

/* The stages of a channel, one behind the other, and what takes their delay away. */
static struct place add_stages(
	struct resample *r, const struct options *options, struct place from, unsigned channel)
{
	const struct plan *plan = &r->plan;
	unsigned channels = r->input.format.channels;
	struct pstk_skip_arg arg = { plan->skip };
	struct pstk_actor *actor;
	char name[32];

	for (unsigned i = 0; i < plan->count; i++) {
		const struct plan_stage *stage = &plan->stages[i];
		struct pstk_fifo *fifo;

		name_of(name, "stage", i + 1, channel, channels);
		actor = pstk_resample_f32_add(r->network, name, stage->p, stage->q, stage->zeros);
		set_steps(actor, options);
		fifo = pstk_connect(from.actor, from.port, actor, "in",
			PSTK_FIFO(.token_size = sizeof(float), .delay = i ? 0 : plan->delay,
				.tail = i ? 0 : plan->tail));
		r->first = r->first ? r->first : fifo;
		from = (struct place){ actor, "out" };
	}
	if (!plan->count)
		return from;
	name_of(name, "skip", 0, channel, channels);
	actor = pstk_network_add(r->network, name, pstk_skip_type(), &arg);
	set_steps(actor, options);
	pstk_connect(from.actor, "out", actor, "in", PSTK_FIFO(.token_size = sizeof(float)));
	return (struct place){ actor, "out" };
}

static void add_channels(struct resample *r, const struct options *options, struct pstk_actor *source)
{
	uint32_t channels = r->input.format.channels, widths[WAV_CHANNELS] = { 0 };
	struct pstk_actor *split, *join;
	char port[16];

	for (unsigned i = 0; i < channels; i++)
		widths[i] = 1;
	split = pstk_deinterleave_add(r->network, "split", widths, channels);
	join = pstk_interleave_add(r->network, "join", widths, channels);
	set_steps(split, options);
	set_steps(join, options);
	r->first = pstk_connect(source, "out", split, "in", PSTK_FIFO(.token_size = sizeof(float)));
	for (unsigned i = 0; i < channels; i++) {
		struct place place;

		snprintf(port, sizeof port, "out%u", i + 1);
		place = add_stages(r, options, (struct place){ split, port }, i);
		snprintf(port, sizeof port, "in%u", i + 1);
		pstk_connect(place.actor, place.port, join, port, PSTK_FIFO(.token_size = sizeof(float)));
	}
	r->end = join;
}

/* All that stand so far but the source. 0, or what to exit with, and the network has the problem. */
static int map(struct resample *r, const char *device)
{
	int err = 0;

	for (unsigned i = 1; i < pstk_network_actor_count(r->network) && !err; i++)
		err = pstk_actor_map(pstk_network_actor(r->network, i), device);
	return err ? devices_status(err) : 0;
}

static int build(struct resample *r, const struct options *options)
{
	struct pstk_actor *source;
	int status;

	r->network = pstk_network_create("resample");
	if (!r->network)
		return app_out_of_memory();
	if (!options->steps) {
		pstk_network_set_flags(r->network, PSTK_STEPS_AUTO);
		/* One step of a large ratio may be larger than a cache: without room for it the other actors would
		 * get one frame a firing. Small ratios take no more than they need. */
		pstk_network_set_depth_budget(r->network, r->input.format.channels * (size_t)BUDGET);
	}
	source = pstk_network_add(r->network, "source", source_type(&r->input), &r->input);
	set_steps(source, options);
	/* a rate that stays needs no actor for each channel */
	if (r->input.format.channels > 1 && r->plan.count)
		add_channels(r, options, source);
	else
		r->end = add_stages(r, options, (struct place){ source, "out" }, 0).actor;
	status = map(r, options->device);
	if (!status)
		status = moves_apply(&options->moves, r->network);
	if (app_say_problems(r->network) && !status)
		status = EXIT_FAILED;
	return status;
}

int resample_open(struct resample *r, const struct options *options)
{
	int status = devices_find(&options->device, 1);

	if (!status)
		status = wav_input_open(&r->input, options->input);
	if (!status)
		status = make_plan(r, options);
	return status ? status : build(r, options);
}

/*
 * While samples come the sink has not got more than this: each filter waits for all that it sees. What is more is made
 * of the zeros behind the stream. So the length is right for a pipe and after a signal, too, whose end is not known
 * before.
 */
static uint64_t length_so_far(const void *data)
{
	const struct resample *r = data;

	return plan_length(&r->plan, atomic_load(&r->input.given));
}

int resample_open_output(struct resample *r, const struct options *options)
{
	struct wav_format format = r->input.format;
	uint64_t frames = r->input.frames;
	struct pstk_actor *actor;
	struct pstk_fifo *fifo;

	format.rate = r->rate;
	if (!options->print_network) {
		int status = wav_output_open(&r->output, options->output, &format,
			frames == UINT64_MAX ? frames : plan_length(&r->plan, frames));

		if (status)
			return status;
	}
	r->sink = (struct wav_sink){
		.output = &r->output, .channels = format.channels, .length = length_so_far, .data = r
	};
	actor = pstk_network_add(r->network, "sink", wav_sink_type(&r->sink), &r->sink);
	set_steps(actor, options);
	fifo = pstk_connect(r->end, "out", actor, "in", PSTK_FIFO(.token_size = sizeof(float)));
	r->first = r->first ? r->first : fifo;
	team_apply(&options->team, r->network);
	team_plan(&options->team, r->network);
	return app_say_problems(r->network) ? EXIT_FAILED : 0;
}

void resample_close(struct resample *r)
{
	pstk_network_destroy(r->network);
	wav_output_close(&r->output);
	wav_input_close(&r->input);
}
