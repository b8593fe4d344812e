/* SPDX-License-Identifier: MIT */
/*
 * gauss5x5 on a device, bit for bit what gauss5x5.c makes. Arguments behind the firing: uint width, height, frames
 * (those in the window that are data).
 *
 * Any work size gives the right picture: dimension 0 shares out strips of columns, dimension 1 bands of rows, dimension
 * 2 frames. A work-item walks down its strip. Of each row it makes the weighted sums over columns, even and odd columns
 * in a vector of 16-bit lanes each, which takes no shuffles; four running sums of two make of them the sums over rows,
 * because 1 4 6 4 1 is 1 1 four times folded with itself.
 */

/*
 * 32 pixels at once where the target is a CPU and the compiler clang (PoCL), else the 16 of OpenCL C. The target's name
 * decides and not only __clang__, because compilers for GPUs are made of clang too. -DPORTABLE is for tests.
 */
#if defined(__clang__) && !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define STRIP 32u
typedef uchar pixels __attribute__((ext_vector_type(32)));
typedef uchar pixels_anywhere __attribute__((ext_vector_type(32), aligned(1)));
typedef ushort16 sums;
#define LOAD(p) (*(__global const pixels_anywhere *)(p))
#define STORE(v, p) (*(__global pixels_anywhere *)(p) = (v))
#define AS_SUMS(v) as_ushort16(v)
#define AS_PIXELS(v) __builtin_astype(v, pixels)
/* v moved by two columns, the outermost pixel repeated */
#define FROM_LEFT(v)                                                                                       \
	__builtin_shufflevector(v, v, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, \
		18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
#define FROM_RIGHT(v)                                                                                        \
	__builtin_shufflevector(v, v, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, \
		22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31, 31)
#else
#define STRIP 16u
typedef uchar16 pixels;
typedef ushort8 sums;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#define AS_SUMS(v) as_ushort8(v)
#define AS_PIXELS(v) as_uchar16(v)
#define FROM_LEFT(v) (uchar16)((v).s00, (v).s0123, (v).s4567, (v).s89ab, (v).scd)
#define FROM_RIGHT(v) (uchar16)((v).s23, (v).s4567, (v).s89ab, (v).scdef, (v).sff)
#endif

#ifdef __ENDIAN_LITTLE__
#define EVEN(v) ((v) & (ushort)0xff)
#define ODD(v) ((v) >> (ushort)8)
#define JOIN(even, odd) (((even) >> (ushort)8) | ((odd) & (ushort)0xff00))
#else
#define EVEN(v) ((v) >> (ushort)8)
#define ODD(v) ((v) & (ushort)0xff)
#define JOIN(even, odd) (((even) & (ushort)0xff00) | ((odd) >> (ushort)8))
#endif

enum { BORDER = 2 };
enum edge { NONE, LEFT, RIGHT };

/* What the rows above leave behind: v[i] is the last row's value after folding with 1 1 i times. */
struct fold {
	sums v[4];
};

static inline sums fold_row(struct fold *f, sums row)
{
	sums once = row + f->v[0], twice = once + f->v[1], thrice = twice + f->v[2], all = thrice + f->v[3];

	f->v[0] = row;
	f->v[1] = once;
	f->v[2] = twice;
	f->v[3] = thrice;
	return all;
}

/* The pixels that begin at p, from a frame's first row on; those of the next row's. */
static inline pixels filter_row(struct fold *even, struct fold *odd, __global const uchar *p, enum edge edge)
{
	pixels centre = LOAD(p);
	sums l = AS_SUMS(edge == LEFT ? FROM_LEFT(centre) : LOAD(p - 2));
	sums r = AS_SUMS(edge == RIGHT ? FROM_RIGHT(centre) : LOAD(p + 2));
	sums c = AS_SUMS(centre), e0 = EVEN(l), o0 = ODD(l), e2 = EVEN(c), o2 = ODD(c), e4 = EVEN(r), o4 = ODD(r);
	/* 8 is 128 after the weights of the rows, which are 16 in sum */
	sums e = e0 + e4 + ((o0 + e2 + o2) << (ushort)2) + (e2 + e2) + (ushort)8;
	sums o = o0 + o4 + ((e2 + o2 + e4) << (ushort)2) + (o2 + o2) + (ushort)8;

	e = fold_row(even, e);
	o = fold_row(odd, o);
	return AS_PIXELS(JOIN(e, o));
}

/* Rows y .. end - 1 of the strip at p and d (in row 0), none of them a copied one. */
static inline void filter_strip(
	__global uchar *d, __global const uchar *p, size_t w, size_t y, size_t end, enum edge edge)
{
	struct fold even = { { 0, 0, 0, 0 } }, odd = { { 0, 0, 0, 0 } };

	p += (y - BORDER) * w;
	for (uint i = 0; i < 2 * BORDER; i++, p += w)
		filter_row(&even, &odd, p, edge);
	d += y * w;
	for (; y < end; y++, p += w, d += w)
		STORE(filter_row(&even, &odd, p, edge), d);
}

/* Rows from .. end - 1, some perhaps copied, of the strip that begins in column x; the frame is wide enough. */
static inline void strip(
	__global uchar *d, __global const uchar *s, size_t w, size_t h, size_t x, size_t from, size_t end)
{
	size_t y = max(from, (size_t)BORDER), last = min(end, h - BORDER);

	d += x;
	s += x;
	for (size_t i = from; i < min(end, y); i++)
		STORE(LOAD(s + i * w), d + i * w);
	if (y < last) {
		if (x == 0)
			filter_strip(d, s, w, y, last, LEFT);
		else if (x + STRIP + BORDER <= w)
			filter_strip(d, s, w, y, last, NONE);
		else
			filter_strip(d, s, w, y, last, RIGHT);
	}
	for (size_t i = max(from, last); i < end; i++)
		STORE(LOAD(s + i * w), d + i * w);
}

static inline uint across(__global const uchar *row, int x, int w)
{
	return row[max(x - 2, 0)] + row[min(x + 2, w - 1)] + 4u * (row[max(x - 1, 0)] + row[min(x + 1, w - 1)]) +
	       6u * row[x];
}

/* The same of a frame too narrow for strips, pixel by pixel. */
static inline void narrow(__global uchar *d, __global const uchar *s, int w, int h, int from, int end)
{
	for (int y = from; y < end; y++)
		for (int x = 0; x < w; x++) {
			__global const uchar *row = s + (size_t)y * w;
			uint sum = 128;

			if (y < BORDER || y >= h - BORDER) {
				d[(size_t)y * w + x] = row[x];
				continue;
			}
			sum += across(row - 2 * w, x, w) + across(row + 2 * w, x, w) + 6 * across(row, x, w);
			sum += 4 * (across(row - w, x, w) + across(row + w, x, w));
			d[(size_t)y * w + x] = (uchar)(sum >> 8);
		}
}

__kernel void gauss5x5(__global const uchar *in, __global uchar *out, ulong firing, uint width, uint height,
	uint frames)
{
	size_t w = width, h = height, strips = max(w / STRIP, (size_t)1);
	size_t band = (h + get_global_size(1) - 1) / get_global_size(1);
	size_t from = min(get_global_id(1) * band, h), end = min(from + band, h);

	for (size_t f = get_global_id(2); f < frames; f += get_global_size(2)) {
		__global const uchar *s = in + f * w * h;
		__global uchar *d = out + f * w * h;

		for (size_t i = get_global_id(0); i < strips; i += get_global_size(0)) {
			/* the last strip's owner does the rest of the columns too, by a strip that overlaps */
			size_t last = i + 1 < strips ? i * STRIP : w - STRIP;

			if (w < STRIP + BORDER)
				narrow(d, s, (int)w, (int)h, (int)from, (int)end);
			else
				for (size_t x = i * STRIP; x <= last; x += max(last - x, (size_t)1))
					strip(d, s, w, h, x, from, end);
		}
	}
}
