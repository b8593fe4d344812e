/* SPDX-License-Identifier: MIT */
/*
 * Branches: what the actors share that have a number of complex signals on one side and one on the other
 * (polynomial, adder). Their types are built for the number of branches; so is their kernels' text, which
 * takes a pointer a port: two macros stand before it, see branches.cl. They are stateless: a firing uses
 * nothing but its windows and the actor's arg, which stays as it is.
 */
#ifndef PENSTOCK_ACTORS_BRANCHES_H
#define PENSTOCK_ACTORS_BRANCHES_H

#include "actors/common/kernel_text.h"
#include "penstock/actors.h"

/* The ports: the one signal's re and im, those of branch b, counted from 0, and the control port if there
 * is one. */
enum { PS_BRANCHES_RE, PS_BRANCHES_IM };
#define PS_BRANCH_RE(b) (2 + 2 * (b))
#define PS_BRANCH_IM(b) (3 + 2 * (b))

/* Without a control port: as many as an actor's 4096 ports allow. */
enum { PS_BRANCHES_MAX = 2047 };

/* Work on single samples goes through strips that fit the first-level cache. */
enum { PS_BRANCHES_STRIP = 1024 };

/* An actor to be added. All is borrowed during the call. */
struct ps_branches {
	const char *type; /* its name, and the kernel's */
	bool inputs;  /* the branches are inputs, the one signal is the output; else the other way round */
	bool dynamic; /* with a control port */
	unsigned count;
	void *arg; /* its first member: uint32_t, the count */
	size_t arg_size;
	const struct pstk_param *params;
	unsigned param_count;
	int (*init)(struct pstk_actor *);
	int (*fire)(struct pstk_firing *);
	const char *kernel; /* text behind branches.cl */
	/* writes the macro TERMS: at most PS_BRANCHES_TERM characters a branch */
	void (*terms)(struct ps_kernel_text *, const void *arg);
};

enum { PS_BRANCHES_TERM = 48 };

/* BUILD. Is it a possible number of branches? 0, or -EINVAL and the network's problem. */
int ps_branches_check(
	struct pstk_network *, const char *name, const char *type, unsigned count, bool dynamic);

/* BUILD. pstk_network_add() of such an actor, which was checked. */
struct pstk_actor *ps_branches_add(struct pstk_network *, const char *name, const struct ps_branches *);

/* BUILD. The problem that memory is out. */
int ps_branches_no_memory(struct pstk_network *, const char *name);

/* ACTOR, for init(). Sets work size and argument 0, the samples that are data. */
int ps_branches_init(struct pstk_actor *);

/* Two windows of floats. */
struct ps_branch {
	float *re, *im;
};

/* ACTOR, in fire(). Starts the one signal and all branches that are on; NULL for those that are not. Inputs
 * are not to be written. */
void ps_branches_start(struct pstk_firing *, struct ps_branch *one, struct ps_branch *branches);

/* ACTOR. Ends them. */
void ps_branches_end(struct pstk_firing *);

#endif
