/* SPDX-License-Identifier: MIT */
#include "lib/model/error.h"
#include "lib/base/near_name.h"
#include "lib/base/log.h"
#include "lib/base/memory.h"
#include "lib/base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const char *ps_strerror(int err, char *buffer, size_t size)
{
	/* GNU's: returns the text. INT_MIN stays what it is */
	return strerror_r(err < 0 && err != INT_MIN ? -err : err, buffer, size);
}

/* Sets the first error. Call with net->lock held. */
static bool set_error(struct pstk_network *net, int err, const char *text)
{
	if (net->err)
		return false;
	net->err = err;
	snprintf(net->error, sizeof net->error, "%s", text);
	atomic_store(&net->failed, true);
	return true;
}

static void keep_problem(struct pstk_network *net, const char *text)
{
	char **problems = ps_memory_resize(net->problems, net->problem_count + 1u, sizeof *problems);

	net->problem_total++;
	if (!problems)
		return;
	net->problems = problems;
	problems[net->problem_count] = ps_memory_strdup(text);
	if (problems[net->problem_count])
		net->problem_count++;
}

_Thread_local struct pstk_actor *ps_declaring;

void ps_declaring_wrongly(int err, const char *format, ...)
{
	va_list ap;

	if (ps_declaring->declare_err)
		return;
	ps_declaring->declare_err = err;
	va_start(ap, format);
	vsnprintf(ps_declaring->text, sizeof ps_declaring->text, format, ap);
	va_end(ap);
}

int ps_network_building(struct pstk_network *net, const char *call)
{
	enum ps_network_state state;

	if (!net)
		return -EINVAL;
	if (ps_declaring) {
		ps_declaring_wrongly(-EINVAL, "it calls %s(): it may only declare", call);
		return -EBUSY;
	}
	pthread_mutex_lock(&net->lock);
	state = net->state;
	if (state == PS_BUILD) /* what is called now may change them */
		atomic_store(&net->settled, false);
	pthread_mutex_unlock(&net->lock);
	if (state == PS_BUILD)
		return 0;
	ps_log(PS_TOPIC_NETWORK, PSTK_LOG_WARNING,
		"%s: %s() comes too late: the network was started before; a network runs once, create "
		"another",
		net->name, call);
	return -EBUSY;
}

PSTK_PRINTF(3, 0)
static int add_problem(struct pstk_network *net, int err, const char *format, va_list ap)
{
	char text[PS_ERROR_LONGEST];

	if (vsnprintf(text, sizeof text, format, ap) >= (int)sizeof text)
		ps_text_cut(text, sizeof text);
	keep_problem(net, text);
	pthread_mutex_lock(&net->lock);
	set_error(net, err, text);
	pthread_mutex_unlock(&net->lock);
	return err;
}

int ps_network_problem(struct pstk_network *net, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	add_problem(net, err, format, ap);
	va_end(ap);
	return err;
}

struct ps_problem_mark ps_network_mark(struct pstk_network *net)
{
	return (struct ps_problem_mark){
		.count = net->problem_count, .total = net->problem_total, .err = ps_network_err(net)
	};
}

void ps_network_rewind(struct pstk_network *net, struct ps_problem_mark mark)
{
	while (net->problem_count > mark.count)
		ps_memory_free(net->problems[--net->problem_count]);
	net->problem_total = mark.total;
	if (mark.err)
		return;
	pthread_mutex_lock(&net->lock);
	net->err = 0;
	net->error[0] = 0;
	atomic_store(&net->failed, false);
	pthread_mutex_unlock(&net->lock);
}

int pstk_network_refuse(struct pstk_network *net, int err, const char *format, ...)
{
	int late = format && err < 0 ? ps_network_building(net, __func__) : -EINVAL;
	va_list ap;

	if (late)
		return late;
	va_start(ap, format);
	add_problem(net, err, format, ap);
	va_end(ap);
	return err;
}

/* host: that is named in front; NULL: none is. */
PSTK_PRINTF(4, 0)
static int fail(struct pstk_network *net, int err, const char *host, const char *format, va_list ap)
{
	char text[PS_ERROR_LONGEST];
	size_t used = host ? (size_t)snprintf(text, sizeof text / 2, "%s: ", host) : 0;
	bool first;

	used = used < sizeof text / 2 ? used : 0;
	if (vsnprintf(text + used, sizeof text - used, format, ap) >= (int)(sizeof text - used))
		ps_text_cut(text, sizeof text);
	pthread_mutex_lock(&net->lock);
	/* what fails because of an abort is no error of its own */
	first = !(net->state == PS_RUNNING && atomic_load(&net->fate) == PS_FATE_ABORTED) &&
	        set_error(net, err, text);
	pthread_mutex_unlock(&net->lock);
	if (!first)
		ps_log(PS_TOPIC_NETWORK, PSTK_LOG_INFO, "%s: after the first error or an abort: %s",
			net->name, text);
	sem_post(&net->wake);
	return err;
}

int ps_network_fail(struct pstk_network *net, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fail(net, err, net->host_name, format, ap);
	va_end(ap);
	return err;
}

int ps_network_fail_elsewhere(struct pstk_network *net, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fail(net, err, NULL, format, ap);
	va_end(ap);
	return err;
}

void ps_network_agree(struct pstk_network *net, const char *text)
{
	atomic_store(&net->agreed, text);
}

int ps_network_err(struct pstk_network *net)
{
	int err;

	pthread_mutex_lock(&net->lock);
	err = net->err;
	pthread_mutex_unlock(&net->lock);
	return err;
}

int ps_actor_fail(struct pstk_actor *a, int err, const char *where)
{
	char reason[64];

	if (a->text[0])
		return ps_network_fail(
			a->network, err, "'%s' (%s), %s: %s", a->name, a->type.name, where, a->text);
	return ps_network_fail(a->network, err, "'%s' (%s), %s failed: %s", a->name, a->type.name, where,
		ps_strerror(err, reason, sizeof reason));
}

const char *pstk_network_error(const struct pstk_network *net)
{
	const char *agreed;

	if (!net)
		return "no network: NULL, or memory was out when it was created";
	agreed = atomic_load(&net->agreed);
	if (agreed)
		return agreed;
	if (atomic_load(&net->failed)) /* the text was complete before the flag */
		return net->error;
	if (atomic_load(&net->cancelled))
		return "the network was aborted";
	return "";
}

const char *pstk_network_problem(const struct pstk_network *net, unsigned index)
{
	return net && index < net->problem_count ? net->problems[index] : NULL;
}

bool pstk_network_failed(const struct pstk_network *net)
{
	return net && ps_network_over(net);
}

int ps_actor_has_no(struct pstk_actor *a, const char *kind, const struct ps_near_name *n)
{
	char hint[PS_NEAR_NAME_HINT];

	return ps_network_problem(a->network, -ENOENT, "'%s' (%s) has no %s '%s'%s", a->name, a->type.name,
		kind, n->wanted, ps_near_name_hint(n, hint));
}
