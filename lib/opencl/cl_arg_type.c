/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_arg_type.h"

#include <string.h>

/* The length of the word that text begins with: up to a space, a star or the end. */
static size_t word(const char *text)
{
	return strcspn(text, " *");
}

/* Does text begin with this word? Then text is moved behind it. */
static bool take(const char **text, const char *expected)
{
	size_t length = word(*text);

	if (length != strlen(expected) || memcmp(*text, expected, length))
		return false;
	*text += length;
	*text += strspn(*text, " ");
	return true;
}

/* A type of one word: "uchar16". */
static bool parse_word(const char *text, struct ps_cl_arg_type *type)
{
	static const struct {
		const char *name;
		struct ps_cl_arg_type type;
	} known[] = { { "char", { 1, 1, false } }, { "uchar", { 1, 1, false } }, { "short", { 2, 1, false } },
		{ "ushort", { 2, 1, false } }, { "int", { 4, 1, false } }, { "uint", { 4, 1, false } },
		{ "long", { 8, 1, false } }, { "ulong", { 8, 1, false } }, { "half", { 2, 1, true } },
		{ "float", { 4, 1, true } }, { "double", { 8, 1, true } } };
	static const char *const lanes[] = { "", "2", "3", "4", "8", "16" };
	static const unsigned lane_counts[] = { 1, 2, 4, 4, 8, 16 };
	size_t length = word(text), letters = strcspn(text, " *0123456789");

	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		if (strlen(known[k].name) != letters || memcmp(known[k].name, text, letters))
			continue;
		for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
			if (strlen(lanes[l]) == length - letters &&
				!memcmp(lanes[l], text + letters, length - letters)) {
				*type = known[k].type;
				type->lanes = lane_counts[l];
				return true;
			}
	}
	return false;
}

/* What the specification leaves open and some compilers tell: "unsigned int", "long int", "signed char". */
static const char *parse_words(const char *text, struct ps_cl_arg_type *type)
{
	bool sign = take(&text, "unsigned") || take(&text, "signed");

	if (sign && (!*text || *text == '*')) {
		*type = (struct ps_cl_arg_type){ sizeof(int), 1, false };
		return text;
	}
	if (!parse_word(text, type) || (sign && type->floating))
		return NULL;
	text += word(text);
	text += strspn(text, " ");
	if (type->lanes == 1 && !type->floating && (type->scalar == 2 || type->scalar == 8))
		take(&text, "int");
	return text;
}

bool ps_cl_arg_type_parse(const char *name, struct ps_cl_arg_type *type)
{
	const char *rest = parse_words(name, type);

	if (!rest)
		return false;
	if (*rest == '*')
		rest++;
	return !*rest;
}

size_t ps_cl_arg_type_size(const char *name)
{
	struct ps_cl_arg_type type;

	return ps_cl_arg_type_parse(name, &type) ? type.scalar * type.lanes : 0;
}
