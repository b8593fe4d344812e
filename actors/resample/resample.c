/* SPDX-License-Identifier: MIT */
/* Another rate: a low-pass filter of a design that follows from the two rates, see common/polyphase.c. */
#include "config.h"

#include "actors/common/polyphase.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MOST_RATE = 65536, ZEROS = 16, ATTENUATION = 80 };

static uint32_t common_factor(uint32_t a, uint32_t b)
{
	return b ? common_factor(b, a % b) : a;
}

static int check(struct pstk_network *net, const char *name, uint32_t p, uint32_t q, uint32_t zeros)
{
	uint32_t high, factor;
	uint64_t taps;

	if (p < 1 || p > MOST_RATE || q < 1 || q > MOST_RATE)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a rate times %" PRIu32 " / %" PRIu32 ": both are 1 .. %d", name, p, q,
			MOST_RATE);
	factor = common_factor(p, q);
	high = (p > q ? p : q) / factor;
	taps = 2 * (uint64_t)zeros * high + 1;
	if (taps > PS_TAPS_MOST)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': %" PRIu32 " zeros on each side and a rate times %" PRIu32 " / %" PRIu32
			" need %" PRIu64 " taps: there are up to %d",
			name, zeros, p / factor, q / factor, taps, PS_TAPS_MOST);
	return 0;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, uint32_t p, uint32_t q,
	uint32_t zeros, bool complex_samples)
{
	struct ps_polyphase poly = { .type = complex_samples ? "resample_cf32" : "resample_f32",
		.complex_samples = complex_samples };
	struct pstk_actor *actor;
	uint32_t factor, high;

	name = name ? name : "";
	zeros = zeros ? zeros : ZEROS;
	if (check(net, name, p, q, zeros))
		return NULL;
	factor = common_factor(p, q);
	poly.interpolation = p / factor;
	poly.decimation = q / factor;
	high = poly.interpolation > poly.decimation ? poly.interpolation : poly.decimation;
	if (ps_taps_design(
		    &poly.taps, net, name, 2 * zeros * high + 1, 0.5 / high, ATTENUATION, poly.interpolation))
		return NULL;
	actor = ps_polyphase_add(net, name, &poly);
	free(poly.taps.tap);
	return actor;
}

struct pstk_actor *pstk_resample_f32_add(
	struct pstk_network *net, const char *name, uint32_t p, uint32_t q, uint32_t zeros)
{
	return add(net, name, p, q, zeros, false);
}

struct pstk_actor *pstk_resample_cf32_add(
	struct pstk_network *net, const char *name, uint32_t p, uint32_t q, uint32_t zeros)
{
	return add(net, name, p, q, zeros, true);
}
