/* SPDX-License-Identifier: MIT */
/*
 * fir on a device. Arguments behind the state and the firing: the taps, uint how many, uint samples (those
 * in the windows that are data). Compiled with -DTAPS=count it is for so many, which is a tenth faster for
 * ten of them; without, for any number.
 *
 * The groups share the window out, the work-items of a group take turns in its share: any work size gives
 * the right result. The state is two halves, the past's re and then its im each: all work-items read half
 * firing & 1 and write the other one.
 */

/*
 * 32 samples at once where the target is a CPU and the compiler clang (PoCL), else the 16 of OpenCL C. The
 * target's name decides and not only __clang__, because compilers for GPUs are made of clang too.
 * -DPORTABLE is for tests.
 */
#if defined(__clang__) && !defined(PORTABLE) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define LANES 32
typedef float floats __attribute__((ext_vector_type(32)));
typedef float floats_anywhere __attribute__((ext_vector_type(32), aligned(4)));
#define LOAD(p) (*(__global const floats_anywhere *)(p))
#define STORE(v, p) (*(__global floats_anywhere *)(p) = (v))
#define SET(v, i, x) ((v)[i] = (x))
#else
#define LANES 16
typedef float16 floats;
#define LOAD(p) vload16(0, p)
#define STORE(v, p) vstore16(v, 0, p)
#define SET(v, i, x) (((float *)&(v))[i] = (x))
#endif

#ifdef TAPS
#define COUNT ((long)TAPS)
#else
#define COUNT ((long)count)
#endif

/* Vectors that pass through memory, because a call of them is not inlined, halve the speed. */
#define INLINE static inline __attribute__((always_inline))

#define FEW 512

/* Samples before the window, so that [n - k] is right for n < k, or those of the window. */
struct samples {
	__global const float *re, *im;
};

/* The sum of taps 0 .. count - 1 for LANES outputs whose samples for tap 0 begin at i. */
INLINE void sum_few(floats *re, floats *im, __global const float2 *taps, long count, struct samples x, long i)
{
	*re = *im = 0;
	for (long k = 0; k < count; k++) {
		float2 tap = taps[k];
		floats a = LOAD(x.re + i - k), b = LOAD(x.im + i - k);

		*re = *re + tap.x * a - tap.y * b;
		*im = *im + tap.x * b + tap.y * a;
	}
}

/* Adds taps from .. end - 1. A few at a time, whose sums are added then: the errors of a long sum in single
 * precision grow with its length. */
INLINE void add_taps(floats *re, floats *im, __global const float2 *taps, long from, long end,
	struct samples x, long i)
{
	for (; from < end; from += FEW) {
		floats sum_re, sum_im;

		sum_few(&sum_re, &sum_im, taps + from, min((long)FEW, end - from), x, i - from);
		*re += sum_re;
		*im += sum_im;
	}
}

/* The same where some of the samples are before the window. */
INLINE void add_mixed(floats *re, floats *im, float2 tap, struct samples x, struct samples past, long i)
{
	floats a, b;

	for (long j = 0; j < LANES; j++) {
		SET(a, j, i + j < 0 ? past.re[i + j] : x.re[i + j]);
		SET(b, j, i + j < 0 ? past.im[i + j] : x.im[i + j]);
	}
	*re = *re + tap.x * a - tap.y * b;
	*im = *im + tap.x * b + tap.y * a;
}

/* LANES outputs from i on: taps up to i need the window, those from i + LANES on the past. */
INLINE void make_lanes(floats *re, floats *im, __global const float2 *taps, long count, struct samples x,
	struct samples past, long i)
{
	long inside = min(i + 1, COUNT), mixed = min(i + LANES, COUNT);
	bool few = COUNT <= FEW;

	if (few && inside == COUNT) { /* mostly */
		sum_few(re, im, taps, COUNT, x, i);
		return;
	}
	*re = *im = 0;
	add_taps(re, im, taps, 0, inside, x, i);
	for (long k = inside; k < mixed; k++)
		add_mixed(re, im, taps[k], x, past, i - k);
	add_taps(re, im, taps, mixed, COUNT, past, i);
}

INLINE float2 make_one(__global const float2 *taps, long count, struct samples x, struct samples past, long i)
{
	float2 all = 0;

	for (long k = 0; k < COUNT;) {
		float2 sum = 0;

		for (long few = min(k + FEW, COUNT); k < few; k++) {
			float a = i < k ? past.re[i - k] : x.re[i - k];
			float b = i < k ? past.im[i - k] : x.im[i - k];

			sum.x = sum.x + taps[k].x * a - taps[k].y * b;
			sum.y = sum.y + taps[k].x * b + taps[k].y * a;
		}
		all += sum;
	}
	return all;
}

/* to = the last `before` of past, x[0 .. n) */
void remember(__global float *to, __global const float *past, long before, __global const float *x, long n)
{
	for (long i = get_global_id(0); i < before; i += get_global_size(0)) {
		long at = n - before + i;

		to[i] = at < 0 ? past[at] : x[at];
	}
}

__kernel void fir(__global const float *re, __global const float *im, __global float *re_out,
	__global float *im_out, __global float *state, ulong firing, __global const float2 *taps, uint count,
	uint samples)
{
	long before = COUNT - 1, groups = get_num_groups(0), step = LANES * get_local_size(0);
	long share = ((samples + groups - 1) / groups + step - 1) / step * step;
	long from = get_group_id(0) * share, end = min(from + share, (long)samples);
	__global float *old = state + (firing & 1) * 2 * before;
	__global float *next = state + (~firing & 1) * 2 * before;
	struct samples x = { re, im }, past = { old + before, old + 2 * before };

	for (long i = from + get_local_id(0) * LANES; i < end; i += step) {
		if (i + LANES <= end) {
			floats a, b;

			make_lanes(&a, &b, taps, count, x, past, i);
			STORE(a, re_out + i);
			STORE(b, im_out + i);
		} else {
			for (long j = i; j < end; j++) {
				float2 one = make_one(taps, count, x, past, j);

				re_out[j] = one.x;
				im_out[j] = one.y;
			}
		}
	}
	remember(next, past.re, before, re, samples);
	remember(next + before, past.im, before, im, samples);
}
