/* SPDX-License-Identifier: MIT */
/* The products of a tile's cells with LANES rows: vivid_classify.c includes it for each number of LANES. */
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define FLOATS JOIN(floats, LANES)

typedef float FLOATS __attribute__((vector_size(4 * LANES), aligned(4)));

/* rows: those of a group from the first of them on, sum: where they begin in it, both GROUP apart. */
PS_WIDE_BODY static void JOIN(multiply, LANES)(
	float *sum, const float *const cell[TILE], const float *rows, size_t filters)
{
	FLOATS total[TILE], row;

#pragma GCC unroll 8
	for (size_t c = 0; c < TILE; c++)
		total[c] = (FLOATS){ 0 };
	for (size_t k = 0; k < filters; k++, rows += GROUP) {
		memcpy(&row, rows, sizeof row);
#pragma GCC unroll 8
		for (size_t c = 0; c < TILE; c++)
			total[c] += row * cell[c][k];
	}
#pragma GCC unroll 8
	for (size_t c = 0; c < TILE; c++)
		memcpy(sum + c * GROUP, &total[c], sizeof row);
}

#undef JOINED
#undef JOIN
#undef FLOATS
#undef LANES
