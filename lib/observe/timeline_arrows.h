/* SPDX-License-Identifier: MIT */
/* Timeline arrows: from the firing that wrote a window to each firing that has taken new tokens of it. */
#ifndef PENSTOCK_TIMELINE_ARROWS_H
#define PENSTOCK_TIMELINE_ARROWS_H

#include "lib/observe/timeline_file.h"

void ps_timeline_arrows(struct ps_timeline_file *);

#endif
