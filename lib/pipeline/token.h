/* SPDX-License-Identifier: MIT */
/* Token: a place that one item at a time may have: a device, or, in medium grain, the cores of a pipeline. */
#ifndef PENSTOCK_TOKEN_H
#define PENSTOCK_TOKEN_H

#include <pthread.h>
#include <stdbool.h>

struct ps_token {
	pthread_mutex_t lock;
	pthread_cond_t given; /* with lock */
	bool taken;           /* guarded by lock */
};

/* -ENOMEM */
int ps_token_init(struct ps_token *);
void ps_token_fini(struct ps_token *);

/* Takes it, if no thread has it; false: one does. */
bool ps_token_try(struct ps_token *);

/* Takes it; sleeps until it can. A thread that has it gives it back in any case: it waits for no other token. */
void ps_token_wait(struct ps_token *);

void ps_token_give(struct ps_token *);

#endif
