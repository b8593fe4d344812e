/* SPDX-License-Identifier: MIT */
#include "dal/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Parentheses and signs in each other, and functions that use functions: one that uses itself is found by
 * it. */
enum { DEPTH = 64 };

struct parser {
	const char *at;
	const struct ps_dal_scope *scope;
	unsigned depth;
	char *why; /* "": nothing is wrong so far */
	size_t why_size;
};

static int64_t sum(struct parser *p);
static int64_t factor(struct parser *p);

static int64_t wrong(struct parser *p, const char *what, const char *detail, int length)
{
	if (!*p->why)
		snprintf(p->why, p->why_size, "%s%.*s", what, length, detail);
	return 0;
}

static void skip_space(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool take(struct parser *p, char c)
{
	skip_space(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static int64_t number(struct parser *p)
{
	int64_t value = 0;

	for (; isdigit((unsigned char)*p->at); p->at++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, *p->at - '0', &value))
			return wrong(p, "a number is too large", "", 0);
	}
	return value;
}

/* A function's text is computed with the names of the place where it is used. */
static int64_t call(struct parser *p, const char *function)
{
	const char *back = p->at;
	int64_t value;

	p->at = function;
	value = sum(p);
	skip_space(p);
	if (*p->at)
		wrong(p, "a function has something behind its expression: ", p->at, 20);
	p->at = back;
	return value;
}

static int64_t name(struct parser *p)
{
	const char *begin = p->at;
	size_t length;

	while (isalnum((unsigned char)*p->at) || *p->at == '_')
		p->at++;
	length = (size_t)(p->at - begin);
	for (const struct ps_dal_scope *s = p->scope; s; s = s->outer) {
		if (strlen(s->name) == length && memcmp(s->name, begin, length) == 0)
			return s->function ? call(p, s->function) : s->value;
	}
	return wrong(p, "there is no variable, function or iterator ", begin, length < 64 ? (int)length : 64);
}

static int64_t negated(struct parser *p, int64_t value)
{
	if (__builtin_sub_overflow(0, value, &value))
		return wrong(p, "it is too large", "", 0);
	return value;
}

static int64_t factor_inside(struct parser *p)
{
	int64_t value;

	if (take(p, '(')) {
		value = sum(p);
		return take(p, ')') ? value : wrong(p, "a ) is missing", "", 0);
	}
	if (take(p, '-'))
		return negated(p, factor(p));
	if (isdigit((unsigned char)*p->at))
		return number(p);
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return name(p);
	return wrong(p, *p->at ? "a number or a name is expected at " : "a number or a name is missing",
		p->at, 20);
}

static int64_t factor(struct parser *p)
{
	int64_t value;

	if (p->depth == DEPTH)
		return wrong(p, "it is nested too deeply (does a function use itself?)", "", 0);
	p->depth++;
	value = factor_inside(p);
	p->depth--;
	return value;
}

static int64_t product(struct parser *p)
{
	int64_t value = factor(p), next;

	while (!*p->why) {
		if (take(p, '*')) {
			next = factor(p);
			if (__builtin_mul_overflow(value, next, &value))
				return wrong(p, "it is too large", "", 0);
		} else if (take(p, '/')) {
			next = factor(p);
			if (!next)
				return wrong(p, "a division by 0", "", 0);
			value = next == -1 ? negated(p, value) : value / next;
		} else {
			break;
		}
	}
	return value;
}

static int64_t sum(struct parser *p)
{
	int64_t value = product(p);
	bool over = false;

	while (!*p->why) {
		if (take(p, '+'))
			over = __builtin_add_overflow(value, product(p), &value);
		else if (take(p, '-'))
			over = __builtin_sub_overflow(value, product(p), &value);
		else
			break;
		if (over)
			return wrong(p, "it is too large", "", 0);
	}
	return value;
}

int ps_dal_evaluate(
	const char *text, const struct ps_dal_scope *scope, int64_t *value, char *why, size_t why_size)
{
	struct parser p = { .at = text, .scope = scope, .why = why, .why_size = why_size };

	*why = '\0';
	*value = sum(&p);
	skip_space(&p);
	if (*p.at)
		wrong(&p, "an operator is expected at ", p.at, 20);
	return *why ? -EINVAL : 0;
}
