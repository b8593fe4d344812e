/* SPDX-License-Identifier: MIT */
/* Plug-ins: where they are looked for, and those that are not as they should be. */
#include "config.h"

#include "penstock/graph.h"
#include "penstock/plugin.h"
#include "tests/common/common.h"
#include "tests/common/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIAR "graph/.libs/liar.so"
#define ACTORS "actors/.libs/actors.so"

static const char graph[] = "actors: {a: {type: plain}, b: {type: built}}\n";

static struct pstk_graph *load(const char *first, const char *second)
{
	return pstk_graph_load(test_file("g.yaml", graph),
		PSTK_GRAPH(.plugins = (const char *const[]){ first, second, NULL }, .unfinished = true));
}

static const struct lie {
	const char *is, *says;
} lies[] = {
	{ "abi", "error: " LIAR
		 ": it was built for plug-ins of ABI 77, this library has ABI 1: build it anew" },
	{ "ports", "error: " LIAR
		   ": a type with ports, but no list of them, or of more than 4096, number 0 of its list" },
	{ "many", "error: " LIAR
		  ": a type with ports, but no list of them, or of more than 4096, number 0 of its list" },
	{ "params", "error: " LIAR ": a type with parameters, but no list of them, or of more than 65536, "
		    "number 1 of its list" },
	{ "nameless", "error: " LIAR ": a plug-in without a name" },
	{ "list", "error: " LIAR ": 2 types, but no list of them" },
	{ "type", "error: " LIAR ": a type without type(), number 1 of its list" },
	{ "null", "error: " LIAR ": a type() that returns NULL, number 0 of its list" },
	{ "name", "error: " LIAR ": a type without a name, number 0 of its list" },
	{ "empty", "error: " LIAR ": a type without a name, number 0 of its list" },
	{ "twice", "error: " LIAR ": two types 'plain'" },
	{ "format",
		"error: " LIAR ": a type with a format that is neither gray8 nor any, number 1 of its list" },
	{ "close", "error: " LIAR ": a type with close(), but without add(), number 0 of its list" },
	{ "builder", ":1:28: error: 'b': the disk is full" },
	{ "pixels", ":1:28: error: 'b' (built): its builder gives frames of 'rgb24' 16x8, which no other "
		    "actor knows: "
		    "expected gray8, of a width and a height" },
	{ "other name", ":1:28: error: 'b' (built): its builder adds an actor 'else' instead" },
	{ "other network", ":1:28: error: 'b' (built): its builder returns an actor of another network" },
	{ "silent", ":1:28: error: 'b' (built): its builder failed and did not say why" },
};

static bool is_said(const struct pstk_graph *g, const char *text)
{
	for (unsigned i = 0; pstk_graph_problem(g, i); i++)
		if (strstr(pstk_graph_problem(g, i), text))
			return true;
	return false;
}

START_TEST(lie)
{
	struct pstk_graph *g;

	ck_assert_int_eq(setenv("LIE", lies[_i].is, 1), 0);
	g = load(LIAR, NULL);
	ck_assert_ptr_null(pstk_graph_network(g));
	ck_assert_msg(is_said(g, lies[_i].says), "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
	ck_assert_int_eq(unsetenv("LIE"), 0);
	g = load(LIAR, NULL);
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
}
END_TEST

#ifdef HAVE_OPENCL
/* Refused by the library, and said with its place. */
START_TEST(guarded_kahn_actor)
{
	struct pstk_graph *g;

	ck_assert_int_eq(setenv("LIE", "kahn", 1), 0);
	g = pstk_graph_load(test_file("g.yaml", "actors: {a: {type: plain, guard: true}}\n"),
		PSTK_GRAPH(.plugins = (const char *const[]){ LIAR, NULL }, .unfinished = true));
	ck_assert_int_eq(unsetenv("LIE"), 0);
	ck_assert_ptr_null(pstk_graph_network(g));
	ck_assert_msg(
		is_said(g, ":1:34: error: 'a' (plain): a kahn actor has no firing that could be fired again"),
		"%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
}
END_TEST
#endif

START_TEST(not_a_plugin)
{
	struct pstk_graph *g = load("./nothing.so", LIAR);

	ck_assert(is_said(g, "error: ./nothing.so: cannot open shared object file"));
	pstk_graph_destroy(g);
	g = load("nothing.so", LIAR); /* not in a folder of the system either */
	ck_assert(is_said(g, "error: ./nothing.so: cannot open shared object file"));
	pstk_graph_destroy(g);
	g = load(test_file("text.so", "text"), LIAR);
	ck_assert(is_said(g, "text.so: file too short"));
	pstk_graph_destroy(g);
	g = load(".libs/libpenstock.so", LIAR);
	ck_assert(is_said(g, "error: .libs/libpenstock.so: no plug-in: it has no symbol pstk_plugin"));
	pstk_graph_destroy(g);
}
END_TEST

/* A copy of the plug-in is another one, whatever its name is. */
static const char *copy(const char *name)
{
	const char *path = test_file(name, "");
	FILE *from = fopen(LIAR, "rb"), *to = fopen(path, "wb");
	char bytes[4096];
	size_t n;

	ck_assert(from && to);
	while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
		ck_assert_uint_eq(fwrite(bytes, 1, n, to), n);
	fclose(from);
	ck_assert_int_eq(fclose(to), 0);
	return path;
}

/* The later one of two of one name is taken, whichever file it is from; two names with one type are refused. */
START_TEST(two_of_one_name)
{
	const char *same = copy("same.so"), *other = copy("other.so"), *file = NULL;
	struct pstk_graph *g = load(LIAR, LIAR);
	char wrong[8192];

	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
	g = pstk_graph_load(test_file("g.yaml", graph),
		PSTK_GRAPH(.plugins = (const char *const[]){ ACTORS, LIAR, ACTORS, same, NULL },
			.unfinished = true));
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	ck_assert_str_eq(pstk_graph_plugin(g, 0, &file)->name, "actors");
	ck_assert_str_eq(pstk_graph_plugin(g, 1, &file)->name, "liar");
	ck_assert_str_eq(file, same);
	ck_assert_ptr_null(pstk_graph_plugin(g, 2, &file));
	pstk_graph_destroy(g);
	g = load(same, other);
	snprintf(wrong, sizeof wrong, "error: %s: it has a type 'plain', and so has %s", other, same);
	ck_assert_msg(is_said(g, wrong), "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
}
END_TEST

/* A list of files and folders; each must be absolute, so that none is of the current folder by mistake. */
START_TEST(environment)
{
	char here[2048], list[8192];
	struct pstk_graph *g;

	ck_assert_ptr_nonnull(getcwd(here, sizeof here));
	snprintf(list, sizeof list, ":%s/graph/.libs:%s/" ACTORS ":", here, here);
	ck_assert_int_eq(setenv("PENSTOCK_PLUGINS", list, 1), 0);
	g = load(NULL, NULL);
	ck_assert_msg(pstk_graph_network(g) != NULL, "%s", pstk_graph_problem(g, 0));
	pstk_graph_destroy(g);
	ck_assert_int_eq(setenv("PENSTOCK_PLUGINS", "graph/.libs:/nowhere", 1), 0);
	g = load(NULL, NULL);
	ck_assert(is_said(
		g, "PENSTOCK_PLUGINS: 'graph/.libs': expected an absolute path, of a file or a folder"));
	ck_assert(is_said(g, "error: /nowhere: cannot open shared object file"));
	pstk_graph_destroy(g);
	ck_assert_int_eq(unsetenv("PENSTOCK_PLUGINS"), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plug-ins");
	TCase *c = test_case(suite, "plug-ins");

	tcase_add_checked_fixture(c, NULL, test_files_remove);
	tcase_add_loop_test(c, lie, 0, (int)TEST_COUNT(lies));
#ifdef HAVE_OPENCL
	tcase_add_test(c, guarded_kahn_actor);
#endif
	tcase_add_test(c, not_a_plugin);
	tcase_add_test(c, two_of_one_name);
	tcase_add_test(c, environment);
	return test_main(suite);
}
