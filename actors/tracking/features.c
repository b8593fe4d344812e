/* SPDX-License-Identifier: MIT */
/* The strongest features of a frame: strengths by rows, in parts; then one thread chooses. */
#include "actors/tracking/strongest.h"
#include "actors/tracking/tracking.h"

#include "penstock/pipeline.h"

#include <string.h>

/* Parts of a frame at most: each begins with sums of `window` rows. */
enum { PARTS = 16 };

struct search {
	struct ps_tracking_state *state;
	float *strengths;
	const float *levels;
	struct ps_levels l;
	uint32_t window;
};

static void weigh_rows(void *data, size_t from, size_t to)
{
	const struct search *s = data;
	double *columns = ps_scratch_take(&s->state->part);

	ps_strengths(s->strengths, s->levels, &s->l, s->window, from, to, columns);
	ps_scratch_give(&s->state->part, columns);
}

static struct pstk_feature *features_of(struct pstk_found *found)
{
	return (struct pstk_feature *)(found + 1);
}

static void note(struct pstk_found *found, const struct ps_candidate *candidates, const struct search *s)
{
	struct pstk_feature *to = features_of(found);

	for (uint32_t i = 0; i < found->count; i++) {
		uint32_t at = candidates[i].number, w = (uint32_t)s->l.w[0];

		to[i] = (struct pstk_feature){ (float)(at % w), (float)(at / w), s->strengths[at], 0 };
	}
}

/* Behind the strengths are candidates, then what ps_strongest() needs. */
static void find(struct pstk_firing *f, struct search *s, struct pstk_found *found,
	const struct pstk_tracking_spec *spec)
{
	const size_t h = s->l.h[0];
	struct ps_candidate *candidates =
		(struct ps_candidate *)(void *)(s->strengths + (size_t)spec->width * spec->height);

	pstk_parallel_for(f, h, (h + PARTS - 1) / PARTS, weigh_rows, s);
	found->count = ps_strongest(candidates, s->strengths, s->l.w[0] * h,
		pstk_tracking_features(spec, found->size.width),
		(float *)(void *)(candidates + ps_tracking_most(spec)));
	note(found, candidates, s);
	found->count = ps_apart(features_of(found), found->count, spec->radius);
}

/* Found in each frame, or only where its size is another than before. */
static bool wanted(struct ps_tracking_state *s, const struct pstk_tracking_spec *spec,
	const struct pstk_frame_size *size)
{
	bool same = s->first.width == size->width && s->first.height == size->height;

	if (!size->width || !size->height)
		return false;
	if (!spec->first)
		return true;
	s->first = *size;
	return !same;
}

static int find_one(struct pstk_firing *f, const void *in, struct pstk_found *found)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_tracking_spec *spec = pstk_actor_arg(self);
	const struct pstk_frame_size largest = { spec->width, spec->height };
	struct search s = { .state = pstk_actor_state(self), .levels = ps_sized_data(in) };
	int err = ps_sized_read(self, in, &largest, &found->size);

	if (err)
		return err;
	s.l = ps_levels_of(found->size.width, found->size.height);
	s.window = found->window = pstk_tracking_window(spec, found->size.width);
	if (!wanted(s.state, spec, &found->size))
		return 0;
	s.strengths = ps_scratch_take(&s.state->firing);
	find(f, &s, found, spec);
	ps_scratch_give(&s.state->firing, s.strengths);
	return 0;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct pstk_tracking_spec *spec = pstk_actor_arg(self);
	const unsigned char *in = pstk_fifo_read_start(f, PS_FEATURES_IN);
	unsigned char *out = pstk_fifo_write_start(f, PS_FEATURES_OUT);

	for (size_t k = 0; k < pstk_firing_steps(f); k++) {
		int err;

		memset(out, 0, sizeof(struct pstk_found));
		err = find_one(f, in, (struct pstk_found *)(void *)out);
		if (err)
			return err;
		in += ps_tracking_stride(spec) * pstk_actor_port_token_size(self, PS_FEATURES_IN);
		out += pstk_actor_port_token_size(self, PS_FEATURES_OUT);
	}
	pstk_fifo_read_end(f, PS_FEATURES_IN);
	pstk_fifo_write_end(f, PS_FEATURES_OUT);
	return PSTK_AGAIN;
}

static int init(struct pstk_actor *self)
{
	const struct pstk_tracking_spec *spec = pstk_actor_arg(self);
	struct ps_tracking_state *s = pstk_actor_state(self);
	size_t strengths = (size_t)spec->width * spec->height * sizeof(float),
	       candidates = ps_tracking_most(spec) * sizeof(struct ps_candidate),
	       blocks = ((size_t)spec->width * spec->height / PS_STRONGEST_BLOCK + 1) * sizeof(float);
	int err = ps_tracking_check(self, PS_FEATURES_IN, ps_tracking_levels_bytes(spec));

	if (!err)
		err = ps_tracking_check(self, PS_FEATURES_OUT, pstk_tracking_found_bytes(spec));
	if (!err)
		err = ps_scratch_init(
			&s->firing, self, strengths + candidates + blocks, "the strengths of a frame");
	if (!err)
		err = ps_scratch_init(
			&s->part, self, 6 * (size_t)spec->width * sizeof(double), "sums of columns");
	if (err)
		ps_tracking_finish(self);
	return err;
}

struct pstk_actor *pstk_features_add(
	struct pstk_network *net, const char *name, const struct pstk_tracking_spec *given)
{
	struct pstk_tracking_spec spec;
	struct pstk_port ports[] = {
		[PS_FEATURES_IN] = { .name = "in", .kind = PSTK_INPUT, .token_type = "f32" },
		[PS_FEATURES_OUT] = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "f32", .rate = 1 },
	};

	if (ps_tracking_read(&spec, net, name ? name : "", given))
		return NULL;
	ports[PS_FEATURES_IN].rate = (uint32_t)ps_tracking_stride(&spec);
	ports[PS_FEATURES_IN].peek = spec.chained ? 2 : 0;
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "features", .ports = ports, .port_count = 2, .arg_size = sizeof spec,
			.state_size = sizeof(struct ps_tracking_state), .stateless = !spec.first,
			.whole_steps = true, .init = init, .fire = fire, .finish = ps_tracking_finish,
#ifdef HAVE_OPENCL
			.open_place = spec.first ? NULL : ps_features_open,
			.fire_cl = spec.first ? NULL : ps_features_fire_cl
#endif
			),
		&spec);
}
