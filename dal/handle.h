/* SPDX-License-Identifier: MIT */
/* Handle: how processes name their ports; and what they print. DAL's calls for that, for any runtime. */
#ifndef PENSTOCK_DAL_HANDLE_H
#define PENSTOCK_DAL_HANDLE_H

/* A port's name: itself, or a number's digits, in buffer. */
const char *ps_dal_port_name(const void *port, char buffer[16]);

#endif
