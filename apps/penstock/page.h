/* SPDX-License-Identifier: MIT */
/* A report of a run as one HTML file: it needs no other file, no script and no network. */
#ifndef PENSTOCK_COMMAND_PAGE_H
#define PENSTOCK_COMMAND_PAGE_H

#include <penstock/penstock.h>

#include <stdio.h>

struct json_t;

struct page {
	const struct pstk_network *network;
	FILE *trace; /* of a part of it; NULL: there is none */
};

/* report: as apps/common/report.h makes it. data: a struct page. A report_form(). */
int page_write(void *data, const struct json_t *report, FILE *);

#endif
