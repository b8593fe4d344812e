/* SPDX-License-Identifier: MIT */
/* Error: a network's problems while it is built and the first error of its run. */
#ifndef PENSTOCK_ERROR_H
#define PENSTOCK_ERROR_H

#include "lib/model/network.h"

#include <stdarg.h>

/* The actor in whose rates() this thread is, NULL: none. There it may only declare. What it does besides is kept as
 * that actor's declare_err and text, the first of it, for ps_steps_check(). */
extern _Thread_local struct pstk_actor *ps_declaring __attribute__((tls_model("initial-exec")));
void ps_declaring_wrongly(int err, const char *format, ...) PSTK_PRINTF(2, 3);

/* BUILD calls ask this first: 0, or -EINVAL (NULL) or -EBUSY (started; the network is not harmed). */
int ps_network_building(struct pstk_network *, const char *call);

/* BUILD. Records a problem; the first one is the network's error. Returns err. */
int ps_network_problem(struct pstk_network *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* ANY; takes the network's lock and the log's (doc/internals/locks.md). The network has failed: the first call wins,
 * every thread is woken. Returns err. */
int ps_network_fail(struct pstk_network *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* The same for what another process has said, or all of them. This one's host is not named in front of it. */
int ps_network_fail_elsewhere(struct pstk_network *, int err, const char *format, ...) PSTK_PRINTF(3, 4);

/* From now on this is the network's error, whatever failed first in this process. text: the caller keeps it. */
void ps_network_agree(struct pstk_network *, const char *text);

/* BUILD. What problems there are now, to take those back that come later. */
struct ps_problem_mark {
	unsigned count, total;
	int err;
};
struct ps_problem_mark ps_network_mark(struct pstk_network *);
void ps_network_rewind(struct pstk_network *, struct ps_problem_mark);

/* The first error, 0: none. */
int ps_network_err(struct pstk_network *);

/* For fail(): "'gauss' (gauss5x5): cannot ..", with what pstk_actor_error() said or else what err means.
 * where: "init()". */
int ps_actor_fail(struct pstk_actor *, int err, const char *where);

/* Makes it a problem that the actor has no such `kind`: a port, a parameter. Returns -ENOENT. */
struct ps_near_name;
int ps_actor_has_no(struct pstk_actor *, const char *kind, const struct ps_near_name *);

/* The text of an errno in a buffer of the caller's. err: positive or negative. */
const char *ps_strerror(int err, char *buffer, size_t size);

/* What messages call a connection: 'a'.out -> 'b'.in. As it was connected, also where a pipeline has an end. */
#define PS_CONNECTION "'%s'.%s -> '%s'.%s"
#define PS_CONNECTION_ARGS(f)                                                                         \
	(f)->from.actor->name, (f)->from.actor->type.ports[(f)->from.port].name, (f)->to.actor->name, \
		(f)->to.actor->type.ports[(f)->to.port].name

/* Of two checks' results; both have been made, so that all problems are told. */
static inline int ps_first_error(int err, int next)
{
	return err ? err : next;
}

#endif
