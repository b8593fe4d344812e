/* SPDX-License-Identifier: MIT */
/* Filters with real taps: what a spec says, and the filter itself is common/polyphase.c. */
#include "config.h"

#include "actors/common/polyphase.h"
#include "actors/common/spec.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_RATE = 65536 };

static int check_rate(struct pstk_network *net, const char *name, const char *what, uint32_t rate)
{
	if (rate <= MOST_RATE)
		return 0;
	return pstk_network_refuse(
		net, -EINVAL, "'%s': %s of %" PRIu32 ": it is at most %d", name, what, rate, MOST_RATE);
}

static int read_spec(struct pstk_fir_spec *spec, struct pstk_network *net, const char *name,
	const struct pstk_fir_spec *given)
{
	int err;

	if (!given)
		return pstk_network_refuse(net, -EINVAL, "'%s': its spec is NULL", name);
	err = ps_copy_spec(spec, sizeof *spec, sizeof *spec, given, "pstk_fir", NULL, 0);
	if (err)
		return pstk_network_refuse(net, err,
			"'%s': struct_size of its struct pstk_fir_spec is %" PRIu32
			", expected %zu: use PSTK_FIR() or pstk_fir_spec_init()",
			name, given->struct_size, sizeof *spec);
	err = check_rate(net, name, "an interpolation", spec->interpolation);
	return err ? err : check_rate(net, name, "a decimation", spec->decimation);
}

static struct pstk_actor *add(
	struct pstk_network *net, const char *name, const struct pstk_fir_spec *given, bool complex_samples)
{
	struct ps_polyphase p = { .type = complex_samples ? "fir_cf32" : "fir_f32",
		.complex_samples = complex_samples };
	struct pstk_fir_spec spec;
	struct pstk_actor *actor;

	name = name ? name : "";
	if (read_spec(&spec, net, name, given) || ps_taps_make(&p.taps, net, name, &spec))
		return NULL;
	p.interpolation = spec.interpolation ? spec.interpolation : 1;
	p.decimation = spec.decimation ? spec.decimation : 1;
	actor = ps_polyphase_add(net, name, &p);
	free(p.taps.tap);
	return actor;
}

struct pstk_actor *pstk_fir_f32_add(
	struct pstk_network *net, const char *name, const struct pstk_fir_spec *spec)
{
	return add(net, name, spec, false);
}

struct pstk_actor *pstk_fir_cf32_add(
	struct pstk_network *net, const char *name, const struct pstk_fir_spec *spec)
{
	return add(net, name, spec, true);
}
