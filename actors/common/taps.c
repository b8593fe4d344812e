/* SPDX-License-Identifier: MIT */
/*
 * The design is a sinc under a Kaiser window: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, third
 * edition, section 7.5.3.
 */
#include "config.h"

#include "actors/common/taps.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Whose taps they are, for messages. */
struct target {
	struct pstk_network *net;
	const char *name;
	const char *from; /* " in PATH", or "" */
};

/* -- the design -- */

/* The modified Bessel function of order 0: its series, whose terms fall when k > x / 2. */
static double bessel0(double x)
{
	double term = 1, sum = 1;

	for (unsigned k = 1; term > sum * 1e-17; k++) {
		term *= x / (2 * k) * (x / (2 * k));
		sum += term;
	}
	return sum;
}

/* Kaiser's shape for an attenuation in dB. */
static double shape_of(double attenuation)
{
	if (attenuation > 50)
		return 0.1102 * (attenuation - 8.7);
	if (attenuation > 21)
		return 0.5842 * pow(attenuation - 21, 0.4) + 0.07886 * (attenuation - 21);
	return 0;
}

static double design_tap(uint32_t k, uint32_t count, double cutoff, double shape)
{
	double from_middle = k - (count - 1) / 2.0, edge = count > 1 ? (count - 1) / 2.0 : 1;
	double part = from_middle / edge, x = 2 * PI * cutoff * from_middle;
	double sinc = from_middle == 0 ? 1 : sin(x) / x;

	return sinc * bessel0(shape * sqrt(1 - part * part));
}

static int no_memory(struct pstk_network *net, const char *name)
{
	return pstk_network_refuse(net, -ENOMEM, "'%s': out of memory", name);
}

int ps_taps_design(struct ps_taps *taps, struct pstk_network *net, const char *name, uint32_t count,
	double cutoff, double attenuation, double gain)
{
	double shape = shape_of(attenuation), sum = 0;

	*taps = (struct ps_taps){ calloc(count, sizeof *taps->tap), count };
	if (!taps->tap)
		return no_memory(net, name);
	for (uint32_t k = 0; k < count; k++)
		sum += design_tap(k, count, cutoff, shape);
	for (uint32_t k = 0; k < count; k++)
		taps->tap[k] = (float)(design_tap(k, count, cutoff, shape) * gain / sum);
	return 0;
}

static int design(struct ps_taps *taps, const struct target *t, const struct pstk_fir_spec *spec)
{
	double attenuation = spec->attenuation != 0 ? spec->attenuation : 60;

	if (!(spec->cutoff > 0 && spec->cutoff <= 0.5))
		return pstk_network_refuse(t->net, -EINVAL,
			"'%s': a cutoff of %g: it is a part of the rate at which the filter runs, above 0, "
			"at most 0.5",
			t->name, spec->cutoff);
	if (!(attenuation > 0 && attenuation <= 200))
		return pstk_network_refuse(t->net, -EINVAL,
			"'%s': an attenuation of %g dB: it is above 0, at most 200", t->name, attenuation);
	return ps_taps_design(taps, t->net, t->name, spec->count, spec->cutoff, attenuation,
		spec->interpolation ? spec->interpolation : 1);
}

/* -- given ones -- */

static int check_count(const struct target *t, uint64_t count)
{
	if (!count)
		return pstk_network_refuse(t->net, -EINVAL,
			"'%s': a filter without taps%s: give it at least one", t->name, t->from);
	if (count > PS_TAPS_MOST)
		return pstk_network_refuse(t->net, -EINVAL,
			"'%s': a filter of %" PRIu64 " taps%s: it can have up to %d", t->name, count, t->from,
			PS_TAPS_MOST);
	return 0;
}

static int check_taps(const struct target *t, const struct ps_taps *taps)
{
	for (uint32_t k = 0; k < taps->count; k++)
		if (!isfinite(taps->tap[k]))
			return pstk_network_refuse(t->net, -EINVAL,
				"'%s': tap %" PRIu32 " of %" PRIu32 "%s is %g: taps are finite numbers",
				t->name, k, taps->count, t->from, (double)taps->tap[k]);
	return 0;
}

static int copy(struct ps_taps *taps, const struct target *t, const struct pstk_fir_spec *spec)
{
	*taps = (struct ps_taps){ calloc(spec->count, sizeof *taps->tap), spec->count };
	if (!taps->tap)
		return no_memory(t->net, t->name);
	memcpy(taps->tap, spec->taps, spec->count * sizeof *taps->tap);
	return 0;
}

/* Behind what stands between numbers. */
static const char *skip(const char *text)
{
	text += strspn(text, " \t\r\n\f\v,");
	while (*text == '#') {
		text += strcspn(text, "\n");
		text += strspn(text, " \t\r\n\f\v,");
	}
	return text;
}

static uint64_t count_words(const char *text)
{
	uint64_t count = 0;

	for (text = skip(text); *text; text = skip(text)) {
		text += strcspn(text, " \t\r\n\f\v,#");
		count++;
	}
	return count;
}

static int read_numbers(struct ps_taps *taps, const struct target *t, const char *text, locale_t locale)
{
	uint32_t k = 0;

	for (text = skip(text); *text; text = skip(text)) {
		int length = (int)strcspn(text, " \t\r\n\f\v,#");
		char *end;

		taps->tap[k++] = (float)strtod_l(text, &end, locale);
		if (end != text + length)
			return pstk_network_refuse(t->net, -EINVAL,
				"'%s': tap %" PRIu32 "%s is '%.*s': it is no number", t->name, k - 1, t->from,
				length < 40 ? length : 40, text);
		text = end;
	}
	return 0;
}

static int parse(struct ps_taps *taps, const struct target *t, const char *text)
{
	uint64_t count = count_words(text);
	int err = check_count(t, count);
	locale_t locale;

	if (err)
		return err;
	*taps = (struct ps_taps){ calloc(count, sizeof *taps->tap), (uint32_t)count };
	locale = taps->tap ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
	if (!locale)
		return no_memory(t->net, t->name);
	err = read_numbers(taps, t, text, locale);
	freelocale(locale);
	return err;
}

static int parse_file(struct ps_taps *taps, struct target *t, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL, from[200];
	size_t room = 0;
	ssize_t got;
	int err;

	if (!file)
		return pstk_network_refuse(
			t->net, -errno, "'%s': its taps: %s: %s", t->name, path, strerror(errno));
	errno = 0;
	got = getdelim(&text, &room, 0, file);
	err = errno;
	snprintf(from, sizeof from, " in %s", path);
	t->from = from;
	if (got < 0 && err)
		err = pstk_network_refuse(
			t->net, -err, "'%s': its taps: %s: %s", t->name, path, strerror(err));
	else if (got > 0 && !text[got - 1])
		err = pstk_network_refuse(
			t->net, -EINVAL, "'%s': its taps: %s: a byte 0: it is no text", t->name, path);
	else
		err = parse(taps, t, got < 0 ? "" : text);
	if (!err)
		err = check_taps(t, taps);
	t->from = "";
	free(text);
	fclose(file);
	return err;
}

/* -- the spec -- */

static int make(struct ps_taps *taps, struct target *t, const struct pstk_fir_spec *spec)
{
	unsigned ways =
		(spec->taps != NULL) + (spec->text != NULL) + (spec->path != NULL) + (spec->cutoff != 0);
	int err = 0;

	if (ways != 1)
		return pstk_network_refuse(t->net, -EINVAL,
			"'%s': %s: give either taps, a file of them, or a cutoff to design them", t->name,
			ways ? "several kinds of taps" : "no taps");
	if (spec->path)
		return parse_file(taps, t, spec->path);
	if (!spec->text)
		err = check_count(t, spec->count);
	if (!err)
		err = spec->text   ? parse(taps, t, spec->text)
		      : spec->taps ? copy(taps, t, spec)
		                   : design(taps, t, spec);
	return err ? err : check_taps(t, taps);
}

int ps_taps_make(
	struct ps_taps *taps, struct pstk_network *net, const char *name, const struct pstk_fir_spec *spec)
{
	struct target t = { net, name, "" };
	int err;

	*taps = (struct ps_taps){ 0 };
	err = make(taps, &t, spec);
	if (err) {
		free(taps->tap);
		*taps = (struct ps_taps){ 0 };
	}
	return err;
}
