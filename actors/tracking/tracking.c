/* SPDX-License-Identifier: MIT */
#include "actors/tracking/tracking.h"
#include "actors/common/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The formats of SD-VBS. */
static const struct {
	uint32_t width, window, features, rounds;
} formats[] = { { 128, 8, 500, 15 }, { 176, 12, 400, 15 }, { 352, 20, 500, 20 }, { 640, 32, 400, 20 },
	{ UINT32_MAX, 48, 500, 20 } };

static unsigned format_of(uint32_t width)
{
	unsigned i = 0;

	while (width > formats[i].width)
		i++;
	return i;
}

uint32_t pstk_tracking_window(const struct pstk_tracking_spec *s, uint32_t width)
{
	return s->window ? s->window : formats[format_of(width)].window;
}

uint32_t pstk_tracking_features(const struct pstk_tracking_spec *s, uint32_t width)
{
	return s->features ? s->features : formats[format_of(width)].features;
}

uint32_t pstk_tracking_rounds(const struct pstk_tracking_spec *s, uint32_t width)
{
	return s->rounds ? s->rounds : formats[format_of(width)].rounds;
}

uint32_t ps_tracking_most(const struct pstk_tracking_spec *s)
{
	return s->features ? s->features : formats[0].features;
}

size_t pstk_tracking_found_bytes(const struct pstk_tracking_spec *s)
{
	return pstk_sized_bytes(ps_tracking_most(s) * sizeof(struct pstk_feature));
}

int ps_tracking_read(struct pstk_tracking_spec *s, struct pstk_network *net, const char *name,
	const struct pstk_tracking_spec *given)
{
	enum { SIDE_MOST = 32768 };

	if (!given)
		return pstk_network_refuse(net, -EINVAL, "'%s': its spec is NULL", name);
	if (ps_copy_spec(s, sizeof *s, sizeof *s, given, "pstk_tracking", NULL, 0))
		return pstk_network_refuse(net, -EINVAL,
			"'%s': struct_size of its struct pstk_tracking_spec is %" PRIu32
			", expected %zu: use PSTK_TRACKING() or pstk_tracking_spec_init()",
			name, given->struct_size, sizeof *s);
	if (!s->width || !s->height || s->width > SIDE_MOST || s->height > SIDE_MOST)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': frames of %" PRIu32 "x%" PRIu32 " pixels: expected sides from 1 to %d", name,
			s->width, s->height, SIDE_MOST);
	if (s->window == 1 || s->window > PSTK_WINDOW_MOST || s->features > PSTK_FEATURES_MOST)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a window of %" PRIu32 ", %" PRIu32
			" features: expected one from 2 to %d, at most %d",
			name, s->window, s->features, PSTK_WINDOW_MOST, PSTK_FEATURES_MOST);
	if (!s->radius)
		s->radius = PS_TRACKING_RADIUS;
	return 0;
}

int ps_tracking_check(struct pstk_actor *self, unsigned port, size_t bytes)
{
	const struct pstk_tracking_spec *s = pstk_actor_arg(self);
	char what[64];

	snprintf(what, sizeof what, "a frame of %" PRIu32 "x%" PRIu32 " pixels", s->width, s->height);
	return ps_sized_check(self, port, bytes - PSTK_SIZED_HEAD, what);
}

int ps_tracking_finish(struct pstk_actor *self)
{
	struct ps_tracking_state *s = pstk_actor_state(self);

#ifdef HAVE_OPENCL
	ps_launch_end(&s->on_devices);
#endif
	ps_scratch_free(&s->firing);
	ps_scratch_free(&s->part);
	return 0;
}
