/* SPDX-License-Identifier: MIT */
#include "benchmarks/apps/saliency_filters.h"
#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = FILTERS_SIDE * FILTERS_SIDE };

static int give_ones(struct pstk_firing *f)
{
	struct pstk_cf32 *spectrum = pstk_fifo_write_start(f, 0);

	for (size_t i = 0; i < PIXELS; i++)
		spectrum[i] = (struct pstk_cf32){ 1, 0 };
	pstk_fifo_write_end(f, 0);
	return PSTK_DONE;
}

/* One filter into its square. The picture's v points down, as rows do. */
static void draw(uint8_t *picture, const struct pstk_cf32 *filter, unsigned map)
{
	const size_t half = FILTERS_SIDE / 2;
	uint8_t *to = picture + (size_t)(map % PSTK_SALIENCY_BANDS) * FILTERS_SIDE * FILTERS_WIDTH +
	              (size_t)(map / PSTK_SALIENCY_BANDS) * FILTERS_SIDE;

	for (size_t y = 0; y < FILTERS_SIDE; y++)
		for (size_t x = 0; x < FILTERS_SIDE; x++) {
			size_t row = (y + half) % FILTERS_SIDE, column = (x + half) % FILTERS_SIDE;

			to[y * FILTERS_WIDTH + x] =
				(uint8_t)(filter[row * FILTERS_SIDE + column].re * 255 + 0.5F);
		}
}

static int take_filters(struct pstk_firing *f)
{
	uint8_t *picture = *(uint8_t *const *)pstk_actor_arg(pstk_firing_actor(f));
	const struct pstk_cf32 *filters = pstk_fifo_read_start(f, 0);

	for (unsigned map = 0; map < PSTK_SALIENCY_MAPS; map++)
		draw(picture, filters + (size_t)map * PIXELS, map);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void make(uint8_t *picture)
{
	static const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "cf32" },
				      in = { .name = "in", .token_type = "cf32" };
	struct pstk_frame_size size = { FILTERS_SIDE, FILTERS_SIDE };
	struct pstk_network *net = pstk_network_create("filters");
	struct pstk_actor *source = pstk_network_add(net, "ones",
		PSTK_ACTOR_TYPE(.name = "ones", .ports = &out, .port_count = 1, .fire = give_ones), NULL);
	struct pstk_actor *gabor = pstk_network_add(net, "gabor", pstk_gabor_type(), &size);
	struct pstk_actor *sink = pstk_network_add(net, "picture",
		PSTK_ACTOR_TYPE(.name = "picture", .ports = &in, .port_count = 1, .arg_size = sizeof picture,
			.fire = take_filters),
		&picture);
	const size_t bytes = PIXELS * sizeof(struct pstk_cf32);

	pstk_connect(source, "out", gabor, "in", PSTK_FIFO(.rate = 1, .token_size = bytes));
	pstk_connect(gabor, "out", sink, "in", PSTK_FIFO(.rate = PSTK_SALIENCY_MAPS, .token_size = bytes));
	rounds_run_network(net);
}

void saliency_filters_write(const char *path)
{
	uint8_t *picture = rounds_alloc((size_t)FILTERS_WIDTH * FILTERS_HEIGHT);
	FILE *file = fopen(path, "wb");
	bool written;

	if (!file)
		rounds_fail("%s: %s", path, strerror(errno));
	make(picture);
	written = fprintf(file, "P5\n%d %d\n255\n", FILTERS_WIDTH, FILTERS_HEIGHT) > 0 &&
	          fwrite(picture, FILTERS_WIDTH, FILTERS_HEIGHT, file) == FILTERS_HEIGHT;
	written &= !fclose(file);
	if (!written)
		rounds_fail("%s: it can't be written", path);
	free(picture);
}
