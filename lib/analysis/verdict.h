/* SPDX-License-Identifier: MIT */
/* Verdict: what an analysis has found, in words and tables. */
#ifndef PENSTOCK_VERDICT_H
#define PENSTOCK_VERDICT_H

#include "lib/analysis/state.h"
#include "lib/base/text.h"

/* Sets a text of the verdict. */
void ps_verdict_reason(struct pstk_verdict *, const char *format, ...) PSTK_PRINTF(2, 3);
void ps_verdict_remedy(struct pstk_verdict *, const char *format, ...) PSTK_PRINTF(2, 3);

/* Adds "{1, 3-5}": those of the values 0 .. values-1 that the set has. If they do not fit: those that do, and "..". */
void ps_verdict_values(
	struct ps_text *, bool (*has)(const void *data, uint32_t value), const void *data, uint32_t values);

/* "'conf'.ctl in {1, 3-5}", "always", "never", ..: when the port at one end of a FIFO moves a window.
 * Returns the buffer, where what does not fit ends in "..". */
const char *ps_verdict_when(
	const struct ps_analysis *, const struct pstk_fifo *, bool writer, char *buffer, size_t size);

/* The rule in a few words. */
const char *ps_verdict_rule(const struct pstk_verdict *);

/* Prints the verdict and everything that led to it. -EIO. */
int ps_verdict_print(const struct ps_analysis *, FILE *);

/* What messages call a group: 'conf'.ctl */
#define PS_GROUP "'%s'.%s"
#define PS_GROUP_ARGS(g) (g)->output->src->name, (g)->output->src->type.ports[(g)->output->src_port].name

#endif
