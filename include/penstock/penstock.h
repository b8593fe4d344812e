/* SPDX-License-Identifier: MIT */
/*
 * Penstock: networks of dataflow actors on the cores and OpenCL devices of a chip.
 *
 * An actor is described by its ports and by its callbacks:
 *   - fire() computes one firing on a core;
 *   - on an OpenCL device a kernel does that, or fire_cl(), which enqueues commands;
 *   - init(), finish() and unblock() stand around that, where the actor needs them.
 *
 * A program adds actors to a network and connects them by FIFOs. Each actor has a thread of its own, or a team of
 * threads runs all actors. A firing takes a window of tokens from each input and fills one window on each output. How
 * many tokens that are is the rate of the FIFO's end; the two ends may have different rates. A type may declare what
 * its ports move in a step; then the window is so many steps ("Steps" in <penstock/core/actor.h>). An input may see
 * older tokens again in front of the new ones. A dynamic actor takes a control token first. Its control() decides from
 * the token's value which ports move a window in this firing and which move none.
 *
 * The model is that of "dynamic-rate actors" (Boutellier et al.): blocking, double-buffered FIFOs that may hold initial
 * (delay) tokens.
 *
 * A network runs once.
 *
 * Units
 *   Sizes are bytes. Rates, delays and valid counts are tokens. Depths are windows. Times are nanoseconds of
 *   CLOCK_MONOTONIC. A function or a member that uses another unit says so.
 *
 * Errors
 *   - A function that returns int returns 0 or a positive result on success, or a negative errno of <errno.h>
 *     (-EINVAL, ..).
 *   - The first error of a network sticks. pstk_network_error() returns it: a line with actor, port and cause.
 *   - A function that returns a pointer returns NULL and keeps the error in the network. After the start it is too late
 *     for that: then the error is a warning in the log.
 *   - Every function takes NULL for any pointer. It then does nothing and returns -EINVAL, NULL, 0 or false.
 *
 * Contexts
 *   Each function says where it may be called:
 *   BUILD   before pstk_network_start(), by one thread for each network; a later call is -EBUSY (NULL), and a warning;
 *   ACTOR   inside this actor's own callback; the library holds no lock there;
 *   ANY     from any thread until pstk_network_destroy(), but not while another thread builds the network.
 *
 * Ownership
 *   - A network owns its actors and FIFOs. Their pointers are valid until pstk_network_destroy().
 *   - The library copies what a function is given, unless the function says "borrowed".
 *
 * Reading order
 *   core/actor.h     what an actor is: ports, parameters, callbacks, its kernel
 *   core/network.h   building a network, which threads run it, starting and ending it
 *   core/firing.h    what callbacks call: windows, ports, state
 *   core/device.h    OpenCL devices: selectors, mapping, arguments of kernels
 *   core/move.h      actors that change their place while data flow
 *   core/analyser.h  can this network deadlock, or grow?
 *   core/observe.h   watchdog, snapshots, figures, the log
 *   core/types.h     what all of them need
 * Programs include <penstock/penstock.h>, which includes all of these.
 */
#ifndef PENSTOCK_PENSTOCK_H
#define PENSTOCK_PENSTOCK_H

/* The version of these headers; pstk_version() returns that of the library which runs. */
#define PSTK_VERSION_MAJOR 0
#define PSTK_VERSION_MINOR 1
#define PSTK_VERSION_PATCH 0
#define PSTK_VERSION "0.1.0"

#include <penstock/core/types.h>

#include <penstock/core/actor.h>
#include <penstock/core/network.h>
#include <penstock/core/firing.h>
#include <penstock/core/device.h>
#include <penstock/core/move.h>
#include <penstock/core/analyser.h>
#include <penstock/core/observe.h>

#endif
