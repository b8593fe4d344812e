/* SPDX-License-Identifier: MIT */
/*
 * Graph: networks from graph files (YAML). The format: penstock-graph(5).
 *
 *	const char *const sets[] = { "rate=8", NULL };
 *	struct pstk_graph *graph = pstk_graph_load("motion.yaml", PSTK_GRAPH(.sets = sets));
 *	if (pstk_graph_problem(graph, 0)) ..                      each of them is a line "file:line:column: error: .."
 *	else pstk_network_run(pstk_graph_network(graph));
 *	pstk_graph_destroy(graph);
 *
 * Plug-ins are looked for in
 *   1. the folder in which the library was installed (pkg-config --variable=plugindir penstock-graph): all *.so;
 *   2. each entry of PENSTOCK_PLUGINS, which colons separate: a file, or a folder with *.so;
 *   3. the files that the program names.
 * Never in the current folder. A later plug-in takes the place of a former one of its name: a new build that of the one
 * that is installed. Two of different names with a type of one name are refused.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_GRAPH_H
#define PENSTOCK_GRAPH_H

#include <penstock/penstock.h>
#include <penstock/plan.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pstk_graph;
struct pstk_plugin;

/* What is given besides the file. Lists of strings end with a NULL; all of it is copied. */
struct pstk_graph_spec {
	uint32_t struct_size;    /* sizeof(struct pstk_graph_spec) of the program */
	const char *const *sets; /* "name=value": parameters, instead of the file's values; NULL: none */
	/* Further files. What they say of parameters, mapping, run, times and the machine replaces what the graph
	 * says. NULL: none */
	const char *const *overlays;
	/* "actor=selector" or "actor=cores", with a machine "actor=place", instead of all mappings; NULL: none */
	const char *const *places;
	const char *const *plugins; /* files; NULL: none */
	/* The network will only be looked at: no input has to be there where the graph gives the size of its frames,
	 * and no output is made. */
	bool dry;
	/* The program goes on building: ports may have no FIFO yet, parameters no value, and there need be no actor.
	 * Else these are problems. */
	bool unfinished;
	/* The network will run over several hosts, and this process is that one of the machine's
	 * (<penstock/hosts.h>): files of actors at other hosts are only looked at, as with dry; and the files' moves
	 * wait for the plan, pstk_graph_apply_moves(). NULL: it runs here alone. */
	const char *host;
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_GRAPH(...)                   \
	(&(const struct pstk_graph_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_graph_spec), __VA_ARGS__ })

/* Returns an empty spec with struct_size set: for C++, and for specs that are built at run time. */
static inline struct pstk_graph_spec pstk_graph_spec_init(void)
{
	struct pstk_graph_spec spec = { (uint32_t)sizeof(struct pstk_graph_spec), NULL, NULL, NULL, NULL,
		false, false, NULL };

	return spec;
}

/*
 * Reads a graph file and builds its network. Context: any thread.
 *
 * path: NULL: no file; plug-ins are loaded, and the network is empty.
 * spec: NULL: nothing besides the file.
 * Returns the graph, with its network or with its problems (pstk_graph_problem()), whatever is wrong with the file.
 * NULL: no memory.
 */
PSTK_PUBLIC struct pstk_graph *pstk_graph_load(const char *path, const struct pstk_graph_spec *spec);

/*
 * Builds the network of a chain, one line in place of a graph file. Context: any thread.
 *
 *	video_source input=a.mp4 ! gauss5x5 ! threshold threshold=20 ! video_sink output=b.mp4
 *
 * text: TYPE KEY=VALUE .. ! TYPE .., apart by blanks. Keys are those of an actor in a graph file; `name` is the actor's
 * name. Without it that is the type, with a number from the second one on: gauss5x5-2. Quotes, 'a b' and "a b", take
 * blanks and a ! into a value; a backslash takes the letter behind it, but not between ''.
 * Outputs are connected with the next actor's inputs, in order; there must be as many. (The plug-in says of threshold
 * that its second input, before, gets the tokens of the first one, one later.)
 * spec: its sets know two parameters. "rate=4": the rate of FIFOs whose ports declare none or move one token a step,
 * and the steps of a firing of actors that move more; without it that is 1. "frames=100": the parameter `frames` of the
 * first actor.
 * Returns as pstk_graph_load(); the file in problems is "chain".
 */
PSTK_PUBLIC struct pstk_graph *pstk_graph_chain(const char *text, const struct pstk_graph_spec *spec);

/* Returns the index-th problem, NULL behind the last one: a line "file:line:column: error: what, and what to do". All
 * problems of a file are found at once. Context: one thread at a time. Valid until pstk_graph_destroy(). */
PSTK_PUBLIC const char *pstk_graph_problem(const struct pstk_graph *, unsigned index);

/*
 * Tells what kind of problems there are. Context: one thread at a time.
 *
 * Returns 0: none
 * Errors:
 *   -ENODEV, -ENOTUNIQ: only devices are missing, or several match a selector
 *   -ENOMEM
 *   -EINVAL: the graph is wrong, or a file or a plug-in that it needs
 */
PSTK_PUBLIC int pstk_graph_error(const struct pstk_graph *);

/* Returns the index-th plug-in, NULL behind the last one. Context: one thread at a time. It belongs to the graph.
 * file: gets its path; NULL: no path. */
PSTK_PUBLIC const struct pstk_plugin *pstk_graph_plugin(
	const struct pstk_graph *, unsigned index, const char **file);

/* Returns the index-th file that the graph is made of (graph files, plug-ins, kernels, initial tokens), or that an
 * actor reads or writes, "-" for stdin and stdout; NULL behind the last one. Context: one thread at a time. It belongs
 * to the graph. writes: gets whether an actor writes it. */
PSTK_PUBLIC const char *pstk_graph_file(const struct pstk_graph *, unsigned index, bool *writes);

/* Returns the name of the actor that reads or writes the index-th file; NULL: the graph is made of it, or there are not
 * so many. Context: one thread at a time. It belongs to the graph. */
PSTK_PUBLIC const char *pstk_graph_file_actor(const struct pstk_graph *, unsigned index);

/* Returns the value of a parameter of the graph, as it was set; NULL: it has none of this name. Context: one thread at
 * a time. It belongs to the graph. */
PSTK_PUBLIC const char *pstk_graph_parameter(const struct pstk_graph *, const char *name);

/* Returns the network, which the program may change further, check and run once. It belongs to the graph. NULL: the
 * graph has problems. Context: one thread at a time. */
PSTK_PUBLIC struct pstk_network *pstk_graph_network(const struct pstk_graph *);

/* Returns the machine that the graph describes, on which pstk_plan_create() plans its network. It belongs to the graph.
 * NULL: it describes none, or has problems. Context: one thread at a time. */
PSTK_PUBLIC struct pstk_machine *pstk_graph_machine(const struct pstk_graph *);

/*
 * Gives actors the places to which the files let them move (may_move), and asks for the files' moves: of a graph that
 * was loaded for one of several hosts (spec->host), after pstk_plan_apply(), in all processes alike. Elsewhere
 * pstk_graph_load() does so, and this does nothing. Context: BUILD, one thread at a time.
 *
 * skips: for which actors no move is asked for here, once they have their places: those that another process runs and
 *        that stay at its host, say, of whose moves this one is told that they are cancelled; NULL: for none
 * data: for skips
 * Returns 0. Called again it does nothing.
 * Errors (pstk_graph_problem() tells them, with their places in the files; the graph has no network any more):
 *   -EINVAL: NULL, or a graph with problems; an actor can't have such a place, or move there
 *   -ENODEV, -ENOTUNIQ, -ENOMEM: as pstk_graph_error()
 */
PSTK_PUBLIC int pstk_graph_apply_moves(
	struct pstk_graph *, bool (*skips)(const void *data, const struct pstk_actor *), const void *data);

/* Writes where a FIFO of the network stands, "file:line:column", at most size bytes. Context: one thread at a time.
 * Errors:
 *   -EINVAL: NULL, or size is 0
 *   -ENOENT: the files have no such FIFO: the program has added it
 */
PSTK_PUBLIC int pstk_graph_where(
	const struct pstk_graph *, const struct pstk_fifo *, char *text, size_t size);

/* Returns the names of actors that the graph keeps where they are when places are chosen (struct pstk_plan_options).
 * The list ends with NULL, and belongs to the graph. NULL: the graph has problems. Context: one thread at a time. */
PSTK_PUBLIC const char *const *pstk_graph_fixed(const struct pstk_graph *);

/*
 * Writes the network as one graph file, in which includes and parameters are put in. Context: BUILD, one thread at a
 * time.
 *
 * Rates, depths, delays, tokens, settings and the values of parameters are those that the network has now, also where
 * the program has changed them. Kernels are named by absolute paths. Initial tokens are written as values of the type
 * that the FIFO or its ports say; where none does, as bytes (token: u8). What the format has no key for is not
 * written: ports' rates, histories and peeks that the program has set, the state's size of an actor of a type, that a
 * watchdog aborts.
 * pstk_graph_write_error() says what was wrong.
 * Errors:
 *   -EINVAL: NULL, or a graph with problems
 *   -EBUSY: the network was started
 *   -ENOTSUP: the network has actors that the program has added
 *   -EILSEQ: a text is not UTF-8
 *   -ENOMEM
 *   -ENOSPC, -EIO and others: the file can't be written
 */
PSTK_PUBLIC int pstk_graph_write(const struct pstk_graph *, FILE *);

/* Returns what was wrong in the latest pstk_graph_write(), as a line without an end of line; "": nothing. Context: one
 * thread at a time. */
PSTK_PUBLIC const char *pstk_graph_write_error(const struct pstk_graph *);

/* Destroys the network and all that the graph has. Context: no thread is in a call of either. */
PSTK_PUBLIC void pstk_graph_destroy(struct pstk_graph *);

#ifdef __cplusplus
}
#endif

#endif
