/* SPDX-License-Identifier: MIT */
/*
 * Results: the counts of each image, and what is written of them.
 *
 *   - CSV: a line for each image and size: image, n, G, PS
 *   - JSON: {"split": N, "images": [{"G": [..], "PS": [..], "main": n}, ..]}
 *   - a picture of the sums over all images
 *   - without a name, lines for a reader: "image 0: 3072 pixels, main size 4, none left by opening 9"
 *
 * G(n): the pixels that the opening of size n has left; the list ends with the first 0. PS(n) = G(n) - G(n + 1), the
 * pattern spectrum. main: the n of the largest PS, the smallest such n; of an image without pixels there is none, null.
 */
#ifndef GRANULOMETRY_RESULTS_H
#define GRANULOMETRY_RESULTS_H

#include <penstock/penstock.h>

#include <stdbool.h>
#include <stdint.h>

struct plot;
struct whole;

enum results_form { RESULTS_NONE, RESULTS_LINES, RESULTS_CSV, RESULTS_JSON, RESULTS_PICTURE };

/* Sink's thread only, before and after the run the main one. */
struct results {
	const char *path; /* borrowed */
	enum results_form form;
	uint32_t openings, split;
	struct whole *file; /* of a text */
	struct plot *plot;  /* of a picture */
	uint64_t *counts;   /* of an image: openings + 1 of them */
	uint64_t *sums;     /* over all images */
	uint64_t images;
};

/* Can something be written under this name, and is there what it takes? path NULL: lines, on standard output. 0, or
 * what to exit with; said then. */
int results_check(const char *path);

/* Makes room, but no file. As results_check(). In both cases results_close() follows. */
int results_init(struct results *, const char *path, uint32_t openings, uint32_t split);

/* Opens the file, which may wait for a FIFO's other end. 0, or what to exit with; said then. */
int results_open(struct results *);

/* An image more: its counts, sizes 0 .. split and split + 1 .. openings. 0, or -EIO: it could not be written. */
int results_add(struct results *, const uint64_t *small, const uint64_t *large);

/* Writes the rest and gives the file its name. 0, or what to exit with; said then. */
int results_complete(struct results *);

void results_close(struct results *);

/* The counts that mean something: up to the first 0. */
uint32_t results_length(const uint64_t *counts, uint32_t openings);

/* The n of the largest PS. length: of the counts. UINT32_MAX: there is no PS. */
uint32_t results_main(const uint64_t *counts, uint32_t length);

/* The sink. Ports: small, and where split < openings large; u64. arg: struct results, borrowed. */
const struct pstk_actor_type *results_type(const struct results *);

#endif
