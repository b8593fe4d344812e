/* SPDX-License-Identifier: MIT */
#include "lib/run/agreement.h"
#include "lib/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The texts follow, each with its 0. */
struct word {
	int32_t err;
	uint32_t length; /* of the text, without its 0 */
};

/* A text that the caller frees: of a word, what has failed, and the rest. NULL: out of memory. */
static unsigned char *make_word(int err, const char *text, const char *rest, size_t *size)
{
	struct word w = { .err = err, .length = (uint32_t)strlen(text) };
	unsigned char *bytes;

	*size = sizeof w + w.length + 1 + strlen(rest) + 1;
	bytes = ps_memory_zalloc(1, *size);
	if (!bytes)
		return NULL;
	memcpy(bytes, &w, sizeof w);
	memcpy(bytes + sizeof w, text, w.length + 1);
	memcpy(bytes + sizeof w + w.length + 1, rest, strlen(rest) + 1);
	return bytes;
}

int ps_agreement_err(const struct ps_exchanged *words, uint32_t rank)
{
	struct word w;

	memcpy(&w, words->bytes[rank], sizeof w);
	return w.err;
}

const char *ps_agreement_text(const struct ps_exchanged *words, uint32_t rank)
{
	return (const char *)words->bytes[rank] + sizeof(struct word);
}

const char *ps_agreement_rest(const struct ps_exchanged *words, uint32_t rank)
{
	return ps_agreement_text(words, rank) + strlen(ps_agreement_text(words, rank)) + 1;
}

/* Has each rank said all that is in a word? The exchange has put a 0 behind the bytes. */
static bool are_words(const struct ps_exchanged *words)
{
	for (uint32_t i = 0; i < words->ranks; i++) {
		struct word w;

		if (words->sizes[i] < sizeof w + 2)
			return false;
		memcpy(&w, words->bytes[i], sizeof w);
		if (w.err > 0 || w.length > words->sizes[i] - sizeof w - 2 ||
			ps_agreement_text(words, i)[w.length])
			return false;
	}
	return true;
}

int ps_agreement_make(struct pstk_transport *t, const struct ps_exchange_how *how, int err, const char *text,
	const char *rest, struct ps_exchanged *words, char *why, size_t why_size)
{
	size_t size;
	unsigned char *word = make_word(err, text, rest, &size);
	int failed = -ENOMEM;

	snprintf(why, why_size, "out of memory");
	if (word)
		failed = ps_exchange_with(t, how, word, size, words, why, why_size);
	ps_memory_free(word);
	if (!failed && !are_words(words)) {
		ps_exchanged_free(words);
		snprintf(why, why_size, "what a rank says makes no sense: another version of the library?");
		failed = -EPROTO;
	}
	return failed;
}

uint32_t ps_agreement_blamed(const struct ps_exchanged *words)
{
	uint32_t found = words->ranks;

	for (uint32_t i = words->ranks; i-- > 0;)
		if (ps_agreement_err(words, i) && ps_agreement_err(words, i) != -ECANCELED)
			found = i;
	for (uint32_t i = 0; i < words->ranks && found == words->ranks; i++)
		if (ps_agreement_err(words, i))
			found = i;
	return found;
}

void ps_agreement_say(
	const struct ps_exchanged *words, uint32_t rank, const char *host, char *to, size_t size)
{
	const char *text = ps_agreement_text(words, rank);
	size_t length = host ? strlen(host) : 0;
	bool same = true;

	for (uint32_t i = 0; i < words->ranks; i++)
		same = same && !strcmp(text, ps_agreement_text(words, i));
	if (same || (host && !strncmp(text, host, length) && text[length] == ':'))
		snprintf(to, size, "%s", text);
	else if (host)
		snprintf(to, size, "%s: %s", host, text);
	else
		snprintf(to, size, "rank %u: %s", rank, text);
}
