/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_selector.h"
#include "lib/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	NUMBER_DIGITS = 9, /* of a number that is still counted; more devices than that there are not */
	WORD_MAX = 24, /* letters of a platform's word in a selector: the longest one fits PS_CL_SELECTOR */
	LISTED_NAME = 40, /* letters of a device's name in a list */
	LISTED_SELECTOR = 80
};

static const char *const type_names[PS_CL_ARG_TYPE_COUNT] = { "cpu", "gpu", "accelerator", "custom" };
static const char etc[] = ", ..";

/* A text that grows up to its size. */
struct line {
	char *text;
	size_t size, used;
};

static void say(struct line *line, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));
static void say(struct line *line, const char *format, ...)
{
	size_t left = line->size - line->used;
	va_list ap;
	int wanted;

	if (left == 0)
		return;
	va_start(ap, format);
	wanted = vsnprintf(line->text + line->used, left, format, ap);
	va_end(ap);
	if (wanted > 0)
		line->used += (size_t)wanted < left ? (size_t)wanted : left - 1;
}

/* What the user wrote, in quotes, on one line, cut where it is long. */
static void say_selector(struct line *line, const char *text)
{
	char shown[4 * LISTED_SELECTOR + 1];
	struct ps_text t = ps_text(shown, sizeof shown);

	ps_text_add_shown(&t, text, LISTED_SELECTOR);
	say(line, "'%s%s'", shown, strlen(text) > LISTED_SELECTOR ? ".." : "");
}

/* Not tolower(): a locale of the program's must not decide which device it gets. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

static bool starts(const char *text, const char *piece, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!text[i] || lower(text[i]) != lower(piece[i]))
			return false;
	return true;
}

static bool contains(const char *text, const char *piece, size_t length)
{
	for (; *text; text++)
		if (starts(text, piece, length))
			return true;
	return length == 0;
}

static struct ps_cl_piece piece_of(const char *text, size_t length)
{
	struct ps_cl_piece piece = { .text = text, .length = length, .number = length > 0 };

	for (size_t i = 0; i < length; i++) {
		if (!is_digit(text[i]))
			piece.number = false;
		if (piece.number)
			piece.value = i < NUMBER_DIGITS ? piece.value * 10u + (unsigned)(text[i] - '0') : ~0u;
	}
	return piece;
}

/* Cuts "/iofn" off. false: what stands behind the last slash begins like one, but is none. */
static bool cut_part(struct ps_cl_selector *s, size_t *length)
{
	const char *slash = strrchr(s->text, '/');
	struct ps_cl_piece part, parts;
	size_t digits;

	if (!slash || (slash[1] && !is_digit(slash[1])))
		return true; /* a slash in a name */
	digits = strspn(slash + 1, "0123456789");
	part = piece_of(slash + 1, digits);
	if (!starts(slash + 1 + digits, "of", 2))
		return false;
	parts = piece_of(slash + 1 + digits + 2, strlen(slash + 1 + digits + 2));
	if (!part.number || !parts.number || part.value < 1 || part.value > parts.value ||
		parts.value > PS_CL_SUBDEVICE_MAX)
		return false;
	s->part = part.value;
	s->parts = parts.value;
	*length = (size_t)(slash - s->text);
	return true;
}

/* The bits of the types that have the piece in their name; 0: none. */
static unsigned types_of(const struct ps_cl_piece *piece)
{
	unsigned types = 0;

	for (unsigned t = 0; t < PS_CL_ARG_TYPE_COUNT; t++)
		if (contains(type_names[t], piece->text, piece->length))
			types |= 1u << t;
	return types;
}

/* The form without a colon: P.D, a type or a word. NULL, or what is wrong. */
static const char *parse_single(struct ps_cl_selector *s, struct ps_cl_piece piece)
{
	const char *dot = memchr(piece.text, '.', piece.length);
	struct ps_cl_piece before, behind;

	if (piece.length == 0)
		return "it is empty; '::' names the only device of a machine";
	if (piece.number)
		return "of what is this the number? Write platform.device, or 'platform::' or '::device'";
	if (dot) {
		before = piece_of(piece.text, (size_t)(dot - piece.text));
		behind = piece_of(dot + 1, piece.length - before.length - 1);
		if (before.number && behind.number) {
			s->platform = before;
			s->device = behind;
			return NULL;
		}
	}
	for (unsigned t = 0; t < PS_CL_ARG_TYPE_COUNT; t++)
		if (strlen(type_names[t]) == piece.length &&
			starts(type_names[t], piece.text, piece.length)) {
			s->types = 1u << t;
			return NULL;
		}
	s->word = piece;
	return NULL;
}

/* platform:type[:device] with length bytes. NULL, or what is wrong. */
static const char *parse_parts(struct ps_cl_selector *s, size_t length)
{
	struct ps_cl_piece pieces[3] = { 0 };
	unsigned count = 0;
	size_t begin = 0;

	for (size_t i = 0; i <= length; i++)
		if (i == length || s->text[i] == ':') {
			if (count == 3)
				return "it has more than the three parts platform:type:device";
			pieces[count++] = piece_of(s->text + begin, i - begin);
			begin = i + 1;
		}
	if (count == 1)
		return parse_single(s, pieces[0]);
	s->types = types_of(&pieces[1]);
	if (s->types == 0)
		return "its second part is a type: cpu, gpu, accelerator, custom or nothing "
		       "(platform:type:device)";
	s->platform = pieces[0];
	s->device = pieces[2];
	return NULL;
}

int ps_cl_selector_parse(struct ps_cl_selector *s, const char *text, char *why, size_t size)
{
	struct line line = { why, size, 0 };
	size_t length = strlen(text);
	const char *wrong;

	*s = (struct ps_cl_selector){ .text = text, .types = (1u << PS_CL_ARG_TYPE_COUNT) - 1 };
	if (!cut_part(s, &length))
		wrong = "a part of a device is /iofn, such as /1of2, with i from 1 to n";
	else
		wrong = parse_parts(s, length);
	if (!wrong)
		return 0;
	say_selector(&line, text);
	say(&line, " is no device selector: %s", wrong);
	return -EINVAL;
}

static bool platform_has(const struct ps_cl_entry *e, const char *text, size_t length)
{
	return contains(e->platform_name, text, length) || contains(e->vendor, text, length) ||
	       contains(e->suffix, text, length);
}

/* How many devices of its platform with one of the types stand before entry i. */
static unsigned rank(const struct ps_cl_entry *entries, unsigned i, unsigned types)
{
	unsigned before = 0;

	for (unsigned k = 0; k < i; k++)
		if (entries[k].platform == entries[i].platform && (types >> entries[k].type & 1u))
			before++;
	return before;
}

static bool matches(const struct ps_cl_selector *s, const struct ps_cl_entry *entries, unsigned i)
{
	const struct ps_cl_entry *e = &entries[i];

	if (!(s->types >> e->type & 1u))
		return false;
	if (s->word.length)
		return contains(e->name, s->word.text, s->word.length) ||
		       platform_has(e, s->word.text, s->word.length);
	if (s->platform.number ? s->platform.value != e->platform
			       : !platform_has(e, s->platform.text, s->platform.length))
		return false;
	return s->device.number ? s->device.value == rank(entries, i, s->types)
	                        : contains(e->name, s->device.text, s->device.length);
}

/* Lists the entries, only those that match if there is a selector, until the line is full. */
static void list(struct line *line, const struct ps_cl_entry *entries, unsigned count,
	const struct ps_cl_selector *only)
{
	const char *comma = "";

	for (unsigned i = 0; i < count; i++) {
		char item[PS_CL_SELECTOR + LISTED_NAME + 32], part[32] = "";
		int length;

		if (only && !matches(only, entries, i))
			continue;
		if (only && only->parts)
			snprintf(part, sizeof part, "/%uof%u", only->part, only->parts);
		length = snprintf(item, sizeof item, "%s%s%s (%.*s%s)", comma, entries[i].selector, part,
			LISTED_NAME, entries[i].name, strlen(entries[i].name) > LISTED_NAME ? ".." : "");
		if (length < 0 || line->used + (size_t)length + sizeof etc > line->size) {
			say(line, "%s", etc);
			return;
		}
		say(line, "%s", item);
		comma = ", ";
	}
}

int ps_cl_selector_find(const struct ps_cl_selector *s, const struct ps_cl_entry *entries, unsigned count,
	unsigned *found, char *why, size_t size)
{
	struct line line = { why, size, 0 };
	unsigned matching = 0;

	for (unsigned i = 0; i < count; i++)
		if (matches(s, entries, i) && matching++ == 0)
			*found = i;
	if (matching == 1)
		return 0;
	if (matching == 0) {
		say(&line, "no OpenCL device is named by ");
		say_selector(&line, s->text);
		say(&line, "; there are: ");
		list(&line, entries, count, NULL);
		return -ENODEV;
	}
	say_selector(&line, s->text);
	say(&line, " names %u OpenCL devices: ", matching);
	list(&line, entries, count, s);
	return -ENOTUNIQ;
}

/* Does the word name entry i's platform and no other, in the place of a selector's platform? Then it is copied in lower
 * case. */
static bool take_word(char *out, const char *word, size_t length, const struct ps_cl_entry *entries,
	unsigned count, unsigned i)
{
	if (length < 2 || length > WORD_MAX || piece_of(word, length).number)
		return false;
	for (unsigned k = 0; k < count; k++)
		if (entries[k].platform != entries[i].platform && platform_has(&entries[k], word, length))
			return false;
	for (size_t c = 0; c < length; c++) {
		if (!is_word(word[c]))
			return false;
		out[c] = lower(word[c]);
	}
	out[length] = '\0';
	return true;
}

static void name_platform(
	char *out, size_t size, const struct ps_cl_entry *entries, unsigned count, unsigned i)
{
	const char *name = entries[i].platform_name;
	size_t length;

	if (take_word(out, entries[i].suffix, strlen(entries[i].suffix), entries, count, i))
		return;
	for (; *name; name += length ? length : 1) {
		for (length = 0; is_word(name[length]); length++)
			;
		if (take_word(out, name, length, entries, count, i))
			return;
	}
	snprintf(out, size, "%u", entries[i].platform);
}

void ps_cl_selector_name(struct ps_cl_entry *entries, unsigned count)
{
	char platform[WORD_MAX + 1];

	for (unsigned i = 0; i < count; i++) {
		struct ps_cl_entry *e = &entries[i];

		name_platform(platform, sizeof platform, entries, count, i);
		snprintf(e->selector, sizeof e->selector, "%s:%s:%u", platform, type_names[e->type],
			rank(entries, i, 1u << e->type));
	}
}
