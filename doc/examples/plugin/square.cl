/* SPDX-License-Identifier: MIT */
__kernel void square(__global const float *in, __global float *out, ulong firing)
{
	out[get_global_id(0)] = in[get_global_id(0)] * in[get_global_id(0)];
}
