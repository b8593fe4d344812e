/* SPDX-License-Identifier: MIT */
/* Blueprint: what a network is, line by line, for a comparison between the processes that it runs over. */
#ifndef PENSTOCK_BLUEPRINT_H
#define PENSTOCK_BLUEPRINT_H

#include "lib/model/network.h"

/* start(), once rates are settled and before the network takes its part. A text that the caller frees with free();
 * NULL: out of memory. */
char *ps_blueprint_new(const struct pstk_network *);

/* Are both the same? Else their first lines that differ, borrowed; without the line's end, of *length. "": there are no
 * more lines. */
struct ps_blueprint_line {
	const char *text;
	int length;
};
bool ps_blueprint_same(const char *a, const char *b, struct ps_blueprint_line differs[2]);

#endif
