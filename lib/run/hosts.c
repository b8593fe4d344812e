/* SPDX-License-Identifier: MIT */
#include "lib/run/hosts.h"
#include "lib/model/error.h"
#include "penstock/hosts.h"

#include <errno.h>

int pstk_network_set_hosts(struct pstk_network *net, struct pstk_transport *transport, const char *host)
{
	(void)transport;
	(void)host;
	return ps_network_building(net, __func__);
}

const char *pstk_network_host(const struct pstk_network *net, uint32_t rank)
{
	(void)net;
	(void)rank;
	return NULL;
}

int pstk_network_lost_rank(const struct pstk_network *net)
{
	(void)net;
	return -1;
}
