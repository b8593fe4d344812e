/* SPDX-License-Identifier: MIT */
#include "lib/placement.h"
#include "lib/cl_actor.h"

#include <stdlib.h>
#include <string.h>

/* How host and device share a window. */
enum sharing { AUTOMATIC, SVM, MAP, COPY };

static enum sharing forced(void)
{
	const char *text = getenv("PENSTOCK_MEMORY");

	if (!text || !*text)
		return AUTOMATIC;
	return !strcmp(text, "svm")    ? SVM
	       : !strcmp(text, "map")  ? MAP
	       : !strcmp(text, "copy") ? COPY
	                               : AUTOMATIC;
}

/* Host code that enqueues gets buffers: a library's call may not take anything else. */
static bool takes_svm(const struct pstk_actor *a)
{
	return !a->device || !a->type.fire_cl;
}

static bool takes_offsets(const struct pstk_actor *a)
{
	return !a->type.fire_cl && a->cl && a->cl->has_kernel && !a->cl->wrap_failed &&
	       ps_cl_kernel_can_wrap(a->cl->has_original ? &a->cl->original : &a->cl->kernel);
}

static enum ps_cl_kind shared_with_host(const struct pstk_fifo *f, bool svm)
{
	const struct pstk_device_info *info = &(f->src->device ? f->src->device : f->dst->device)->info;
	bool whole = f->fifo.layout.rho == 0;
	enum sharing how = forced();

	if (how == AUTOMATIC)
		how = info->unified ? SVM : COPY;
	if (how == SVM && svm && info->svm_fine)
		return PS_CL_FINE;
	if (how == SVM && svm && info->svm_coarse && whole)
		return PS_CL_COARSE;
	return how != COPY && whole ? PS_CL_MAPPED : PS_CL_STAGED;
}

static enum ps_cl_kind on_device(const struct pstk_fifo *f, bool svm)
{
	if (svm)
		return PS_CL_SVM;
	if (f->fifo.layout.rho && takes_offsets(f->src) && takes_offsets(f->dst))
		return PS_CL_OFFSET;
	return PS_CL_BLOCKS;
}

/* What this FIFO is for itself. svm: shared virtual memory may be used. */
static enum ps_cl_kind choose(const struct pstk_fifo *f, bool svm)
{
	const struct ps_cl_device *from = f->src->device, *to = f->dst->device;

	svm = svm && takes_svm(f->src) && takes_svm(f->dst);
	if (!from || !to)
		return shared_with_host(f, svm);
	if (from->root != to->root)
		return PS_CL_RELAYED;
	/* without a remainder a buffer a block does the same, on every device */
	return on_device(f, svm && f->fifo.layout.rho && from->info.svm_coarse && to->info.svm_coarse &&
				    forced() != MAP && forced() != COPY);
}

static bool is_svm(enum ps_cl_kind kind)
{
	return kind == PS_CL_SVM || kind == PS_CL_FINE || kind == PS_CL_COARSE;
}

/* The FIFOs of a broadcast that a device writes are all SVM or all buffers, because no command copies from one to the
 * other. */
bool ps_placement(const struct pstk_fifo *f, enum ps_cl_kind *kind)
{
	const struct pstk_fifo *first = f->src->ports[f->src_port].fifo;
	bool wanted = false, possible = true;

	if (!f->src->device && !f->dst->device)
		return false;
	if (!f->src->device) {
		*kind = choose(f, true);
		return true;
	}
	for (const struct pstk_fifo *o = first; o; o = o->next) {
		enum ps_cl_kind alone = choose(o, true);

		wanted = wanted || is_svm(alone);
		if (!is_svm(alone) && (alone != PS_CL_BLOCKS || !takes_svm(o->src) || !takes_svm(o->dst)))
			possible = false;
	}
	*kind = choose(f, possible);
	if (wanted && possible && *kind == PS_CL_BLOCKS)
		*kind = PS_CL_SVM;
	return true;
}

const char *ps_placement_name(const struct pstk_fifo *f)
{
	enum ps_cl_kind kind;

	return ps_placement(f, &kind) ? ps_cl_kind_name(kind) : "host";
}
