/* SPDX-License-Identifier: MIT */
/*
 * Openings of growing size, by the unit element: an opening goes on from the erosion of the one before it, so it takes
 * one erosion and n dilations.
 *
 * An erosion is the dilation of the complement: outside of the image there are 0s then, too. So one loop does both.
 */
#include "config.h"

#include "actors/openings/openings.h"
#include "actors/common/scratch.h"
#include "actors/common/spec.h"
#include "actors/common/wide.h"
#ifdef HAVE_OPENCL
#include "actors/openings/openings_cl.h"
#endif

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/*
 * The unit element.
 */

enum { TOP = PS_WORD_BITS - 1 };

/* A row and the two beside it in its plane; where there is none, the row itself: that changes no OR. */
struct rows {
	const uint64_t *above, *here, *below;
};

PS_WIDE_BODY static struct rows rows_of(const struct ps_volume *v, const uint64_t *plane, size_t y)
{
	const uint64_t *here = plane + y * v->words;

	return (struct rows){ y ? here - v->words : here, here, y + 1 < v->height ? here + v->words : here };
}

/* row: what reaches its neighbours on both sides. rest: what stays in its column; NULL: nothing. flip: all ones for the
 * complement. */
PS_WIDE_BODY static void spread(const struct ps_volume *v, uint64_t *restrict dst,
	const uint64_t *restrict row, const uint64_t *restrict rest, uint64_t flip)
{
	const uint64_t *before = row, *here = row + 1, *behind = row + 2;

	for (size_t i = 0; i < v->words; i++)
		dst[i] = (here[i] | here[i] << 1 | here[i] >> 1 | before[i] >> TOP | behind[i] << TOP |
				 (rest ? rest[i] : 0)) ^
		         flip;
	dst[v->words - 1] &= v->last;
}

PS_WIDE_BODY static void add_rows(
	const struct ps_volume *v, uint64_t *restrict sum, struct rows r, uint64_t flip, bool begins)
{
	for (size_t i = 0; i < v->words; i++)
		sum[i] = (begins ? 0 : sum[i]) | (r.above[i] ^ flip) | (r.here[i] ^ flip) |
		         (r.below[i] ^ flip);
}

/* All rows around first, then to both sides. */
PS_WIDE_BODY static void square_row(const struct ps_volume *v, uint64_t *restrict dst,
	const uint64_t *restrict src, size_t y, size_t z, uint64_t flip, uint64_t *restrict room)
{
	const size_t plane = v->words * v->height;
	uint64_t *sum = room + 1;

	add_rows(v, sum, rows_of(v, src + z * plane, y), flip, true);
	if (z)
		add_rows(v, sum, rows_of(v, src + (z - 1) * plane, y), flip, false);
	if (z + 1 < v->depth)
		add_rows(v, sum, rows_of(v, src + (z + 1) * plane, y), flip, false);
	sum[v->words - 1] &= v->last;
	spread(v, dst, room, NULL, flip);
}

PS_WIDE_BODY static void cross_row(const struct ps_volume *v, uint64_t *restrict dst,
	const uint64_t *restrict src, size_t y, size_t z, uint64_t flip, uint64_t *restrict room)
{
	const size_t plane = v->words * v->height;
	const struct rows r = rows_of(v, src + z * plane, y);
	const uint64_t *front = z ? r.here - plane : r.here,
		       *back = z + 1 < v->depth ? r.here + plane : r.here;
	uint64_t *here = room + 1, *rest = here + v->words + 1;

	for (size_t i = 0; i < v->words; i++) {
		here[i] = r.here[i] ^ flip;
		rest[i] = (r.above[i] ^ flip) | (r.below[i] ^ flip) | (front[i] ^ flip) | (back[i] ^ flip);
	}
	here[v->words - 1] &= v->last;
	spread(v, dst, room, rest, flip);
}

PS_WIDE_BODY static void unit_body(const struct ps_volume *v, bool cross, uint64_t *restrict dst,
	const uint64_t *restrict src, uint64_t flip, uint64_t *restrict room)
{
	room[0] = room[v->words + 1] = 0;
	for (size_t z = 0; z < v->depth; z++)
		for (size_t y = 0; y < v->height; y++, dst += v->words) {
			if (cross)
				cross_row(v, dst, src, y, z, flip, room);
			else
				square_row(v, dst, src, y, z, flip, room);
		}
}

PS_WIDE(unit,
	(const struct ps_volume *v, bool cross, uint64_t *restrict dst, const uint64_t *restrict src,
		uint64_t flip, uint64_t *restrict room),
	(v, cross, dst, src, flip, room))

void ps_openings_unit(const struct ps_openings *o, uint64_t *restrict dst, const uint64_t *restrict src,
	bool erode, uint64_t *restrict room)
{
	unit(&o->volume, o->cross, dst, src, erode ? UINT64_MAX : 0, room);
}

PS_WIDE_BODY static void count_body(uint64_t *ones, const uint64_t *image, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (unsigned)__builtin_popcountll(image[i]);
	*ones = sum;
}

PS_WIDE(count, (uint64_t * ones, const uint64_t *image, size_t n), (ones, image, n))

/*
 * The actor. A firing needs images of its own while it runs; as many as may run side by side have them.
 */

/* Erosions and dilations go to and fro between two images each. */
struct scratch {
	uint64_t *eroded[2], *dilated[2], *room;
};

static size_t scratch_words(const struct ps_openings *o)
{
	return 4 * o->volume.size + 2 * o->volume.words + 2;
}

static struct scratch scratch_at(const struct ps_openings *o, uint64_t *words)
{
	size_t n = o->volume.size;

	return (struct scratch){ { words, words + n }, { words + 2 * n, words + 3 * n }, words + 4 * n };
}

/* Dilates n times, n at least 1. to: where the result goes; NULL: anywhere. Returns where it is. */
static const uint64_t *dilate(
	const struct ps_openings *o, const struct scratch *s, const uint64_t *from, uint32_t n, uint64_t *to)
{
	for (uint32_t i = 1; i <= n; i++) {
		uint64_t *dst = i == n && to ? to : s->dilated[i & 1];

		ps_openings_unit(o, dst, from, false, s->room);
		from = dst;
	}
	return from;
}

/* out: gets the last opening; NULL: nothing does. */
static void open_image(const struct ps_openings *o, const struct scratch *s, const uint64_t *in,
	uint64_t *counts, uint64_t *out)
{
	const size_t size = o->volume.size;
	const uint64_t *from = in;

	memset(counts, 0, ps_openings_results(o) * sizeof *counts);
	if (!o->first)
		count(counts, in, size);
	for (uint32_t n = 1; n <= o->last; n++) {
		uint64_t *eroded = s->eroded[n & 1], left;

		ps_openings_unit(o, eroded, from, true, s->room);
		from = eroded;
		if (n < o->first)
			continue;
		count(&left, eroded, size);
		if (!left) { /* nor of any larger size */
			if (out)
				memset(out, 0, size * sizeof *out);
			return;
		}
		count(&counts[n - o->first], dilate(o, s, eroded, n, n == o->last ? out : NULL), size);
	}
}

struct state {
#ifdef HAVE_OPENCL
	struct ps_launches on_devices; /* constant after the start */
#endif
	struct ps_scratch scratch; /* of each firing on the cores */
};

static int release(struct pstk_actor *self)
{
	struct state *s = pstk_actor_state(self);

#ifdef HAVE_OPENCL
	ps_launch_end(&s->on_devices);
#endif
	ps_scratch_free(&s->scratch);
	return 0;
}

static int init(struct pstk_actor *self)
{
	const struct ps_openings *o = pstk_actor_arg(self);
	struct state *s = pstk_actor_state(self);

	return ps_scratch_init(&s->scratch, self, scratch_words(o) * sizeof(uint64_t), "4 images");
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct ps_openings *o = pstk_actor_arg(self);
	struct state *s = pstk_actor_state(self);
	const uint64_t *in = pstk_fifo_read_start(f, PS_OPENINGS_IN);
	uint64_t *counts = pstk_fifo_write_start(f, PS_OPENINGS_COUNTS);
	uint64_t *out = o->image ? pstk_fifo_write_start(f, PS_OPENINGS_OUT) : NULL;
	uint64_t *words = ps_scratch_take(&s->scratch);
	struct scratch scratch = scratch_at(o, words);

	for (uint32_t i = 0; i < pstk_port_valid(f, PS_OPENINGS_IN); i++)
		open_image(o, &scratch, in + i * o->volume.size, counts + i * ps_openings_results(o),
			out ? out + i * o->volume.size : NULL);
	ps_scratch_give(&s->scratch, words);
	pstk_fifo_read_end(f, PS_OPENINGS_IN);
	pstk_fifo_write_end(f, PS_OPENINGS_COUNTS);
	if (out)
		pstk_fifo_write_end(f, PS_OPENINGS_OUT);
	return PSTK_AGAIN;
}

/*
 * Building.
 */

static int read_spec(struct pstk_openings_spec *spec, struct pstk_network *net, const char *name,
	const struct pstk_openings_spec *given)
{
	if (!given)
		return pstk_network_refuse(net, -EINVAL, "'%s': its spec is NULL", name);
	if (ps_copy_spec(spec, sizeof *spec, sizeof *spec, given, "pstk_openings", NULL, 0))
		return pstk_network_refuse(net, -EINVAL,
			"'%s': struct_size of its struct pstk_openings_spec is %" PRIu32
			", expected %zu: use PSTK_OPENINGS() or pstk_openings_spec_init()",
			name, given->struct_size, sizeof *spec);
	if (!spec->last || spec->last > PSTK_MAX_OPENINGS || spec->first > spec->last)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': openings %" PRIu32 " to %" PRIu32
			": expected a last one from 1 to %d, and a first one "
			"not above it",
			name, spec->first, spec->last, PSTK_MAX_OPENINGS);
	if (spec->element > PSTK_ELEMENT_CROSS)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': there is no element %" PRIu32 ": expected PSTK_ELEMENT_SQUARE or .._CROSS",
			name, spec->element);
	return 0;
}

struct pstk_actor *pstk_openings_add(
	struct pstk_network *net, const char *name, const struct pstk_openings_spec *given)
{
	struct pstk_openings_spec spec;
	struct ps_openings o = { .cross = false };
	struct pstk_port ports[] = {
		[PS_OPENINGS_IN] = { .name = "in", .kind = PSTK_INPUT, .token_type = "u64", .rate = 1 },
		[PS_OPENINGS_COUNTS] = { .name = "counts",
			.kind = PSTK_OUTPUT,
			.token_type = "u64",
			.rate = 1 },
		[PS_OPENINGS_OUT] = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u64", .rate = 1 },
	};

	if (read_spec(&spec, net, name ? name : "", given) ||
		ps_volume_init(&o.volume, net, name ? name : "", spec.width, spec.height, spec.depth))
		return NULL;
	o.first = spec.first;
	o.last = spec.last;
	o.cross = spec.element == PSTK_ELEMENT_CROSS;
	o.image = spec.image;
	ports[PS_OPENINGS_IN].token_size = ports[PS_OPENINGS_OUT].token_size =
		o.volume.size * sizeof(uint64_t);
	ports[PS_OPENINGS_COUNTS].token_size = ps_openings_results(&o) * sizeof(uint64_t);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "openings", .ports = ports, .port_count = o.image ? 3 : 2,
			.arg_size = sizeof o, .state_size = sizeof(struct state), .stateless = true,
			.init = init, .fire = fire, .finish = release,
#ifdef HAVE_OPENCL
			.fire_cl = ps_openings_fire_cl, .open_place = ps_openings_open_place
#endif
			),
		&o);
}
