/* SPDX-License-Identifier: MIT */
/*
 * A network as a value: what the generator makes, the rules judge, the oracle simulates and a run hands to the
 * library. README.md shows how these parts belong together.
 */
#ifndef PENSTOCK_TESTS_NET_H
#define PENSTOCK_TESTS_NET_H

#include "tests/common/common.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NET_ACTORS = 32,
	NET_PORTS = 16,
	NET_WINDOWS = 8, /* of an actor on a device: its ports but the control port */
	NET_FIFOS = 128,
	NET_READERS = 4, /* of one output, where the generator makes it */
	NET_GROUPS = 4,
	NET_VALUES = 31,  /* of a group */
	NET_PLACES = 3,   /* to which an actor may move */
	NET_SEQUENCE = 64 /* the longest sequence of control values */
};

#define NET_NEVER UINT64_MAX
#define NET_ZEROS UINT64_C(0)

enum net_kind { NET_INPUT, NET_OUTPUT, NET_DYNAMIC_INPUT, NET_DYNAMIC_OUTPUT, NET_CONTROL };

struct net_port {
	enum net_kind kind;
	uint32_t on; /* a dynamic port's: bit v is set when it moves a window for control value v */
	int group;   /* an output: the group whose control tokens it writes; -1: it writes data */
	uint32_t rate;
	size_t token_size; /* these two as the FIFO's */
};

struct net_actor {
	char name[12];
	unsigned port_count;
	struct net_port ports[NET_PORTS];
	unsigned values;                /* its control values are 0 .. values-1; 0: a static actor */
	uint64_t last;                  /* its last firing by its own choice, from 0; NET_NEVER */
	uint32_t last_valid[NET_PORTS]; /* in that firing: a port's tokens; 0: the window is left open */
	bool last_again; /* that firing returns PSTK_AGAIN: only a partly filled output says it is the last */
	bool kahn; /* static, with outputs only: it writes them one after the other, in the order of its ports */
	unsigned dawdle; /* how often it delays inside its windows, per cent */
	int core;        /* of those that there are; -1: any */
	bool stateless;
	unsigned concurrency; /* of a stateless one; 0: what the library makes of it */
	bool blocks;          /* has a thread of its own, beside a team */
	const char *device;   /* NULL: the cores */
	/* Where it may move to; NULL: the cores. It runs on either as a kernel does. plain: that keeps nothing, and is
	 * stateless */
	const char *places[NET_PLACES];
	unsigned place_count;
	bool plain;
	bool guarded;
	/* Steps of a firing; its ports declare rate / steps tokens. 0: it declares nothing. */
	uint32_t steps;
	bool whole_steps;
	bool given; /* its FIFOs say how many steps these are; else pstk_actor_set_steps() */
	enum net_declares { NET_BY_TYPE, NET_BY_CALL, NET_BY_RATES } declares;
	/* It is run as a pipeline of so many stages (stages.h); 0: it is an actor. */
	unsigned stages, cores;
	uint32_t in_flight;
};

struct net_fifo {
	unsigned src, src_port, dst, dst_port;
	uint32_t rate, delay, depth; /* rate: the writer's; depth 0: what the library makes of it */
	size_t token_size;
	uint64_t initial; /* the key of the delay tokens; NET_ZEROS: they are zeros */
	uint32_t read_rate;
	uint32_t
		iteration; /* tokens with which its reader makes its firings of an iteration; the rate: of one rate */
	uint32_t history; /* tokens in front of the new ones of a read window .. */
	bool peek;        /* .. which begin with the stream's first ones, not with zeros */
	uint32_t tail;    /* zeros behind the stream */
	unsigned hops;    /* places before the reader's at which windows wait, too; net_run() finds it */
};

/* The actors that one output controls. */
struct net_group {
	unsigned conf, port; /* whose output writes its control tokens */
	unsigned values;
	unsigned twin; /* gets the same control values as this group; itself: it has its own */
};

/* The control values that the groups get, repeated for ever. */
struct net_sequences {
	unsigned length[NET_GROUPS]; /* 1 .. NET_SEQUENCE */
	uint8_t values[NET_GROUPS][NET_SEQUENCE];
};

/* How a dynamic network came about. */
enum net_origin {
	NET_SANE,      /* every cycle has delay tokens, both ends of every FIFO are on at the same times */
	NET_LOOSE,     /* cycles have what delays they have */
	NET_FLIPPED,   /* an entry of a control table was changed in a sane one .. */
	NET_UNDELAYED, /* .. a delay was taken away .. */
	NET_MOVED,     /* .. a FIFO's reader was moved to another actor .. */
	NET_REGROUPED, /* .. an actor was moved to another group .. */
	NET_TWINS,     /* .. two groups were given equal values, and a FIFO between them */
	NET_ORIGINS
};

struct net {
	uint64_t seed;
	enum net_origin origin;
	unsigned actor_count, fifo_count, group_count;
	int threads;     /* of its team; 0: a thread per actor; -1: as the environment says */
	bool rates;      /* FIFOs may have two; of these the library finds the depths */
	bool steps;      /* of actors may be declared; FIFOs may have a history, a tail */
	bool unchecked;  /* start() may refuse it: it is started all the same */
	bool undeclared; /* its types do not say how many control values they have */
	struct net_actor actors[NET_ACTORS];
	struct net_fifo fifos[NET_FIFOS];
	struct net_group groups[NET_GROUPS];
	struct net_sequences values;
};

const char *net_origin_name(enum net_origin origin);

/* Has it a kernel: on a device now, or at one of its places? */
static inline bool net_has_kernel(const struct net_actor *a)
{
	return a->device || a->place_count;
}

/* Is it run as a pipeline? */
static inline bool net_is_pipeline(const struct net_actor *a)
{
	return a->stages > 0;
}

/* Building by hand. A FIFO's tokens are 8 bytes, a control FIFO's 4; its depth is 2. */
void net_begin(struct net *, uint64_t seed);
unsigned net_add_actor(struct net *, unsigned values);
unsigned net_add_port(struct net *, unsigned a, enum net_kind, uint32_t on);
unsigned net_add_fifo(struct net *, unsigned src, unsigned src_port, unsigned dst, unsigned dst_port,
	uint32_t rate, uint32_t delay);
unsigned net_add_group(struct net *, unsigned conf, unsigned port, unsigned values);
unsigned net_add_member(struct net *, unsigned group); /* a new actor with a control port */
/* A FIFO between new ports, each dynamic where `on` is not 0. */
unsigned net_join(struct net *, unsigned src, uint32_t src_on, unsigned dst, uint32_t dst_on, uint32_t rate,
	uint32_t delay);
void net_set_token_size(struct net *, unsigned f, size_t size); /* of all FIFOs of its output */
/* The actor ends after firing `last`, which fills all windows. */
void net_end_at(struct net *, unsigned a, uint64_t last);

/* Questions. */
bool net_reads(enum net_kind kind);
bool net_is_dynamic(enum net_kind kind);
uint32_t net_common(uint32_t a, uint32_t b);                   /* the greatest common divisor */
uint32_t net_all(unsigned values);                             /* the set of all values */
unsigned net_readers(const struct net *, unsigned f);          /* of its output */
unsigned net_into(const struct net *, unsigned a, unsigned p); /* the FIFO of an input */
unsigned net_at(
	const struct net *, unsigned a, unsigned p); /* a FIFO of any port; of a broadcast the first */
bool net_is_control(const struct net *, unsigned f);
unsigned net_control_port(const struct net_actor *);               /* NET_PORTS: it has none */
unsigned net_group_of(const struct net *, unsigned a);             /* NET_GROUPS: a static actor */
bool net_on(const struct net_actor *, unsigned p, uint32_t value); /* but the control port */
unsigned net_count(const struct net_actor *, bool inputs);         /* its inputs, or its outputs */
/* The windows that a FIFO holds. */
uint32_t net_depth(const struct net *, unsigned f);
/* The same, when it is `otherwise` where neither the network nor a pipeline at the FIFO's ends says it. */
uint32_t net_depth_or(const struct net *, unsigned f, uint32_t otherwise);
uint32_t net_default_depth(unsigned threads);

/* The control value number `index` of a group. */
uint32_t net_value(const struct net *, const struct net_sequences *, unsigned group, uint64_t index);
/* longest: of a sequence, at most NET_SEQUENCE. */
void net_random_sequences(const struct net *, struct net_sequences *, unsigned longest, struct test_rng *);
/* Which of so many hosts each actor is at. All actors of a few networks are at one; else each is anywhere, or mostly
 * where the one before is. */
void net_random_hosts(const struct net *, unsigned hosts[NET_ACTORS], unsigned count, struct test_rng *);
/* Windows that a port moves in the actor's first `ticks` firings; of a dynamic actor: control tokens. */
uint64_t net_moved(const struct net *, const struct net_sequences *, unsigned a, unsigned p, uint64_t ticks);
/* Of so many firings those with a port that is on. */
uint64_t net_fired(const struct net *, const struct net_sequences *, unsigned a, uint64_t ticks);

/* Tokens say which they are: from a key and their number. A FIFO's token t, from 0 on, the delay tokens first. */
void net_token(const struct net *, unsigned f, uint64_t t, unsigned char *bytes);
uint64_t net_written_key(const struct net *, unsigned a, unsigned p);
void net_fill(uint64_t key, uint64_t number, unsigned char *bytes, size_t size);

/* Tokens that an output's window gets unless the actor says otherwise, from the valid tokens of the inputs (0:
 * off). */
/* Of an actor that declares steps: those of a firing that have data, or that are whole. */
uint32_t net_steps(const struct net_actor *, const uint32_t *valid);
uint32_t net_default_valid(const struct net_actor *, unsigned port, const uint32_t *valid);

#endif
