/* SPDX-License-Identifier: MIT */
/*
 * DAL's C API, for processes that are written for it.
 *
 * DAL is the Distributed Application Layer of ETH Zurich: Schor et al., "Scenario-based design flow for mapping
 * streaming applications onto on-chip many-core systems", CASES 2012. Windows: Schor et al., "Exploiting the
 * parallelism of heterogeneous systems using dataflow graphs on top of OpenCL", ESTIMedia 2013.
 *
 * A process is compiled, unchanged, against this header. It is linked with a runtime that has these functions;
 * libpenstock-dal is one. `pkg-config --cflags penstock-dal` makes the header <dal.h> too. How a program reads a
 * process network and runs it: <penstock/dal_network.h>.
 *
 * A process has a header of its own that says its state and its ports:
 *
 *	struct _local_states { int count; };
 *	#define PORT_IN "in"                    a name, or the number of a port that is named so
 *	#define TOKEN_IN_RATE 4                 of windows: tokens of type TOKEN_IN_t each
 *	typedef uint8_t TOKEN_IN_t;
 *	#define BLOCK_OUT_SIZE 2                tokens of a block of an output window ..
 *	#define BLOCK_OUT_COUNT 2               .. and how many there are
 *
 * Context of all functions that do not say "any thread": the process's own init, fire or finish (ACTOR of
 * <penstock/penstock.h>), with the DALProcess that these were given.
 *
 * Wrong calls (no such port, a length that is not whole tokens, begin without end) end the application with an error
 * that names the process, the port and the fix.
 *
 * Ports, messages and what is written are const here, so that texts may be given as they are.
 *
 * Not offered: several applications under a finite state machine of scenarios. An event ends the application.
 */
#ifndef PENSTOCK_DAL_H
#define PENSTOCK_DAL_H

#include <stddef.h>

#if defined(__GNUC__)
#define PSTK_DAL_PUBLIC __attribute__((visibility("default")))
#define PSTK_DAL_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define PSTK_DAL_PUBLIC
#define PSTK_DAL_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _local_states *LocalState;

struct _process;
typedef void (*ProcessInit)(struct _process *);
typedef int (*ProcessFire)(struct _process *);
typedef void (*ProcessFinish)(struct _process *);

typedef struct _process {
	LocalState local;     /* zeroed before init */
	ProcessInit init;     /* once at start; may be NULL */
	ProcessFire fire;     /* again and again until the application stops; its result is not used */
	ProcessFinish finish; /* once at stop; may be NULL */
	void *wptr;           /* of the runtime */
} DALProcess;

/*
 * Streams (Kahn semantics): copy len bytes, and wait until all of them have come or have room.
 *
 * port: a name, or a number as a pointer.
 * len: whole tokens of the channel, in bytes.
 * Return len. A smaller result says that the stream has ended or the application stops. Then
 *   - the rest of a read's buf is zeros, because processes written for DAL do not look at the result;
 *   - what the process writes in this fire from then on is dropped;
 *   - the process is not fired again.
 * A fire that loops until it has had enough must look at the result.
 */
PSTK_DAL_PUBLIC int DAL_read(const void *port, void *buf, int len, DALProcess *p);
PSTK_DAL_PUBLIC int DAL_write(const void *port, const void *buf, int len, DALProcess *p);

/*
 * Windows: all of a firing's tokens at once, contiguous, without a copy.
 *
 *   - A process that uses windows uses nothing else. It begins and ends the window of each port once in each fire. Its
 *     program says the rates (struct pstk_dal_port).
 *   - A process without stated rates may begin a window where the other end of the channel has windows, of that rate.
 *     It gets NULL when the stream has ended.
 *   - After a wrong call the process gets memory of the size that it asked for, zeros for an input, until this fire
 *     returns. The error is the application's, and what the process writes is dropped. It gets NULL only if there is no
 *     memory, outside of any call, or if one fire asks more than 65536 times.
 */
PSTK_DAL_PUBLIC void *DAL_read_window(const void *port, size_t token_size, unsigned rate, DALProcess *p);
PSTK_DAL_PUBLIC void DAL_read_window_end(const void *port, DALProcess *p);
PSTK_DAL_PUBLIC void *DAL_write_window(const void *port, size_t token_size, unsigned rate,
	unsigned block_size, unsigned block, DALProcess *p);
PSTK_DAL_PUBLIC void DAL_write_window_end(const void *port, DALProcess *p);

#define DAL_read_begin(port, token_size, rate, p) \
	DAL_read_window((const void *)(port), (token_size), (rate), (p))
#define DAL_read_end(port, window, p) ((void)(window), DAL_read_window_end((const void *)(port), (p)))
/* Where block `block` of so many tokens begins in the window. */
#define DAL_write_begin(port, token_size, rate, block_size, block, p) \
	DAL_write_window((const void *)(port), (token_size), (rate), (block_size), (block), (p))
/* Call it once for each block; the last one ends the window. */
#define DAL_write_end(port, window, p) ((void)(window), DAL_write_window_end((const void *)(port), (p)))

/* For each of the BLOCK_OUT_COUNT blocks of an output's window. DAL writes DAL_foreach (blk : PORT_OUT) { .. }: the
 * colon is its own syntax. A C compiler takes DAL_foreach_block(blk, BLOCK_OUT_COUNT). */
#define DAL_foreach_block(block, count) for (unsigned block = 0; block < (count); block++)

/*
 * Sends an event, a string, to the program that runs the application.
 *
 * If the program has no function for events (pstk_dal_set_event()), any event ends the application: sources fire no
 * more, and what is under way drains.
 * Returns 0; -1: NULL, or in finish.
 */
PSTK_DAL_PUBLIC int DAL_send_event(const void *message, DALProcess *p);

/* Returns this instance's index in an iterator dimension: dimensions count from 0, in the order of the process's
 * <append>s. -1: there is no such dimension. */
PSTK_DAL_PUBLIC int DAL_getIndex(int dimension, DALProcess *p);
#define GETINDEX(dimension) DAL_getIndex((dimension), p)

/*
 * Makes a handle of a port of an iterated process. Context: any thread.
 *
 *	CREATEPORTVAR(port);
 *	CREATEPORT(port, PORT_OUT, 1, i, 4);
 *	DAL_write(port, ..)
 *
 * base: the port's name. Behind ndim there are ndim pairs of int, index and range. The names are base_i_j.
 * Returns 0; -1: an index out of its range, or a name that is too long. The next call with that handle says so.
 */
#define DAL_PORT_NAME 64
#define CREATEPORTVAR(port) char port[DAL_PORT_NAME]
#define CREATEPORT(port, base, ndim, ...) DAL_create_port((port), (base), (ndim), __VA_ARGS__)
PSTK_DAL_PUBLIC int DAL_create_port(char *port, const char *base, int ndim, ...);

/* Prints as printf() does, to stdout; what one call prints stays together. Context: any thread. */
PSTK_DAL_PUBLIC int DAL_printf(const char *format, ...) PSTK_DAL_PRINTF(1, 2);

/*
 * Checkpoints: state kept by name, a copy of len bytes, until the process's finish has returned.
 *
 * A process sees only its own. create replaces an older checkpoint of the name, and allocates.
 * Return 0; -1: no memory (the older one is still there), no such name, another length, or a stateless process.
 */
PSTK_DAL_PUBLIC int DAL_create_checkpoint(const void *buf, int len, const char *name, DALProcess *p);
PSTK_DAL_PUBLIC int DAL_read_checkpoint(void *buf, int len, const char *name, DALProcess *p);
PSTK_DAL_PUBLIC int DAL_destroy_checkpoint(const char *name, DALProcess *p);

#ifdef __cplusplus
}
#endif

#endif
