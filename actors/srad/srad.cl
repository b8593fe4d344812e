/* SPDX-License-Identifier: MIT */
/*
 * The stages of SRAD on a device. A token is HEAD bytes, the first of which are width and height of its own picture,
 * then the picture, row after row. Arguments width, height: the largest picture. Dimension 2 is the token.
 *
 * Any work size gives the right picture: dimension 1 shares out rows, dimension 0 pieces of V pixels of a row. So a
 * work-item walks through rows, and a picture costs what its own size costs. Where a row's last piece is not whole, it
 * begins earlier: it makes some pixels once more. Rows of fewer than V pixels go pixel by pixel.
 *
 * extract       J = exp(I / 255), from a table
 * square        J^2
 * sums          of J and J^2: see below
 * total         of them: mean, variance, q0
 * coefficients  c, from J and what total makes
 * smooth        J, from J and c
 * compress      log(J) 255, truncated
 * begin, diffuse, advance: what a loop needs: sums of a picture, then coefficients, a step and the sums behind it
 *
 * The sums have one order, which depends on the work size: each lane of a work-item adds its pixels, as they come, the
 * lanes of a work-item are added from the first to the last one, and so are work-items (dimension 0 first) by the one
 * that needs them. All of them carry what rounding has lost (W. Kahan, "Further remarks on reducing truncation errors",
 * 1965; T. Dekker, "A floating-point technique for extending the available precision", 1971): so single precision gives
 * nearly what double precision would.
 */
#pragma OPENCL FP_CONTRACT OFF

/* 8 pixels at once where the target is a CPU and the compiler clang (PoCL), else 4: see gauss5x5.cl. */
#if defined(__clang__) && !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define V 8u
typedef float8 floats;
typedef uchar8 bytes;
#define LOAD(p) vload8(0, p)
#define STORE(v, p) vstore8(v, 0, p)
#define CONVERT_BYTES convert_uchar8
#define FROM_LEFT(v) (floats)((v).s0, (v).s0123, (v).s45, (v).s6)
#define FROM_RIGHT(v) (floats)((v).s1234, (v).s56, (v).s77)
#define LANES(x) (int8)(0, 1, 2, 3, 4, 5, 6, 7)
#else
#define V 4u
typedef float4 floats;
typedef uchar4 bytes;
#define LOAD(p) vload4(0, p)
#define STORE(v, p) vstore4(v, 0, p)
#define CONVERT_BYTES convert_uchar4
#define FROM_LEFT(v) (floats)((v).x, (v).xyz)
#define FROM_RIGHT(v) (floats)((v).yzw, (v).w)
#define LANES(x) (int4)(0, 1, 2, 3)
#endif

#define HEAD 64
#define HEAD_FLOATS (HEAD / 4)
#define LEAST 1.17549435e-38f /* normal number */
enum { STAT_MEAN, STAT_VARIANCE, STAT_Q0 };

/* Bytes of a token with so many bytes behind its head. */
static inline size_t token_bytes(size_t n)
{
	return HEAD + (n + 63) / 64 * 64;
}

/* The size of a picture; of a wrong one 0. */
static inline uint2 size_of(__global const void *token, uint width, uint height)
{
	__global const uint *size = token;

	return size[0] <= width && size[1] <= height ? (uint2)(size[0], size[1]) : (uint2)(0, 0);
}

static inline void write_size(__global void *token, uint2 size)
{
	__global uint *to = token;

	if (get_global_id(0) == 0 && get_global_id(1) == 0) {
		to[0] = size.x;
		to[1] = size.y;
	}
}

#define MAP(p, width, height) ((p) + get_global_id(2) * (token_bytes((size_t)(width) * (height)*4) / 4))
#define FRAME(p, width, height) ((p) + get_global_id(2) * token_bytes((size_t)(width) * (height)))
#define STATS(p) ((p) + get_global_id(2) * (token_bytes(16) / 4))

/* The rows of this work-item, and of a row its pieces. */
#define FOR_ROWS(y, h) for (size_t y = get_global_id(1); y < (h); y += get_global_size(1))
#define FOR_PIECES(x, w) for (size_t x = get_global_id(0) * V; x < (w); x += get_global_size(0) * V)

static inline size_t piece(size_t x, size_t w)
{
	return x + V <= w ? x : w - V;
}

__kernel void extract(__global const uchar *in, __global float *out, __global const float *table, uint width,
	uint height)
{
	__global const uchar *from = FRAME(in, width, height);
	__global float *to = MAP(out, width, height);
	uint2 size = size_of(from, width, height);

	write_size(to, size);
	from += HEAD;
	to += HEAD_FLOATS;
	FOR_ROWS(y, size.y)
		FOR_PIECES(x, size.x)
			for (size_t i = x; i < min(x + V, (size_t)size.x); i++)
				to[y * size.x + i] = table[from[y * size.x + i]];
}

__kernel void square(__global const float *in, __global float *out, uint width, uint height)
{
	__global const float *from = MAP(in, width, height);
	__global float *to = MAP(out, width, height);
	uint2 size = size_of(from, width, height);
	size_t w = size.x;

	write_size(to, size);
	from += HEAD_FLOATS;
	to += HEAD_FLOATS;
	FOR_ROWS(y, size.y)
		FOR_PIECES(x, w) {
			size_t at = y * w + piece(x, w);

			if (w >= V) {
				floats v = LOAD(from + at);

				STORE(v * v, to + at);
			} else {
				for (size_t i = 0; i < w; i++)
					to[y * w + i] = from[y * w + i] * from[y * w + i];
			}
		}
}

/*
 * Sums.
 */

/* A value, and what rounding has taken from it. */
struct wide {
	float high, low;
};

static inline struct wide add(struct wide a, struct wide b)
{
	float sum = a.high + b.high, part = sum - a.high;
	float rest = (a.high - (sum - part)) + (b.high - part) + (a.low + b.low), high = sum + rest;

	return (struct wide){ high, rest - (high - sum) };
}

struct lanes {
	floats sum, lost;
};

static inline void add_lanes(struct lanes *l, floats v)
{
	floats y = v - l->lost, sum = l->sum + y;

	l->lost = (sum - l->sum) - y;
	l->sum = sum;
}

static inline struct wide total_of(const struct lanes *l)
{
	struct wide all = { 0, 0 };
	float sum[V], lost[V];

	STORE(l->sum, sum);
	STORE(l->lost, lost);
	for (uint k = 0; k < V; k++)
		all = add(all, (struct wide){ sum[k], -lost[k] });
	return all;
}

/* The values that a piece at x has and the one before has not: the others are 0. skip: how many are the other's. */
static inline floats without_first(floats v, size_t skip)
{
	return select(v, (floats)0, LANES(x) < (int)skip);
}

static inline size_t sum_place(void)
{
	return get_global_id(1) * get_global_size(0) + get_global_id(0);
}

static inline void write_sums(__global float *sums, const struct lanes *values, const struct lanes *squares)
{
	struct wide v = total_of(values), s = total_of(squares);

	vstore4((float4)(v.high, v.low, s.high, s.low), sum_place(), sums);
}

/* squares: 0: of the values */
static inline void sum_rows(__global const float *from, __global const float *squared, uint2 size,
	__global float *sums)
{
	struct lanes values = { 0, 0 }, squares = { 0, 0 };
	size_t w = size.x;

	FOR_ROWS(y, size.y)
		FOR_PIECES(x, w) {
			floats v = 0, s;

			if (w >= V) {
				size_t begin = piece(x, w), at = y * w + begin;

				v = without_first(LOAD(from + at), x - begin);
				s = squared ? without_first(LOAD(squared + at), x - begin) : v * v;
			} else {
				float row[V], row2[V];

				for (size_t i = 0; i < V; i++) {
					row[i] = i < w ? from[y * w + i] : 0;
					row2[i] = i >= w ? 0 : squared ? squared[y * w + i] : row[i] * row[i];
				}
				v = LOAD(row);
				s = LOAD(row2);
			}
			add_lanes(&values, v);
			add_lanes(&squares, s);
		}
	write_sums(sums, &values, &squares);
}

/* Mean, variance, q0 of a picture of so many pixels, from the sums of so many work-items: with S and Q, the sums of
 * values and squares, q0 = (Q n - S^2) / S^2. */
static inline float4 stats_of(__global const float *sums, uint count, float n)
{
	struct wide s = { 0, 0 }, q = { 0, 0 };
	float a, a_low, b, b_low, q0, mean;

	for (uint i = 0; i < count; i++) {
		float4 part = vload4(i, sums);

		s = add(s, (struct wide){ part.x, part.y });
		q = add(q, (struct wide){ part.z, part.w });
	}
	if (n == 0)
		return 0;
	a = q.high * n;
	a_low = fma(q.high, n, -a) + q.low * n;
	b = s.high * s.high;
	b_low = fma(s.high, s.high, -b) + 2 * s.high * s.low;
	q0 = ((a - b) + (a_low - b_low)) / b;
	mean = s.high / n;
	/* twice what the rounding of the squares may be */
	q0 = q0 > 0x1p-23f ? q0 : 0;
	return (float4)(mean, q0 * mean * mean, q0, 0);
}

/* sums: for each token as many as the work size has items in dimensions 0 and 1 */
__kernel void sums(__global const float *in, __global const float *squared, __global float *partial, uint width,
	uint height)
{
	__global const float *from = MAP(in, width, height), *squares = MAP(squared, width, height);

	partial += get_global_id(2) * get_global_size(0) * get_global_size(1) * 4;
	sum_rows(from + HEAD_FLOATS, squares + HEAD_FLOATS, size_of(from, width, height), partial);
}

/* One work-item a token. */
__kernel void total(__global const float *in, __global const float *partial, __global float *out, uint width,
	uint height, uint count)
{
	__global const float *from = MAP(in, width, height);
	__global float *to = STATS(out);
	uint2 size = size_of(from, width, height);

	write_size(to, size);
	partial += get_global_id(2) * count * 4;
	vstore4(stats_of(partial, count, (float)size.x * (float)size.y), 0, to + HEAD_FLOATS);
}

/*
 * Diffusion: see diffusion.c for the formula.
 */

static inline floats coefficient(floats n, floats s, floats w, floats e, floats j, float gain, float floor)
{
	floats dn = n - j, ds = s - j, dw = w - j, de = e - j;
	floats l = dn + ds + dw + de, g = dn * dn + ds * ds + dw * dw + de * de, m = j + l * .25f;
	floats m2 = m * m, rest = g * .5f - l * l * .0625f + floor * m2;

	return fmin(gain * m2 / fmax(rest, (floats)LEAST), (floats)1);
}

/* A pixel of a row that is too short, in all lanes. */
static inline floats at(__global const float *row, size_t x)
{
	return (floats)row[x];
}

static inline void coefficient_rows(__global const float *from, __global float *to, uint2 size, float q0)
{
	const float gain = q0 * (1 + q0), floor = q0 * q0;
	const size_t w = size.x, h = size.y;

	FOR_ROWS(y, h) {
		__global const float *j = from + y * w, *n = y ? j - w : j, *s = y + 1 < h ? j + w : j;
		__global float *c = to + y * w;

		FOR_PIECES(x, w) {
			if (w >= V) {
				size_t i = piece(x, w);
				floats v = LOAD(j + i), left = i ? LOAD(j + i - 1) : FROM_LEFT(v),
				       right = i + V < w ? LOAD(j + i + 1) : FROM_RIGHT(v);

				STORE(coefficient(LOAD(n + i), LOAD(s + i), left, right, v, gain, floor), c + i);
			} else {
				for (size_t i = 0; i < w; i++)
					c[i] = coefficient(at(n, i), at(s, i), at(j, i ? i - 1 : i),
						at(j, i + 1 < w ? i + 1 : i), at(j, i), gain, floor)
						       .s0;
			}
		}
	}
}

static inline floats moved(floats n, floats s, floats w, floats e, floats j, floats c, floats cs, floats ce, float rate)
{
	return j + rate * (c * ((n - j) + (w - j)) + cs * (s - j) + ce * (e - j));
}

/* A step of all rows; the sums of the new ones, unless partial is 0. */
static inline void step_rows(__global const float *from, __global const float *coefficients, __global float *to,
	uint2 size, float rate, __global float *partial)
{
	struct lanes values = { 0, 0 }, squares = { 0, 0 };
	const size_t w = size.x, h = size.y;

	FOR_ROWS(y, h) {
		__global const float *j = from + y * w, *n = y ? j - w : j, *s = y + 1 < h ? j + w : j,
				     *c = coefficients + y * w, *cs = y + 1 < h ? c + w : c;
		__global float *out = to + y * w;

		FOR_PIECES(x, w) {
			floats result = 0;
			size_t i = w >= V ? piece(x, w) : 0;

			if (w >= V) {
				floats v = LOAD(j + i), left = i ? LOAD(j + i - 1) : FROM_LEFT(v), own = LOAD(c + i);
				bool inside = i + V < w;
				floats right = inside ? LOAD(j + i + 1) : FROM_RIGHT(v),
				       east = inside ? LOAD(c + i + 1) : FROM_RIGHT(own);

				result = moved(LOAD(n + i), LOAD(s + i), left, right, v, own, LOAD(cs + i), east, rate);
				STORE(result, out + i);
				result = without_first(result, x - i);
			} else {
				float row[V];

				for (size_t k = 0; k < V; k++)
					row[k] = 0;
				for (size_t k = 0; k < w; k++) {
					size_t e = k + 1 < w ? k + 1 : k;

					row[k] = moved(at(n, k), at(s, k), at(j, k ? k - 1 : k), at(j, e), at(j, k),
						at(c, k), at(cs, k), at(c, e), rate)
							 .s0;
					out[k] = row[k];
				}
				result = LOAD(row);
			}
			if (partial) {
				add_lanes(&values, result);
				add_lanes(&squares, result * result);
			}
		}
	}
	if (partial)
		write_sums(partial, &values, &squares);
}

__kernel void coefficients(__global const float *in, __global const float *stats, __global float *out, uint width,
	uint height)
{
	__global const float *from = MAP(in, width, height);
	__global float *to = MAP(out, width, height);
	uint2 size = size_of(from, width, height);

	write_size(to, size);
	coefficient_rows(from + HEAD_FLOATS, to + HEAD_FLOATS, size, STATS(stats)[HEAD_FLOATS + STAT_Q0]);
}

__kernel void smooth(__global const float *in, __global const float *coefficients, __global float *out, uint width,
	uint height, float rate)
{
	__global const float *from = MAP(in, width, height), *c = MAP(coefficients, width, height);
	__global float *to = MAP(out, width, height);
	uint2 size = size_of(from, width, height);

	write_size(to, size);
	step_rows(from + HEAD_FLOATS, c + HEAD_FLOATS, to + HEAD_FLOATS, size, rate, 0);
}

__kernel void compress(__global const float *in, __global uchar *out, uint width, uint height)
{
	__global const float *from = MAP(in, width, height);
	__global uchar *to = FRAME(out, width, height);
	uint2 size = size_of(from, width, height);
	size_t w = size.x;

	write_size(to, size);
	from += HEAD_FLOATS;
	to += HEAD;
	FOR_ROWS(y, size.y)
		FOR_PIECES(x, w) {
			size_t i = y * w + piece(x, w);

			if (w >= V)
				STORE(CONVERT_BYTES(clamp(log(LOAD(from + i)) * 255 + 0x1p-13f, 0.f, 255.f)), to + i);
			else
				for (i = 0; i < w; i++)
					to[y * w + i] = convert_uchar(
						clamp(log(from[y * w + i]) * 255 + 0x1p-13f, 0.f, 255.f));
		}
}

/*
 * The loop: token is the number of the token in the windows; map, to, c: pictures without a head.
 */

__kernel void begin(__global const float *in, __global float *partial, uint width, uint height, uint token)
{
	in += token * (token_bytes((size_t)width * height * 4) / 4);
	sum_rows(in + HEAD_FLOATS, 0, size_of(in, width, height), partial);
}

/* from: where the picture begins in map */
__kernel void diffuse(__global const float *in, __global const float *map, ulong from, __global const float *partial,
	__global float *c, uint width, uint height, uint token, uint count)
{
	uint2 size;

	in += token * (token_bytes((size_t)width * height * 4) / 4);
	size = size_of(in, width, height);
	coefficient_rows(map + from, c, size, stats_of(partial, count, (float)size.x * (float)size.y).z);
}

/* head: `to` is a token: its head is written, too */
__kernel void advance(__global const float *in, __global const float *map, ulong from, __global const float *c,
	__global float *to, ulong begin, __global float *partial, uint width, uint height, uint token, float rate,
	uint head)
{
	uint2 size;

	in += token * (token_bytes((size_t)width * height * 4) / 4);
	size = size_of(in, width, height);
	to += begin;
	if (head)
		write_size(to - HEAD_FLOATS, size);
	step_rows(map + from, c, to, size, rate, partial);
}
