/* SPDX-License-Identifier: MIT */
/*
 * What is checked of the calls about devices in BUILD and init() before any device is asked: the same with OpenCL
 * (mapping.c) and in a library configured --without-opencl (absent.c). Without CL types.
 */
#ifndef PENSTOCK_MAPPING_CHECK_H
#define PENSTOCK_MAPPING_CHECK_H

#include "lib/model/actor.h"

enum { PS_CL_ARGS_MAX = 64 };

/* What PSTK_ARG_RATE(port), PSTK_ARG_VALID(port) or PSTK_ARG_STEPS stands for. */
enum ps_mapping_mark_kind { PS_MARK_NONE, PS_MARK_RATE, PS_MARK_VALID, PS_MARK_STEPS };
struct ps_mapping_mark {
	enum ps_mapping_mark_kind kind;
	unsigned port;
};

/* Keeps the text: in init() as what the actor says of itself, else as a problem of the building. Returns err. */
PSTK_PRINTF(3, 4)
int ps_mapping_refuse(struct pstk_actor *, int err, const char *format, ...);

/* pstk_actor_map() to a device, not NULL: 0, -EINVAL. */
int ps_mapping_check_map(struct pstk_actor *, const char *device);

/* pstk_actor_may_move(), NULL: to the cores: 0, -EINVAL. */
int ps_mapping_check_may_move(struct pstk_actor *, const char *device);

/* pstk_actor_set_work_size(), pstk_actor_set_arg(): 0, -EINVAL, -EBUSY. *mark: what `value` is, if it is a mark. */
int ps_mapping_check_work_size(struct pstk_actor *, unsigned dims, const size_t *global, const size_t *local);
int ps_mapping_check_arg(
	struct pstk_actor *, unsigned index, size_t size, const void *value, struct ps_mapping_mark *mark);

#endif
