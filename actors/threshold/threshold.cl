/* SPDX-License-Identifier: MIT */
/*
 * threshold on a device, byte for byte what threshold.c makes. Arguments behind the firing: ulong bytes of a token,
 * uint tokens (those in the window that are data), uint threshold.
 *
 * Any work size gives the right result: dimension 0 shares out pieces of the window.
 */

/*
 * 64 bytes at once where the target is a CPU and the compiler clang (PoCL), else the 16 of OpenCL C. The target's name
 * decides and not only __clang__, because compilers for GPUs are made of clang too. -DPORTABLE is for tests.
 */
#if defined(__clang__) && !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define LANES 64u
typedef uchar bytes __attribute__((ext_vector_type(64)));
typedef uchar bytes_anywhere __attribute__((ext_vector_type(64), aligned(1)));
#define LOAD(p) (*(__global const bytes_anywhere *)(p))
#define STORE(v, p) (*(__global bytes_anywhere *)(p) = (v))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define AS_BYTES(v) __builtin_astype(v, bytes)
#else
#define LANES 16u
typedef uchar16 bytes;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#define LEAST(a, b) min(a, b)
#define MOST(a, b) max(a, b)
#define AS_BYTES(v) as_uchar16(v)
#endif

enum { PIECE = 256 }; /* bytes; a multiple of LANES */

__kernel void threshold(__global const uchar *now, __global const uchar *before, __global uchar *out, ulong firing,
	ulong token_bytes, uint tokens, uint threshold)
{
	size_t n = token_bytes * tokens;
	bytes most = (bytes)(uchar)min(threshold, 255u);

	for (size_t from = get_global_id(0) * PIECE; from < n; from += get_global_size(0) * PIECE) {
		size_t end = min(from + PIECE, n), i = from;

		for (; i + LANES <= end; i += LANES) {
			bytes a = LOAD(now + i), b = LOAD(before + i);

			STORE(AS_BYTES(MOST(a, b) - LEAST(a, b) > most), out + i);
		}
		for (; i < end; i++)
			out[i] = abs_diff(now[i], before[i]) > threshold ? 255 : 0;
	}
}
