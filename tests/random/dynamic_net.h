/* SPDX-License-Identifier: MIT */
/*
 * Dynamic networks as values: actors with control ports, groups, regions. A generator makes them from a
 * seed, without threads and devices; dynamic_rules judges them, dynamic_oracle simulates them,
 * dynamic_build hands them to the library.
 */
#ifndef PENSTOCK_TESTS_DYNAMIC_NET_H
#define PENSTOCK_TESTS_DYNAMIC_NET_H

#include "tests/common/common.h"

#include <stdbool.h>
#include <stdint.h>

enum { DYN_ACTORS = 24, DYN_PORTS = 12, DYN_FIFOS = 96, DYN_GROUPS = 4, DYN_VALUES = 8 };

enum dyn_kind { DYN_INPUT, DYN_OUTPUT, DYN_DYNAMIC_INPUT, DYN_DYNAMIC_OUTPUT, DYN_CONTROL };

struct dyn_port {
	enum dyn_kind kind;
	uint32_t on; /* a dynamic port's: bit v is set when it moves a window for control value v */
	int group;   /* an output: the group whose control tokens it writes; -1: it writes data */
};

struct dyn_actor {
	char name[16];
	unsigned port_count;
	struct dyn_port ports[DYN_PORTS];
	unsigned values; /* its control values are 0 .. values-1; 0: a static actor */
};

struct dyn_fifo {
	unsigned src, src_port, dst, dst_port;
	uint32_t rate, delay, depth;
};

/* The actors that one output controls. */
struct dyn_group {
	unsigned conf, port; /* whose output writes its control tokens */
	unsigned values;
	unsigned twin; /* gets the same control values as this group; itself: it has its own */
};

/* How a network came about. */
enum dyn_origin {
	DYN_SANE,      /* every cycle has delay tokens, both ends of every FIFO are on at the same times */
	DYN_LOOSE,     /* cycles have what delays they have */
	DYN_FLIPPED,   /* an entry of a control table was changed in a sane one .. */
	DYN_UNDELAYED, /* .. a delay was taken away .. */
	DYN_MOVED,     /* .. a FIFO's reader was moved to another actor .. */
	DYN_REGROUPED, /* .. an actor was moved to another group .. */
	DYN_TWINS,     /* .. two groups were given equal values, and a FIFO between them */
	DYN_ORIGINS
};

struct dyn_net {
	uint64_t seed;
	enum dyn_origin origin;
	unsigned actor_count, fifo_count, group_count;
	struct dyn_actor actors[DYN_ACTORS];
	struct dyn_fifo fifos[DYN_FIFOS];
	struct dyn_group groups[DYN_GROUPS];
};

const char *dyn_origin_name(enum dyn_origin origin);

void dyn_make_random(struct dyn_net *net, uint64_t seed);

/* Questions that everybody asks. */
bool dyn_reads(enum dyn_kind kind);
bool dyn_is_dynamic(enum dyn_kind kind);
uint32_t dyn_all(unsigned values);                                 /* the set of all values */
unsigned dyn_into(const struct dyn_net *, unsigned a, unsigned p); /* the FIFO of an input */
unsigned dyn_control_port(const struct dyn_actor *);               /* DYN_PORTS: it has none */
unsigned dyn_group_of(const struct dyn_net *, unsigned a);         /* DYN_GROUPS: a static actor */
bool dyn_on(const struct dyn_actor *, unsigned p, uint32_t value); /* but the control port */

/* For tests that write a network by hand. */
unsigned dyn_add_actor(struct dyn_net *, unsigned values);
unsigned dyn_add_port(struct dyn_net *, unsigned a, enum dyn_kind, uint32_t on);
unsigned dyn_add_fifo(struct dyn_net *, unsigned src, unsigned src_port, unsigned dst, unsigned dst_port,
	uint32_t rate, uint32_t delay);
unsigned dyn_add_group(struct dyn_net *, unsigned conf, unsigned port, unsigned values);
unsigned dyn_add_member(struct dyn_net *, unsigned group); /* a new actor with a control port */

/* The control values that the groups get, repeated for ever. */
enum { DYN_SEQUENCE = 64 };
struct dyn_sequences {
	unsigned length[DYN_GROUPS]; /* 1 .. DYN_SEQUENCE */
	uint8_t values[DYN_GROUPS][DYN_SEQUENCE];
};
uint32_t dyn_value(const struct dyn_net *, const struct dyn_sequences *, unsigned group, uint64_t index);
/* longest: of a sequence, at most DYN_SEQUENCE. */
void dyn_random_sequences(
	const struct dyn_net *, struct dyn_sequences *, unsigned longest, struct test_rng *);

#endif
