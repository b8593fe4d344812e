/* SPDX-License-Identifier: MIT */
#include "apps/penstock/check_command.h"
#include "apps/common/check_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char command_chain[] = "network: chain\n"
			     "parameters: {rate: 4, tokens: 0, slow: false}\n"
			     "actors:\n"
			     "  source: {type: count, tokens: $tokens, slow: $slow}\n"
			     "  middle: {type: repeat, times: 1}\n"
			     "  sink: {type: expect}\n"
			     "fifos:\n"
			     "  - {from: source.out, to: middle.in, rate: $rate}\n"
			     "  - {from: middle.out, to: sink.in}\n";

const char command_cycle[] =
	"actors:\n  a: {type: repeat, times: 1}\n  b: {type: repeat, times: 1}\n"
	"fifos:\n  - {from: a.out, to: b.in, token: u8}\n  - {from: b.out, to: a.in, token: u8}\n";

void command_find(void)
{
	char actors[PATH_MAX], own[PATH_MAX], list[2 * PATH_MAX + 2];

	program_find("apps/penstock/penstock", "PENSTOCK");
	if (!realpath("actors/.libs", actors) || !realpath("apps/penstock/.libs/check_plugin.so", own)) {
		fprintf(stderr, "no plug-ins: run this in the build folder\n");
		exit(1);
	}
	snprintf(list, sizeof list, "%s:%s", actors, own);
	setenv("PENSTOCK_PLUGINS", list, 1);
}
