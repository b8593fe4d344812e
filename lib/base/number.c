/* SPDX-License-Identifier: MIT */
#include "lib/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* A number with a point, whatever the program's locale has. */
static double to_double(const char *text, char **end)
{
	pthread_once(&c_locale_once, make_c_locale);
	return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

static bool parse_float(size_t size, const char *text, char **end, double *f)
{
	*f = to_double(text, end);
	if (errno == ERANGE && fabs(*f) < 1)
		errno = 0; /* too small is zero enough */
	if (size == 4 && isfinite(*f) && fabs(*f) > (double)FLT_MAX)
		return false;
	if (size == 4) /* bounds too: 0.1f is in ..0.1 */
		*f = (double)(float)*f;
	return true;
}

/* 010 is ten. */
static int base_of(const char *text)
{
	text += *text == '-' || *text == '+';
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}

bool ps_number_parse(enum ps_number_kind kind, size_t size, const char *text, struct ps_number *v)
{
	unsigned bits = 8 * (unsigned)size;
	bool fits = true;
	char *end;

	if (!*text || isspace((unsigned char)*text)) /* strto..() would skip it */
		return false;
	errno = 0;
	switch (kind) {
	case PS_SIGNED:
		v->i = strtoll(text, &end, base_of(text));
		fits = bits == 64 || (v->i >= -(INT64_C(1) << (bits - 1)) && v->i < INT64_C(1) << (bits - 1));
		break;
	case PS_UNSIGNED:
		v->u = strtoull(text, &end, base_of(text));
		fits = *text != '-' && (bits == 64 || v->u >> bits == 0);
		break;
	case PS_FLOAT:
		fits = parse_float(size, text, &end, &v->f);
		break;
	}
	return fits && !errno && !*end;
}

void ps_number_store(enum ps_number_kind kind, size_t size, const struct ps_number *v, void *to)
{
	uint64_t bits = kind == PS_SIGNED ? (uint64_t)v->i : v->u;
	float f = (float)v->f;

	if (kind == PS_FLOAT)
		memcpy(to, size == 4 ? (const void *)&f : (const void *)&v->f, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	else
		memcpy(to, (const char *)&bits + sizeof bits - size, size);
#else
	else
		memcpy(to, &bits, size);
#endif
}

static uint64_t bits_at(size_t size, const void *from)
{
	uint64_t bits = 0;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((char *)&bits + sizeof bits - size, from, size);
#else
	memcpy(&bits, from, size);
#endif
	return bits;
}

/* With as many digits as it takes, 17 at most. */
static void format_float(size_t size, double f, char text[PS_NUMBER_TEXT])
{
	static const int digits[] = { 6, 9, 15, 17 };
	bool same = false;
	locale_t former;

	pthread_once(&c_locale_once, make_c_locale);
	former = c_locale ? uselocale(c_locale) : (locale_t)0;
	for (unsigned i = 0; i < sizeof digits / sizeof *digits && !same; i++) {
		double back;

		snprintf(text, PS_NUMBER_TEXT, "%.*g", digits[i], f);
		back = to_double(text, &(char *){ NULL });
		same = size == sizeof(float) ? (float)back == (float)f : back == f;
	}
	if (former)
		uselocale(former);
}

void ps_number_format(enum ps_number_kind kind, size_t size, const void *from, char text[PS_NUMBER_TEXT])
{
	uint64_t bits = bits_at(size, from);
	unsigned unused = 64 - 8 * (unsigned)size;
	double f = 0;
	float g;

	if (kind == PS_UNSIGNED) {
		snprintf(text, PS_NUMBER_TEXT, "%" PRIu64, bits);
		return;
	}
	if (kind == PS_SIGNED) {
		snprintf(text, PS_NUMBER_TEXT, "%" PRId64, (int64_t)(bits << unused) >> unused);
		return;
	}
	memcpy(size == sizeof g ? (void *)&g : (void *)&f, from, size);
	format_float(size, size == sizeof g ? (double)g : f, text);
}
