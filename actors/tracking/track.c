/* SPDX-License-Identifier: MIT */
/* Features followed, each by one thread; then those that were not lost, in their order. */
#include "actors/tracking/follow.h"
#include "actors/tracking/tracking.h"

#include "penstock/pipeline.h"

#include <string.h>

struct chase {
	struct ps_tracking_state *state;
	struct ps_follow follow;
	const struct pstk_feature *from;
	struct pstk_track *to; /* negative where it was lost */
};

static void follow_some(void *data, size_t from, size_t to)
{
	const struct chase *c = data;
	float *room = ps_scratch_take(&c->state->part);

	for (size_t i = from; i < to; i++) {
		const struct pstk_feature *f = &c->from[i];
		float at[2];
		bool there = ps_follow(&c->follow, f->x, f->y, at, room);

		c->to[i] = there ? (struct pstk_track){ f->x, f->y, at[0], at[1] }
		                 : (struct pstk_track){ -1, -1, -1, -1 };
	}
	ps_scratch_give(&c->state->part, room);
}

/* Drops what was lost: no feature has a negative place. */
static uint32_t keep_found(struct pstk_track *tracks, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (tracks[i].x >= 0)
			tracks[kept++] = tracks[i];
	return kept;
}

static struct pstk_track *tracks_of(struct pstk_found *found)
{
	return (struct pstk_track *)(found + 1);
}

/* The pair's frames at `levels`. */
static int track_one(struct pstk_firing *f, const unsigned char *levels, const struct pstk_found *features,
	struct pstk_found *tracks)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_tracking_spec *spec = pstk_actor_arg(self);
	const struct pstk_frame_size largest = { spec->width, spec->height };
	const unsigned char *second = levels + pstk_actor_port_token_size(self, PS_TRACK_LEVELS);
	struct pstk_frame_size size;
	struct chase c = { .state = pstk_actor_state(self), .from = pstk_found_features(features) };
	int err = ps_sized_read(self, levels, &largest, &size);

	memset(tracks, 0, sizeof *tracks);
	if (!err)
		err = ps_sized_read(self, second, &largest, &tracks->size);
	if (err)
		return err;
	tracks->window = pstk_tracking_window(spec, size.width);
	if (size.width != tracks->size.width || size.height != tracks->size.height ||
		features->count > ps_tracking_most(spec))
		return 0;
	c.follow = (struct ps_follow){ ps_sized_data(levels), ps_sized_data(second),
		ps_levels_of(size.width, size.height), tracks->window,
		pstk_tracking_rounds(spec, size.width) };
	c.to = tracks_of(tracks);
	pstk_parallel_for(f, features->count, 1, follow_some, &c);
	tracks->count = keep_found(c.to, features->count);
	return 0;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_tracking_spec *spec = pstk_actor_arg(self);
	const unsigned char *levels = pstk_fifo_read_start(f, PS_TRACK_LEVELS);
	const unsigned char *features = pstk_fifo_read_start(f, PS_TRACK_FEATURES);
	unsigned char *out = pstk_fifo_write_start(f, PS_TRACK_OUT);

	for (size_t k = 0; k < pstk_firing_steps(f); k++) {
		int err = track_one(f, levels, (const void *)features, (void *)out);

		if (err)
			return err;
		levels += ps_tracking_stride(spec) * pstk_actor_port_token_size(self, PS_TRACK_LEVELS);
		features += pstk_actor_port_token_size(self, PS_TRACK_FEATURES);
		out += pstk_actor_port_token_size(self, PS_TRACK_OUT);
	}
	pstk_fifo_read_end(f, PS_TRACK_LEVELS);
	pstk_fifo_read_end(f, PS_TRACK_FEATURES);
	pstk_fifo_write_end(f, PS_TRACK_OUT);
	return PSTK_AGAIN;
}

/* Where tracks end, as features. */
static void carry_on(struct pstk_found *to, const struct pstk_found *tracks)
{
	struct pstk_feature *features = (struct pstk_feature *)(to + 1);

	*to = *tracks;
	for (uint32_t i = 0; i < tracks->count; i++) {
		const struct pstk_track *t = &pstk_found_tracks(tracks)[i];

		features[i] = (struct pstk_feature){ t->to_x, t->to_y, 0, 0 };
	}
}

/* Found features, where there are any, else those of the pair before. */
static int fire_first(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const unsigned char *levels = pstk_fifo_read_start(f, PS_TRACK_LEVELS);
	const unsigned char *found = pstk_fifo_read_start(f, PS_TRACK_FEATURES);
	const unsigned char *positions = pstk_fifo_read_start(f, PS_TRACK_POSITIONS);
	unsigned char *out = pstk_fifo_write_start(f, PS_TRACK_OUT);
	unsigned char *next = pstk_fifo_write_start(f, PS_TRACK_POSITIONS_OUT);

	for (size_t k = 0; k < pstk_firing_steps(f); k++) {
		const struct pstk_found *features = (const void *)found;
		int err = track_one(
			f, levels, features->count ? features : (const void *)positions, (void *)out);

		if (err)
			return err;
		carry_on((void *)next, (const void *)out);
		levels += pstk_actor_port_token_size(self, PS_TRACK_LEVELS);
		found += pstk_actor_port_token_size(self, PS_TRACK_FEATURES);
		positions += pstk_actor_port_token_size(self, PS_TRACK_POSITIONS);
		out += pstk_actor_port_token_size(self, PS_TRACK_OUT);
		next += pstk_actor_port_token_size(self, PS_TRACK_POSITIONS_OUT);
	}
	for (unsigned port = PS_TRACK_LEVELS; port <= PS_TRACK_POSITIONS_OUT; port++)
		if (port == PS_TRACK_OUT || port == PS_TRACK_POSITIONS_OUT)
			pstk_fifo_write_end(f, port);
		else
			pstk_fifo_read_end(f, port);
	return PSTK_AGAIN;
}

/* The largest window of any frame. */
static uint32_t largest_window(const struct pstk_tracking_spec *s)
{
	return pstk_tracking_window(s, s->width);
}

static int init(struct pstk_actor *self)
{
	const struct pstk_tracking_spec *spec = pstk_actor_arg(self);
	struct ps_tracking_state *s = pstk_actor_state(self);
	const size_t found = pstk_tracking_found_bytes(spec);
	const unsigned ports = spec->first ? PS_TRACK_POSITIONS_OUT + 1 : PS_TRACK_OUT + 1;
	int err = ps_tracking_check(self, PS_TRACK_LEVELS, ps_tracking_levels_bytes(spec));

	for (unsigned port = PS_TRACK_FEATURES; port < ports && !err; port++)
		err = ps_tracking_check(self, port, found);
	if (!err)
		err = ps_scratch_init(&s->part, self, ps_follow_room(largest_window(spec)) * sizeof(float),
			"patches of a feature");
	return err;
}

struct pstk_actor *pstk_track_add(
	struct pstk_network *net, const char *name, const struct pstk_tracking_spec *given)
{
	struct pstk_tracking_spec spec;
	struct pstk_port ports[] = {
		[PS_TRACK_LEVELS] = { .name = "levels", .kind = PSTK_INPUT, .token_type = "f32" },
		[PS_TRACK_FEATURES] = { .name = "features",
			.kind = PSTK_INPUT,
			.token_type = "f32",
			.rate = 1 },
		[PS_TRACK_OUT] = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
		[PS_TRACK_POSITIONS] = { .name = "positions",
			.kind = PSTK_INPUT,
			.token_type = "f32",
			.rate = 1 },
		[PS_TRACK_POSITIONS_OUT] = { .name = "positions_out",
			.kind = PSTK_OUTPUT,
			.token_type = "f32",
			.rate = 1 },
	};

	if (ps_tracking_read(&spec, net, name ? name : "", given))
		return NULL;
	ports[PS_TRACK_LEVELS].rate = (uint32_t)ps_tracking_stride(&spec);
	ports[PS_TRACK_LEVELS].peek = spec.chained ? 2 : 0;
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "track", .ports = ports, .port_count = spec.first ? 5 : 3,
			.arg_size = sizeof spec, .state_size = sizeof(struct ps_tracking_state),
			.stateless = true, .whole_steps = true, .init = init,
			.fire = spec.first ? fire_first : fire, .finish = ps_tracking_finish,
#ifdef HAVE_OPENCL
			.open_place = spec.first ? NULL : ps_track_open,
			.fire_cl = spec.first ? NULL : ps_track_fire_cl
#endif
			),
		&spec);
}
