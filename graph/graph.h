/* SPDX-License-Identifier: MIT */
/* Graph: what is read from files, before and while its network is built. For graph/ alone. */
#ifndef PENSTOCK_GRAPH_GRAPH_H
#define PENSTOCK_GRAPH_GRAPH_H

#include "graph/arena.h"
#include "graph/node.h"
#include "penstock/graph.h"
#include "penstock/plan.h"
#include "penstock/plugin.h"

#include <stdint.h>
#include <sys/types.h>

/* With the last one, that there may be more. */
enum { PS_GRAPH_PROBLEMS = 100, PS_GRAPH_LINE = 1024 };

/* An entry of a section, and the next one: the sections of all files, in the order of reading. */
struct ps_entry {
	const struct ps_node *node; /* node->key is its name */
	struct ps_entry *next;
	size_t number; /* in the order of reading */
	/* the rest: of an actor */
	const struct pstk_plugin_type *type; /* NULL: it has a kernel, or a problem */
	struct pstk_actor *actor;            /* NULL: it is not added yet, or could not be */
	struct pstk_actor *holder;           /* has its builder's argument; NULL: its type has no builder */
	bool wrong;                          /* it has no type or no right name, which is told */
	bool added;                          /* or could not be, or is being added */
	bool passed, partly;                 /* by the order (order.h); its list of those has or had it */
	struct ps_link *inputs, **inputs_end, *outputs;
	bool *named; /* by port: a FIFO names it */
	/* a FIFO at an output, an input names no port that there is: what is not connected may be meant */
	bool odd_output, odd_input;
	struct pstk_plugin_format in, out; /* what it takes and gives, once it is added */
	bool misses;                       /* what one of its inputs brings: its writer could not be added */
	unsigned waits;                    /* for so many inputs' writers to be added */
	struct ps_entry *next_ready, *next_partly;
};

/* An end of a FIFO: "actor.port". */
struct ps_end {
	const struct ps_node *node;
	struct ps_entry *entry; /* NULL: there is no such actor */
	const char *port;       /* "": all of them, of a chain; in a file: none, which is told */
};

/* A FIFO to one reader. */
struct ps_link {
	const struct ps_node *all,
		*own; /* what the FIFO says, and for this reader, instead; own NULL: nothing */
	struct ps_end from, to;
	struct ps_link *next, *next_input, *next_output; /* of all, of the reader, of the writer */
};

struct ps_section {
	struct ps_entry *first, **end;
	struct ps_entry **sorted; /* by name; not of FIFOs, which have none */
	size_t count;
};

struct ps_parameter {
	const char *name;
	size_t length; /* of its name */
	const char *value;
	struct ps_parameter *next;
};

/* An object that a builder has opened, to be closed when the network is gone. */
struct ps_object {
	void (*close)(void *);
	void *object;
	struct ps_object *next;
};

/* A file that an actor reads or writes, or that the graph is made of. */
struct ps_used_file {
	const char *actor, *path; /* actor NULL: the graph reads it */
	bool writes;
	struct ps_used_file *next, *next_user; /* of all; of those that write, or read, the same file */
};

/* A file, whatever names it is used by. */
struct ps_one_file {
	char *key; /* same_file.h; NULL: it may have any users */
	struct ps_used_file *writers, *readers;
};

/* A file that was read; the next one: read after it. */
struct ps_file {
	struct ps_node *root; /* NULL: it has problems */
	const char *path;
	dev_t device; /* which file it is, whatever the path */
	ino_t inode;
	bool overlay;
	struct ps_file *next;
};

/* What is told to the library when the plan is applied: a place of an actor, or a move. */
struct ps_wish {
	struct pstk_actor *actor;
	const char *place;
	uint64_t firing; /* of a move; 0: a place */
	const struct ps_node *at;
	struct ps_wish *next;
};

struct pstk_graph {
	struct ps_arena arena;
	const char *path, *chain;  /* one of both */
	const char *host;          /* of the process; NULL: it is alone */
	const char *const *places; /* the spec's, while it is read */
	bool dry, unfinished;
	bool lacks_file; /* a file that is named is not there */

	struct ps_problem {
		const char *text;
		unsigned file, line, column; /* file: how many were read before it */
	} problems[PS_GRAPH_PROBLEMS];
	unsigned problem_count;
	size_t wrongs;            /* problems, with those that were left out */
	unsigned device_problems; /* of them */
	int device_error;         /* of the first of these */

	struct ps_reader *reader; /* of the file that is being read */
	struct ps_file *files;
	const struct ps_node *name;
	struct ps_section actors, fifos, mapping, run, times, fixed, moves, pipelines;
	const struct ps_node *machine_node; /* of the last file that has one */
	struct pstk_machine *machine;       /* NULL: none was given */
	const char **stay;                  /* names of the fixed actors; ends with NULL */
	struct ps_wish *wishes, *last_wish;
	struct ps_pipe *pipes; /* pipelines.h */
	struct ps_link *links;
	struct ps_parameter *parameters;
	void *parameter_names; /* the same as a tree (search.h) */

	struct ps_plugins *plugins;
	struct pstk_network *network, *args; /* args: holds the arguments of builders */
	unsigned blamed, args_blamed;        /* problems of theirs that are problems of the graph now */
	struct ps_object *objects;
	struct ps_used_file *used_files, *last_used_file;
	void *files_by_key; /* struct ps_one_file, a tree (search.h) */
	char *write_error;  /* of pstk_graph_write(), PS_GRAPH_LINE bytes; "": there was none */
};

/* Keeps a problem at a place in a file; at NULL: without a place, behind all others. */
void ps_graph_wrong(struct pstk_graph *, const struct ps_node *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Takes down a file of an actor, or of the graph (actor NULL); of a SigMF recording both. Where one user writes what
 * another one reads or writes, that is a problem, at this place. path: NULL: none; it is copied. */
void ps_graph_use_file(
	struct pstk_graph *, const struct ps_node *at, const char *actor, const char *path, bool writes);

/* What is not in the arena. */
void ps_graph_files_free(struct pstk_graph *);

/* Are more problems kept? Else hints need not be looked for. */
bool ps_graph_listens(const struct pstk_graph *);

/* In the order of their places, when there are all of them. */
void ps_graph_sort_problems(struct pstk_graph *);

#endif
