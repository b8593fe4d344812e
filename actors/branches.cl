/* SPDX-License-Identifier: MIT */
/*
 * What the kernels for branches have in common. In front of this the host has put, for so many branches as there are,
 *
 *	PORTS   their pointers, as parameters: __global float *re1, __global float *im1, re2, ..
 *	TERMS   a TERM(re1, im1, ..) for each, in the order of the computation
 *
 * A pointer is NULL while its branch is off.
 *
 * 16 samples at once where the target is a CPU (the name of the target decides, because compilers for GPUs are made of
 * clang too), else 4, as much as neighbouring work-items of a GPU load together. -DPORTABLE is for tests.
 */
#if !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define LANES 16
typedef float16 floats;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#else
#define LANES 4
typedef float4 floats;
#define LOAD(p) vload4(0, p)
#define STORE(v, p) vstore4(v, 0, p)
#endif

/* The groups share the window out in strips, the work-items of a group take turns in its strip. So any work size is right. */
size_t strip_step(void)
{
	return LANES * get_local_size(0);
}

size_t strip_samples(size_t samples)
{
	size_t groups = get_num_groups(0), step = strip_step();

	return ((samples + groups - 1) / groups + step - 1) / step * step;
}

/* Where a work-item begins. */
size_t strip_from(size_t samples)
{
	return get_group_id(0) * strip_samples(samples) + get_local_id(0) * LANES;
}

/* Where it ends. */
size_t strip_end(size_t samples)
{
	return min((get_group_id(0) + 1) * strip_samples(samples), samples);
}
