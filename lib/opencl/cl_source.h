/* SPDX-License-Identifier: MIT */
/* The text of a kernel: what a type gives as its source, or a file that it names. */
#ifndef PENSTOCK_CL_SOURCE_H
#define PENSTOCK_CL_SOURCE_H

#include "lib/opencl/cl_error.h"

#include <stddef.h>

enum { PS_CL_SOURCE_MAX = 64 * 1024 * 1024 };

struct ps_cl_source {
	const char *
		line; /* "#line 1 .." and a newline, to be compiled first, so that the compiler's log tells the place */
	const char *text;
	char *own_line, *own_text; /* to be freed; NULL: none */
};

/* source: text, which is borrowed, or "file:PATH". The fault names the file. */
int ps_cl_source_get(struct ps_cl_source *, const char *source, struct ps_cl_fault *);
void ps_cl_source_free(struct ps_cl_source *);

/* The PATH of "file:PATH"; NULL: source is text. */
const char *ps_cl_source_path(const char *source);

#endif
