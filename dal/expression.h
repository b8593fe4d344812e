/* SPDX-License-Identifier: MIT */
/* Expression: integers, names, + - * / and parentheses, as ranges of iterators and appended indices are
 * written. */
#ifndef PENSTOCK_DAL_EXPRESSION_H
#define PENSTOCK_DAL_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

/* A name that stands for a value, or for an expression that is computed where it is used. */
struct ps_dal_scope {
	const char *name;
	int64_t value;
	const char *function; /* NULL: value */
	const struct ps_dal_scope *outer;
};

/* The value of a text where the names of scope are known. 0, or -EINVAL with why. */
int ps_dal_evaluate(
	const char *text, const struct ps_dal_scope *scope, int64_t *value, char *why, size_t why_size);

#endif
