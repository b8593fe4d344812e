/* SPDX-License-Identifier: MIT */
#include "actors/common/check_moving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 3, SCRIPTED = 24 };

static const char mark[] = "moves:"; /* the seed and the device's selector follow */

const char *const moving_memories[MOVING_MEMORIES] = { "", "copy" };

const char *moving_device(const char *memory, struct test_rng *rng)
{
	static char name[160];
	struct pstk_device_info info;

	setenv("POCL_DEVICES", "pthread", 1); /* has parts */
	setenv("PENSTOCK_MEMORY", memory, 1);
	if (pstk_devices(&info, 1) < 1) {
		printf("no OpenCL device\n");
		return NULL;
	}
	snprintf(name, sizeof name, "%s%llx:%s", mark, (unsigned long long)test_random(rng), info.selector);
	return name;
}

bool moving_is(const char *device)
{
	return device && !strncmp(device, mark, strlen(mark));
}

static void script(struct pstk_actor *a, const char *device, struct test_rng *rng)
{
	char halves[2][80];
	const char *places[PLACES] = { NULL };
	struct pstk_device_info info;
	unsigned at = test_between(rng, 0, PLACES - 1);

	for (unsigned i = 0; i < 2; i++) {
		snprintf(halves[i], sizeof halves[i], "%s/%uof2", device, i + 1);
		places[i + 1] = pstk_device_find(halves[i], &info, NULL, 0) ? device : halves[i];
	}
	ck_assert_int_eq(pstk_actor_map(a, places[at]), 0);
	for (unsigned i = 0; i < PLACES; i++)
		ck_assert_int_eq(pstk_actor_may_move(a, places[i]), 0);
	for (uint64_t i = 0, firing = 1; i < SCRIPTED; i++, firing += test_between(rng, 1, 2)) {
		at = (at + test_between(rng, 1, 2)) % PLACES;
		ck_assert_int_ge(pstk_actor_migrate(a, places[at], firing), 0);
	}
}

void moving_map(struct pstk_actor *a, const char *device)
{
	struct test_rng rng;
	char *end;

	if (!moving_is(device)) {
		pstk_actor_map(a, device);
		return;
	}
	rng = (struct test_rng){ strtoull(device + strlen(mark), &end, 16) };
	script(a, end + 1, &rng);
}

void moving_check(struct pstk_network *net)
{
	for (unsigned i = 0; i < pstk_network_move_count(net); i++) {
		struct pstk_move move = PSTK_MOVE();
		struct pstk_actor_stats stats;

		ck_assert_int_eq(pstk_network_move(net, i, &move), 0);
		ck_assert_int_eq(pstk_actor_get_stats(move.actor, &stats), 0);
		if (move.state == PSTK_MOVE_DONE)
			ck_assert_uint_eq(move.firing, move.wanted);
		else
			ck_assert_msg(move.state == PSTK_MOVE_CANCELLED && move.wanted >= stats.firings,
				"to %s at firing %llu of %llu: %s", move.to, (unsigned long long)move.wanted,
				(unsigned long long)stats.firings, move.text);
	}
}
