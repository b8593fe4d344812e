/* SPDX-License-Identifier: MIT */
/* Hosts: a network over several processes, joined with lib/remote. The public face: <penstock/hosts.h>. */
#ifndef PENSTOCK_RUN_HOSTS_H
#define PENSTOCK_RUN_HOSTS_H

#include "lib/model/network.h"

#endif
