/* SPDX-License-Identifier: MIT */
/* Configuration: its notation, KIND-GRAIN:MASK:N. */
#include "penstock/mapper.h"

#include "lib/mapping/refusal.h"

#include <inttypes.h>
#include <string.h>

static const char *kind_of(uint32_t mask, unsigned stages)
{
	return !mask ? "CPU" : mask == (UINT32_C(1) << stages) - 1 ? "DP" : "CP";
}

/* What is read, and where its refusal goes. */
struct reading {
	const char *text;
	unsigned stages, cores;
	char *error;
	size_t size;
};

#define REFUSE(r, format, ...) ps_refuse((r)->error, (r)->size, "'%s': " format, (r)->text, __VA_ARGS__)

/* A word of a message: the part of the text up to its end, shortened. */
#define WORD(at, end) (int)((end) - (at) > 24 ? 24 : (end) - (at)), (at)

static bool is_word(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && !memcmp(at, word, (size_t)(end - at));
}

/* MASK, from *at on, up to the colon or the end, where *at is then. */
static int read_mask(const struct reading *r, const char **at, uint32_t *mask)
{
	const char *from = *at, *end = from + strcspn(from, ":");

	*mask = 0;
	if (end - from != (ptrdiff_t)r->stages)
		return REFUSE(r, "the mask '%.*s' has %td digit%s, expected %u: a 0 or 1 for each stage",
			WORD(from, end), end - from, end - from == 1 ? "" : "s", r->stages);
	for (unsigned k = 0; k < r->stages; k++) {
		if (from[k] != '0' && from[k] != '1')
			return REFUSE(r, "the mask '%.*s' has a '%c', expected a 0 or 1 for each stage",
				WORD(from, end), from[k]);
		*mask |= (uint32_t)(from[k] == '1') << k;
	}
	*at = end;
	return 0;
}

/* A number from 1 of at most five digits. 0: it is none. */
static uint32_t number_of(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	uint32_t number = 0;

	if (text[digits] || digits > 5)
		return 0;
	for (; *text; text++)
		number = 10 * number + (uint32_t)(*text - '0');
	return number;
}

/* ":N", or nothing. */
static int read_threads(const struct reading *r, const char *at, struct pstk_configuration *c)
{
	const uint32_t most = r->cores + 1;

	if (!*at && !c->medium_grain)
		return REFUSE(
			r, "CG needs a number of threads behind the mask, expected :1 to :%" PRIu32, most);
	c->threads = *at ? number_of(at + 1) : most;
	if (!c->threads || c->threads > most)
		return REFUSE(r, "'%.24s' is no number of threads, expected 1 to %" PRIu32, at + 1, most);
	if (c->medium_grain && c->threads != most)
		return REFUSE(r, "MG has %" PRIu32 " threads with %u core%s, not %" PRIu32, most, r->cores,
			r->cores == 1 ? "" : "s", c->threads);
	return 0;
}

int pstk_configuration_parse(const char *text, unsigned stages, unsigned cores, struct pstk_configuration *c,
	char *error, size_t size)
{
	const struct reading r = { text, stages, cores, error, size };
	struct pstk_configuration read = { 0 };
	const char *at, *end, *dash, *kind = NULL;
	int err;

	if (!text || !c || !stages || stages > PSTK_MAPPER_STAGES || !cores || cores > PSTK_MAPPER_CORES)
		return ps_refuse(error, size, "expected 1 to %u stages and 1 to %u cores", PSTK_MAPPER_STAGES,
			PSTK_MAPPER_CORES);
	at = text;
	end = text + strcspn(text, ":");
	dash = memchr(text, '-', (size_t)(end - text));
	if (dash) {
		kind = text;
		if (!is_word(kind, dash, "CPU") && !is_word(kind, dash, "CP") && !is_word(kind, dash, "DP"))
			return REFUSE(
				&r, "there is no kind '%.*s', expected CPU, CP or DP", WORD(kind, dash));
		at = dash + 1;
	}
	read.medium_grain = is_word(at, end, "MG");
	if (!read.medium_grain && !is_word(at, end, "CG"))
		return REFUSE(&r, "there is no grain '%.*s', expected CG or MG", WORD(at, end));
	if (!*end)
		return REFUSE(
			&r, "there is no mask, expected ':' and a 0 or 1 for each of %u stages", stages);
	at = end + 1;
	err = read_mask(&r, &at, &read.mask);
	if (err)
		return err;
	if (kind && !is_word(kind, dash, kind_of(read.mask, stages)))
		return REFUSE(&r, "of this mask the kind is %s, not %.*s", kind_of(read.mask, stages),
			WORD(kind, dash));
	err = read_threads(&r, at, &read);
	if (!err)
		*c = read;
	return err;
}

int pstk_configuration_print(const struct pstk_configuration *c, unsigned stages, char *text, size_t size)
{
	char mask[PSTK_MAPPER_STAGES + 1] = "";
	int length;

	if (!c || !text || !stages || stages > PSTK_MAPPER_STAGES || c->mask >> stages)
		return -EINVAL;
	for (unsigned k = 0; k < stages; k++)
		mask[k] = c->mask >> k & 1 ? '1' : '0';
	length = snprintf(text, size, "%s-%s:%s:%" PRIu32, kind_of(c->mask, stages),
		c->medium_grain ? "MG" : "CG", mask, c->threads);
	return (size_t)length < size ? length : -ENOSPC;
}
