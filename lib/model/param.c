/* SPDX-License-Identifier: MIT */
#include "lib/model/param.h"
#include "lib/base/memory.h"
#include "lib/base/near_name.h"
#include "lib/base/number.h"
#include "lib/model/error.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum kind {
	KIND_SIGNED = PS_SIGNED,
	KIND_UNSIGNED = PS_UNSIGNED,
	KIND_FLOAT = PS_FLOAT,
	KIND_BOOL,
	KIND_STRING
};

static const struct kind_name {
	const char *name;
	enum kind kind;
	size_t size;
} kinds[] = {
	{ "bool", KIND_BOOL, sizeof(bool) },
	{ "i32", KIND_SIGNED, 4 },
	{ "u32", KIND_UNSIGNED, 4 },
	{ "i64", KIND_SIGNED, 8 },
	{ "u64", KIND_UNSIGNED, 8 },
	{ "f32", KIND_FLOAT, 4 },
	{ "f64", KIND_FLOAT, 8 },
	{ "string", KIND_STRING, sizeof(char *) },
};

static const struct kind_name *find_kind(const char *type)
{
	for (size_t k = 0; type && k < sizeof kinds / sizeof *kinds; k++)
		if (!strcmp(kinds[k].name, type))
			return &kinds[k];
	return NULL;
}

size_t ps_param_size(const char *type)
{
	const struct kind_name *k = find_kind(type);

	return k ? k->size : 0;
}

static bool parse_bool(const char *text, struct ps_number *v)
{
	static const char *const words[] = { "0", "1", "false", "true", "no", "yes", "off", "on" };

	for (unsigned i = 0; i < 8; i++)
		if (!strcasecmp(text, words[i])) {
			v->u = i % 2;
			return true;
		}
	return false;
}

/* The whole of text is one number of the kind, and fits it. */
static bool parse(const struct kind_name *k, const char *text, struct ps_number *v)
{
	if (k->kind == KIND_BOOL)
		return parse_bool(text, v);
	return k->kind == KIND_STRING || ps_number_parse((enum ps_number_kind)k->kind, k->size, text, v);
}

static bool below(enum kind kind, const struct ps_number *a, const struct ps_number *b)
{
	switch (kind) {
	case KIND_SIGNED:
		return a->i < b->i;
	case KIND_FLOAT:
		return !(a->f >= b->f); /* a NaN is outside of any range */
	default:
		return a->u < b->u;
	}
}

/* Reads one side of MIN..MAX; an empty one is no bound. false: it is no number of the kind. */
static bool parse_bound(const struct kind_name *k, const char *text, size_t length, struct ps_number *bound)
{
	char number[64];

	if (length >= sizeof number)
		return false;
	memcpy(number, text, length);
	number[length] = 0;
	return !length || parse(k, number, bound);
}

bool ps_param_range_good(const struct pstk_param *p)
{
	const struct kind_name *k = find_kind(p->type);
	const char *dots = p->range ? strstr(p->range, "..") : NULL;
	struct ps_number bound;

	if (!p->range || k->kind == KIND_STRING)
		return true;
	return dots && parse_bound(k, p->range, (size_t)(dots - p->range), &bound) &&
	       parse_bound(k, dots + 2, strlen(dots + 2), &bound);
}

static int check_words(const char *range, const char *text)
{
	size_t length = strlen(text);

	for (;; range++) {
		size_t n = strcspn(range, "|");

		if (n == length && !memcmp(range, text, n))
			return 0;
		range += n;
		if (!*range)
			return -ERANGE;
	}
}

/* The range is good: ps_type_check() has seen it. */
static int check_range(
	const struct kind_name *k, const char *range, const char *text, const struct ps_number *v)
{
	const char *dots;
	struct ps_number bound = { 0 };
	size_t length;

	if (!range)
		return 0;
	if (k->kind == KIND_STRING)
		return check_words(range, text);
	dots = strstr(range, "..");
	length = (size_t)(dots - range);
	parse_bound(k, range, length, &bound);
	if (length && below(k->kind, v, &bound))
		return -ERANGE;
	length = strlen(dots + 2);
	parse_bound(k, dots + 2, length, &bound);
	return length && below(k->kind, &bound, v) ? -ERANGE : 0;
}

int ps_param_check(const struct pstk_param *p, const char *text)
{
	const struct kind_name *k = find_kind(p->type);
	struct ps_number v = { 0 };

	if (!k || !parse(k, text, &v))
		return -EINVAL;
	return check_range(k, p->range, text, &v);
}

static int set_string(struct pstk_actor *a, unsigned i, const char *text, char *member)
{
	char *copy = ps_memory_strdup(text);

	if (!copy)
		return -ENOMEM;
	ps_memory_free(a->param_strings[i]);
	a->param_strings[i] = copy;
	memcpy(member, &copy, sizeof copy);
	return 0;
}

int ps_param_set(struct pstk_actor *a, unsigned i, const char *text)
{
	const struct pstk_param *p = &a->type.params[i];
	const struct kind_name *k = find_kind(p->type);
	char *member = (char *)a->arg + p->offset;
	struct ps_number v = { 0 };
	int err = ps_param_check(p, text);

	if (err)
		return err;
	a->param_set[i] = true;
	parse(k, text, &v);
	if (k->kind == KIND_STRING)
		return set_string(a, i, text, member);
	if (k->kind == KIND_BOOL)
		memcpy(member, &(bool){ v.u != 0 }, sizeof(bool));
	else
		ps_number_store((enum ps_number_kind)k->kind, k->size, &v, member);
	return 0;
}

/* Reads a number back from the arg. */
static struct ps_number load(const struct kind_name *k, const char *member)
{
	struct ps_number v = { 0 };
	int32_t i;
	uint32_t u;
	float f;

	if (k->kind == KIND_BOOL) {
		v.u = *(const unsigned char *)member;
	} else if (k->size == 8) {
		memcpy(&v.i, member, 8);
		memcpy(&v.u, member, 8);
		memcpy(&v.f, member, 8);
	} else {
		memcpy(&i, member, 4);
		memcpy(&u, member, 4);
		memcpy(&f, member, 4);
		v = (struct ps_number){ .i = i, .u = u, .f = (double)f };
	}
	return v;
}

int ps_param_adopt(struct pstk_actor *a, unsigned *failed)
{
	for (unsigned i = 0; i < a->type.param_count; i++) {
		const struct pstk_param *p = &a->type.params[i];
		const struct kind_name *k = find_kind(p->type);
		char *member = (char *)a->arg + p->offset, *text = NULL;
		struct ps_number v = { 0 };
		int err;

		*failed = i;
		a->param_set[i] = true;
		if (k->kind == KIND_STRING)
			memcpy(&text, member, sizeof text);
		else
			v = load(k, member);
		if (k->kind == KIND_STRING && !text)
			continue;
		err = check_range(k, p->range, text, &v);
		if (!err && text)
			err = set_string(a, i, text, member);
		if (err)
			return err;
	}
	return 0;
}

static int no_such_param(struct pstk_actor *a, const char *name)
{
	struct ps_near_name near;

	ps_near_name_begin(&near, name);
	for (unsigned i = 0; i < a->type.param_count; i++)
		ps_near_name_offer(&near, a->type.params[i].name);
	return ps_actor_has_no(a, "parameter", &near);
}

int pstk_actor_set_param(struct pstk_actor *a, const char *name, const char *value)
{
	struct pstk_network *net;
	int err;

	if (!a || !name || !value)
		return -EINVAL;
	net = a->network;
	err = ps_network_building(net, __func__);
	if (err)
		return err;
	for (unsigned i = 0; i < a->type.param_count; i++) {
		const struct pstk_param *p = &a->type.params[i];

		if (strcmp(p->name, name))
			continue;
		err = ps_param_set(a, i, value);
		if (err == -ENOMEM)
			return ps_network_problem(
				net, err, "'%s': out of memory for parameter '%s'", a->name, name);
		if (err)
			return ps_network_problem(net, err, "'%s': parameter '%s' is '%s': expected %s%s%s",
				a->name, name, value, p->type, p->range ? " in " : "",
				p->range ? p->range : "");
		return 0;
	}
	return no_such_param(a, name);
}
