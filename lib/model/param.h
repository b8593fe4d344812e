/* SPDX-License-Identifier: MIT */
/* Param: an actor's parameters, text to members of its arg. */
#ifndef PENSTOCK_PARAM_H
#define PENSTOCK_PARAM_H

#include "lib/model/network.h"

/* Is `type` a parameter type, and how many bytes has its member? 0: it is none. */
size_t ps_param_size(const char *type);

/* Is a parameter's range of the form that its type has? Its type is a known one. */
bool ps_param_range_good(const struct pstk_param *);

/* Is `text` a value of the parameter's type (-EINVAL) and in its range (-ERANGE)? */
int ps_param_check(const struct pstk_param *, const char *text);

/* Sets param number i of an actor with an own arg. As ps_param_check(), -ENOMEM. */
int ps_param_set(struct pstk_actor *, unsigned i, const char *text);

/* Takes over the values that are in the actor's arg: checks ranges, copies strings. i: on failure, which one.
 */
int ps_param_adopt(struct pstk_actor *, unsigned *i);

#endif
