/* SPDX-License-Identifier: MIT */
#include "lib/opencl/placement.h"
#include "lib/model/place.h"
#include "lib/opencl/cl_home.h"
#include "lib/opencl/device.h"

#include <string.h>

const struct ps_cl_device *ps_placement_reader(const struct pstk_fifo *f)
{
	/* control values are read by the host: it decides when it enqueues */
	return ps_backend_of_reader(f) ? ps_device_of(f->dst) : NULL;
}

static const struct ps_cl_device *reader(const struct pstk_fifo *f)
{
	return ps_placement_reader(f);
}

/* Host code that enqueues gets buffers: a library's call may not take anything else. */
static bool takes_svm(const struct pstk_actor *a)
{
	return !ps_device_of(a) || !a->type.fire_cl;
}

/* How a network's host and a device share: SVM, MAP or COPY. */
static unsigned how_shared(const struct pstk_network *net, const struct pstk_device_info *info)
{
	unsigned how = net->environment.memory;

	return how != PS_MEMORY_ANY ? how : info->unified ? PS_MEMORY_SVM : PS_MEMORY_COPY;
}

bool ps_placement_shares(const struct pstk_network *net, const struct pstk_device_info *info)
{
	return how_shared(net, info) != PS_MEMORY_COPY;
}

bool ps_placement_copies(const struct pstk_actor *a)
{
	return how_shared(a->network, &ps_device_of(a)->info) == PS_MEMORY_COPY;
}

bool ps_placement_together(const struct pstk_actor *a, const struct pstk_actor *b)
{
	return ps_device_of(a)->root == ps_device_of(b)->root;
}

static enum ps_cl_kind shared_with_host(const struct pstk_fifo *f, bool svm)
{
	const struct pstk_device_info *info =
		&(ps_device_of(f->src) ? ps_device_of(f->src) : reader(f))->info;
	const struct ps_layout *l = &f->fifo.layout;
	/* what is mapped is mapped as a whole block */
	bool whole = ps_layout_is_simple(l) && !ps_layout_rest(l);
	unsigned how = how_shared(f->src->network, info);

	if (how == PS_MEMORY_SVM && svm && info->svm_fine)
		return PS_CL_FINE;
	if (how == PS_MEMORY_SVM && svm && info->svm_coarse && whole)
		return PS_CL_COARSE;
	return how != PS_MEMORY_COPY && whole ? PS_CL_MAPPED : PS_CL_STAGED;
}

/*
 * FIFOs with an end that moves.
 */

/* The actor at this end, if it has several places that count. Control values are read by the host, wherever it is. */
static const struct pstk_actor *mover_at(const struct pstk_fifo *f, bool writer)
{
	const struct pstk_actor *a = writer ? f->src : f->dst;

	return !a->guarded && ps_place_moves(a) && (writer || f->dst_port != f->dst->control_port) ? a : NULL;
}

bool ps_placement_is_home(const struct pstk_fifo *f)
{
	return mover_at(f, true) || mover_at(f, false);
}

unsigned ps_placement_places(const struct pstk_fifo *f, bool writer)
{
	const struct pstk_actor *mover = mover_at(f, writer);

	return mover ? mover->place_count : 1;
}

const struct ps_cl_device *ps_placement_at(const struct pstk_fifo *f, bool writer, unsigned place)
{
	const struct pstk_actor *mover = mover_at(f, writer);

	if (!mover)
		return writer ? ps_device_of(f->src) : reader(f);
	return mover->places[place].cl ? mover->places[place].cl->device : NULL;
}

/* The first device of this end at which shared virtual memory can't be used in place, or that is not of *root; *root is
 * set to its own if it is NULL. */
static bool is_fine_end(const struct pstk_fifo *f, bool writer, cl_device_id *root)
{
	for (unsigned i = 0; i < ps_placement_places(f, writer); i++) {
		const struct ps_cl_device *d = ps_placement_at(f, writer, i);

		if (!d)
			continue;
		if (!*root)
			*root = d->root;
		if (d->root != *root || !d->info.svm_fine || (writer ? f->src : f->dst)->type.fire_cl ||
			how_shared(f->src->network, &d->info) != PS_MEMORY_SVM)
			return false;
	}
	return true;
}

static bool is_fine(const struct pstk_fifo *f)
{
	cl_device_id root = NULL;

	return is_fine_end(f, true, &root) && is_fine_end(f, false, &root);
}

/* Is its writer ever on a device? */
static bool is_written_there(const struct pstk_fifo *f)
{
	for (unsigned i = 0; i < ps_placement_places(f, true); i++)
		if (ps_placement_at(f, true, i))
			return true;
	return false;
}

/* A device copies windows for several readers from buffer to buffer, or all of them lie in shared virtual memory. */
static enum ps_cl_kind choose_home(const struct pstk_fifo *f)
{
	if (!is_written_there(f))
		return is_fine(f) ? PS_CL_FINE : PS_CL_HOME;
	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next)
		if (!ps_placement_is_home(o) || !is_fine(o))
			return PS_CL_HOME;
	return PS_CL_FINE;
}

/* Has the output a reader behind a FIFO with an end that moves? */
static bool has_home_beside(const struct pstk_fifo *f)
{
	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next)
		if (ps_placement_is_home(o))
			return true;
	return false;
}

/* What this FIFO is for itself. svm: shared virtual memory may be used. */
static enum ps_cl_kind choose(const struct pstk_fifo *f, bool svm)
{
	const struct ps_cl_device *from = ps_device_of(f->src), *to = reader(f);
	unsigned how = f->src->network->environment.memory;
	bool simple = ps_layout_is_simple(&f->fifo.layout);

	svm = svm && takes_svm(f->src) && takes_svm(f->dst);
	if (!from || !to)
		return shared_with_host(f, svm);
	if (from->root != to->root)
		return PS_CL_RELAYED;
	/* without a remainder a buffer a block does the same, on every device */
	svm = svm && (!simple || ps_layout_rest(&f->fifo.layout)) && from->info.svm_coarse &&
	      to->info.svm_coarse && how != PS_MEMORY_MAP && how != PS_MEMORY_COPY;
	return svm ? PS_CL_SVM : simple ? PS_CL_BLOCKS : PS_CL_GATHERED;
}

static bool is_svm(enum ps_cl_kind kind)
{
	return kind == PS_CL_SVM || kind == PS_CL_FINE || kind == PS_CL_COARSE;
}

/* The FIFOs of a broadcast that a device writes are all SVM or all buffers, because no command copies from one to the
 * other. */
static enum ps_cl_kind choose_among(const struct pstk_fifo *f)
{
	bool wanted = false, possible = true;
	enum ps_cl_kind kind;

	if (ps_placement_is_home(f))
		return choose_home(f);
	if (!ps_device_of(f->src))
		return choose(f, true);
	if (has_home_beside(f))
		return choose(f, false);
	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next) {
		enum ps_cl_kind alone = choose(o, true);

		wanted = wanted || is_svm(alone);
		if (!is_svm(alone) && (alone != PS_CL_BLOCKS || !takes_svm(o->src) || !takes_svm(o->dst)))
			possible = false;
	}
	kind = choose(f, possible);
	return wanted && possible && kind == PS_CL_BLOCKS ? PS_CL_SVM : kind;
}

static unsigned hops_of(enum ps_cl_kind kind)
{
	return kind == PS_CL_STAGED ? 1 : kind == PS_CL_RELAYED ? 2 : 0;
}

static bool same_initial(const struct pstk_fifo *a, const struct pstk_fifo *b)
{
	if (!a->initial || !b->initial)
		return a->initial == b->initial;
	return !memcmp(a->initial, b->initial, a->fifo.layout.delay * a->fifo.layout.token_size);
}

/* Could f read the memory of o, which has the delay tokens? (The rule: doc/internals/fifo.md, "Broadcast".) */
static bool fits(const struct pstk_fifo *f, const struct pstk_fifo *o)
{
	const struct ps_layout *l = &f->fifo.layout, *m = &o->fifo.layout;

	if (ps_placement_is_home(f) || ps_placement_is_home(o))
		return false;
	if (!reader(f) || reader(f)->root != ps_device_of(f->src)->root || l->depth != m->depth)
		return false;
	if (ps_layout_rest(m) &&
		choose_among(o) == PS_CL_BLOCKS) /* the writer's windows lie across blocks there */
		return false;
	if (ps_layout_rest(m) && choose_among(o) == PS_CL_SVM && !takes_svm(f->dst))
		return false;
	/* with a remainder a reader zeroes what is behind its last window: one reader only */
	return f == o || l->delay == 0 || (!ps_layout_rest(m) && l->delay == m->delay && same_initial(f, o));
}

/* Of one rate, with tokens of the writer only. */
static bool is_plain(const struct pstk_fifo *f)
{
	return ps_layout_is_simple(&f->fifo.layout) && !f->fifo.layout.delay;
}

static const struct pstk_fifo *first_of(const struct pstk_fifo *f)
{
	return f->src->ports[f->src_port].fifo;
}

/* Are both ends on one device? */
static bool stays(const struct pstk_fifo *f)
{
	return ps_device_of(f->src) && reader(f) && ps_device_of(f->src)->root == reader(f)->root &&
	       !ps_placement_is_home(f);
}

/* May it use a way together with others of the output? What is plain has the same hops with and without shared virtual
 * memory. */
static bool joins(const struct pstk_fifo *f)
{
	return (ps_device_of(f->src) || reader(f)) && !ps_placement_is_home(f) &&
	       f->src->network->is_uniform && is_plain(f) && hops_of(choose(f, false));
}

static bool is_same_place(const struct ps_cl_device *a, const struct ps_cl_device *b)
{
	return a && b ? a->root == b->root : a == b;
}

/* Of those that use one way and are read at the same place, the deepest. */
static const struct pstk_fifo *deepest(const struct pstk_fifo *f)
{
	const struct pstk_fifo *owner = NULL;

	for (const struct pstk_fifo *o = first_of(f); o; o = o->next)
		if (joins(o) && is_same_place(reader(o), reader(f)) &&
			(!owner || o->fifo.layout.depth > owner->fifo.layout.depth))
			owner = o;
	return owner;
}

static void raise_to(uint32_t *most, uint32_t windows)
{
	*most = windows > *most ? windows : *most;
}

static void add_to_shape(struct ps_cl_way_shape *s, const struct pstk_fifo *f)
{
	bool down = ps_device_of(f->src), up = reader(f);

	s->members++;
	raise_to(&s->windows[0], ps_depth_before(f));
	if (down)
		raise_to(&s->windows[1], up ? ps_depth_before(f) : f->fifo.layout.depth);
	if (up)
		raise_to(&s->most, f->fifo.layout.depth);
}

const struct pstk_fifo *ps_placement_owner(const struct pstk_fifo *f)
{
	const struct pstk_fifo *owner = NULL;

	if (ps_placement_is_home(f))
		return f;
	if (joins(f))
		return deepest(f);
	if (!stays(f) || !ps_layout_is_simple(&f->fifo.layout))
		return f;
	/* the first with delay tokens, or else the first, of those on the writer's device */
	for (const struct pstk_fifo *o = f->src->ports[f->src_port].fifo; o; o = o->next)
		if (stays(o) && ps_layout_is_simple(&o->fifo.layout) &&
			(!owner || (!owner->fifo.layout.delay && o->fifo.layout.delay)))
			owner = o;
	return fits(f, owner) ? owner : f;
}

/* Its windows lie one after the other, as those of a way's first place. */
static bool has_windows(const struct pstk_fifo *owner)
{
	const struct ps_layout *l = &owner->fifo.shape;

	return ps_layout_is_simple(l) && !l->delay &&
	       (stays(owner) ? choose_among(owner) == PS_CL_BLOCKS : !owner->fifo.merged);
}

/* Do its readers, at the writer's place, use memory of its own? */
static bool owns_first_place(const struct pstk_fifo *f)
{
	if (ps_device_of(f->src))
		return stays(f) && ps_placement_owner(f) == f;
	return !reader(f) && !ps_placement_is_home(f) && f->fifo.owner == &f->fifo &&
	       f->src->network->environment.share;
}

/* On the cores readers may be very far apart. So much memory is not page-locked, nor an event kept for each window. */
enum { TIMES_AS_DEEP = 16 };

/* Of the readers at the writer's place, the FIFO whose windows are those of the ways that begin there; NULL: there is
 * none. */
static const struct pstk_fifo *beside_ways(const struct pstk_fifo *f)
{
	const struct pstk_fifo *there = NULL;
	uint32_t least = 0;
	uint64_t windows;

	for (const struct pstk_fifo *o = first_of(f); o; o = o->next) {
		if (joins(o))
			raise_to(&least, ps_depth_before(o));
		if (!there && owns_first_place(o) && has_windows(o))
			there = o;
	}
	windows = there ? ps_layout_windows(&there->fifo.shape) : 0;
	return there && windows >= least && windows <= (uint64_t)TIMES_AS_DEEP * least ? there : NULL;
}

const struct pstk_fifo *ps_placement_lead(const struct pstk_fifo *f, struct ps_cl_way_shape *shape)
{
	const struct pstk_fifo *lead = joins(f) ? NULL : f;
	struct ps_cl_way_shape s = { 0 };

	if (lead)
		add_to_shape(&s, f);
	for (const struct pstk_fifo *o = lead ? NULL : first_of(f); o; o = o->next)
		if (joins(o)) {
			lead = lead ? lead : deepest(o);
			add_to_shape(&s, o);
		}
	if (joins(f) && beside_ways(f))
		s.windows[0] = (uint32_t)ps_layout_windows(&beside_ways(f)->fifo.shape);
	if (shape)
		*shape = s;
	return lead;
}

const struct pstk_fifo *ps_placement_home(const struct pstk_fifo *f)
{
	const struct pstk_fifo *beside = joins(f) && ps_device_of(f->src) ? beside_ways(f) : NULL;

	return beside ? beside : joins(f) ? ps_placement_lead(f, NULL) : ps_placement_owner(f);
}

bool ps_placement_beside(const struct pstk_fifo *f, const struct pstk_fifo *of_way)
{
	return joins(of_way) && beside_ways(of_way) == f;
}

bool ps_placement(const struct pstk_fifo *f, enum ps_cl_kind *kind)
{
	if (!ps_device_of(f->src) && !reader(f) && !ps_placement_is_home(f))
		return false;
	*kind = f->cl ? f->cl->kind : joins(f) ? choose_among(f) : choose_among(ps_placement_owner(f));
	return true;
}

bool ps_placement_shared(const struct pstk_fifo *f)
{
	return f->cl ? f->cl->owner != f->cl : ps_placement_owner(f) != f;
}

bool ps_placement_moves(const struct pstk_fifo *f)
{
	enum ps_cl_kind kind;

	return ps_placement(f, &kind) &&
	       (kind == PS_CL_COARSE || kind == PS_CL_MAPPED || kind == PS_CL_STAGED ||
		       kind == PS_CL_RELAYED || kind == PS_CL_HOME);
}

unsigned ps_placement_hops(const struct pstk_fifo *f)
{
	enum ps_cl_kind kind;

	return ps_placement(f, &kind) ? hops_of(kind) : 0;
}

/* Do all readers of the output use one memory on the writer's device? */
static bool is_read_there(const struct pstk_fifo *f)
{
	const struct pstk_fifo *first = f->src->ports[f->src_port].fifo;
	enum ps_cl_kind kind;
	unsigned count = 0;

	for (const struct pstk_fifo *o = first; o; o = o->next)
		if (++count > PS_MEMBER_READERS || !ps_placement(o, &kind) || kind != PS_CL_BLOCKS ||
			ps_placement_owner(o) != ps_placement_owner(first) || !is_plain(o) ||
			o->merge.group != f->merge.group || o->fifo.layout.depth != f->merge.slots)
			return false;
	return true;
}

static bool is_single(const struct pstk_fifo *f)
{
	return !f->src->ports[f->src_port].fifo->next && is_plain(f);
}

unsigned ps_placement_merges(const struct pstk_fifo *f, struct ps_merging_site sites[2])
{
	const struct ps_cl_device *from = ps_device_of(f->src), *to = reader(f);
	unsigned hops = ps_placement_hops(f), count = 0;

	if (!hops && f->merge.group && from && is_read_there(f))
		sites[count++] =
			(struct ps_merging_site){ .fifo = f, .merge = &f->merge, .kind = PS_MEMBER_READ };
	if (hops && f->merge_before.group && from && is_single(f) &&
		ps_depth_before(f) == f->merge_before.slots)
		sites[count++] = (struct ps_merging_site){
			.fifo = f, .merge = &f->merge_before, .kind = PS_MEMBER_LEAVES
		};
	if (hops && f->merge.group && to && is_single(f) && f->fifo.layout.depth == f->merge.slots)
		sites[count++] =
			(struct ps_merging_site){ .fifo = f, .merge = &f->merge, .kind = PS_MEMBER_COMES };
	return count;
}

bool ps_placement_merged(const struct pstk_fifo *f)
{
	struct ps_merging_site sites[2];

	return f->cl ? f->cl->written_merged || f->cl->brought_merged : ps_placement_merges(f, sites);
}

bool ps_placement_waits_for_merged(const struct pstk_fifo *f, bool at_reader)
{
	bool hops = ps_placement_hops(f), from = ps_device_of(f->src), to = reader(f);

	if (f->merge.group && (hops ? to : from && !at_reader))
		return true;
	return !at_reader && f->merge_before.group && from;
}

size_t ps_placement_staging(const struct pstk_fifo *f)
{
	const struct ps_layout *l = &f->fifo.layout;
	enum ps_cl_kind kind;
	size_t sum = 0;

	if (!ps_placement_is_home(f) || !ps_placement(f, &kind) || kind != PS_CL_HOME)
		return 0;
	for (unsigned writer = 0; writer < 2; writer++)
		for (unsigned i = 0; i < ps_placement_places(f, writer); i++)
			if (ps_placement_at(f, writer, i))
				sum += ps_cl_home_bytes(l, writer);
	return sum;
}

static const char *name_kind(enum ps_cl_kind kind)
{
	switch (kind) {
	case PS_CL_BLOCKS:
		return "device";
	case PS_CL_GATHERED:
		return "device, gathered";
	case PS_CL_SVM:
		return "device, SVM";
	case PS_CL_FINE:
		return "fine-grain SVM";
	case PS_CL_COARSE:
		return "coarse-grain SVM";
	case PS_CL_MAPPED:
		return "mapped";
	case PS_CL_STAGED:
		return "staged";
	case PS_CL_RELAYED:
		return "staged through the host";
	case PS_CL_HOME:
		return "home on the host";
	}
	return "";
}

const char *ps_placement_name(const struct pstk_fifo *f)
{
	enum ps_cl_kind kind;

	return ps_placement(f, &kind) ? name_kind(kind) : "host";
}
