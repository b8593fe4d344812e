/* SPDX-License-Identifier: MIT */
#include "tests/random/fake_ways.h"
#include "tests/common/common.h"

#include <inttypes.h>

static const char *const one[] = { "pstk:gpu:0" };
static const char *const two[] = { "pstk:gpu:0", "pstk:gpu:1" };
static const char *const parts[] = { "pstk:gpu:0/1of2", "pstk:gpu:0/2of2", "pstk:gpu:0" };

const struct fake_way fake_ways[FAKE_WAYS] = {
	{ "svm=none,unified=0,align=4096", "", "", one, 1, false },
	{ "svm=none,unified=0", "copy", "own", one, 1, false },
	{ "svm=none,unified=0,align=4096", "copy", "", one, 1, true },
	{ "svm=none,unified=1,lazy=1", "map", "", one, 1, false },
	{ "svm=coarse,unified=1,guard=1", "svm", "", one, 1, false },
	{ "svm=coarse,unified=0", "", "own", one, 1, true },
	{ "svm=fine,unified=1", "", "", one, 1, false },
	{ "svm=none,unified=0,devices=2", "", "", two, 2, false },
	{ "svm=coarse,unified=1,devices=2", "svm", "", two, 2, false },
	{ "svm=none,unified=1,devices=2", "map", "", two, 2, true },
	{ "svm=none,unified=0,units=4", "", "", parts, 3, false },
	{ "svm=fine,unified=1,units=4,lazy=1", "svm", "", parts, 3, false },
};

void fake_ways_check_left(const struct fake_cl *fake, const char *what, uint64_t seed)
{
	fake->settle();
	for (int kind = FAKE_CL_CONTEXT; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_msg(!fake->live((enum fake_cl_kind)kind),
			"%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %ld objects of kind %d are left", what, seed,
			fake->live((enum fake_cl_kind)kind), kind);
	ck_assert_msg(!fake->violation_count(), "%s, PENSTOCK_TEST_SEED=%" PRIu64 ": %s", what, seed,
		fake->violation(0));
}
