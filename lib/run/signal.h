/* SPDX-License-Identifier: MIT */
/* Signal: what pstk_network_handle_signals() installs. */
#ifndef PENSTOCK_SIGNAL_H
#define PENSTOCK_SIGNAL_H

#include "lib/model/network.h"

/* destroy(). This network's signals are no longer handled. */
void ps_signal_forget(struct pstk_network *);

#endif
