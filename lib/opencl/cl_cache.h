/* SPDX-License-Identifier: MIT */
/*
 * PoCL's cache: the directory where it keeps what it has compiled, and compiles it. Where that can't be written PoCL
 * shows no device; where its disk is full it builds nothing, or LLVM ends the program. It does not say why. Knows no
 * OpenCL.
 */
#ifndef PENSTOCK_CL_CACHE_H
#define PENSTOCK_CL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PS_CL_CACHE_PATH = 4096 };

struct ps_cl_cache {
	char path[PS_CL_CACHE_PATH];
	const char *from; /* the variable that says so; NULL: none does */
	int err;          /* negative errno: it can't be made or written */
	uint64_t left;    /* bytes on its disk */
};

/* What PoCL calls its platform. */
bool ps_cl_cache_is_of(const char *platform);

/* Any thread. Makes the directory, as PoCL does, and writes a file there, which it removes. */
void ps_cl_cache_look(struct ps_cl_cache *);

/* "PoCL can't write its cache /x (HOME): ..; set POCL_CACHE_DIR to .." if it can't: true. */
bool ps_cl_cache_fault(const struct ps_cl_cache *, char *text, size_t size);

/* Bytes on the disk below which a build is warned of. Only tests change it. */
extern uint64_t ps_cl_cache_low;

#endif
