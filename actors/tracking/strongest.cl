/* SPDX-License-Identifier: MIT */
/* Features: the strongest pixels of a frame. Behind tracking.cl. */

/* The correctly rounded quotient of normal numbers, also where a device's division is not. */
static inline float divide(float a, float b)
{
#ifdef CPU
	return a / b;
#else
	float r = 1 / b, q;

	r = fma(fma(-b, r, 1.f), r, r);
	q = a * r;
	return fma(fma(-q, b, a), r, q);
#endif
}

/*
 * Sums of products of gradients, which are multiples of 2^-11 below 128. On a CPU they are in double precision, which
 * has vectors, else in integers, in units of 2^-22: both are exact.
 */
#ifdef CPU
typedef double sum;
#define TO_SUM(gradient) (gradient)
#define TO_FLOAT(sum) convert_float_rte(sum)
#else
typedef long sum;
#define TO_SUM(gradient) convert_int_rte((gradient)*2048)
#define TO_FLOAT(sum) (convert_float_rte(sum) * 0x1p-22f)
#endif

/* xx, xy, yy of a column. */
static inline void add_products(__global sum *sums, size_t w, size_t x, float gx, float gy, sum sign)
{
	sum across = TO_SUM(gx), along = TO_SUM(gy);

	sums[x] += sign * across * across;
	sums[w + x] += sign * across * along;
	sums[2 * w + x] += sign * along * along;
}

static inline float strength_of(sum xx, sum xy, sum yy)
{
	float a = TO_FLOAT(xx), b = TO_FLOAT(xy), d = TO_FLOAT(yy);
	float det = a * d - b * b, trace = a + d + 1e-5f;

	return det > 0 ? divide(det, trace) : 0;
}

#ifdef CPU
static inline double8 load_doubles(__global const float *p)
{
	return convert_double8(vload8(0, p));
}

/* In each column less the products of one row, and those of another one more. less: NULL: none */
static inline void change_row(__global double *sums, size_t w, __global const float *less_gx,
	__global const float *less_gy, __global const float *gx, __global const float *gy)
{
	__global double *xx = sums, *xy = sums + w, *yy = sums + 2 * w;
	size_t x = 0;

	for (; x + 8 <= w; x += 8) {
		double8 a = load_doubles(gx + x), b = load_doubles(gy + x), aa = a * a, ab = a * b, bb = b * b;

		if (less_gx) {
			a = load_doubles(less_gx + x);
			b = load_doubles(less_gy + x);
			aa -= a * a;
			ab -= a * b;
			bb -= b * b;
		}
		vstore8(vload8(0, xx + x) + aa, 0, xx + x);
		vstore8(vload8(0, xy + x) + ab, 0, xy + x);
		vstore8(vload8(0, yy + x) + bb, 0, yy + x);
	}
	for (; x < w; x++) {
		add_products(sums, w, x, gx[x], gy[x], 1);
		if (less_gx)
			add_products(sums, w, x, less_gx[x], less_gy[x], -1);
	}
}

/* Each number with those in front of it. */
static inline double8 sums_up_to(double8 v)
{
	v += (double8)(0, v.s0123, v.s45, v.s6);
	v += (double8)(0, 0, v.s0123, v.s45);
	return v + (double8)(0, 0, 0, 0, v.s0123);
}

/* Sums of windows at p and the seven next columns; next: the one at p, then the one behind them. */
static inline float8 window_sums(__global const double *p, size_t window, double *next)
{
	double8 own = sums_up_to(vload8(0, p + window) - vload8(0, p));
	double8 sums = *next + (double8)(0, own.s0123, own.s45, own.s6);

	*next += own.s7;
	return convert_float8_rte(sums);
}

/* to: n strengths, of windows of columns, the first of them from column x on. */
static inline void weigh_row(__global float *to, __global const double *sums, size_t w, size_t window, size_t x,
	size_t n)
{
	__global const double *across = sums + x, *both = sums + w + x, *along = sums + 2 * w + x;
	double xx = 0, xy = 0, yy = 0;
	size_t i = 0;

	for (size_t k = 0; k < window; k++) {
		xx += across[k];
		xy += both[k];
		yy += along[k];
	}
	for (; i + 8 <= n; i += 8) {
		float8 a = window_sums(across + i, window, &xx), b = window_sums(both + i, window, &xy),
		       d = window_sums(along + i, window, &yy), det = a * d - b * b;

		vstore8(select((float8)0, det / (a + d + 1e-5f), det > 0), 0, to + i);
	}
	for (; i < n; i++) {
		to[i] = strength_of(xx, xy, yy);
		xx += across[i + window] - across[i];
		xy += both[i + window] - both[i];
		yy += along[i + window] - along[i];
	}
}
#endif

/* Rows of the group's band. */
static inline void band_of(size_t h, size_t *from, size_t *to)
{
	*from = get_group_id(0) * h / get_num_groups(0);
	*to = (get_group_id(0) + 1) * h / get_num_groups(0);
}

/* columns: 3 * width sums for each group */
__kernel void strengths(__global const float *in, __global float *strength, __global sum *columns, uint width,
	uint height, uint token, uint given)
{
	__global const float *levels = in + token * levels_floats(width, height), *gx, *gy;
	__global sum *sums = columns + get_group_id(0) * 3 * width;
	uint2 size = size_of(levels, width, height);
	size_t w = size.x, h = size.y, window = window_of(given, size.x), before = (window + 1) / 2, from, to;
	size_t n = w > 2 * window ? w - 2 * window : 0, share = (n + MEMBERS - 1) / MEMBERS;
	size_t begin = min(n, MEMBER * share), end = min(n, begin + share), first;

	gx = levels + HEAD_FLOATS + part_at(size, 0, ACROSS);
	gy = levels + HEAD_FLOATS + part_at(size, 0, ALONG);
	band_of(h, &from, &to);
	for (size_t i = from * w + MEMBER; i < to * w; i += MEMBERS)
		strength[i] = 0;
	for (size_t x = MEMBER; x < 3 * w; x += MEMBERS)
		sums[x] = 0;
	barrier(CLK_GLOBAL_MEM_FENCE);
	first = max(from, window);
	to = n == 0 || h <= window ? 0 : min(to, h - window);
	for (size_t y = first; y < to; y++) {
		size_t top = y - before, row = top + window - 1;
#ifdef CPU
		for (size_t r = y == first ? top : row; r <= row; r++)
			change_row(sums, w, y == first ? 0 : gx + (top - 1) * w, gy + (top - 1) * w, gx + r * w,
				gy + r * w);
		weigh_row(strength + y * w + window, sums, w, window, window - before, n);
#else

		if (y == first)
			for (size_t r = top; r < row; r++)
				for (size_t x = MEMBER; x < w; x += MEMBERS)
					add_products(sums, w, x, gx[r * w + x], gy[r * w + x], 1);
		else
			for (size_t x = MEMBER; x < w; x += MEMBERS)
				add_products(sums, w, x, gx[(top - 1) * w + x], gy[(top - 1) * w + x], -1);
		for (size_t x = MEMBER; x < w; x += MEMBERS)
			add_products(sums, w, x, gx[row * w + x], gy[row * w + x], 1);
		barrier(CLK_GLOBAL_MEM_FENCE);
		if (begin < end) {
			size_t x = window - before + begin;
			sum xx = 0, xy = 0, yy = 0;

			for (size_t k = x; k < x + window; k++) {
				xx += sums[k];
				xy += sums[w + k];
				yy += sums[2 * w + k];
			}
			for (size_t i = begin; i < end; i++, x++) {
				strength[y * w + window + i] = strength_of(xx, xy, yy);
				xx += sums[x + window] - sums[x];
				xy += sums[w + x + window] - sums[w + x];
				yy += sums[2 * w + x + window] - sums[2 * w + x];
			}
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
#endif
	}
}

/* The least strength that is taken, its bits digit by digit; how many are to be found with it; are all taken? */
enum { LEAST, EQUAL, ALL, STATE };

static inline uint digit_shift(uint digit)
{
	return digit == 0 ? 21 : digit == 1 ? 10 : 0;
}

static inline uint digit_mask(uint digit)
{
	return digit == 2 ? 1023 : 2047;
}

static inline void count_one(__local uint *counts, uint bits, uint prefix, uint above, uint digit)
{
	uint value = bits >> digit_shift(digit) & digit_mask(digit);

	if (bits == 0 || bits >> above != prefix >> above)
		return;
#ifdef CPU
	counts[value]++;
#else
	atomic_inc(&counts[value]);
#endif
}

/* counts: DIGIT_SIZE for each group. Neighbours are counted in copies of their own: mostly they have the same digit,
 * and then one would wait for the other. */
__kernel void count(__global const float *in, __global const float *strength, __global const uint *state,
	__global uint *counts, uint width, uint height, uint token, uint digit)
{
	__local uint own[COPIES * DIGIT_SIZE];
	uint2 size = size_of(in + token * levels_floats(width, height), width, height);
	uint prefix = digit ? state[LEAST] : 0, above = digit ? digit_shift(digit - 1) : 31;
	size_t from, to, begin, end;

	band_of(size.y, &from, &to);
	begin = from * size.x;
	end = to * size.x;
	for (uint i = MEMBER; i < COPIES * DIGIT_SIZE; i += MEMBERS)
		own[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (digit == 0 || state[ALL] == 0)
		for (size_t i = begin + MEMBER * V; i < end; i += MEMBERS * V) {
			/* mostly none of the next ones counts */
			if (i + V <= end && !any(BITS(LOAD(strength + i)) >> above == (uints)(prefix >> above)))
				continue;
			for (size_t k = i; k < min(i + V, end); k++)
				count_one(own + k % COPIES * DIGIT_SIZE, as_uint(strength[k]), prefix, above, digit);
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = MEMBER; i < DIGIT_SIZE; i += MEMBERS) {
		uint sum = 0;

		for (uint copy = 0; copy < COPIES; copy++)
			sum += own[copy * DIGIT_SIZE + i];
		counts[get_group_id(0) * DIGIT_SIZE + i] = sum;
	}
}

/* One group. given: features, 0: by the frame's size. */
__kernel void choose(__global const float *in, __global uint *counts, __global uint *state, uint width, uint height,
	uint token, uint digit, uint groups, uint given)
{
	uint2 size = size_of(in + token * levels_floats(width, height), width, height);

	for (uint i = MEMBER; i < DIGIT_SIZE; i += MEMBERS)
		for (uint g = 1; g < groups; g++)
			counts[i] += counts[g * DIGIT_SIZE + i];
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (MEMBER == 0 && digit == 0) {
		state[LEAST] = 0;
		state[EQUAL] = features_of(given, size.x);
		state[ALL] = 0;
	}
	if (MEMBER == 0 && state[ALL] == 0) {
		uint value = digit_mask(digit), left = state[EQUAL];

		while (value != 0 && counts[value] < left)
			left -= counts[value--];
		if (digit == 0 && value == 0 && counts[0] < left) {
			state[ALL] = 1;
			state[EQUAL] = 0;
		} else {
			state[LEAST] |= value << digit_shift(digit);
			state[EQUAL] = left;
		}
	}
}

static inline uint count_of_lanes(uints v)
{
	uint lanes[V], sum = 0;

	STORE(v, lanes);
	for (uint k = 0; k < V; k++)
		sum += lanes[k];
	return sum;
}

/* rows: of each row how many are stronger than the least one, and how many are as strong. */
__kernel void tally(__global const float *in, __global const float *strength, __global const uint *state,
	__global uint *rows, uint width, uint height, uint token)
{
	uint2 size = size_of(in + token * levels_floats(width, height), width, height);
	uint least = state[LEAST];

	for (size_t y = get_global_id(0); y < size.y; y += get_global_size(0)) {
		__global const float *row = strength + y * size.x;
		uints more = 0, same = 0;
		uint stronger = 0, equal = 0;
		size_t x = 0;

		/* a comparison that holds is -1 */
		for (; x + V <= size.x; x += V) {
			uints bits = BITS(LOAD(row + x));

			more -= BITS(bits > (uints)least);
			same -= BITS(bits == (uints)least);
		}
		for (; x < size.x; x++) {
			stronger += as_uint(row[x]) > least;
			equal += as_uint(row[x]) == least;
		}
		stronger += count_of_lanes(more);
		equal += count_of_lanes(same);
		rows[2 * y] = stronger;
		rows[2 * y + 1] = equal;
	}
}

/* found: bits and numbers of pixels, in the order of rows and columns. total: how many. */
__kernel void gather(__global const float *in, __global const float *strength, __global const uint *state,
	__global const uint *rows, __global uint2 *found, __global uint *total, uint width, uint height, uint token)
{
	uint2 size = size_of(in + token * levels_floats(width, height), width, height);
	uint least = state[LEAST], equal = state[EQUAL];

	if (get_global_id(0) == 0 && size.y == 0)
		*total = 0;
	for (size_t y = get_global_id(0); y < size.y; y += get_global_size(0)) {
		uint at = 0, seen = 0, left;

		for (size_t r = 0; r < y; r++) {
			at += rows[2 * r];
			seen += rows[2 * r + 1];
		}
		at += min(seen, equal);
		left = equal - min(seen, equal);
		for (size_t x = 0; x < size.x; x++) {
			uint bits = as_uint(strength[y * size.x + x]);

			/* mostly none of the next ones counts */
			if (x + V <= size.x && !any(BITS(LOAD(strength + y * size.x + x)) >= (uints)least)) {
				x += V - 1;
				continue;
			}
			if (bits > least || (bits == least && left > 0)) {
				left -= bits == least;
				found[at++] = (uint2)(bits, (uint)(y * size.x + x));
			}
		}
		if (y + 1 == size.y)
			*total = at;
	}
}

/* sorted: strongest first, equal ones by their number. */
__kernel void rank(__global const uint2 *found, __global const uint *total, __global uint2 *sorted)
{
	uint n = *total;

	for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
		uint2 own = found[i];
		uint place = 0;

		for (uint k = 0; k < n; k++)
			place += found[k].x > own.x || (found[k].x == own.x && k < i);
		sorted[place] = own;
	}
}

/* One group. Drops what is near to a stronger one, and writes the token. What is dropped gets the strength 0. */
__kernel void apart(__global const float *in, __global uint2 *sorted, __global const uint *total, __global float *out,
	uint width, uint height, uint token, uint number, uint found_floats, uint radius, uint given)
{
	uint2 size = size_of(in + token * levels_floats(width, height), width, height);
	uint n = size.x == 0 || size.y == 0 ? 0 : *total, kept = 0;
	__global float *to = out + number * found_floats;
	long near = (long)radius * radius;

	for (uint i = 0; i < n; i++) {
		uint2 own = sorted[i];

		if (own.x != 0)
			for (uint k = i + 1 + MEMBER; k < n; k += MEMBERS) {
				long dx = (long)(sorted[k].y % size.x) - (long)(own.y % size.x),
				     dy = (long)(sorted[k].y / size.x) - (long)(own.y / size.x);

				if (dx * dx + dy * dy <= near)
					sorted[k].x = 0;
			}
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
	if (MEMBER != 0)
		return;
	for (uint i = 0; i < n; i++) {
		uint2 own = sorted[i];

		if (own.x != 0)
			vstore4((float4)(own.y % size.x, own.y / size.x, as_float(own.x), 0), kept++, to + HEAD_FLOATS);
	}
	write_found(to, size, kept, size.x ? window_of(given, size.x) : 0);
}
