/* SPDX-License-Identifier: MIT */
/*
 * A DAL application: its process network and mapping are files, its processes are compiled against <dal.h>, unchanged.
 *
 * To build it:
 *
 *	cc dal.c dal_consumer.c dal_generator.c dal_square.c -o dal $(pkg-config --cflags --libs penstock-dal)
 */
#include "dal_processes.h"

#include <penstock/dal_network.h>

#ifndef FILES
#define FILES "."
#endif

int main(void)
{
	static const struct pstk_dal_process processes[] = {
		PSTK_DAL_PROCESS("generator", generator_init, generator_fire, NULL, GENERATOR_STATE),
		PSTK_DAL_PROCESS("square", NULL, square_fire, NULL, 0),
		PSTK_DAL_PROCESS("consumer", NULL, consumer_fire, consumer_finish, 0),
	};
	struct pstk_network *net = pstk_network_create("squares");
	int err = pstk_dal_build(net, FILES "/dal.xml", NULL, processes, 3);

	if (!err)
		err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
