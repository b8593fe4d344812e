/* SPDX-License-Identifier: MIT */
/* The stages on a device. Rows of frames, bands of them and features are shared out among groups. */
#include "actors/tracking/tracking.h"

#include <errno.h>

/* On a GPU so many work-items make a group, on a CPU one; so many groups there are. Each band begins with the sums of a
 * window of rows, so on a CPU there are but a few. */
enum { GROUP_MOST = 64, ROWS_A_CORE = 16, BANDS_A_CORE = 4, GPU_BANDS = 128, DIGIT_SIZE = 2048 };
enum { GROUP, ROWS, BANDS }; /* sizes */

static const char source[] =
#include "actors/tracking/tracking.clh"
#include "actors/tracking/levels.clh"
#include "actors/tracking/strongest.clh"
#include "actors/tracking/follow.clh"
	;

/* Arguments of a kernel, one behind the other; after a failure none is set any more. */
struct args {
	struct pstk_actor *self;
	const struct ps_launch *l;
	unsigned kernel, index;
	int err;
};

static void put(struct args *a, size_t size, const void *value)
{
	if (!a->err)
		a->err = ps_launch_arg(a->self, a->l, a->kernel, a->index++, size, value);
}

static void put_buffer(struct args *a, cl_mem buffer)
{
	put(a, sizeof buffer, &buffer);
}

static void put_number(struct args *a, size_t number)
{
	put(a, sizeof(cl_uint), &(cl_uint){ (cl_uint)number });
}

/* Of preprocess: the largest frame. */
static void put_size(struct args *a)
{
	const struct pstk_frame_size *largest = pstk_actor_arg(a->self);

	put_number(a, largest->width);
	put_number(a, largest->height);
}

static struct args begin(struct pstk_actor *self, const struct ps_launch *l, unsigned kernel)
{
	return (struct args){ self, l, kernel, 0, 0 };
}

static int run(struct pstk_firing *f, const struct args *a, size_t x, size_t y, size_t z, size_t group)
{
	return a->err ? a->err
	              : ps_launch_run(f, a->l, a->kernel, (size_t[]){ x, y, z }, (size_t[]){ group, 1, 1 });
}

static int open_kernels(
	struct pstk_actor *self, struct ps_launch *l, size_t height, const char *const *kernels)
{
	const size_t cores = ps_launch_cores(self), rows = ROWS_A_CORE * cores, bands = BANDS_A_CORE * cores;
	int err = ps_launch_build(self, l, source, "tracking.cl", kernels);

	l->sizes[ROWS] = cores && height > rows ? rows : height;
	l->sizes[BANDS] = cores && bands < GPU_BANDS ? bands : GPU_BANDS;
	return err ? err : ps_launch_group(self, l, cores ? 1 : GROUP_MOST, &l->sizes[GROUP]);
}

static struct ps_launch *place_of(struct pstk_actor *self, unsigned place)
{
	struct ps_tracking_state *s = pstk_actor_state(self);

	return &s->on_devices.at[place];
}

static const struct ps_launch *here(struct pstk_firing *f)
{
	struct ps_tracking_state *s = pstk_actor_state(pstk_firing_actor(f));

	return ps_launch_here(&s->on_devices, f);
}

/*
 * Preprocess.
 */

enum { BLUR, SLOPE, HALVE };

int ps_preprocess_open(struct pstk_actor *self, unsigned place)
{
	static const char *const kernels[] = { "blur", "slope", "halve", NULL };
	const struct pstk_frame_size *largest = pstk_actor_arg(self);

	return open_kernels(self, place_of(self, place), largest->height, kernels);
}

static int run_slope(
	struct pstk_firing *f, const struct ps_launch *l, const struct pstk_cl_window *out, unsigned level)
{
	struct args a = begin(pstk_firing_actor(f), l, SLOPE);

	put_buffer(&a, out->buffer);
	put_size(&a);
	put_number(&a, level);
	return run(f, &a, l->sizes[GROUP], l->sizes[ROWS], out->valid, l->sizes[GROUP]);
}

int ps_preprocess_fire_cl(struct pstk_firing *f)
{
	const struct ps_launch *l = here(f);
	struct args blur = begin(pstk_firing_actor(f), l, BLUR),
		    halve = begin(pstk_firing_actor(f), l, HALVE);
	struct pstk_cl_window in, out;
	int err;

	if (pstk_cl_window(f, PS_PREPROCESS_IN, &in) || pstk_cl_window(f, PS_PREPROCESS_OUT, &out))
		return -EPROTO;
	put_buffer(&blur, in.buffer);
	put_buffer(&blur, out.buffer);
	put_size(&blur);
	put_buffer(&halve, out.buffer);
	put_size(&halve);
	err = run(f, &blur, l->sizes[GROUP], l->sizes[ROWS], out.valid, l->sizes[GROUP]);
	if (!err)
		err = run_slope(f, l, &out, 0);
	if (!err)
		err = run(f, &halve, l->sizes[GROUP], l->sizes[ROWS], out.valid, l->sizes[GROUP]);
	return err ? err : run_slope(f, l, &out, 1);
}

/*
 * Features.
 */

enum { STRENGTHS, COUNT, CHOOSE, TALLY, GATHER, RANK, APART };
enum { STRENGTH, COLUMNS, COUNTS, CHOICE, COUNTED, FOUND, TOTAL, SORTED }; /* buffers */

int ps_features_open(struct pstk_actor *self, unsigned place)
{
	static const char *const kernels[] = { "strengths", "count", "choose", "tally", "gather", "rank",
		"apart", NULL };
	const struct pstk_tracking_spec *s = pstk_actor_arg(self);
	struct ps_launch *l = place_of(self, place);
	const size_t pixels = (size_t)s->width * s->height, most = ps_tracking_most(s);
	int err = open_kernels(self, l, s->height, kernels);
	const size_t bytes[] = { pixels * sizeof(cl_float), l->sizes[BANDS] * 3 * s->width * sizeof(cl_long),
		l->sizes[BANDS] * DIGIT_SIZE * sizeof(cl_uint), 4 * sizeof(cl_uint),
		2 * s->height * sizeof(cl_uint), most * sizeof(cl_uint2), sizeof(cl_uint),
		most * sizeof(cl_uint2) };

	for (unsigned i = STRENGTH; i <= SORTED && !err; i++)
		err = ps_launch_buffer(self, l, i, bytes[i], NULL);
	return err;
}

/* What all of its kernels but rank are given behind their buffers. */
static void put_frame(struct args *a, size_t token)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(a->self);

	put_number(a, s->width);
	put_number(a, s->height);
	put_number(a, token);
}

static int run_strengths(struct pstk_firing *f, const struct ps_launch *l, cl_mem in, size_t token)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(pstk_firing_actor(f));
	struct args a = begin(pstk_firing_actor(f), l, STRENGTHS);

	put_buffer(&a, in);
	put_buffer(&a, l->buffers[STRENGTH]);
	put_buffer(&a, l->buffers[COLUMNS]);
	put_frame(&a, token);
	put_number(&a, s->window);
	return run(f, &a, l->sizes[BANDS] * l->sizes[GROUP], 1, 1, l->sizes[GROUP]);
}

static int run_digit(
	struct pstk_firing *f, const struct ps_launch *l, cl_mem in, size_t token, unsigned digit)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(pstk_firing_actor(f));
	struct args count = begin(pstk_firing_actor(f), l, COUNT),
		    choose = begin(pstk_firing_actor(f), l, CHOOSE);
	int err;

	put_buffer(&count, in);
	put_buffer(&count, l->buffers[STRENGTH]);
	put_buffer(&count, l->buffers[CHOICE]);
	put_buffer(&count, l->buffers[COUNTS]);
	put_frame(&count, token);
	put_number(&count, digit);
	put_buffer(&choose, in);
	put_buffer(&choose, l->buffers[COUNTS]);
	put_buffer(&choose, l->buffers[CHOICE]);
	put_frame(&choose, token);
	put_number(&choose, digit);
	put_number(&choose, l->sizes[BANDS]);
	put_number(&choose, s->features);
	err = run(f, &count, l->sizes[BANDS] * l->sizes[GROUP], 1, 1, l->sizes[GROUP]);
	return err ? err : run(f, &choose, l->sizes[GROUP], 1, 1, l->sizes[GROUP]);
}

static int run_gather(struct pstk_firing *f, const struct ps_launch *l, cl_mem in, size_t token)
{
	struct args tally = begin(pstk_firing_actor(f), l, TALLY),
		    gather = begin(pstk_firing_actor(f), l, GATHER);
	const size_t rows = (l->sizes[ROWS] + l->sizes[GROUP] - 1) / l->sizes[GROUP] * l->sizes[GROUP];
	int err;

	for (unsigned i = 0; i < 2; i++) {
		struct args *a = i ? &gather : &tally;

		put_buffer(a, in);
		put_buffer(a, l->buffers[STRENGTH]);
		put_buffer(a, l->buffers[CHOICE]);
		put_buffer(a, l->buffers[COUNTED]);
	}
	put_frame(&tally, token);
	put_buffer(&gather, l->buffers[FOUND]);
	put_buffer(&gather, l->buffers[TOTAL]);
	put_frame(&gather, token);
	err = run(f, &tally, rows, 1, 1, l->sizes[GROUP]);
	return err ? err : run(f, &gather, rows, 1, 1, l->sizes[GROUP]);
}

static int run_apart(
	struct pstk_firing *f, const struct ps_launch *l, cl_mem in, cl_mem out, size_t token, size_t number)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(pstk_firing_actor(f));
	struct args rank = begin(pstk_firing_actor(f), l, RANK),
		    apart = begin(pstk_firing_actor(f), l, APART);
	int err;

	put_buffer(&rank, l->buffers[FOUND]);
	put_buffer(&rank, l->buffers[TOTAL]);
	put_buffer(&rank, l->buffers[SORTED]);
	put_buffer(&apart, in);
	put_buffer(&apart, l->buffers[SORTED]);
	put_buffer(&apart, l->buffers[TOTAL]);
	put_buffer(&apart, out);
	put_frame(&apart, token);
	put_number(&apart, number);
	put_number(&apart, pstk_tracking_found_bytes(s) / sizeof(cl_float));
	put_number(&apart, s->radius);
	put_number(&apart, s->window);
	err = run(f, &rank, l->sizes[BANDS] * l->sizes[GROUP], 1, 1, l->sizes[GROUP]);
	return err ? err : run(f, &apart, l->sizes[GROUP], 1, 1, l->sizes[GROUP]);
}

int ps_features_fire_cl(struct pstk_firing *f)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(pstk_firing_actor(f));
	const struct ps_launch *l = here(f);
	struct pstk_cl_window in, out;
	int err = 0;

	if (pstk_cl_window(f, PS_FEATURES_IN, &in) || pstk_cl_window(f, PS_FEATURES_OUT, &out))
		return -EPROTO;
	for (size_t k = 0; k < out.valid && !err; k++) {
		const size_t token = k * ps_tracking_stride(s);

		err = run_strengths(f, l, in.buffer, token);
		for (unsigned digit = 0; digit < 3 && !err; digit++)
			err = run_digit(f, l, in.buffer, token, digit);
		if (!err)
			err = run_gather(f, l, in.buffer, token);
		if (!err)
			err = run_apart(f, l, in.buffer, out.buffer, token, k);
	}
	return err;
}

/*
 * Track.
 */

enum { FOLLOW, KEEP };
enum { PATCHES };

int ps_track_open(struct pstk_actor *self, unsigned place)
{
	static const char *const kernels[] = { "follow", "keep", NULL };
	const struct pstk_tracking_spec *s = pstk_actor_arg(self);
	struct ps_launch *l = place_of(self, place);
	const size_t window = pstk_tracking_window(s, s->width);
	int err = open_kernels(self, l, s->height, kernels);

	return err ? err
	           : ps_launch_buffer(self, l, PATCHES,
			     l->sizes[BANDS] * 12 * window * window * sizeof(cl_float), NULL);
}

/* Which tokens: of the pair's first frame, of the features. */
static void put_pair(struct args *a, size_t k)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(a->self);

	put_frame(a, k * ps_tracking_stride(s));
	put_number(a, k * ps_tracking_stride(s) + 1);
	put_number(a, k);
	put_number(a, pstk_tracking_found_bytes(s) / sizeof(cl_float));
	put_number(a, ps_tracking_most(s));
	put_number(a, s->window);
}

static int track_one(struct pstk_firing *f, const struct ps_launch *l, const cl_mem buffers[3], size_t k)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(pstk_firing_actor(f));
	struct args follow = begin(pstk_firing_actor(f), l, FOLLOW),
		    keep = begin(pstk_firing_actor(f), l, KEEP);
	int err;

	for (unsigned i = 0; i < 3; i++) {
		put_buffer(&follow, buffers[i]);
		put_buffer(&keep, buffers[i]);
	}
	put_buffer(&follow, l->buffers[PATCHES]);
	put_pair(&follow, k);
	put_number(&follow, s->rounds);
	put_number(&follow, pstk_tracking_window(s, s->width));
	put_pair(&keep, k);
	err = run(f, &follow, l->sizes[BANDS] * l->sizes[GROUP], 1, 1, l->sizes[GROUP]);
	return err ? err : run(f, &keep, 1, 1, 1, 1);
}

int ps_track_fire_cl(struct pstk_firing *f)
{
	const struct ps_launch *l = here(f);
	struct pstk_cl_window levels, features, out;
	int err = 0;

	if (pstk_cl_window(f, PS_TRACK_LEVELS, &levels) || pstk_cl_window(f, PS_TRACK_FEATURES, &features) ||
		pstk_cl_window(f, PS_TRACK_OUT, &out))
		return -EPROTO;
	for (size_t k = 0; k < out.valid && !err; k++)
		err = track_one(f, l, (cl_mem[]){ levels.buffer, features.buffer, out.buffer }, k);
	return err;
}
