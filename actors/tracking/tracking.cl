/* SPDX-License-Identifier: MIT */
/*
 * What the stages of tracking on a device share. It is in front of levels.cl, strongest.cl and follow.cl, with which it
 * is one source.
 *
 * A token is HEAD bytes, the first of which are width and height of its own frame, then what belongs to it; arguments
 * width, height: the largest frame. `token` is the number of a token in its window.
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

/* The head of a token of features or tracks. */
static inline void write_found(__global float *to, uint2 size, uint count, uint window)
{
	uint16 head = 0;

	head.s0123 = (uint4)(size, count, window);
	vstore16(head, 0, (__global uint *)to);
}
