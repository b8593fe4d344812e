/* SPDX-License-Identifier: MIT */
#include "actors/task/check_tasks.h"
#include "actors/common/check_moving.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct pstk_port spoil_ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

/* Copies, and changes one token's number. */
static int spoil(struct pstk_firing *f)
{
	const struct tasks *t = *(struct tasks *const *)pstk_actor_arg(pstk_firing_actor(f));
	const unsigned char *in = pstk_fifo_read_start(f, 0);
	unsigned char *out = pstk_fifo_write_start(f, 1);
	uint64_t first = pstk_firing_index(f) * 2;

	memcpy(out, in, (size_t)2 * TASKS_SIZE);
	if (t->value && t->token >= first && t->token < first + 2)
		memcpy(out + (t->token - first) * TASKS_SIZE, &t->value, sizeof t->value);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void connect_all(const struct tasks *t, struct pstk_actor *const a[3], struct pstk_actor *spoiler)
{
	ck_assert_ptr_nonnull(
		pstk_connect(a[0], "out1", spoiler, "in", PSTK_FIFO(.rate = 2, .token_size = TASKS_SIZE)));
	ck_assert_ptr_nonnull(pstk_connect(spoiler, "out", a[1], "in1",
		PSTK_FIFO(.rate = 2, .token_size = TASKS_SIZE, .delay = t->delay, .initial = t->initial)));
	ck_assert_ptr_nonnull(pstk_connect(a[0], "out2", a[1], "in2",
		PSTK_FIFO(.rate = 1, .token_size = 8, .delay = (t->delay + 1) / 2)));
	ck_assert_ptr_nonnull(
		pstk_connect(a[1], "out1", a[2], "in1", PSTK_FIFO(.rate = 3, .token_size = 24)));
	ck_assert_ptr_nonnull(
		pstk_connect(a[1], "out1", a[2], "in2", PSTK_FIFO(.rate = 3, .token_size = 24)));
	ck_assert_ptr_nonnull(pstk_connect(a[2], "out1", a[2], "in3",
		PSTK_FIFO(.rate = 1, .token_size = t->size ? t->size : 9, .delay = 1)));
}

static void build(struct tasks *t, struct pstk_network *net, struct pstk_actor *a[3])
{
	struct pstk_actor *spoiler;

	a[0] = pstk_task_add(net, "source",
		PSTK_TASK(.outputs = 2, .mode = t->mode, .time = t->time / 4,
			.count = t->count ? t->count : TASKS_FIRINGS));
	a[1] = pstk_task_add(
		net, "middle", PSTK_TASK(.inputs = 2, .outputs = 1, .mode = t->mode, .time = t->time));
	a[2] = pstk_task_add(net, "sink", PSTK_TASK(.inputs = 3, .outputs = 1, .mode = t->mode));
	spoiler = pstk_network_add(net, "spoil",
		PSTK_ACTOR_TYPE(.name = "spoil", .ports = spoil_ports, .port_count = 2, .fire = spoil,
			.arg_size = sizeof t),
		&t);
	connect_all(t, a, spoiler);
	ck_assert_int_eq(pstk_network_set_threads(net, t->threads), 0);
}

static int map(const struct tasks *t, struct pstk_actor *const a[3])
{
	int err = 0;

	for (unsigned i = 1; i < (t->all ? 3 : 2) && t->device && !err; i++)
		if (moving_is(t->device))
			moving_map(a[i], t->device);
		else
			err = pstk_actor_map(a[i], t->device);
	return err;
}

int tasks_run(struct tasks *t)
{
	struct pstk_network *net = pstk_network_create("tasks");
	struct pstk_actor *a[3];
	struct pstk_actor_stats stats;
	uint64_t begin;
	int err;

	ck_assert_ptr_nonnull(net);
	build(t, net, a);
	err = map(t, a);
	begin = now();
	if (!err)
		err = pstk_network_start(net);
	if (!err)
		err = pstk_network_wait(net);
	t->run_ns = now() - begin;
	if (!err)
		moving_check(net);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(pstk_actor_get_stats(a[i], &stats), 0);
		t->firings[i] = stats.firings;
		t->fire_ns = i == 1 ? stats.fire_ns : t->fire_ns;
	}
	snprintf(t->error, sizeof t->error, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}
