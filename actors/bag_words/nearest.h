/* SPDX-License-Identifier: MIT */
/* Distances to a block of words, in vectors of LANES: bag_words.c includes it for each number of LANES. */
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define FLOATS JOIN(floats, LANES)

typedef float FLOATS __attribute__((vector_size(4 * LANES), aligned(4)));

/* words: BLOCK side by side, for each number of a descriptor. */
PS_WIDE_BODY static void JOIN(measure, LANES)(float *distance, const float *descriptor, const float *words)
{
	FLOATS sum[BLOCK / LANES], row;

#pragma GCC unroll 8
	for (size_t i = 0; i < BLOCK / LANES; i++)
		sum[i] = (FLOATS){ 0 };
	for (size_t k = 0; k < PSTK_BAG_NUMBERS; k++, words += BLOCK) {
#pragma GCC unroll 8
		for (size_t i = 0; i < BLOCK / LANES; i++) {
			memcpy(&row, words + i * LANES, sizeof row);
			row -= descriptor[k];
			sum[i] += row * row;
		}
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < BLOCK / LANES; i++)
		memcpy(distance + i * LANES, &sum[i], sizeof row);
}

#undef JOINED
#undef JOIN
#undef FLOATS
#undef LANES
