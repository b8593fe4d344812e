/* SPDX-License-Identifier: MIT */
/*
 * Control: a Unix socket through which other processes ask for moves of a running network.
 *
 * A thread of its own serves it, so that no client can hold the network up. A client sends a line and gets an answer
 * (orders.h), then its connection ends. What a client can take is bounded: one line, one answer, one of a few places.
 * A new client takes the place of the oldest one if there is no other: of one that sends no line, or does not read.
 */
#ifndef PENSTOCK_COMMAND_CONTROL_H
#define PENSTOCK_COMMAND_CONTROL_H

#include <penstock/plan.h>

struct control;
struct sockaddr_un;

/* A socket's address. false: the path is too long, or empty. */
bool control_address(struct sockaddr_un *, const char *path);

/* Makes the socket, which no thread serves yet. 0 or what to exit with, said then. machine: of which the network is,
 * borrowed; NULL: of none. */
int control_open(struct control **, const char *path, const struct pstk_machine *machine);

/* The network has started: serves it from now on. As the `started` of struct running; NULL: does nothing. */
void control_serve(void *control, struct pstk_network *);

/* Ends it, and removes the socket. NULL: does nothing. */
void control_close(struct control *);

#endif
