/* SPDX-License-Identifier: MIT */
#include "lib/pipeline/token.h"

#include <errno.h>

int ps_token_init(struct ps_token *t)
{
	t->taken = false;
	if (pthread_mutex_init(&t->lock, NULL))
		return -ENOMEM;
	if (!pthread_cond_init(&t->given, NULL))
		return 0;
	pthread_mutex_destroy(&t->lock);
	return -ENOMEM;
}

void ps_token_fini(struct ps_token *t)
{
	pthread_cond_destroy(&t->given);
	pthread_mutex_destroy(&t->lock);
}

bool ps_token_try(struct ps_token *t)
{
	bool got;

	pthread_mutex_lock(&t->lock);
	got = !t->taken;
	t->taken = true;
	pthread_mutex_unlock(&t->lock);
	return got;
}

void ps_token_wait(struct ps_token *t)
{
	pthread_mutex_lock(&t->lock);
	while (t->taken)
		pthread_cond_wait(&t->given, &t->lock);
	t->taken = true;
	pthread_mutex_unlock(&t->lock);
}

void ps_token_give(struct ps_token *t)
{
	pthread_mutex_lock(&t->lock);
	t->taken = false;
	pthread_cond_signal(&t->given);
	pthread_mutex_unlock(&t->lock);
}
