/* SPDX-License-Identifier: MIT */
/*
 * The windows of all actors last equally long, so each firing of the source is followed by one of each of them: what
 * comes in goes out before the next block is there, and latency does not grow.
 */
#include "config.h"

#include "apps/fm_receiver/network.h"
#include "apps/common/devices.h"

#include <penstock/actors.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* The largest sample of 16 bits: one of 1 would be clipped. */
#define FULL_SWING (INT16_MAX / 0x1p15)

/* A recording knows its rate. */
static int find_rate(struct receiver *r, const struct options *options)
{
	double told = r->info.sample_rate;

	r->plan.rate = options->rate;
	if (told > 0 && options->rate && told != options->rate)
		return app_fail(EXIT_USAGE, "--rate %" PRIu32 ": %s says that its rate is %.10g",
			options->rate, options->input, told);
	if (options->rate)
		return 0;
	if (!(told > 0))
		return app_fail(EXIT_USAGE, "--rate HZ is needed: %s does not say it", options->input);
	if (told < 1000 || told > 1e8 || told != floor(told))
		return app_fail(EXIT_USAGE,
			"%s: its rate is %.10g Hz; a whole number from 1000 to 100000000 is read",
			options->input, told);
	r->plan.rate = (uint32_t)told;
	return 0;
}

static int open_input(struct receiver *r, const struct options *options)
{
	char error[PSTK_IQ_ERROR_SIZE];
	int err = pstk_iq_input_open(&r->input,
		PSTK_IQ_INPUT(.path = options->input, .format = options->format, .refuse_empty = true), error,
		sizeof(error));

	if (err)
		return app_fail(err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE, "%s", error);
	pstk_iq_input_get_info(r->input, &r->info);
	/* metadata can name any file: now it is known, and none has been written */
	return options_check_names(options, pstk_iq_input_file(r->input));
}

static struct pstk_fifo *chain(
	struct pstk_actor *from, const char *out, struct pstk_actor *to, const char *in, uint32_t steps)
{
	pstk_actor_set_steps(to, steps);
	return pstk_connect(from, out, to, in, PSTK_FIFO());
}

/* From what a port of the discriminator or the decoder gives to the sound of a channel. */
static struct pstk_actor *add_sound(struct receiver *r, const struct options *options, uint32_t c,
	struct pstk_actor *from, const char *port)
{
	static const char *const names[][2] = { { "sound", "deemphasis" },
		{ "sound_left", "deemphasis_left" }, { "sound_right", "deemphasis_right" } };
	const char *const *name = names[options->stereo ? c + 1 : 0];
	const struct plan *p = &r->plan;
	const uint32_t steps = p->block / p->decimation / p->down;
	struct pstk_actor *sound = pstk_fir_f32_add(r->network, name[0],
		PSTK_FIR(.count = p->sound.taps, .cutoff = p->sound.cutoff, .attenuation = PLAN_ATTENUATION,
			.interpolation = p->up, .decimation = p->down));
	struct pstk_actor *deemphasis =
		pstk_network_add(r->network, name[1], deemphasis_type(), &r->deemphasis[c]);

	r->deemphasis[c].plan = p;
	r->filters[r->filter_count++] = sound;
	deemphasis_design(&r->deemphasis[c], options->deemphasis, p->audio);
	chain(from, port, sound, "in", steps);
	chain(sound, "out", deemphasis, "in", steps * p->up);
	return deemphasis;
}

/* Two channels of the multiplex, and what joins their sounds. */
static struct pstk_actor *add_stereo(
	struct receiver *r, const struct options *options, struct pstk_actor *multiplex)
{
	static const uint32_t widths[] = { 1, 1 };
	static const char *const outs[] = { "left", "right" }, *const ins[] = { "in1", "in2" };
	const struct plan *p = &r->plan;
	const uint32_t middle = p->block / p->decimation, frames = middle / p->down * p->up;
	struct pstk_actor *shift = pstk_network_add(r->network, "shift", shift_type(), &r->plan);
	struct pstk_actor *pilot = pstk_fir_cf32_add(r->network, "pilot",
		PSTK_FIR(.count = p->pilot.taps, .cutoff = p->pilot.cutoff, .attenuation = PLAN_ATTENUATION));
	struct pstk_actor *decoder = pstk_network_add(r->network, "decoder", decoder_type(), &r->decoder);
	struct pstk_actor *join = pstk_interleave_add(r->network, "join", widths, 2);

	r->filters[r->filter_count++] = pilot;
	r->decoder.plan = p;
	chain(multiplex, "out", shift, "in", middle);
	chain(shift, "out", pilot, "in", middle);
	chain(pilot, "out", decoder, "pilot", middle);
	chain(multiplex, "out", decoder, "in", middle);
	for (uint32_t c = 0; c < 2; c++)
		r->last = chain(add_sound(r, options, c, decoder, outs[c]), "out", join, ins[c], frames);
	return join;
}

/* What fails here is among the network's problems, too. */
static int map_filters(const struct receiver *r, const struct options *options)
{
	int err = 0;

	for (unsigned i = 0; i < r->filter_count && !err; i++)
		if (r->filters[i])
			err = pstk_actor_map(r->filters[i], options->device);
	return err ? devices_status(err) : 0;
}

/* All but the sink, whose output is opened when this stands: 0, or what to exit with because of a device. */
static int add_actors(struct receiver *r, const struct options *options)
{
	const struct plan *p = &r->plan;
	const uint32_t middle = p->block / p->decimation;
	struct discriminator discriminator = {
		.gain = (float)(FULL_SWING * p->middle / (2 * acos(-1) * p->deviation)),
		.mute = p->channel.taps / 2 / p->decimation + 1 /* of the channel's delay */
	};
	struct pstk_network *net = r->network;
	struct pstk_actor *source =
		pstk_network_add(net, "source", pstk_iq_source_type_for(r->input), r->input);
	struct pstk_actor *pair = pstk_network_add(net, "pair", pair_type(), NULL);
	struct pstk_actor *channel = pstk_fir_cf32_add(net, "channel",
		PSTK_FIR(.count = p->channel.taps, .cutoff = p->channel.cutoff,
			.attenuation = PLAN_ATTENUATION, .decimation = p->decimation));
	struct pstk_actor *phase =
		pstk_network_add(net, "discriminator", discriminator_type(), &discriminator);

	r->filters[r->filter_count++] = channel;
	pstk_actor_set_steps(source, p->block);
	r->first = chain(source, "re", pair, "re", p->block);
	chain(source, "im", pair, "im", p->block);
	chain(pair, "out", channel, "in", middle);
	chain(channel, "out", phase, "in", middle);
	r->end = options->stereo ? add_stereo(r, options, phase) : add_sound(r, options, 0, phase, "out");
	for (uint32_t c = 0; c < r->channels; c++)
		r->deemphasis[c].first = r->first;
	return map_filters(r, options);
}

int receiver_open(struct receiver *r, const struct options *options)
{
	int status;

	*r = (struct receiver){ .plan = { .rate = options->rate,
					.audio = options->audio,
					.deviation = options->deviation,
					.stereo = options->stereo },
		.channels = options->stereo ? 2 : 1 };
	/* what is known of wrong rates before the input is opened, which may wait for a writer, is said then */
	status = options->rate ? plan_make(&r->plan) : 0;
	if (!status)
		status = devices_find(&options->device, 1);
	if (!status && !options->print_network)
		status = open_input(r, options);
	if (!status)
		status = find_rate(r, options);
	if (!status)
		status = plan_make(&r->plan);
	if (status)
		return status;
	r->network = pstk_network_create("fm_receiver");
	if (!r->network)
		return app_out_of_memory();
	status = add_actors(r, options);
	if (!status)
		status = moves_apply(&options->moves, r->network);
	if (app_say_problems(r->network) && !status)
		status = EXIT_FAILED;
	return status;
}

int receiver_open_output(struct receiver *r, const struct options *options)
{
	const struct wav_format format = wav_format_pcm16(options->audio, r->channels);
	struct pstk_actor *sink;
	struct pstk_fifo *last;

	r->sink = (struct wav_sink){ .channels = format.channels, .live = true };
	if (options->output && !options->print_network) {
		int status = wav_output_open(&r->wav, options->output, &format, UINT64_MAX);

		if (status)
			return status;
		r->sink.output = &r->wav;
	}
	sink = pstk_network_add(r->network, "sink", wav_sink_type(&r->sink), &r->sink);
	last = chain(
		r->end, "out", sink, "in", r->plan.block / r->plan.decimation / r->plan.down * r->plan.up);
	r->last = r->last ? r->last : last;
	team_apply(&options->team, r->network);
	team_plan(&options->team, r->network);
	return app_say_problems(r->network) ? EXIT_FAILED : 0;
}

void receiver_close(struct receiver *r)
{
	pstk_network_destroy(r->network);
	wav_output_close(&r->wav);
	pstk_iq_input_close(r->input);
}
