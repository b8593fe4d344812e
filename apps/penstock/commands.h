/* SPDX-License-Identifier: MIT */
/* The commands. Each parses its own arguments, does its work and returns what to exit with. */
#ifndef PENSTOCK_COMMAND_COMMANDS_H
#define PENSTOCK_COMMAND_COMMANDS_H

int command_run(int argc, char **argv);
int command_ctl(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_check(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_map(int argc, char **argv);
int command_machine(int argc, char **argv);
int command_devices(int argc, char **argv);
int command_actors(int argc, char **argv);

#endif
