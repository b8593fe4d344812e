/* SPDX-License-Identifier: MIT */
#include "dal/check_square.h"

#include <string.h>

struct square square;

static void producer_init(DALProcess *p)
{
	ck_assert_uint_eq(p->local->next, 0);
	p->local->next = 1;
	square.inits++;
}

/* As DAL's examples: what it returns says nothing, and it is fired until the application stops. */
static int producer_fire(DALProcess *p)
{
	if (square.tokens && p->local->next > square.tokens) {
		DAL_send_event("done", p);
		return 0;
	}
	DAL_write("out", &p->local->next, sizeof p->local->next, p);
	p->local->next++;
	return 0;
}

static void finish(DALProcess *p)
{
	p->local->finished++;
	ck_assert_int_eq(p->local->finished, 1);
	square.finishes++;
	ck_assert_int_eq(DAL_send_event("too late", p), -1);
}

#define PORT_SQUARE_IN 0
#define PORT_SQUARE_OUT 1

int square_fire(DALProcess *p)
{
	uint64_t x;

	DAL_read((void *)PORT_SQUARE_IN, &x, sizeof x, p);
	x *= x;
	DAL_write((void *)PORT_SQUARE_OUT, &x, sizeof x, p);
	return 0;
}

static int add_fire(DALProcess *p)
{
	uint64_t x;

	ck_assert_int_eq(DAL_getIndex(1, p), -1);
	ck_assert_int_eq(DAL_getIndex(-1, p), -1);
	DAL_read("in", &x, sizeof x, p);
	x += 100 * (uint64_t)GETINDEX(0);
	DAL_write("out", &x, sizeof x, p);
	return -1;
}

static int consumer_fire(DALProcess *p)
{
	uint64_t x;

	if (square.event && square.consumed == square.tokens) {
		square.sent = DAL_send_event(square.message, p);
		atomic_fetch_add(&square.looks_away, 1);
		return 0;
	}
	if (DAL_read("in", &x, sizeof x, p) < (int)sizeof x) {
		ck_assert_uint_eq(x, 0);
		return 0;
	}
	square.wrong += x != square.expect(square.consumed);
	square.consumed++;
	return 0;
}

const struct pstk_dal_process square_processes[SQUARE_PROCESSES] = {
	PSTK_DAL_PROCESS("consumer", NULL, consumer_fire, finish, sizeof(struct _local_states)),
	PSTK_DAL_PROCESS("producer", producer_init, producer_fire, finish, sizeof(struct _local_states)),
	PSTK_DAL_PROCESS("square", NULL, square_fire, NULL, 0),
	PSTK_DAL_PROCESS("add", NULL, add_fire, NULL, 0),
};

static int endless_fire(DALProcess *p)
{
	DAL_write("out", &p->local->next, sizeof p->local->next, p);
	p->local->next++;
	return 0;
}

struct pstk_dal_process *square_endless(void)
{
	static struct pstk_dal_process processes[SQUARE_PROCESSES];

	memcpy(processes, square_processes, sizeof processes);
	processes[SQUARE_PRODUCER].fire = endless_fire;
	return processes;
}

uint64_t square_of(uint64_t n)
{
	return (n + 1) * (n + 1);
}

void square_run(struct pstk_network *net, int expected)
{
	int err = pstk_network_run(net);

	ck_assert_msg(err == expected, "%d: %s", err, pstk_network_error(net));
}
