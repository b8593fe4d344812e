/* SPDX-License-Identifier: MIT */
/*
 * fft on a device: radix 2, in place in the output's window, so it needs no memory of its own and takes any size.
 * Arguments behind the state, which is the cores', and the firing: the roots exp(-+2 pi i k / size) of the first half
 * turn; uint size, a power of two; uint hop; uint hann, 0 or 1; uint steps.
 *
 * A group makes a block after the other, its work-items share the butterflies out: any work size gives the right
 * result.
 */
static uint reversed(uint i, uint size)
{
	uint bits = 0;

	for (; size > 1; size /= 2, i /= 2)
		bits = 2 * bits | (i & 1);
	return bits;
}

/* The block in the order of reversed indices, under its window: 1/2 - cos(2 pi i / size) / 2. */
static void load(__global float2 *x, __global const float2 *in, __global const float2 *roots, uint size, bool hann)
{
	uint middle = size / 2;

	for (uint i = get_local_id(0); i < size; i += get_local_size(0)) {
		float cosine = i < middle ? roots[i].x : -roots[i - middle].x;

		x[reversed(i, size)] = hann ? in[i] * (0.5f - cosine / 2) : in[i];
	}
}

/* Two transforms of `part` samples each become one. */
static void combine(__global float2 *x, __global const float2 *roots, uint size, uint part)
{
	uint stride = size / 2 / part;

	for (uint i = get_local_id(0); i < size / 2; i += get_local_size(0)) {
		uint k = i & (part - 1), low = 2 * i - k, high = low + part;
		float2 root = roots[k * stride], a = x[low], b = x[high];
		float2 turned = (float2)(b.x * root.x - b.y * root.y, b.x * root.y + b.y * root.x);

		x[low] = a + turned;
		x[high] = a - turned;
	}
}

__kernel void fft(__global const float2 *in, __global float2 *out, __global uchar *state, ulong firing,
	__global const float2 *roots, uint size, uint hop, uint hann, uint steps)
{
	for (size_t step = get_group_id(0); step < steps; step += get_num_groups(0)) {
		load(out + step * size, in + step * hop, roots, size, hann);
		for (uint part = 1; part < size; part *= 2) {
			barrier(CLK_GLOBAL_MEM_FENCE);
			combine(out + step * size, roots, size, part);
		}
	}
}
