/* SPDX-License-Identifier: MIT */
/*
 * Microseconds a frame of the image actors' OpenCL kernels on the first device, beside the C kernels and memcpy(). Many
 * launches are enqueued at once, so that the time of a launch's round trip does not count; the kinds take turns, so
 * that all of them see the same noise. Usage: opencl_kernels [WxH [FRAMES-A-LAUNCH [ROUNDS]]]
 */
#include "actors/common/cl_direct.h"
#include "actors/gauss5x5/gauss5x5.h"
#include "actors/median5/median5.h"
#include "actors/threshold/threshold.h"
#include "benchmarks/common/number.h"
#include "apps/common/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT = 16384, MOST_FRAMES = 64, FRAMES_A_ROUND = 1024, KINDS = 7, ROUNDS_MAX = 10001 };

struct bench {
	struct cl_direct cl;
	cl_command_queue queue;
	cl_kernel gauss, thres, med;
	struct ps_work_size gauss_size, thres_size, med_size;
	cl_mem a, b, out;
	uint8_t *now, *before, *dst; /* frames of them */
	size_t w, h, frames;
};

static void copy(const struct bench *b, size_t i)
{
	memcpy(b->dst + i * b->w * b->h, b->now + i * b->w * b->h, b->w * b->h);
}

static void gauss_c(const struct bench *b, size_t i)
{
	ps_gauss5x5_frame(b->dst + i * b->w * b->h, b->now + i * b->w * b->h, b->w, b->h);
}

static void thres_c(const struct bench *b, size_t i)
{
	size_t n = b->w * b->h;

	ps_threshold_bytes(b->dst + i * n, b->now + i * n, b->before + i * n, 20, n);
}

static void med_c(const struct bench *b, size_t i)
{
	ps_median5_frame(b->dst + i * b->w * b->h, b->now + i * b->w * b->h, b->w, b->h);
}

static void launch(const struct bench *b, cl_kernel kernel, const struct ps_work_size *size)
{
	cl_direct_check(clEnqueueNDRangeKernel(b->queue, kernel, PS_WORK_DIMS, NULL, size->global,
				size->local, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One round of one kind: us a frame. */
static double measure(const struct bench *b, unsigned kind)
{
	static void (*const host[])(const struct bench *, size_t) = { copy, gauss_c, thres_c, med_c };
	const cl_kernel kernels[] = { b->gauss, b->thres, b->med };
	const struct ps_work_size *sizes[] = { &b->gauss_size, &b->thres_size, &b->med_size };
	size_t launches = (FRAMES_A_ROUND + b->frames - 1) / b->frames;
	double begin = now_us();

	for (size_t n = 0; n < launches; n++)
		if (kind >= 4)
			launch(b, kernels[kind - 4], sizes[kind - 4]);
		else
			for (size_t i = 0; i < b->frames; i++)
				host[kind](b, i);
	clFinish(b->queue);
	return (now_us() - begin) / (double)(launches * b->frames);
}

static void report(const struct bench *b, size_t rounds)
{
	static const char *const names[KINDS] = { "memcpy", "gauss5x5 C", "threshold C", "median5 C",
		"gauss5x5 CL", "threshold CL", "median5 CL" };
	static double us[KINDS][ROUNDS_MAX];

	for (unsigned kind = 0; kind < KINDS; kind++)
		measure(b, kind); /* warm */
	for (size_t round = 0; round < rounds; round++)
		for (unsigned kind = 0; kind < KINDS; kind++)
			us[kind][round] = measure(b, kind);
	printf("%s\n%zux%zu, %zu frames a launch, median of %zu\n%-14s %10s %8s\n", b->cl.name, b->w, b->h,
		b->frames, rounds, "kernel", "us/frame", "x memcpy");
	for (unsigned kind = 0; kind < KINDS; kind++)
		qsort(us[kind], rounds, sizeof **us, compare);
	for (unsigned kind = 0; kind < KINDS; kind++)
		printf("%-14s %10.2f %8.1f\n", names[kind], us[kind][rounds / 2],
			us[kind][rounds / 2] / us[0][rounds / 2]);
}

static uint8_t *frames_of(size_t bytes, uint32_t seed)
{
	uint8_t *frames = malloc(bytes);

	if (!frames) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < bytes; i++) {
		seed = seed * 1664525 + 1013904223;
		frames[i] = (uint8_t)(seed >> 24);
	}
	return frames;
}

static cl_mem buffer_of(const struct bench *b, uint8_t *frames, size_t bytes)
{
	cl_int err;
	cl_mem buffer = clCreateBuffer(b->cl.context, CL_MEM_COPY_HOST_PTR, bytes, frames, &err);

	cl_direct_check(err, "clCreateBuffer");
	return buffer;
}

static void prepare(struct bench *b)
{
	size_t bytes = b->w * b->h * b->frames;
	uint32_t w = (uint32_t)b->w, h = (uint32_t)b->h, frames = (uint32_t)b->frames;

	b->now = frames_of(bytes, 1);
	b->before = frames_of(bytes, 2);
	b->dst = frames_of(bytes, 3);
	b->a = buffer_of(b, b->now, bytes);
	b->b = buffer_of(b, b->before, bytes);
	b->out = buffer_of(b, b->dst, bytes);
	b->queue = cl_direct_queue(&b->cl);
	b->gauss = cl_direct_kernel(&b->cl, &ps_gauss5x5_kernel);
	b->thres = cl_direct_kernel(&b->cl, &ps_threshold_kernel);
	b->med = cl_direct_kernel(&b->cl, &ps_median5_kernel);
	cl_direct_filter_args(b->gauss, 2, w, h, frames);
	cl_direct_threshold_args(b->thres, 3, b->w * b->h, frames, 20);
	cl_direct_filter_args(b->med, 2, w, h, frames);
	for (unsigned i = 0; i < 3; i++)
		cl_direct_check(clSetKernelArg(b->thres, i, sizeof(cl_mem),
					i == 0   ? &b->a
					: i == 1 ? &b->b
						 : &b->out),
			"clSetKernelArg");
	for (unsigned i = 0; i < 2; i++) {
		cl_direct_check(
			clSetKernelArg(b->gauss, i, sizeof(cl_mem), i ? &b->out : &b->a), "clSetKernelArg");
		cl_direct_check(
			clSetKernelArg(b->med, i, sizeof(cl_mem), i ? &b->out : &b->a), "clSetKernelArg");
	}
	b->gauss_size = ps_gauss5x5_work_size(w, h, frames);
	b->thres_size = ps_threshold_work_size(b->w * b->h, frames);
	b->med_size = ps_median5_work_size(w, h, frames);
}

static void release(struct bench *b)
{
	clReleaseKernel(b->gauss);
	clReleaseKernel(b->thres);
	clReleaseKernel(b->med);
	clReleaseMemObject(b->a);
	clReleaseMemObject(b->b);
	clReleaseMemObject(b->out);
	clReleaseCommandQueue(b->queue);
	cl_direct_close(&b->cl);
	free(b->now);
	free(b->before);
	free(b->dst);
}

int main(int argc, char **argv)
{
	uint32_t w = 320, h = 240;
	unsigned frames = 8, rounds = 51;
	struct bench b = { .w = 0 };

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		printf("usage: %s [WxH [FRAMES-A-LAUNCH [ROUNDS]]]\n"
		       "  WxH         size of a frame, sides up to %d (320x240)\n"
		       "  FRAMES-A-LAUNCH  up to %d (8)\n"
		       "  ROUNDS      up to %d (51)\n\n"
		       "The image actors' OpenCL kernels on the first device, beside the C kernels on one "
		       "core. Columns:\n"
		       "us/frame, microseconds a frame; x memcpy, times as long as copying a frame.\n",
			argv[0], LIMIT, MOST_FRAMES, ROUNDS_MAX);
		return 0;
	}
	if (argc > 4 || (argc > 1 && !number_size(argv[1], LIMIT, &w, &h)) ||
		(argc > 2 && !number_unsigned(argv[2], 1, MOST_FRAMES, &frames)) ||
		(argc > 3 && !number_unsigned(argv[3], 1, ROUNDS_MAX, &rounds))) {
		fprintf(stderr, "usage: %s [WxH [FRAMES-A-LAUNCH [ROUNDS]]], up to %d, %d, %d\n", argv[0],
			LIMIT, MOST_FRAMES, ROUNDS_MAX);
		return 2;
	}
	if (!cl_direct_open(&b.cl)) {
		fprintf(stderr, "%s: there is no OpenCL device\n", argv[0]);
		return 1;
	}
	b.w = w;
	b.h = h;
	b.frames = frames;
	prepare(&b);
	probe_print("before");
	report(&b, rounds);
	probe_print("after");
	release(&b);
	return 0;
}
