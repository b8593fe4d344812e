/* SPDX-License-Identifier: MIT */
/* What the tests of the command share: graphs of the plug-in check_plugin, and where that is. */
#ifndef PENSTOCK_COMMAND_CHECK_COMMAND_H
#define PENSTOCK_COMMAND_CHECK_COMMAND_H

/* A source, an actor and a sink that expects what the source counts. Endless unless --set says so. */
extern const char command_chain[];

/* Two actors that wait for each other. */
extern const char command_cycle[];

/* Before the first test: finds the command, and says in the environment where its plug-ins are. */
void command_find(void);

#endif
