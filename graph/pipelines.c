/* SPDX-License-Identifier: MIT */
#include "graph/pipelines.h"
#include "graph/actors.h"
#include "graph/document.h"
#include "graph/machine.h"
#include "graph/settings.h"
#include "graph/values.h"
#include "lib/base/text.h"

#include <errno.h>
#include <string.h>

static const char *const objectives[] = { "throughput", "energy", "ratio", NULL };
static const char *const rules[] = { "capacity", "bounded", "paper", NULL };
static const char *const granularities[] = { "both", "coarse", "medium", NULL };

/* words are by number, and are kept as one */
_Static_assert(sizeof(enum pstk_objective) == sizeof(unsigned) &&
		       sizeof(enum pstk_mapper_rule) == sizeof(unsigned) &&
		       sizeof(enum pstk_granularity) == sizeof(unsigned),
	"enumerations are unsigned");

enum { MOST_CORES = 255, MOST_IN_FLIGHT = 256, MOST_EXPERIMENTS = 1 << 20 }; /* the library's */

#define KEY(member, ...)                                                                        \
	{                                                                                       \
		.name = #member, .at = offsetof(struct pstk_pipeline_spec, member), __VA_ARGS__ \
	}

const struct ps_pipe_key ps_pipe_keys[PS_PIPE_KEYS] = {
	KEY(device, .kind = PS_PIPE_TEXT),
	KEY(configuration, .kind = PS_PIPE_TEXT),
	KEY(cores, .kind = PS_PIPE_COUNT, .most = MOST_CORES),
	KEY(in_flight, .kind = PS_PIPE_COUNT, .most = MOST_IN_FLIGHT),
	KEY(objective, .kind = PS_PIPE_WORD, .words = objectives),
	KEY(min_rate, .kind = PS_PIPE_NUMBER, .unit = "items/s"),
	KEY(max_watts, .kind = PS_PIPE_NUMBER, .unit = "watts"),
	KEY(max_overhead, .kind = PS_PIPE_NUMBER, .unit = "a share of the time"),
	KEY(once, .kind = PS_PIPE_SWITCH),
	KEY(change, .kind = PS_PIPE_NUMBER, .unit = "a share of the rate"),
	KEY(rule, .kind = PS_PIPE_WORD, .words = rules),
	KEY(candidates, .kind = PS_PIPE_COUNT, .most = MOST_EXPERIMENTS),
	KEY(repetitions, .kind = PS_PIPE_COUNT, .most = MOST_EXPERIMENTS),
	KEY(granularities, .kind = PS_PIPE_WORD, .words = granularities),
	KEY(meter, .kind = PS_PIPE_TEXT),
	KEY(tdp, .kind = PS_PIPE_NUMBER, .unit = "watts"),
};

/* What is being read. */
struct reading {
	struct pstk_graph *g;
	const struct ps_node *node; /* the pipeline's */
	const char *name;
	struct pstk_actor *stages[PSTK_MAPPER_STAGES];
	unsigned count;
	struct pstk_pipeline_spec spec;
};

/*
 * The keys.
 */

static bool read_word(
	struct pstk_graph *g, const struct ps_node *n, const char *const *words, unsigned *number)
{
	const char *text = ps_value_text(g, n);
	char what[64];

	for (*number = 0; text && words[*number]; ++*number)
		if (!strcmp(words[*number], text))
			return true;
	if (!text)
		return false;
	snprintf(what, sizeof what, "'%s' has no", n->key->text);
	ps_value_unknown(g, n, what, text, words);
	return false;
}

static bool read_value(struct reading *r, const struct ps_pipe_key *key, const struct ps_node *n)
{
	void *at = (char *)&r->spec + key->at;
	uint64_t count;

	switch (key->kind) {
	case PS_PIPE_TEXT:
		*(const char **)at = ps_value_text(r->g, n);
		return *(const char **)at;
	case PS_PIPE_COUNT:
		if (!ps_value_u64(r->g, n, 0, key->most, &count))
			return false;
		*(uint32_t *)at = (uint32_t)count;
		return true;
	case PS_PIPE_NUMBER:
		return ps_value_seconds(r->g, n, key->unit, at);
	case PS_PIPE_WORD:
		return read_word(r->g, n, key->words, at);
	case PS_PIPE_SWITCH:
		break;
	}
	return ps_value_bool(r->g, n, at);
}

static bool read_values(struct reading *r)
{
	bool good = true;

	for (unsigned i = 0; i < PS_PIPE_KEYS; i++) {
		const struct ps_node *n = ps_node_find(r->node, ps_pipe_keys[i].name);

		good &= !n || read_value(r, &ps_pipe_keys[i], n);
	}
	if (r->spec.configuration && !strcmp(r->spec.configuration, "adaptive"))
		r->spec.configuration = NULL;
	return good;
}

static bool check_keys(struct pstk_graph *g, const struct ps_node *n)
{
	const char *keys[PS_PIPE_KEYS + 3] = { "name", "stages" };

	for (unsigned i = 0; i < PS_PIPE_KEYS; i++)
		keys[i + 2] = ps_pipe_keys[i].name;
	return ps_value_map(g, n, "a pipeline", keys);
}

/* What a pipeline must say. NULL: it doesn't, a problem. */
static const struct ps_node *needed(const struct reading *r, const char *key)
{
	const struct ps_node *n = ps_node_find(r->node, key);

	if (!n)
		ps_graph_wrong(r->g, r->node,
			"the pipeline has no '%s': expected {name: NAME, stages: [ACTOR, ..]}", key);
	return n;
}

/*
 * Its stages.
 */

/* Which line has the actor already; 0: none. */
static unsigned line_of(const struct ps_node *stages, const struct ps_node *end)
{
	for (const struct ps_node *n = stages->first; n != end; n = n->next)
		if (n->kind == PS_NODE_VALUE && n->text && !strcmp(n->text, end->text))
			return n->line;
	return 0;
}

/* NULL: there is no such actor, or it could not be added. */
static struct pstk_actor *read_stage(struct reading *r, const struct ps_node *stages, const struct ps_node *n)
{
	const char *name = ps_value_text(r->g, n);
	const struct ps_entry *actor = name ? ps_document_find(&r->g->actors, name) : NULL;
	unsigned line = actor ? line_of(stages, n) : 0;

	if (name && !actor)
		ps_document_no_actor(r->g, n, name);
	if (line)
		ps_graph_wrong(r->g, n, "'%s' is a stage here a second time; the first: line %u", name, line);
	return actor && !line ? actor->actor : NULL;
}

static bool read_stages(struct reading *r, const struct ps_node *stages)
{
	bool good = true;

	if (stages->kind != PS_NODE_LIST) {
		ps_graph_wrong(
			r->g, stages, "'stages' is %s: expected a list, [ACTOR, ..]", ps_node_kind(stages));
		return false;
	}
	for (const struct ps_node *n = stages->first; n; n = n->next)
		r->count++;
	if (!r->count || r->count > PSTK_MAPPER_STAGES) {
		ps_graph_wrong(r->g, stages, "'stages' has %u actor%s: expected 1 to %u", r->count,
			ps_plural(r->count), PSTK_MAPPER_STAGES);
		return false;
	}
	r->count = 0;
	for (const struct ps_node *n = stages->first; n; n = n->next) {
		struct pstk_actor *a = read_stage(r, stages, n);

		r->stages[r->count++] = a;
		good &= a != NULL;
	}
	return good;
}

/*
 * Its device.
 */

/* Does it run here? A network that is only looked at needs no device of its machine, nor its meter. */
static bool is_here(const struct reading *r)
{
	return !(r->g->machine && r->g->dry) && !ps_machine_is_away(r->g, pstk_actor_name(r->stages[0]));
}

/* A pipeline of another host: what only that one has is left out. */
static void leave_out(struct reading *r)
{
	r->spec.device = r->spec.configuration = r->spec.meter = NULL;
	r->spec.objective = PSTK_OBJECTIVE_THROUGHPUT;
	r->spec.max_watts = 0;
}

/* Is the device there? What a machine names is its selector from here on. */
static bool read_device(struct reading *r)
{
	const struct ps_node *n = ps_node_find(r->node, "device");
	struct pstk_device_info info;
	char why[PS_GRAPH_LINE / 2];
	int err;

	if (n && r->g->machine &&
		!(r->spec.device = ps_machine_device(r->g, r->stages[0], r->name, n->text, n)))
		return false;
	if (r->spec.device && !strcmp(r->spec.device, "cores"))
		r->spec.device = NULL;
	if (!is_here(r))
		leave_out(r);
	if (!r->spec.device)
		return true;
	err = pstk_device_find(r->spec.device, &info, why, sizeof why);
	if (err != -ENODEV && err != -ENOTUNIQ)
		return true; /* pstk_pipeline_add() says what else is wrong */
	ps_settings_no_device(r->g, n, err, ps_arena_printf(&r->g->arena, "pipeline '%s': %s", r->name, why),
		r->spec.device);
	return false;
}

/*
 * Times.
 */

/* Of an item: its stages one after the other, at each place and where none is said. */
struct times {
	unsigned count; /* of places, and one */
	uint64_t *ns;
	bool *known;
};

static const char *place_of(const struct pstk_graph *g, unsigned index, struct pstk_place *p)
{
	return index && !pstk_machine_get_place(g->machine, index - 1, p) ? p->name : NULL;
}

/* Before they are stages. */
static struct times add_times(const struct reading *r)
{
	struct times t = { .count = 1 };
	struct pstk_place p;

	while (r->g->machine && !pstk_machine_get_place(r->g->machine, t.count - 1, &p))
		t.count++;
	t.ns = ps_arena_zalloc(&r->g->arena, t.count * sizeof *t.ns);
	t.known = ps_arena_zalloc(&r->g->arena, t.count * sizeof *t.known);
	for (unsigned i = 0; i < t.count; i++)
		for (unsigned k = 0; k < r->count; k++) {
			uint64_t ns;

			if (pstk_actor_get_time(r->stages[k], place_of(r->g, i, &p), &ns))
				continue;
			t.ns[i] += ns;
			t.known[i] = true;
		}
	return t;
}

static void set_times(const struct reading *r, const struct times *t, struct pstk_actor *a)
{
	struct pstk_place p;

	for (unsigned i = 0; i < t->count; i++)
		if (t->known[i] && pstk_actor_set_time(a, place_of(r->g, i, &p), t->ns[i]) == -ENOMEM)
			longjmp(r->g->arena.out_of_memory, 1);
}

/*
 * The pipeline.
 */

static void keep(const struct reading *r, struct pstk_pipeline *p)
{
	struct ps_pipe *pipe = ps_arena_zalloc(&r->g->arena, sizeof *pipe), **end = &r->g->pipes;

	*pipe = (struct ps_pipe){ .node = r->node, .pipeline = p, .spec = r->spec };
	while (*end)
		end = &(*end)->next;
	*end = pipe;
}

static void add(struct reading *r)
{
	struct times times = add_times(r);
	struct pstk_pipeline *p = pstk_pipeline_add(r->g->network, r->name, r->stages, r->count, &r->spec);

	if (p) {
		keep(r, p);
		set_times(r, &times, pstk_pipeline_actor(p));
	}
	ps_actors_blame(r->g, r->node);
}

/* whole: nothing else of the graph is wrong, so what the library finds is so. */
static void read_pipeline(struct pstk_graph *g, const struct ps_node *n, bool whole)
{
	struct reading r = { .g = g, .node = n, .spec = *PSTK_PIPELINE(.device = NULL) };
	const struct ps_node *name, *stages;
	bool good = check_keys(g, n);

	if (n->kind != PS_NODE_MAP)
		return;
	name = needed(&r, "name");
	stages = needed(&r, "stages");
	r.name = name ? ps_value_text(g, name) : NULL;
	good &= r.name && ps_value_name(g, name, r.name, "a pipeline", "$=");
	good &= stages && read_stages(&r, stages);
	good &= read_values(&r);
	if (good && whole && read_device(&r))
		add(&r);
}

void ps_pipelines_read(struct pstk_graph *g)
{
	bool whole = !g->wrongs;

	for (const struct ps_entry *e = g->pipelines.first; e; e = e->next) {
		read_pipeline(g, e->node, whole);
		ps_actors_compare(g, "pipeline", e->node);
	}
}

const struct ps_pipe *ps_pipeline_of_file(const struct pstk_graph *g, const struct pstk_pipeline *p)
{
	const struct ps_pipe *pipe = g->pipes;

	while (pipe && pipe->pipeline != p)
		pipe = pipe->next;
	return pipe;
}
