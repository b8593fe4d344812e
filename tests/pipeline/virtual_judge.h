/* SPDX-License-Identifier: MIT */
/* Judge: what a conductor that is driven in virtual time has to come to, by other code. virtual.c tells it of all that
 * happens; it fails the test. */
#ifndef PENSTOCK_TESTS_VIRTUAL_JUDGE_H
#define PENSTOCK_TESTS_VIRTUAL_JUDGE_H

#include "tests/pipeline/virtual.h"

/* Before the conductor hears of a boundary. */
void virtual_judge_phase(struct virtual_line *, const struct ps_phase_end *);

/* Behind it. was: NULL: it begins. begins: another phase does. */
void virtual_judge_step(struct virtual_line *, const struct ps_phase *was, bool begins);

/* So many items of a candidate's windows are through; ns: of all windows but the first. */
void virtual_judge_try(struct virtual_line *, uint64_t items, uint64_t ns, uint64_t waits, bool gives_up);

/* A window of STAY; wants: the conductor wants a boundary. */
void virtual_judge_window(
	struct virtual_line *, uint64_t ns, uint64_t waits, const struct pstk_joules *joules, bool wants);

#endif
