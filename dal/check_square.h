/* SPDX-License-Identifier: MIT */
/* The processes of DAL's examples: a producer, squares or sums, a consumer. */
#ifndef PENSTOCK_DAL_CHECK_SQUARE_H
#define PENSTOCK_DAL_CHECK_SQUARE_H

#include "dal/check_dal.h"
#include "penstock/dal_network.h"

struct _local_states {
	uint64_t next;
	int finished;
};

/* What a test asks for and what the processes have seen. Each member is one process's while the network
 * runs. */
struct square {
	uint64_t tokens; /* of the producer; 0: it never has enough */
	bool event;      /* the consumer sends the message after so many, again and again */
	const char *message;
	int sent;                    /* what that returned */
	_Atomic uint64_t looks_away; /* so often */
	uint64_t consumed, wrong;
	uint64_t (*expect)(uint64_t n);
	unsigned inits, finishes;
	_Atomic unsigned heard;
};
extern struct square square;

/* consumer, producer, square, add (100 times its index); and the same to be changed, with a producer that
 * never ends. */
enum { SQUARE_PROCESSES = 4, SQUARE_PRODUCER = 1, SQUARE_SQUARE = 2 };
extern const struct pstk_dal_process square_processes[SQUARE_PROCESSES];
struct pstk_dal_process *square_endless(void);

int square_fire(DALProcess *p);

/* The square of the n-th token, from 0. */
uint64_t square_of(uint64_t n);

/* Fails the test unless this is what comes out. */
void square_run(struct pstk_network *net, int expected);

#endif
