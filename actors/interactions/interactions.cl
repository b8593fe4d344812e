/* SPDX-License-Identifier: MIT */
/*
 * interactions on a device. Arguments behind the firing: uint width, height, steps. Dimensions are columns, rows,
 * steps: a work-item makes one pixel of all maps. Unrolled, its values stay in registers, and compilers for cores make
 * vectors of work-items: without it PoCL takes 20 times as long.
 */
enum { BANDS = 4, MAPS = 24 };

__kernel void interactions(__global const float *in, __global float *out, ulong firing, uint width, uint height,
	uint steps)
{
	size_t x = get_global_id(0), step = get_global_id(2), pixels = (size_t)width * height;
	size_t at = step * MAPS * pixels + get_global_id(1) * width + x;
	float m[MAPS];

	if (x >= width || step >= steps)
		return;
#pragma unroll
	for (uint map = 0; map < MAPS; map++)
		m[map] = in[at + map * pixels];
#pragma unroll
	for (uint map = 0; map < MAPS; map++) {
		uint band = map % BANDS, left = (map + MAPS - BANDS) % MAPS, right = (map + BANDS) % MAPS;
		float below = band > 0 ? m[map - 1] : 0, above = band + 1 < BANDS ? m[map + 1] : 0;
		float c = band > 0 && band + 1 < BANDS ? 0.5f : 0.25f;

		out[at + map * pixels] = m[map] + 0.5f * (below + above) - c * (m[left] + m[right]);
	}
}
