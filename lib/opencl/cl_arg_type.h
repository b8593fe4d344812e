/* SPDX-License-Identifier: MIT */
/* OpenCL C's own types, by the names that compilers tell for a kernel's parameters. */
#ifndef PENSTOCK_CL_ARG_TYPE_H
#define PENSTOCK_CL_ARG_TYPE_H

#include <stdbool.h>
#include <stddef.h>

struct ps_cl_arg_type {
	size_t scalar;  /* bytes of an element */
	unsigned lanes; /* elements in memory: 1, or a vector's, where 3 count as 4 */
	bool floating;
};

/* "uint", "unsigned int", "float4"; of a pointer "float4*" what it points to. false: a typedef, a struct, void, or what
 * no two devices agree on (size_t). */
bool ps_cl_arg_type_parse(const char *name, struct ps_cl_arg_type *);

/* Bytes of a value of that type; 0: not known. */
size_t ps_cl_arg_type_size(const char *name);

#endif
