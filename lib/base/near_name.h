/* SPDX-License-Identifier: MIT */
/* Near name: what a name may have meant that nothing has. Said alike for ports, parameters and keys. */
#ifndef PENSTOCK_NEAR_NAME_H
#define PENSTOCK_NEAR_NAME_H

#include "lib/base/text.h"

enum { PS_NEAR_NAME_LIST = 256 };

struct ps_near_name {
	const char *wanted, *best; /* borrowed; best NULL: none was offered yet */
	size_t likeness;           /* of best */
	bool full;                 /* not all of those offered are in the list */
	struct ps_text list;
	char names[PS_NEAR_NAME_LIST];
};

/* The name that was looked for; then each of those that there are. */
void ps_near_name_begin(struct ps_near_name *, const char *wanted);
void ps_near_name_offer(struct ps_near_name *, const char *name);

/* The nearest one, where it may have been meant. NULL: none may. */
const char *ps_near_name_meant(const struct ps_near_name *);

/* What follows "there is no such name": the nearest name and all names, as many as fit. */
enum { PS_NEAR_NAME_HINT = 2 * PS_NEAR_NAME_LIST };
const char *ps_near_name_hint(const struct ps_near_name *, char hint[PS_NEAR_NAME_HINT]);

#endif
