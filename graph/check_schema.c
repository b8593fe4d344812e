/* SPDX-License-Identifier: MIT */
/*
 * The schema for editors: its keys are those of the reader and of penstock-graph(5), what loads is valid, and what is
 * planted is not. A small validator of its own reads both, as JSON is YAML.
 */
#include "graph/graph.h"
#include "graph/node.h"
#include "tests/common/common.h"
#include "tests/common/file.h"

#include <dirent.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA TEST_SOURCE "/graph/graph.schema.json"

static struct pstk_graph files; /* has the memory of what is read */
static const struct ps_node *schema;

static const struct ps_node *read_file(const char *path)
{
	const struct ps_node *root = NULL;

	if (!setjmp(files.arena.out_of_memory))
		root = ps_node_read(&files, path, NULL);
	return root;
}

static void begin(void)
{
	files = (struct pstk_graph){ .path = NULL };
	schema = read_file(SCHEMA);
	test_file("k", "");
	ck_assert_msg(schema != NULL, "%s", files.problem_count ? files.problems[0].text : "no memory");
}

static void end(void)
{
	ps_arena_free(&files.arena);
	test_files_remove();
}

/*
 * The validator.
 */

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	bool found;

	ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	found = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return found;
}

static bool is_type(const struct ps_node *n, const char *type)
{
	bool plain = n->kind == PS_NODE_VALUE && !n->quoted;
	bool integer = plain && matches("^([-+]?[0-9]+|0x[0-9a-fA-F]+)$", n->text),
	     number = integer ||
	              (plain && matches("^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$", n->text)),
	     boolean = plain && matches("^(true|false)$", n->text);

	if (!strcmp(type, "object"))
		return n->kind == PS_NODE_MAP;
	if (!strcmp(type, "array"))
		return n->kind == PS_NODE_LIST;
	if (!strcmp(type, "integer"))
		return integer;
	if (!strcmp(type, "number"))
		return number;
	if (!strcmp(type, "boolean"))
		return boolean;
	ck_assert_str_eq(type, "string");
	return n->kind == PS_NODE_VALUE && !number && !boolean;
}

static size_t count_of(const struct ps_node *n)
{
	size_t count = 0;

	for (n = n->kind == PS_NODE_VALUE ? NULL : n->first; n; n = n->next)
		count++;
	return count;
}

static bool is_valid(const struct ps_node *n, const struct ps_node *s);

static bool is_any(const struct ps_node *n, const struct ps_node *schemas)
{
	for (const struct ps_node *s = schemas->first; s; s = s->next)
		if (is_valid(n, s))
			return true;
	return false;
}

static bool is_any_type(const struct ps_node *n, const struct ps_node *types)
{
	if (types->kind == PS_NODE_VALUE)
		return is_type(n, types->text);
	for (const struct ps_node *t = types->first; t; t = t->next)
		if (is_type(n, t->text))
			return true;
	return false;
}

static bool has_entries(const struct ps_node *n, const struct ps_node *s)
{
	const struct ps_node *known = ps_node_find(s, "properties"),
			     *more = ps_node_find(s, "additionalProperties");

	for (const struct ps_node *e = n->kind == PS_NODE_MAP ? n->first : NULL; e; e = e->next) {
		const struct ps_node *one = ps_node_find(known, e->key->text);

		if (one ? !is_valid(e, one) : more && (more->kind == PS_NODE_VALUE || !is_valid(e, more)))
			return false;
	}
	return true;
}

static bool has_required(const struct ps_node *n, const struct ps_node *names)
{
	for (const struct ps_node *name = names->first; name; name = name->next)
		if (n->kind == PS_NODE_MAP && !ps_node_find(n, name->text))
			return false;
	return true;
}

static bool has_names(const struct ps_node *n, const struct ps_node *s)
{
	for (const struct ps_node *e = n->kind == PS_NODE_MAP ? n->first : NULL; e; e = e->next)
		if (!is_valid(e->key, s))
			return false;
	return true;
}

static bool has_items(const struct ps_node *n, const struct ps_node *s)
{
	for (const struct ps_node *e = n->kind == PS_NODE_LIST ? n->first : NULL; e; e = e->next)
		if (!is_valid(e, s))
			return false;
	return true;
}

static bool is_among(const struct ps_node *n, const struct ps_node *values)
{
	for (const struct ps_node *v = values->first; v; v = v->next)
		if (n->kind == PS_NODE_VALUE && !strcmp(v->text, n->text))
			return true;
	return false;
}

static bool is_bounded(const struct ps_node *n, const char *keyword, double bound)
{
	size_t count = count_of(n);

	if (!strcmp(keyword, "minimum"))
		return !is_type(n, "number") || strtod(n->text, NULL) >= bound;
	if (!strcmp(keyword, "maximum"))
		return !is_type(n, "number") || strtod(n->text, NULL) <= bound;
	return strncmp(keyword, "min", 3) ? (double)count <= bound : (double)count >= bound;
}

/* A keyword that is not known here fails the test. */
static bool keeps(const struct ps_node *n, const struct ps_node *s, const struct ps_node *rule)
{
	static const char *const notes[] = { "title", "description", "$schema", "definitions", "properties" };
	const char *keyword = rule->key->text;

	for (size_t i = 0; i < TEST_COUNT(notes); i++)
		if (!strcmp(keyword, notes[i]))
			return strcmp(keyword, "properties") != 0 || has_entries(n, s);
	if (!strcmp(keyword, "$ref"))
		return is_valid(
			n, ps_node_find(ps_node_find(schema, "definitions"), strrchr(rule->text, '/') + 1));
	if (!strcmp(keyword, "type"))
		return is_any_type(n, rule);
	if (!strcmp(keyword, "anyOf"))
		return is_any(n, rule);
	if (!strcmp(keyword, "enum"))
		return is_among(n, rule);
	if (!strcmp(keyword, "additionalProperties"))
		return has_entries(n, s);
	if (!strcmp(keyword, "required"))
		return has_required(n, rule);
	if (!strcmp(keyword, "propertyNames"))
		return has_names(n, rule);
	if (!strcmp(keyword, "items"))
		return has_items(n, rule);
	if (!strcmp(keyword, "pattern"))
		return n->kind != PS_NODE_VALUE || matches(rule->text, n->text);
	ck_assert_msg(matches("^(minimum|maximum|(min|max)(Items|Properties))$", keyword), "a schema's %s",
		keyword);
	return is_bounded(n, keyword, strtod(rule->text, NULL));
}

static bool is_valid(const struct ps_node *n, const struct ps_node *s)
{
	ck_assert_ptr_nonnull(s);
	for (const struct ps_node *rule = s->first; rule; rule = rule->next)
		if (!keeps(n, s, rule))
			return false;
	return true;
}

/*
 * The tests.
 */

/* Where the schema has a map, and a file with a key there that no map has: the reader's message lists those it has. */
static const struct map {
	const char *definition, *file;
} maps[] = {
	{ NULL, "zzzz: 1\n" },
	{ "run", "run: {zzzz: 1}\n" },
	{ "move", "moves: [{zzzz: 1}]\n" },
	{ "pipeline", "pipelines: [{zzzz: 1}]\n" },
	{ "host", "machine: {hosts: {h: {zzzz: 1}}}\n" },
	{ "cache", "machine: {hosts: {h: {caches: [{zzzz: 1}]}}}\n" },
	{ "node", "machine: {hosts: {h: {numa: [{zzzz: 1}]}}}\n" },
	{ "link", "machine: {hosts: {h: {}}, links: [{zzzz: 1}]}\n" },
	{ "measured", "machine: {hosts: {h: {}, i: {}}, links: [{between: [h, i], kind: net, measured: "
		      "[{zzzz: 1}]}]}\n" },
	{ "place", "actors: {a: {kernel: k, name: k, ports: {}, work_size: 1}}\nmapping: {a: {zzzz: 1}}\n" },
	{ "fifo", "fifos: [{zzzz: 1}]\n" },
	{ "own", "fifos: [{from: a.b, to: [{c.d: {zzzz: 1}}]}]\n" },
	{ "kernel", "actors: {a: {kernel: k, name: k, ports: {}, work_size: 1, zzzz: 1}}\n" },
	{ "port", "actors: {a: {kernel: k, name: k, ports: {p: {zzzz: 1}}, work_size: 1}}\n" },
	{ "file",
		"actors: {a: {kernel: k, name: k, ports: {i: {input: u8}, o: {output: u8}}, work_size: 1}}\n"
		"fifos: [{from: a.o, to: a.i, initial: {zzzz: 1}}]\n" },
};

/* What is behind "it has": "a, b, c". */
static const char *reader_keys(const struct pstk_graph *g)
{
	for (unsigned i = 0; pstk_graph_problem(g, i); i++) {
		const char *text = pstk_graph_problem(g, i), *list = strstr(text, ": it has ");

		if (strstr(text, " 'zzzz'") && list)
			return list + strlen(": it has ");
	}
	ck_abort_msg("the reader lists no keys");
}

/* Are the names of the map those of the list, "a, b, c"? Each is looked for in the other. */
static void compare(const struct ps_node *map, const char *list)
{
	char both[600];
	size_t names = 1;

	snprintf(both, sizeof both, ", %s, ", list);
	for (const char *c = list; *c; c++)
		names += *c == ',';
	for (const struct ps_node *e = map->first; e; e = e->next) {
		char name[40];

		snprintf(name, sizeof name, ", %s, ", e->key->text);
		ck_assert_msg(strstr(both, name) != NULL, "the schema has '%s', the reader has %s",
			e->key->text, list);
	}
	ck_assert_msg(count_of(map) == names, "the reader has %s, the schema not all of them", list);
}

static const struct ps_node *definition(const char *name)
{
	return name ? ps_node_find(ps_node_find(schema, "definitions"), name) : schema;
}

START_TEST(keys)
{
	struct pstk_graph *g = pstk_graph_load(test_file("g.yaml", maps[_i].file), NULL);

	compare(ps_node_find(definition(maps[_i].definition), "properties"), reader_keys(g));
	pstk_graph_destroy(g);
}
END_TEST

/* The types of elements, as `token` and behind the other arguments of a kernel. */
START_TEST(elements)
{
	struct pstk_graph *g = pstk_graph_load(
		test_file("g.yaml",
			"actors: {a: {kernel: k, name: k, ports: {i: {input: any}, o: {output: any}}, "
			"work_size: 1}}\nfifos: [{from: a.o, to: a.i, token: zzzz}]\n"),
		NULL);
	const struct ps_node *e = ps_node_find(definition("element"), "enum")->first;
	char list[400] = "rate, valid, width, height, steps, local", named[300] = "";

	for (; e; e = e->next)
		snprintf(named + strlen(named), sizeof named - strlen(named), "%s%s", *named ? ", " : "",
			e->text);
	ck_assert_str_eq(named, reader_keys(g));
	snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", named);
	compare(ps_node_find(definition("arg"), "properties"), list);
	pstk_graph_destroy(g);
}
END_TEST

static const char *const plugins[] = { "actors/.libs/actors.so", "actors/.libs/iq.so",
	"actors/.libs/media.so", "actors/.libs/saliency.so", NULL };

/* What loads is valid. How many did. */
static unsigned check_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned good = 0;
	char path[512];

	for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
		const char *point = strrchr(e->d_name, '.');
		const struct ps_node *root;
		struct pstk_graph *g;

		if (!point || strcmp(point, ".yaml") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		g = pstk_graph_load(path, PSTK_GRAPH(.dry = true, .plugins = plugins, .unfinished = true));
		root = pstk_graph_network(g) ? read_file(path) : NULL;
		good += root != NULL;
		ck_assert_msg(!root || is_valid(root, schema), "%s loads, and the schema refuses it", path);
		pstk_graph_destroy(g);
	}
	if (dir)
		closedir(dir);
	return good;
}

START_TEST(valid)
{
	static const char *const folders[] = { TEST_SOURCE "/tests/fuzz/corpus/graph",
		TEST_SOURCE "/examples", TEST_SOURCE "/doc/examples" };
	unsigned good = 0;

	for (size_t i = 0; i < TEST_COUNT(folders); i++)
		good += check_folder(folders[i]);
	ck_assert_uint_ge(good, 6);
}
END_TEST

static unsigned check_items(const struct ps_node *map, const char *manual)
{
	unsigned count = 0;
	char item[60];

	for (const struct ps_node *e = map ? map->first : NULL; e; e = e->next, count++) {
		snprintf(item, sizeof item, "\n.It Cm %s\n", e->key->text);
		ck_assert_msg(strstr(manual, item) != NULL, "penstock-graph(5) has no%s", item);
	}
	return count;
}

static bool is_key(const char *key)
{
	bool found = ps_node_find(ps_node_find(schema, "properties"), key);

	for (const struct ps_node *d = ps_node_find(schema, "definitions")->first; d && !found; d = d->next)
		found = ps_node_find(ps_node_find(d, "properties"), key);
	return found;
}

/* The manual tells of each key, and of no other. */
START_TEST(manual)
{
	static char text[64 << 10];
	FILE *file = fopen(TEST_SOURCE "/doc/penstock-graph.5", "r");
	const char *item = text;
	unsigned count;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_lt(fread(text, 1, sizeof text - 1, file), sizeof text - 1);
	fclose(file);
	count = check_items(ps_node_find(schema, "properties"), text);
	for (const struct ps_node *d = ps_node_find(schema, "definitions")->first; d; d = d->next)
		count += check_items(ps_node_find(d, "properties"), text);
	ck_assert_uint_gt(count, 40);
	while ((item = strstr(item, "\n.It Cm "))) {
		char key[40];

		item += strlen("\n.It Cm ");
		snprintf(key, sizeof key, "%.*s", (int)strcspn(item, "\n"), item);
		ck_assert_msg(is_key(key), "penstock-graph(5) has %s, the schema not", key);
	}
}
END_TEST

/* What the reader refuses for its kind. */
static const char *const wrongs[] = { "[]\n", "network: [a]\n", "include: {a: b}\n", "actors: []\n",
	"actors: {a: 1}\n", "actors: {a: {}}\n", "actors: {a: {type: [x]}}\n",
	"actors: {a: {type: x, steps: 0}}\n", "actors: {a: {type: x, y: {z: 1}}}\n",
	"actors: {a: {kernel: k, name: k, ports: {}, work_size: [1, 2, 3, 4]}}\n",
	"actors: {a: {kernel: k, name: k, ports: {}, work_size: []}}\n",
	"actors: {a: {kernel: k, name: k, ports: {}, work_size: rate}}\n",
	"actors: {a: {kernel: k, name: k, ports: {}, work_size: 1, args: [{f32: 1, u8: 1}]}}\n",
	"actors: {a: {kernel: k, name: k, ports: {}, work_size: 1, args: [{f33: 1}]}}\n", "fifos: {}\n",
	"fifos: [{from: a}]\n", "fifos: [{from: a, to: [{}]}]\n", "fifos: [{from: a, to: b, rate: x}]\n",
	"fifos: [{from: a, to: b, token: f16}]\n", "fifos: [{from: a, to: b, token_size: 1kB}]\n",
	"actors: {a: {type: x, concurrency: 257}}\n",
	"actors: {a: {kernel: k, name: k, ports: {i: {input: u8}}, work_size: 2147483648}}\n",
	"actors: {a: {kernel: k, name: k, ports: {i: {input: u8}}, work_size: 1, state_size: "
	"1099511627777}}\n",
	"actors: {a: {kernel: k, name: k, ports: {w: {control: u32}, i: {dynamic_input: u8}}, work_size: 1, "
	"control: []}}\n",
	"actors: {a: {kernel: k, name: k, ports: {i: {input: u8}}, work_size: 1, args: [{steps: false}]}}\n",
	"actors: {a=b: {type: x}}\n", "actors: {'': {type: x}}\n", "run: {team: 257}\n",
	"run: {depth_budget: 1099511627777}\n", "mapping: {a: {cor: 1}}\n", "run: {team: some}\n",
	"run: {watchdog: x}\n", "run: {unchecked: 1}\n", "moves: {}\n", "moves: [{actor: a}]\n",
	"moves: [{actor: a, at: 0, to: b}]\n", "actors: {a: {type: x, may_move: {b: c}}}\n",
	"actors: {a: {type: x, guard: 1}}\n", "pipelines: {}\n", "pipelines: [{name: p}]\n",
	"pipelines: [{name: p, stages: []}]\n", "pipelines: [{name: p, stages: [a], cores: 256}]\n",
	"pipelines: [{name: p, stages: [a], objective: speed}]\n",
	"pipelines: [{name: p, stages: [a], once: 1}]\n",
	"pipelines: [{name: p, stages: [a], min_rate: -1}]\n" };

START_TEST(wrong)
{
	const char *path = test_file("g.yaml", wrongs[_i]);
	struct pstk_graph *g = pstk_graph_load(path, NULL);

	ck_assert_ptr_null(pstk_graph_network(g));
	ck_assert_msg(!is_valid(read_file(path), schema), "the schema takes %s", wrongs[_i]);
	pstk_graph_destroy(g);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("schema");
	TCase *c = test_case(suite, "schema");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_loop_test(c, keys, 0, (int)TEST_COUNT(maps));
	tcase_add_test(c, elements);
	tcase_add_test(c, valid);
	tcase_add_test(c, manual);
	tcase_add_loop_test(c, wrong, 0, (int)TEST_COUNT(wrongs));
	return test_main(suite);
}
