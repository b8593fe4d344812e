/* SPDX-License-Identifier: MIT */
/*
 * The stages of tracking on a device. A token is HEAD bytes, the first of which are width and height of its own frame,
 * then what belongs to it; arguments width, height: the largest frame. `token` is the number of a token in its window.
 *
 * Sums of features are integers, and from there on each operation is rounded by itself, so the features are those of
 * the cores, in the same order.
 *
 *	preprocess   blur, slope of level 0, halve, slope of level 1
 *	features     strengths; three times count and choose, a digit of the least strength each; tally, gather, rank,
 *	             apart
 *	track        follow
 *
 * Any work size gives the right result in blur, slope, halve, tally, gather and rank. In the others a group does a band
 * of rows, or a feature, with as many work-items as it has; on a CPU a group has one.
 */
#pragma OPENCL FP_CONTRACT OFF

/* 8 numbers at once where the target is a CPU and the compiler clang (PoCL), else 4: see gauss5x5.cl. */
#if defined(__clang__) && !defined(PORTABLE) && defined(cl_khr_fp64) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define CPU
#define V 8u
typedef float8 floats;
typedef int8 ints;
typedef uint8 uints;
typedef ushort8 sums16;
typedef float16 pairs;
#define LOAD(p) vload8(0, p)
#define LOAD_PAIRS(p) vload16(0, p)
#define STORE(v, p) vstore8(v, 0, p)
#define TO_FLOATS convert_float8
#define TO_SUMS convert_ushort8
#define SHIFTED1(a, b) (sums16)((a).s1234, (a).s567, (b).s0)
#define SHIFTED2(a, b) (sums16)((a).s2345, (a).s67, (b).s01)
#define SHIFTED3(a, b) (sums16)((a).s3456, (a).s7, (b).s012)
#define SHIFTED4(a, b) (sums16)((a).s4567, (b).s0123)
#define BITS(v) as_uint8(v)
#define LANES (ints)(0, 1, 2, 3, 4, 5, 6, 7)
#define MEMBER 0u
#define MEMBERS 1u
#define COPIES 4u /* of counters: see count */
#else
#define V 4u
typedef float4 floats;
typedef int4 ints;
typedef uint4 uints;
typedef ushort4 sums16;
typedef float8 pairs;
#define LOAD(p) vload4(0, p)
#define LOAD_PAIRS(p) vload8(0, p)
#define STORE(v, p) vstore4(v, 0, p)
#define TO_FLOATS convert_float4
#define TO_SUMS convert_ushort4
#define SHIFTED1(a, b) (sums16)((a).s123, (b).s0)
#define SHIFTED2(a, b) (sums16)((a).s23, (b).s01)
#define SHIFTED3(a, b) (sums16)((a).s3, (b).s012)
#define SHIFTED4(a, b) (b)
#define BITS(v) as_uint4(v)
#define LANES (ints)(0, 1, 2, 3)
#define MEMBER get_local_id(0)
#define MEMBERS get_local_size(0)
#define COPIES 1u
#endif

#define HEAD 64
#define HEAD_FLOATS (HEAD / 4)
enum { GROUP_MOST = 64, BORDER = 2, TAPS = 5, DIGIT_SIZE = 2048 };
enum { PICTURE, ACROSS, ALONG };

static inline size_t token_bytes(size_t n)
{
	return HEAD + (n + 63) / 64 * 64;
}

static inline size_t levels_count(size_t w, size_t h)
{
	return 3 * (w * h + (w + 1) / 2 * ((h + 1) / 2));
}

/* Floats of a token of levels. */
static inline size_t levels_floats(uint width, uint height)
{
	return token_bytes(4 * levels_count(width, height)) / 4;
}

/* The size of a frame; of a wrong one 0. */
static inline uint2 size_of(__global const void *token, uint width, uint height)
{
	__global const uint *size = token;

	return size[0] <= width && size[1] <= height ? (uint2)(size[0], size[1]) : (uint2)(0, 0);
}

static inline uint2 size_at(uint2 size, uint level)
{
	return level ? (size + 1) / 2 : size;
}

/* Where a part of a level begins, behind the head. */
static inline size_t part_at(uint2 size, uint level, uint part)
{
	size_t first = (size_t)size.x * size.y;
	uint2 small = size_at(size, 1);

	return level ? 3 * first + part * (size_t)small.x * small.y : part * first;
}

/* The formats of SD-VBS: 0 is what they say. */
static inline uint window_of(uint given, uint width)
{
	return given ? given : width <= 128 ? 8 : width <= 176 ? 12 : width <= 352 ? 20 : width <= 640 ? 32 : 48;
}

static inline uint features_of(uint given, uint width)
{
	return given ? given : (width > 128 && width <= 176) || (width > 352 && width <= 640) ? 400 : 500;
}

static inline uint rounds_of(uint given, uint width)
{
	return given ? given : width <= 176 ? 15 : 20;
}

#define FOR_ROWS(y, h) for (size_t y = get_global_id(1); y < (h); y += get_global_size(1))
/* Pieces of V numbers of `n`; the last one begins earlier. */
#define FOR_PIECES(x, n) for (size_t x = get_global_id(0) * V; x < (n); x += get_global_size(0) * V)

static inline size_t piece(size_t x, size_t n)
{
	return x + V <= n ? x : n - V;
}

/* 0 in columns from .. to - 1, by all work-items of a row. */
static inline void clear(__global float *to, size_t from, size_t end)
{
	for (size_t x = from + get_global_id(0); x < end; x += get_global_size(0))
		to[x] = 0;
}

/*
 * Preprocess.
 */

static inline floats weigh(floats a, floats b, floats c, floats d, floats e)
{
	return a + e + 4 * (b + d) + 6 * c;
}

/* Of the columns from p on, V or four of them; the sums have 16 bits. there: 1 or 0 for the rows, the first two and the
 * last two. */
static inline sums16 down(__global const uchar *p, size_t w, ushort4 there)
{
	return there.x * TO_SUMS(LOAD(p)) + there.w * TO_SUMS(LOAD(p + 4 * w)) +
	       (ushort)4 * (there.y * TO_SUMS(LOAD(p + w)) + there.z * TO_SUMS(LOAD(p + 3 * w))) +
	       (ushort)6 * TO_SUMS(LOAD(p + 2 * w));
}

static inline ushort4 down_four(__global const uchar *p, size_t w, ushort4 there)
{
	return there.x * convert_ushort4(vload4(0, p)) + there.w * convert_ushort4(vload4(0, p + 4 * w)) +
	       (ushort)4 * (there.y * convert_ushort4(vload4(0, p + w)) +
				   there.z * convert_ushort4(vload4(0, p + 3 * w))) +
	       (ushort)6 * convert_ushort4(vload4(0, p + 2 * w));
}

static inline floats blurred(__global const uchar *p, size_t w, ushort4 there)
{
	sums16 a = down(p, w, there);
	ushort4 b = down_four(p + V, w, there);

	return TO_FLOATS(a + SHIFTED4(a, b) + (ushort)4 * (SHIFTED1(a, b) + SHIFTED3(a, b)) +
			 (ushort)6 * SHIFTED2(a, b)) *
	       (1 / 256.f);
}

static inline float down_one(__global const uchar *p, size_t w, float4 there)
{
	return there.x * p[0] + there.w * p[4 * w] + 4 * (there.y * p[w] + there.z * p[3 * w]) + 6 * p[2 * w];
}

/* Dimension 2 is the token. */
__kernel void blur(__global const uchar *in, __global float *out, uint width, uint height)
{
	__global const uchar *from = in + get_global_id(2) * token_bytes((size_t)width * height);
	__global float *to = out + get_global_id(2) * levels_floats(width, height);
	uint2 size = size_of(from, width, height);
	size_t w = size.x, h = size.y, n = w < TAPS ? 0 : w - 2 * BORDER;

	if (get_global_id(0) == 0 && get_global_id(1) == 0)
		vstore2(size, 0, (__global uint *)to);
	from += HEAD;
	to += HEAD_FLOATS;
	FOR_ROWS(y, h) {
		__global float *row = to + y * w;
		__global const uchar *p = from + (y - BORDER) * w;
		/* the first way has made nothing in the outermost rows */
		ushort4 exist = (ushort4)(y >= 4, y >= 3, y + 3 < h, y + 4 < h);
		float4 there = convert_float4(exist);

		if (n == 0 || y < BORDER || y + BORDER >= h) {
			clear(row, 0, w);
			continue;
		}
		clear(row, 0, BORDER);
		clear(row, w - BORDER, w);
		FOR_PIECES(x, n)
			if (n >= V) {
				size_t i = piece(x, n);

				STORE(blurred(p + i, w, exist), row + BORDER + i);
			} else {
				for (size_t i = 0; i < n; i++)
					row[BORDER + i] = (down_one(p + i, w, there) + down_one(p + i + 4, w, there) +
								  4 * (down_one(p + i + 1, w, there) +
									      down_one(p + i + 3, w, there)) +
								  6 * down_one(p + i + 2, w, there)) *
					                  (1 / 256.f);
			}
	}
}

__kernel void slope(__global float *out, uint width, uint height, uint level)
{
	__global float *levels = out + get_global_id(2) * levels_floats(width, height);
	uint2 size = size_of(levels, width, height), own = size_at(size, level);
	size_t w = own.x, h = own.y, n = w < 3 ? 0 : w - 2;
	__global const float *picture;
	__global float *across, *along;

	if (size.x == 0 || size.y == 0)
		return;
	levels += HEAD_FLOATS;
	picture = levels + part_at(size, level, PICTURE);
	across = levels + part_at(size, level, ACROSS);
	along = levels + part_at(size, level, ALONG);
	FOR_ROWS(y, h) {
		__global const float *b = picture + y * w, *a = b - w, *c = b + w;
		__global float *to = across + y * w, *down = along + y * w;
		float above = y > 1, below = y + 2 < h;

		if (n == 0 || y == 0 || y + 1 >= h) {
			clear(to, 0, w);
			clear(down, 0, w);
			continue;
		}
		clear(to, 0, 1);
		clear(to, w - 1, w);
		clear(down, 0, 1);
		clear(down, w - 1, w);
		FOR_PIECES(x, n) {
			size_t i = n >= V ? piece(x, n) : 0;

			if (n >= V) {
				ints at = LANES + (int)i;
				/* it has made nothing in the outermost columns either */
				floats left = select((floats)1, (floats)0, at == 0),
				       right = select((floats)1, (floats)0, at == (int)(n - 1));
				floats a0 = LOAD(a + i), a2 = LOAD(a + i + 2), c0 = LOAD(c + i), c2 = LOAD(c + i + 2);

				STORE((above * (a2 - a0) + below * (c2 - c0) + 2 * (LOAD(b + i + 2) - LOAD(b + i))) *
						.125f,
					to + 1 + i);
				STORE((left * (c0 - a0) + right * (c2 - a2) + 2 * (LOAD(c + i + 1) - LOAD(a + i + 1))) *
						.125f,
					down + 1 + i);
			} else {
				for (; i < n; i++) {
					to[1 + i] = (above * (a[i + 2] - a[i]) + below * (c[i + 2] - c[i]) +
							    2 * (b[i + 2] - b[i])) *
					            .125f;
					down[1 + i] = ((i > 0) * (c[i] - a[i]) + (i + 1 < n) * (c[i + 2] - a[i + 2]) +
							      2 * (c[i + 1] - a[i + 1])) *
					              .125f;
				}
			}
		}
	}
}

/* Numbers p[0], p[2], .. and p[1], p[3], .. of the rows' sums. */
static inline pairs down_pairs(__global const float *p, size_t w)
{
	return LOAD_PAIRS(p) + LOAD_PAIRS(p + 4 * w) + 4 * (LOAD_PAIRS(p + w) + LOAD_PAIRS(p + 3 * w)) +
	       6 * LOAD_PAIRS(p + 2 * w);
}

static inline float down_float(__global const float *p, size_t w)
{
	return p[0] + p[4 * w] + 4 * (p[w] + p[3 * w]) + 6 * p[2 * w];
}

__kernel void halve(__global float *out, uint width, uint height)
{
	__global float *levels = out + get_global_id(2) * levels_floats(width, height);
	uint2 size = size_of(levels, width, height), own = size_at(size, 1);
	size_t w = size.x, n = w < TAPS ? 0 : (w - TAPS) / 2 + 1;
	__global float *to;

	levels += HEAD_FLOATS;
	to = levels + part_at(size, 1, PICTURE);
	FOR_ROWS(y, own.y) {
		__global float *row = to + y * own.x;
		__global const float *from = levels + 2 * y * w;

		if (n == 0 || 2 * y + 2 * BORDER >= size.y) {
			clear(row, 0, own.x);
			continue;
		}
		clear(row, n, own.x);
		FOR_PIECES(x, n)
			if (n >= V) {
				size_t i = piece(x, n);
				pairs a = down_pairs(from + 2 * i, w), b = down_pairs(from + 2 * i + 2, w),
				      c = down_pairs(from + 2 * i + 4, w);

				STORE(weigh(a.even, a.odd, b.even, b.odd, c.even) * (1 / 256.f), row + i);
			} else {
				for (size_t i = 0; i < n; i++) {
					__global const float *p = from + 2 * i;

					row[i] = (down_float(p, w) + down_float(p + 4, w) +
							 4 * (down_float(p + 1, w) + down_float(p + 3, w)) +
							 6 * down_float(p + 2, w)) *
					         (1 / 256.f);
				}
			}
	}
}

/*
 * Features.
 */

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

/* The head of a token of features or tracks. */
static inline void write_found(__global float *to, uint2 size, uint count, uint window)
{
	uint16 head = 0;

	head.s0123 = (uint4)(size, count, window);
	vstore16(head, 0, (__global uint *)to);
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

/*
 * Track.
 */

struct patch {
	size_t at;    /* its first pixel */
	float4 share; /* weights of four pixels */
};

/* Does it lie in a picture of that size? */
static inline bool place_patch(struct patch *p, uint2 size, float2 at, float window)
{
	float2 first = at - window, whole = floor(first), part = first - whole;

	if (!(first.x >= 0 && first.y >= 0 && at.x + window + 1 < size.x && at.y + window + 1 < size.y))
		return false;
	p->at = (size_t)whole.y * size.x + (size_t)whole.x;
	p->share = (float4)((1 - part.x) * (1 - part.y), part.x * (1 - part.y), (1 - part.x) * part.y,
		part.x * part.y);
	return true;
}

static inline float at_patch(__global const float *p, size_t w, float4 share)
{
	return share.x * p[0] + share.y * p[1] + share.z * p[w] + share.w * p[w + 1];
}

static inline floats at_patches(__global const float *p, size_t w, float4 share)
{
	return share.x * LOAD(p) + share.y * LOAD(p + 1) + share.z * LOAD(p + w) + share.w * LOAD(p + w + 1);
}

static inline float sum_of(floats v)
{
	float lanes[V], sum = 0;

	STORE(v, lanes);
	for (uint k = 0; k < V; k++)
		sum += lanes[k];
	return sum;
}

/* The sum of all work-items' values, to each of them. */
static inline float4 add_up(__local float4 *room, float4 own)
{
	float4 sum = 0;

	room[MEMBER] = own;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < MEMBERS; i++)
		sum += room[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	return sum;
}

/* Cuts the patch out of the first picture and both gradients of the second one. Returns sums gx^2, gx gy, gy^2. */
static inline float4 cut(__global float *patches, __global const float *picture, __global const float *across,
	__global const float *along, const struct patch *p, size_t w, size_t side)
{
	size_t size = side * side, whole = side / V * V;
	floats xx = 0, xy = 0, yy = 0;
	float4 rest = 0;

	for (size_t y = MEMBER; y < side; y += MEMBERS) {
		size_t from = p->at + y * w;
		__global float *to = patches + y * side;

		for (size_t x = 0; x < whole; x += V) {
			floats gx = at_patches(across + from + x, w, p->share),
			       gy = at_patches(along + from + x, w, p->share);

			STORE(at_patches(picture + from + x, w, p->share), to + x);
			STORE(gx, to + size + x);
			STORE(gy, to + 2 * size + x);
			xx += gx * gx;
			xy += gx * gy;
			yy += gy * gy;
		}
		for (size_t x = whole; x < side; x++) {
			float gx = at_patch(across + from + x, w, p->share),
			      gy = at_patch(along + from + x, w, p->share);

			to[x] = at_patch(picture + from + x, w, p->share);
			to[size + x] = gx;
			to[2 * size + x] = gy;
			rest += (float4)(gx * gx, gx * gy, gy * gy, 0);
		}
	}
	return rest + (float4)(sum_of(xx), sum_of(xy), sum_of(yy), 0);
}

/* Sums (I - J) gx, (I - J) gy. */
static inline float4 compare(__global const float *patches, __global const float *picture, const struct patch *p,
	size_t w, size_t side)
{
	size_t size = side * side, whole = side / V * V;
	floats across = 0, along = 0;
	float4 rest = 0;

	for (size_t y = MEMBER; y < side; y += MEMBERS) {
		__global const float *from = picture + p->at + y * w, *own = patches + y * side;

		for (size_t x = 0; x < whole; x += V) {
			floats less = LOAD(own + x) - at_patches(from + x, w, p->share);

			across += less * LOAD(own + size + x);
			along += less * LOAD(own + 2 * size + x);
		}
		for (size_t x = whole; x < side; x++) {
			float less = own[x] - at_patch(from + x, w, p->share);

			rest += (float4)(less * own[size + x], less * own[2 * size + x], 0, 0);
		}
	}
	return rest + (float4)(sum_of(across), sum_of(along), 0, 0);
}

/* All arguments but the patches: alike in all work-items of the group. Is it still there? *d becomes better. */
static inline bool improve(__local float4 *room, __global float *patches, __global const float *first,
	__global const float *second, uint2 frame, uint level, uint window, uint rounds, float2 at, float2 *d)
{
	uint2 size = size_at(frame, level);
	__global const float *picture = second + part_at(frame, level, PICTURE);
	size_t side = 2 * window;
	struct patch p;
	float4 g;
	float det;
	bool there = place_patch(&p, size, at, window), more;

	if (!there)
		return false;
	g = add_up(room, cut(patches, first + part_at(frame, level, PICTURE), second + part_at(frame, level, ACROSS),
				 second + part_at(frame, level, ALONG), &p, size.x, side));
	det = g.x * g.z - g.y * g.y;
	there = det / (g.x + g.z + 1e-5f) >= 0.03f;
	more = there;
	for (uint round = 0; round < rounds && more; round++) {
		there = place_patch(&p, size, at + *d, window);
		more = there;
		if (there) {
			float4 b = add_up(room, compare(patches, picture, &p, size.x, side));
			float2 step = (float2)(g.z * b.x - g.y * b.y, g.x * b.y - g.y * b.x) / det;

			*d += step;
			more = !(step.x * step.x + step.y * step.y < 0.03f);
		}
	}
	return there;
}

/* How many features are to be followed: of frames of two sizes none. */
static inline uint count_of(__global const float *features, uint2 size, uint2 other, uint most)
{
	uint count = ((__global const uint *)features)[2];

	return size.x != other.x || size.y != other.y || size.x == 0 || count > most ? 0 : count;
}

/* A group does each so many-th feature. patches: for each group 3 patches of the largest window. Lost ones get -1. */
__kernel void follow(__global const float *in, __global const float *features, __global float *out,
	__global float *patches, uint width, uint height, uint token, uint next, uint number, uint found_floats,
	uint most, uint given_window, uint given_rounds, uint largest_window)
{
	__local float4 room[GROUP_MOST];
	__global const float *first = in + token * levels_floats(width, height),
			     *second = in + next * levels_floats(width, height),
			     *from = features + number * found_floats;
	__global float *to = out + number * found_floats,
		       *own = patches + get_group_id(0) * 12 * (size_t)largest_window * largest_window;
	uint2 size = size_of(first, width, height), other = size_of(second, width, height);
	uint window = window_of(given_window, size.x), rounds = rounds_of(given_rounds, size.x);
	uint count = count_of(from, size, other, most);

	for (uint i = get_group_id(0); i < count; i += get_num_groups(0)) {
		float4 feature = vload4(i, from + HEAD_FLOATS);
		float2 d = 0;
		bool there = improve(room, own, first + HEAD_FLOATS, second + HEAD_FLOATS, size, 1, window, rounds,
			feature.xy / 2, &d);

		d *= 2;
		if (there)
			there = improve(room, own, first + HEAD_FLOATS, second + HEAD_FLOATS, size, 0, window, rounds,
				feature.xy, &d);
		if (MEMBER == 0)
			vstore4(there ? (float4)(feature.xy, feature.xy + d) : (float4)(-1), i, to + HEAD_FLOATS);
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}

/* One work-item. Writes the head, and drops what was lost. */
__kernel void keep(__global const float *in, __global const float *features, __global float *out, uint width,
	uint height, uint token, uint next, uint number, uint found_floats, uint most, uint given_window)
{
	__global const float *first = in + token * levels_floats(width, height),
			     *second = in + next * levels_floats(width, height),
			     *from = features + number * found_floats;
	__global float *to = out + number * found_floats;
	uint2 size = size_of(first, width, height), other = size_of(second, width, height);
	uint count = count_of(from, size, other, most), kept = 0;

	for (uint i = 0; i < count; i++) {
		float4 track = vload4(i, to + HEAD_FLOATS);

		if (track.x >= 0)
			vstore4(track, kept++, to + HEAD_FLOATS);
	}
	write_found(to, other, kept, window_of(given_window, size.x));
}
