/* SPDX-License-Identifier: MIT */
/*
 * Kernels that are there without being registered, one set for each type T of uchar, uint and float:
 *
 *	kernel void copy_T(global const T *in, global T *out)               an element a work-item
 *	kernel void add_T(global const T *a, global const T *b, global T *out)
 *	kernel void scale_T(global const T *in, global T *out, T factor)
 *	kernel void copy_valid_T(global const T *in, global T *out, uint valid, uint rate)
 *		of a window of rate elements the first valid ones; the rest is 0
 *	kernel void sum_T(global const T *in, global T *state, global T *out, uint rate)
 *		running sums, the last one is kept in state[0]; one work-item
 *
 * A NULL window is left alone.
 */
#include "tests/fake_cl/fake.h"

#define KERNELS(T, type)                                                                                     \
	static void copy_##T(const struct fake_cl_launch *l, const size_t id[3])                             \
	{                                                                                                    \
		const type *in = l->arg[0];                                                                  \
		type *out = l->arg[1];                                                                       \
                                                                                                             \
		if (in && out)                                                                               \
			out[id[0]] = in[id[0]];                                                              \
	}                                                                                                    \
                                                                                                             \
	static void add_##T(const struct fake_cl_launch *l, const size_t id[3])                              \
	{                                                                                                    \
		const type *a = l->arg[0], *b = l->arg[1];                                                   \
		type *out = l->arg[2];                                                                       \
                                                                                                             \
		if (out)                                                                                     \
			out[id[0]] = (type)((a ? a[id[0]] : 0) + (b ? b[id[0]] : 0));                        \
	}                                                                                                    \
                                                                                                             \
	static void scale_##T(const struct fake_cl_launch *l, const size_t id[3])                            \
	{                                                                                                    \
		const type *in = l->arg[0], *factor = l->arg[2];                                             \
		type *out = l->arg[1];                                                                       \
                                                                                                             \
		if (in && out)                                                                               \
			out[id[0]] = (type)(in[id[0]] * *factor);                                            \
	}                                                                                                    \
                                                                                                             \
	static void copy_valid_##T(const struct fake_cl_launch *l)                                           \
	{                                                                                                    \
		const type *in = l->arg[0];                                                                  \
		const cl_uint *valid = l->arg[2], *rate = l->arg[3];                                         \
		type *out = l->arg[1];                                                                       \
                                                                                                             \
		for (cl_uint i = 0; in && out && i < *rate; i++)                                             \
			out[i] = i < *valid ? in[i] : 0;                                                     \
	}                                                                                                    \
                                                                                                             \
	static void sum_##T(const struct fake_cl_launch *l)                                                  \
	{                                                                                                    \
		const type *in = l->arg[0];                                                                  \
		type *state = l->arg[1], *out = l->arg[2];                                                   \
		const cl_uint *rate = l->arg[3];                                                             \
                                                                                                             \
		for (cl_uint i = 0; in && i < *rate; i++) {                                                  \
			*state = (type)(*state + in[i]);                                                     \
			if (out)                                                                             \
				out[i] = *state;                                                             \
		}                                                                                            \
	}                                                                                                    \
                                                                                                             \
	static const struct fake_cl_arg copy_##T##_args[] = { FAKE_CL_IN("in", #T),                          \
		FAKE_CL_OUT("out", #T) };                                                                    \
	static const struct fake_cl_arg add_##T##_args[] = { FAKE_CL_IN("a", #T), FAKE_CL_IN("b", #T),       \
		FAKE_CL_OUT("out", #T) };                                                                    \
	static const struct fake_cl_arg scale_##T##_args[] = { FAKE_CL_IN("in", #T), FAKE_CL_OUT("out", #T), \
		FAKE_CL_VALUE("factor", #T, sizeof(type)) };                                                 \
	static const struct fake_cl_arg copy_valid_##T##_args[] = { FAKE_CL_IN("in", #T),                    \
		FAKE_CL_OUT("out", #T), FAKE_CL_VALUE("valid", "uint", sizeof(cl_uint)),                     \
		FAKE_CL_VALUE("rate", "uint", sizeof(cl_uint)) };                                            \
	static const struct fake_cl_arg sum_##T##_args[] = { FAKE_CL_IN("in", #T), FAKE_CL_OUT("state", #T), \
		FAKE_CL_OUT("out", #T), FAKE_CL_VALUE("rate", "uint", sizeof(cl_uint)) };

KERNELS(uchar, cl_uchar)
KERNELS(uint, cl_uint)
KERNELS(float, cl_float)

#define ITEM(k)                                                                                            \
	{                                                                                                  \
		.name = #k, .args = k##_args, .arg_count = sizeof(k##_args) / sizeof(*k##_args), .item = k \
	}
#define RUN(k)                                                                                            \
	{                                                                                                 \
		.name = #k, .args = k##_args, .arg_count = sizeof(k##_args) / sizeof(*k##_args), .run = k \
	}
#define SET(T) ITEM(copy_##T), ITEM(add_##T), ITEM(scale_##T), RUN(copy_valid_##T), RUN(sum_##T)

const struct fake_cl_kernel fake_kernels[] = { SET(uchar), SET(uint), SET(float) };
const unsigned fake_kernels_count = sizeof(fake_kernels) / sizeof(*fake_kernels);
