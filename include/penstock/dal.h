/* SPDX-License-Identifier: MIT */
/*
 * DAL's C API (Distributed Application Layer, ETH Zurich; Schor et al., "Scenario-based design flow for
 * mapping streaming applications onto on-chip many-core systems", CASES 2012; windows: Schor et al.,
 * "Exploiting the parallelism of heterogeneous systems using dataflow graphs on top of OpenCL", ESTIMedia
 * 2013), for processes written for it: a process is compiled against this header, unchanged, and linked
 * with a runtime that has these functions; libpenstock-dal is one. `pkg-config --cflags penstock-dal` makes
 * it <dal.h>, too. How a program reads a process network and runs it: <penstock/dal_network.h>.
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
 * All functions: in the process's own init, fire or finish only (context ACTOR of <penstock/penstock.h>),
 * with the DALProcess that these were given. A call that is wrong (no such port, a length that is not whole
 * tokens, begin without end) ends the application with an error that names the process, the port and the
 * mend.
 *
 * Ports, messages and what is written are const here, so that texts may be given as they are.
 *
 * Not offered: several applications under a finite state machine of scenarios (an event ends the
 * application).
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
	LocalState local; /* zeroed before init */
	ProcessInit init; /* once at start; may be NULL */
	ProcessFire fire; /* again and again until the application stops; what it returns is not looked at */
	ProcessFinish finish; /* once at stop; may be NULL */
	void *wptr;           /* the runtime's */
} DALProcess;

/*
 * Streams (Kahn semantics). Copy len bytes, whole tokens of the channel, and wait until all have come or
 * have room. port: a name, or a number as a pointer. They return len. Fewer: the stream has ended, or the
 * application stops: then the rest of a read's buf is zeros (processes written for DAL do not look at what it
 * returns), what the process writes in this fire from then on is dropped, and it is not fired again. A fire
 * that loops until it has had enough must look at what it returns.
 */
PSTK_DAL_PUBLIC int DAL_read(const void *port, void *buf, int len, DALProcess *p);
PSTK_DAL_PUBLIC int DAL_write(const void *port, const void *buf, int len, DALProcess *p);

/*
 * Windows. All of a firing's tokens at once, without a copy, contiguous. A process that uses them uses
 * nothing else, begins and ends each window of each port once in each fire, and its program says their
 * rates (struct pstk_dal_port). A process whose rates nobody has said may begin a window where the other
 * end of the channel has windows, of that rate, and gets NULL when the stream has ended. After a wrong call
 * there is memory of the size that was asked for, zeros for an input, until this fire returns: the error is
 * the application's, and what the process writes is dropped (NULL only if there is no memory, or outside of
 * any call, or if one fire asks more than 65536 times).
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

/* DAL_foreach (blk : PORT_OUT) { .. }: for each of the BLOCK_OUT_COUNT blocks of an output's window. The
 * colon is DAL's own syntax; a C compiler takes DAL_foreach_block(blk, BLOCK_OUT_COUNT). */
#define DAL_foreach_block(block, count) for (unsigned block = 0; block < (count); block++)

/* An event, a string, for who runs the application; if nobody wants to hear of it (pstk_dal_set_event()) any
 * event ends the application: sources fire no more, what is under way drains. 0, or -1: NULL, or in
 * finish. */
PSTK_DAL_PUBLIC int DAL_send_event(const void *message, DALProcess *p);

/* This instance's index in an iterator dimension, counted from 0, in the order of the process's <append>s;
 * -1: there is no such. */
PSTK_DAL_PUBLIC int DAL_getIndex(int dimension, DALProcess *p);
#define GETINDEX(dimension) DAL_getIndex((dimension), p)

/* A handle of a port of an iterated process: CREATEPORTVAR(port); CREATEPORT(port, PORT_OUT, 1, i, 4);
 * DAL_write(port, ..). base: the port's name. ndim pairs of int, index and range; names base_i_j. Any thread.
 * 0, or -1: an index out of its range, or a name that is too long; then the next call with it says so. */
#define DAL_PORT_NAME 64
#define CREATEPORTVAR(port) char port[DAL_PORT_NAME]
#define CREATEPORT(port, base, ndim, ...) DAL_create_port((port), (base), (ndim), __VA_ARGS__)
PSTK_DAL_PUBLIC int DAL_create_port(char *port, const char *base, int ndim, ...);

/* As printf(), to stdout; what one call prints stays together. Any thread. */
PSTK_DAL_PUBLIC int DAL_printf(const char *format, ...) PSTK_DAL_PRINTF(1, 2);

/* State kept by name, a copy of len bytes, until the process's finish has returned; of the same process only.
 * create takes the place of an older one, and allocates. 0, or -1: no memory (the older one is still there),
 * no such name, another length, or a stateless process. */
PSTK_DAL_PUBLIC int DAL_create_checkpoint(const void *buf, int len, const char *name, DALProcess *p);
PSTK_DAL_PUBLIC int DAL_read_checkpoint(void *buf, int len, const char *name, DALProcess *p);
PSTK_DAL_PUBLIC int DAL_destroy_checkpoint(const char *name, DALProcess *p);

#ifdef __cplusplus
}
#endif

#endif
