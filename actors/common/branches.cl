/* SPDX-License-Identifier: MIT */
/*
 * What the kernels for branches have in common. In front of this the host has put, for so many branches as
 * there are,
 *
 *	PORTS   their pointers, as parameters: __global float *re1, __global float *im1, re2, ..
 *	TERMS   an initializer for each, { re1, im1, .. }, in the order of the computation
 *
 * A pointer is NULL while its branch is off. The terms go into an array, and a loop over it does the work:
 * unrolled by macros it took compilers a second for ten branches and a minute for two hundred.
 *
 * A work-item takes a chunk of up to VECTORS x LANES samples at a time. On a CPU (the name of the target
 * decides, compilers for GPUs are made of clang too) a chunk fits the first-level cache; elsewhere it is
 * what neighbours load together. -DPORTABLE is for tests.
 */
#if !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define LANES 16
#define VECTORS 16
#define FOR_TERMS(t) _Pragma("unroll 1") for (uint t = 0; t < sizeof terms / sizeof *terms; t++)
typedef float16 floats;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#else
#define LANES 4
#define VECTORS 1
#define FOR_TERMS(t) _Pragma("unroll") for (uint t = 0; t < sizeof terms / sizeof *terms; t++)
typedef float4 floats;
#define LOAD(p) vload4(0, p)
#define STORE(v, p) vstore4(v, 0, p)
#endif
#define CHUNK (LANES * VECTORS)
#define ALIGNED __attribute__((aligned(64)))

/* With v the first sample of each vector in a chunk of n; and s each sample behind them. */
#define FOR_VECTORS for (uint v = 0; v + LANES <= n; v += LANES)
#define FOR_REST for (uint s = n / LANES * LANES; s < n; s++)

/* The groups share the window out in strips, the work-items of a group take turns in its strip. So any work
 * size is right. */
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
