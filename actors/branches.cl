/* SPDX-License-Identifier: MIT */
/*
 * What the kernels for branches have in common. In front of this the host has put, for so many branches as there are,
 *
 *	PORTS   their pointers, as parameters: __global float *re1, __global float *im1, re2, ..
 *	TERMS   a TERM(re1, im1, ..) for each, in the order of the computation
 *
 * A pointer is NULL while its branch is off; none ever is with -DALL_ON, which also spares compilers hundreds of ifs.
 *
 * A work-item takes a chunk at a time, of up to VECTORS x LANES samples, and goes through it once for each part of a
 * branch, because processors read and write one stream at a time faster than many in turns. On a CPU (the name of the target
 * decides, compilers for GPUs are made of clang too) a chunk fits the first-level cache; elsewhere it is what a work-item
 * holds in registers, and what neighbours load together. -DPORTABLE is for tests.
 */
#if !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define LANES 16
#define VECTORS 16
typedef float16 floats;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#else
#define LANES 4
#define VECTORS 1
typedef float4 floats;
#define LOAD(p) vload4(0, p)
#define STORE(v, p) vstore4(v, 0, p)
#endif
#define CHUNK (LANES * VECTORS)

/* With v the first sample of each vector in a chunk; and s each sample behind them. */
#define FOR_VECTORS(n) _Pragma("unroll 1") for (uint v = 0; v + LANES <= (n); v += LANES)
#define FOR_REST(n) for (uint s = (n) / LANES * LANES; s < (n); s++)

#ifdef ALL_ON
#define IS_ON(p) true
#else
#define IS_ON(p) (p)
#endif

/* The groups share the window out in strips, the work-items of a group take turns in its strip. So any work size is right. */
size_t strip_samples(size_t samples)
{
	size_t groups = get_num_groups(0), turn = CHUNK * get_local_size(0);

	return ((samples + groups - 1) / groups + turn - 1) / turn * turn;
}

/* Where a work-item's chunks begin, each so far behind the one before, and where they end. */
size_t first_chunk(size_t samples)
{
	return get_group_id(0) * strip_samples(samples) + get_local_id(0) * CHUNK;
}

size_t next_chunk(void)
{
	return get_local_size(0) * CHUNK;
}

size_t last_sample(size_t samples)
{
	return min((get_group_id(0) + 1) * strip_samples(samples), samples);
}
