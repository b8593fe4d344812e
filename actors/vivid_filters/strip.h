/* SPDX-License-Identifier: MIT */
/* A strip of LANES pixels under all filters: vivid_filters.c includes it for each number of LANES. */
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define FLOATS JOIN(floats, LANES)
#define INTS JOIN(ints, LANES)
#define BYTES JOIN(bytes, LANES)

typedef float FLOATS __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t INTS __attribute__((vector_size(4 * LANES), aligned(4)));
typedef uint8_t BYTES __attribute__((vector_size(LANES), aligned(1)));

/* row: of three rows, from the pixel left of the strip on. */
PS_WIDE_BODY static void JOIN(filter_strip, LANES)(
	float *value, uint8_t *index, const uint8_t *const row[3], const float *filters, uint32_t count)
{
	const INTS magnitude = (INTS){ 0 } + INT32_MAX;
	FLOATS p[TAPS], best = (FLOATS){ 0 } - 1;
	INTS which = { 0 };
	BYTES small;

#pragma GCC unroll 9
	for (int i = 0; i < TAPS; i++) {
		memcpy(&small, row[i / 3] + i % 3, sizeof small);
		p[i] = __builtin_convertvector(small, FLOATS);
	}
	for (uint32_t f = 0; f < count; f++, filters += TAPS) {
		FLOATS sum = p[0] * filters[0] + p[1] * filters[1] + p[2] * filters[2];
		INTS more;

		sum += p[3] * filters[3] + p[4] * filters[4] + p[5] * filters[5];
		sum += p[6] * filters[6] + p[7] * filters[7] + p[8] * filters[8];
		sum = (FLOATS)((INTS)sum & magnitude);
		more = sum > best;
		best = (FLOATS)(((INTS)sum & more) | ((INTS)best & ~more));
		which = (more & (int32_t)f) | (which & ~more);
	}
	small = __builtin_convertvector(which, BYTES);
	memcpy(value, &best, sizeof best);
	memcpy(index, &small, sizeof small);
}

#undef JOINED
#undef JOIN
#undef FLOATS
#undef INTS
#undef BYTES
#undef LANES
