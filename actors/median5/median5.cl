/* SPDX-License-Identifier: MIT */
/*
 * median5 on a device, bit for bit what median5.c makes. Arguments behind the firing: uint width, height, frames (those
 * in the window that are data).
 *
 * Any work size gives the right picture: dimension 0 shares out strips of columns, dimension 1 bands of rows, dimension
 * 2 frames. A strip begins one column inside of the frame; the two columns outside of all strips are copied.
 */

/*
 * 64 pixels at once where the target is a CPU and the compiler clang (PoCL), else the 16 of OpenCL C. The target's name
 * decides and not only __clang__, because compilers for GPUs are made of clang too. -DPORTABLE is for tests.
 */
#if defined(__clang__) && !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define STRIP 64u
typedef uchar pixels __attribute__((ext_vector_type(64)));
typedef uchar pixels_anywhere __attribute__((ext_vector_type(64), aligned(1)));
#define LOAD(p) (*(__global const pixels_anywhere *)(p))
#define STORE(v, p) (*(__global pixels_anywhere *)(p) = (v))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#else
#define STRIP 16u
typedef uchar16 pixels;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#define LEAST(a, b) min(a, b)
#define MOST(a, b) max(a, b)
#endif

/* Rows y .. end - 1 of the strip at p and d, in row 0; none of them is the frame's first or last. */
static inline void filter_strip(__global uchar *d, __global const uchar *p, size_t w, size_t y, size_t end)
{
	p += y * w;
	d += y * w;
	for (; y < end; y++, p += w, d += w) {
		pixels north = LOAD(p - w), south = LOAD(p + w), west = LOAD(p - 1), east = LOAD(p + 1);
		pixels low = MOST(LEAST(north, south), LEAST(west, east));
		pixels high = LEAST(MOST(north, south), MOST(west, east));

		STORE(MOST(LEAST(low, high), LEAST(LOAD(p), MOST(low, high))), d);
	}
}

/* The same of a frame too narrow for strips, its outermost columns included. */
static inline void narrow(__global uchar *d, __global const uchar *p, size_t w, size_t y, size_t end)
{
	for (size_t i = y * w; i < end * w; i++) {
		uchar north = p[i - w], south = p[i + w], west = p[i - 1], east = p[i + 1];
		uchar low = max(min(north, south), min(west, east)), high = min(max(north, south), max(west, east));

		d[i] = i % w == 0 || i % w == w - 1 ? p[i] : max(min(low, high), min(p[i], max(low, high)));
	}
}

/* n bytes */
static inline void copy(__global uchar *d, __global const uchar *s, size_t n)
{
	size_t i = 0;

	for (; i + STRIP <= n; i += STRIP)
		STORE(LOAD(s + i), d + i);
	for (; i < n; i++)
		d[i] = s[i];
}

/* The outermost column's rows from .. end - 1. */
static inline void copy_column(__global uchar *d, __global const uchar *s, size_t w, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		d[i * w] = s[i * w];
}

__kernel void median5(__global const uchar *in, __global uchar *out, ulong firing, uint width, uint height, uint frames)
{
	size_t w = width, h = height, strips = max((w - min(w, (size_t)2)) / STRIP, (size_t)1);
	size_t band = (h + get_global_size(1) - 1) / get_global_size(1);
	size_t from = min(get_global_id(1) * band, h), end = min(from + band, h);
	size_t y = max(from, (size_t)1), stop = min(end, h - 1);

	for (size_t f = get_global_id(2); f < frames; f += get_global_size(2)) {
		__global const uchar *s = in + f * w * h;
		__global uchar *d = out + f * w * h;

		for (size_t i = get_global_id(0); i < strips; i += get_global_size(0)) {
			/* the last strip's owner does the rest of the columns too, by a strip that overlaps */
			size_t first = i * STRIP + 1, last = i + 1 < strips ? first : w - 1 - STRIP;
			/* and what is copied of the columns up to the next strip */
			size_t begin = i ? first : 0, n = (i + 1 < strips ? first + STRIP : w) - begin;

			if (from == 0 && end > 0)
				copy(d + begin, s + begin, n);
			if (end == h && from < h && h > 1)
				copy(d + (h - 1) * w + begin, s + (h - 1) * w + begin, n);
			if (w < STRIP + 2) {
				narrow(d, s, w, y, stop);
				continue;
			}
			if (i == 0)
				copy_column(d, s, w, y, stop);
			for (size_t x = first; x <= last; x += max(last - x, (size_t)1))
				filter_strip(d + x, s + x, w, y, stop);
			if (i + 1 == strips)
				copy_column(d + w - 1, s + w - 1, w, y, stop);
		}
	}
}
