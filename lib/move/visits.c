/* SPDX-License-Identifier: MIT */
#include "lib/move/visits.h"
#include "lib/base/memory.h"
#include "lib/firing/backend.h"
#include "lib/firing/crash.h"
#include "lib/firing/firing.h"
#include "lib/firing/texts.h"
#include "lib/firing/visit.h"
#include "lib/model/actor.h"
#include "lib/model/error.h"
#include "lib/model/place.h"
#include "lib/plan/ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* An actor and a place of another host that it may visit, in one of these two processes. */
struct ps_visit {
	struct pstk_actor *actor;
	struct ps_visit_shape shape;
	char name[PS_PLACE_NAME]; /* of the place, in both processes */
	unsigned place;           /* which it is in this one */
	unsigned number;          /* among the actor's that are of other hosts */
	unsigned host;            /* of the other process */
	bool visited;             /* it fires here, asked by the other one */
	unsigned char *question, *answer;
	struct ps_remote *remote;
	struct ps_letters *letters;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* with lock */
	bool came;              /* guarded by lock: a letter */
	uint64_t
		state_of; /* of its own host: the firing, and 1, of which the other one has the state. Its taker */
	/* visited */
	struct pstk_firing firing; /* its thread */
	struct ps_firing_texts texts;
	bool fires, closed, quits; /* guarded by lock */
	bool begun;                /* guarded by lock: there is a thread */
	pthread_t thread;
	void *alternate_stack;
};

/* Of a network. */
struct ps_visits {
	unsigned count;
	struct ps_visit *all;
};

#define EACH_VISIT(v, x) for (struct ps_visit *x = (v) ? (v)->all : NULL; x && x < (v)->all + (v)->count; x++)

/*
 * Start.
 */

static int no_memory(struct pstk_network *net)
{
	return ps_network_fail(net, -ENOMEM, "network '%s': out of memory for its start", net->name);
}

/* FIFOs of an actor that is away may get other layouts, or leave its ports. */
static int keep_layouts(struct pstk_actor *a)
{
	struct ps_layout *all = ps_memory_zalloc(a->type.port_count, sizeof *all);

	for (unsigned p = 0; p < a->type.port_count && all; p++)
		all[p] = a->ports[p].fifo->fifo.layout;
	a->layouts = all;
	return all ? 0 : -ENOMEM;
}

static int note(struct ps_visits *v, struct pstk_actor *a)
{
	int err = a->visited ? keep_layouts(a) : 0;
	unsigned number = 0;

	for (unsigned i = 0; i < a->place_count && !err; i++) {
		const struct ps_actor_place *p = &a->places[i];
		struct ps_visit *x = &v->all[v->count];

		if (!p->far)
			continue;
		x->number = number++; /* the same in all processes */
		if (ps_actor_away(a) && p->host != a->network->host)
			continue;
		v->count++;
		x->actor = a;
		x->visited = a->visited;
		x->host = a->visited ? a->host : p->host;
		memcpy(x->name, p->name, sizeof x->name);
		pthread_mutex_init(&x->lock, NULL);
		pthread_cond_init(&x->changed, NULL);
		err = ps_visit_shape_init(&x->shape, a);
	}
	if (err == -EOVERFLOW)
		return ps_network_fail(a->network, err,
			"'%s' (%s): its windows and its state have more bytes than a message to another host "
			"can "
			"have",
			a->name, a->type.name);
	return err ? no_memory(a->network) : 0;
}

int ps_visits_note(struct pstk_network *net)
{
	unsigned places = 0;
	struct ps_visits *v;
	int err = 0;

	for (unsigned i = 0; i < net->actor_count && net->has_hosts; i++)
		places += net->actors[i]->visits ? net->actors[i]->place_count : 0;
	if (!places)
		return 0;
	v = ps_memory_zalloc(1, sizeof *v);
	if (!v)
		return no_memory(net);
	net->visits = v;
	v->all = ps_memory_zalloc(places, sizeof *v->all);
	if (!v->all)
		return no_memory(net);
	for (unsigned i = 0; i < net->actor_count && !err; i++)
		if (net->actors[i]->visits) {
			ps_place_settle_hosts(net->actors[i]);
			err = note(v, net->actors[i]);
		}
	return err;
}

/* What only the host that is visited needs. */
static int make_room(struct ps_visit *x)
{
	struct pstk_actor *a = x->actor;
	size_t allocated;

	x->firing.task = a->task;
	ps_texts_own(&x->firing, &x->texts);
	x->firing.own = ps_decision_create(a, 0);
	if (a->state_size && !a->state)
		a->state = ps_memory_windows(a->state_size, 0, &allocated);
	if (ps_firing_make(&x->firing, a) || !x->firing.own || (a->state_size && !a->state))
		return -ENOMEM;
	if (a->state)
		memset(a->state, 0, a->state_size);
	return ps_crash_prepare(a->network, &x->alternate_stack);
}

static int prepare(struct ps_visit *x, struct ps_remote *remote)
{
	struct pstk_actor *a = x->actor;
	size_t allocated;
	struct ps_letters_of of = { .rank = ps_ranks_of_host(a->network, x->host),
		.number = a->network->fifo_count + a->index * PSTK_PLACES_MAX + x->number,
		.asks = !x->visited,
		.user = x };
	int err;

	x->remote = remote;
	while (strcmp(a->places[x->place].name, x->name) != 0)
		x->place++;
	x->question = ps_memory_windows(x->shape.question_bytes, 0, &allocated);
	x->answer = ps_memory_windows(x->shape.answer_bytes, 0, &allocated);
	if (!x->question || !x->answer || (x->visited && make_room(x)))
		return no_memory(a->network);
	of.out = x->visited ? x->answer : x->question;
	of.out_most = x->visited ? x->shape.answer_bytes : x->shape.question_bytes;
	of.in = x->visited ? x->question : x->answer;
	of.in_most = x->visited ? x->shape.question_bytes : x->shape.answer_bytes;
	err = ps_remote_add_letters(remote, &of, &x->letters);
	return err ? ps_network_fail(a->network, err, "'%s' (%s), which may move to another host: %s",
			     a->name, a->type.name, ps_remote_error(remote))
	           : 0;
}

int ps_visits_prepare(struct pstk_network *net, struct ps_remote *remote)
{
	int err = 0;

	EACH_VISIT(net->visits, x) if (!err) err = prepare(x, remote);
	return err;
}

/*
 * The host that is visited.
 */

/* false: the thread is to end. */
static bool await_question(struct ps_visit *x)
{
	bool goes_on;

	pthread_mutex_lock(&x->lock);
	while (!x->came && !x->quits)
		pthread_cond_wait(&x->changed, &x->lock);
	goes_on = x->came;
	x->came = false;
	x->fires = goes_on && !x->closed && !ps_network_over(x->actor->network);
	pthread_mutex_unlock(&x->lock);
	return goes_on;
}

static int fire(struct ps_visit *x)
{
	struct pstk_actor *a = x->actor;
	const struct ps_backend *b = a->places[x->place].backend;

	atomic_store(&a->place, x->place);
	return b ? b->fire_guarded(&x->firing) : a->type.fire(&x->firing);
}

/* fires: false: nothing is fired. What was cut short because this network is over counts as not fired, too. */
static void answer(struct ps_visit *x, bool fires)
{
	struct pstk_actor *former;
	size_t bytes;

	ps_visit_begin(&x->firing, &x->shape, x->question, x->answer);
	if (fires) {
		former = ps_actor_enter(x->actor);
		x->firing.rc = fire(x);
		ps_actor_leave(former);
	}
	fires = fires && !ps_network_over(x->actor->network);
	bytes = ps_visit_answer(&x->firing, &x->shape, !fires, x->answer);
	pthread_mutex_lock(&x->lock);
	x->fires = false;
	pthread_cond_broadcast(&x->changed);
	pthread_mutex_unlock(&x->lock);
	ps_remote_send_letter(x->remote, x->letters, bytes);
}

static void *main_of_visit(void *arg)
{
	struct ps_visit *x = arg;

	pthread_setname_np(pthread_self(), "pstk-visit");
	ps_crash_thread_begin(x->alternate_stack);
	while (await_question(x))
		answer(x, x->fires); /* only this thread changes it */
	ps_crash_thread_end(x->alternate_stack);
	return NULL;
}

static int begin(struct ps_visit *x)
{
	struct pstk_network *net = x->actor->network;
	sigset_t all, former;
	char reason[64];
	int err;

	sigfillset(&all);
	ps_crash_remove_faults(&all);
	pthread_sigmask(SIG_SETMASK, &all, &former);
	err = pthread_create(&x->thread, NULL, main_of_visit, x);
	pthread_sigmask(SIG_SETMASK, &former, NULL);
	pthread_mutex_lock(&x->lock);
	x->begun = !err;
	pthread_mutex_unlock(&x->lock);
	return err ? ps_network_fail(net, -err, "'%s': cannot create its thread at this host: %s",
			     x->actor->name, ps_strerror(err, reason, sizeof reason))
	           : 0;
}

int ps_visits_begin(struct pstk_network *net)
{
	int err = 0;

	EACH_VISIT(net->visits, x) if (x->visited && !err) err = begin(x);
	return err;
}

/* Call with the lock held. A question has come, and there is no thread: the start has failed. */
static bool take_unanswered(struct ps_visit *x)
{
	bool is = x->visited && x->closed && !x->begun && x->came;

	if (is)
		x->came = false;
	return is;
}

bool ps_visits_close(struct pstk_network *net)
{
	bool begun = false;

	EACH_VISIT(net->visits, x)
	{
		bool unanswered;

		pthread_mutex_lock(&x->lock);
		x->closed = true;
		while (x->fires)
			pthread_cond_wait(&x->changed, &x->lock);
		unanswered = take_unanswered(x);
		begun |= x->begun;
		pthread_mutex_unlock(&x->lock);
		if (unanswered)
			answer(x, false);
	}
	return begun;
}

void ps_visits_end(struct pstk_network *net)
{
	EACH_VISIT(net->visits, x)
	{
		if (!x->begun)
			continue;
		pthread_mutex_lock(&x->lock);
		x->quits = true;
		pthread_cond_broadcast(&x->changed);
		pthread_mutex_unlock(&x->lock);
		pthread_join(x->thread, NULL);
		x->begun = false;
	}
}

/*
 * The actor's own host.
 */

void ps_visits_letter(void *of_letters)
{
	struct ps_visit *x = of_letters;
	bool unanswered;

	pthread_mutex_lock(&x->lock);
	x->came = true;
	pthread_cond_broadcast(&x->changed);
	unanswered = take_unanswered(x);
	pthread_mutex_unlock(&x->lock);
	if (unanswered)
		answer(x, false);
}

/* false: the network is over. */
static bool await_answer(struct ps_visit *x)
{
	bool came;

	pthread_mutex_lock(&x->lock);
	while (!x->came && !ps_network_over(x->actor->network))
		pthread_cond_wait(&x->changed, &x->lock);
	came = x->came;
	x->came = false;
	pthread_mutex_unlock(&x->lock);
	return came;
}

static struct ps_visit *find(const struct pstk_actor *a)
{
	unsigned place = atomic_load_explicit(&a->place, memory_order_relaxed);
	struct ps_visit *x = a->network->visits->all;

	while (x->actor != a || x->place != place)
		x++;
	return x;
}

/* The error is of the other host, but this one reports it. */
static void say_where(struct pstk_actor *a, const char *place)
{
	char text[PS_TEXT_SIZE];

	memcpy(text, a->text, sizeof text);
	snprintf(a->text, sizeof a->text, "at %s: %.*s", place, PS_TEXT_SIZE - PS_PLACE_NAME - 8, text);
}

/* A firing of a network that is over is dropped by the publishing thread. */
int ps_visits_fire(struct pstk_firing *f)
{
	struct ps_visit *x = find(f->actor);
	bool dropped;
	int rc;

	ps_remote_send_letter(
		x->remote, x->letters, ps_visit_ask(f, &x->shape, x->state_of != f->index + 1, x->question));
	if (!await_answer(x))
		return PSTK_AGAIN;
	rc = ps_visit_accept(f, &x->shape, x->answer, &dropped);
	if (rc < 0 && f->actor->text[0])
		say_where(f->actor, x->name);
	x->state_of = f->index + 2; /* that of the next firing */
	if (dropped)
		await_answer(x); /* there is none: until this network hears why */
	return rc;
}

void ps_visits_wake(struct pstk_network *net)
{
	EACH_VISIT(net->visits, x)
	{
		pthread_mutex_lock(&x->lock);
		pthread_cond_broadcast(&x->changed);
		pthread_mutex_unlock(&x->lock);
	}
}

void ps_visits_free(struct pstk_network *net)
{
	struct ps_visits *v = net->visits;

	ps_visits_end(net);
	EACH_VISIT(v, x)
	{
		pthread_mutex_destroy(&x->lock);
		pthread_cond_destroy(&x->changed);
		ps_visit_shape_fini(&x->shape);
		ps_memory_free(x->firing.windows);
		ps_memory_free(x->firing.own);
		ps_memory_free(x->question);
		ps_memory_free(x->answer);
		ps_memory_free(x->alternate_stack);
	}
	if (!v)
		return;
	ps_memory_free(v->all);
	ps_memory_free(v);
	net->visits = NULL;
}
