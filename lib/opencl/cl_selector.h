/* SPDX-License-Identifier: MIT */
/*
 * Selectors: which of some devices a text names, and the text that names a device.
 *
 * Knows no OpenCL, only descriptions of devices, so that any machine can be thought up and tested.
 *
 *   selector  where [ "/" i "of" n ]           i-th of n parts, 1 <= i <= n <= PS_CL_SUBDEVICE_MAX
 *   where     platform ":" type ":" device
 *           | platform ":" type
 *           | P "." D                          numbers; D counts all devices of platform P
 *           | word
 *
 * An empty part matches all. platform: a number as in P.D, or a piece of the platform's name, its vendor or its ICD
 * suffix. type: a piece of "cpu", "gpu", "accelerator", "custom". device: a number, counted from 0 among those devices
 * of its platform that have the type asked for (so `:gpu:1` is the second GPU, whatever else that platform has), or a
 * piece of the device's name. A word that is a type's whole name means the type and nothing else, so that `gpu` never
 * finds a CPU of a platform that calls itself "GPU something"; any other word is a piece of a device's, platform's or
 * vendor's name or of an ICD suffix. A word that is a number says neither of what it is one: malformed. Pieces are
 * compared without regard to the case of ASCII letters.
 */
#ifndef PENSTOCK_CL_SELECTOR_H
#define PENSTOCK_CL_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>

enum { PS_CL_NAME = 128, PS_CL_SELECTOR = 64, PS_CL_SUBDEVICE_MAX = 65535 };

enum ps_cl_arg_type { PS_CL_CPU, PS_CL_GPU, PS_CL_ACCELERATOR, PS_CL_CUSTOM, PS_CL_ARG_TYPE_COUNT };

/* What selectors see of a device. */
struct ps_cl_entry {
	unsigned platform; /* number of its platform; the devices of one stand together, in its order */
	enum ps_cl_arg_type type;
	char name[PS_CL_NAME];
	char platform_name[PS_CL_NAME], vendor[PS_CL_NAME];
	char suffix[PS_CL_NAME];       /* ICD suffix, "POCL"; "": none */
	char selector[PS_CL_SELECTOR]; /* by ps_cl_selector_name() */
};

/* A part of a selector. Borrows from its text. */
struct ps_cl_piece {
	const char *text;
	size_t length;  /* 0: matches all */
	bool number;    /* all digits */
	unsigned value; /* of a number */
};

/* A selector, taken to pieces. Borrows from its text. */
struct ps_cl_selector {
	const char *text;
	struct ps_cl_piece platform, device;
	struct ps_cl_piece word; /* length > 0: the form of one word; then all else matches all */
	unsigned types;          /* bit t: type t matches */
	unsigned part, parts;    /* 0 of 0: the whole device */
};

/* 0, or -EINVAL with the reason in why[0 .. size). */
int ps_cl_selector_parse(struct ps_cl_selector *, const char *text, char *why, size_t size);

/* Sets every entry's selector: platform:type:number, the platform by its ICD suffix or a word of its name, or by its
 * number where no word is its own. */
void ps_cl_selector_name(struct ps_cl_entry *, unsigned count);

/* Which entry it names: 0 and *found, -ENODEV or -ENOTUNIQ with the reason and the candidates' selectors in why, as
 * many as fit. The entries have their selectors. */
int ps_cl_selector_find(const struct ps_cl_selector *, const struct ps_cl_entry *, unsigned count,
	unsigned *found, char *why, size_t size);

#endif
