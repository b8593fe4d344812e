/* SPDX-License-Identifier: MIT */
/* Preprocess: the levels of a frame. Behind tracking.cl. */

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
