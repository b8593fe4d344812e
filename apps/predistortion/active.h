/* SPDX-License-Identifier: MIT */
/* Which branches are active in which period: a set is the bits of a number, branch 1 is bit 0. */
#ifndef PREDISTORTION_ACTIVE_H
#define PREDISTORTION_ACTIVE_H

#include "apps/predistortion/coefficients.h"

struct active {
	uint32_t *sets; /* one a period, the last one holds; count of them; NULL: random */
	size_t count;
	uint64_t seed;
	unsigned branches;
	unsigned least, most; /* branches of a set; of a random one least is 2 */
};

/* Does --active name a file that is read ("-": stdin)? NULL: no. */
bool active_is_file(const char *spec);

/* spec as --active has it; NULL: all. 0, or what to exit with; everything has been said then.
 * active_free() follows in both cases. */
int active_parse(struct active *, const char *spec, const struct coefficients *);
void active_free(struct active *);

/* The set of a period, 0, 1, .. Depends on nothing but its arguments: each set of least..most branches is
 * as likely as any other. */
uint32_t active_set(const struct active *, uint64_t period);

#endif
