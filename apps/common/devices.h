/* SPDX-License-Identifier: MIT */
/* Devices by their selectors. */
#ifndef COMMON_DEVICES_H
#define COMMON_DEVICES_H

/* --devices, as a table on stdout: what to exit with. */
int devices_list(void);

/* Is there such a device? Each selector is looked for once (NULL: the cores), before anything is opened that
 * may wait for another process. 0, or what to exit with; everything has been said then. */
int devices_find(const char *const *selectors, unsigned count);

/* What a program exits with that lacks a device. */
int devices_status(int err);

#endif
