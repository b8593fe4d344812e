/* SPDX-License-Identifier: MIT */
/*
 * P-I-I-C by StarPU's OpenCL codelets, beside benchmarks/piic -d pocl: the same kernel, tokens and check. Producer and
 * consumer are tasks of a worker of the processor, the incrementers tasks of the device's, which StarPU has as a whole.
 * Each token in flight has buffers of its own; StarPU moves them to the device and back. A token's time is from one
 * consumed token to the next.
 */
#include "actors/common/cl_direct.h"
#include "benchmarks/apps/piic_token.h"
#include "benchmarks/common/number.h"
#include "benchmarks/peers/peer.h"

#include <getopt.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 4, STEPS = 3, POINTS = 32 }; /* in flight; buffers of one, between P, I, I and C */

static struct {
	size_t bytes;
	uint64_t tokens, first;
	unsigned loops[POINTS], count;
	/* of the run, set before its first task; kernel and queue are the device's worker's */
	unsigned now;
	struct starpu_opencl_program program;
	cl_kernel kernel;
	cl_command_queue queue;
	starpu_data_handle_t handles[TOKENS][STEPS], order;
	double begin, end;
} bench = { .bytes = 16000000, .tokens = 60, .first = 20, .loops = { 0, 20 }, .count = 2 };

static size_t floats(void)
{
	return bench.bytes / sizeof(float);
}

static void produce(void *buffers[], void *token)
{
	piic_produce((float *)STARPU_VECTOR_GET_PTR(buffers[0]), floats(), (uintptr_t)token); /* NOLINT */
}

static void consume(void *buffers[], void *token)
{
	uint64_t k = (uintptr_t)token;

	if (!piic_is((float *)STARPU_VECTOR_GET_PTR(buffers[0]), floats(), k, 2, bench.now)) /* NOLINT */
		peer_fail("token %llu is wrong", (unsigned long long)k);
	if (k == bench.first)
		bench.begin = starpu_timing_now();
	bench.end = starpu_timing_now();
}

static void increment(void *buffers[], void *token)
{
	cl_ulong firing = (uintptr_t)token;
	cl_uint loops = bench.now;
	size_t size = floats();

	for (cl_uint i = 0; i < 2; i++) {
		cl_mem memory = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[i]); /* NOLINT: an integer */

		cl_direct_check(clSetKernelArg(bench.kernel, i, sizeof memory, &memory), "clSetKernelArg");
	}
	cl_direct_check(clSetKernelArg(bench.kernel, 2, sizeof firing, &firing), "clSetKernelArg");
	cl_direct_check(clSetKernelArg(bench.kernel, 3, sizeof loops, &loops), "clSetKernelArg");
	cl_direct_check(
		clEnqueueNDRangeKernel(bench.queue, bench.kernel, 1, NULL, &size, NULL, 0, NULL, NULL),
		"clEnqueueNDRangeKernel");
}

static struct starpu_codelet producer = {
	.cpu_funcs = { produce }, .nbuffers = 1, .modes = { STARPU_W }, .name = "P"
};
static struct starpu_codelet incrementer = { .opencl_funcs = { increment },
	.opencl_flags = { STARPU_OPENCL_ASYNC },
	.nbuffers = 2,
	.modes = { STARPU_R, STARPU_W },
	.name = "I" };
static struct starpu_codelet consumer = {
	.cpu_funcs = { consume }, .nbuffers = 2, .modes = { STARPU_R, STARPU_RW }, .name = "C"
};

static void start(void)
{
	struct starpu_conf conf;
	int worker;

	setenv("STARPU_OPENCL_ONLY_ON_CPUS", "1", 0);
	setenv("STARPU_OPENCL_PIPELINE", "0", 0); /* polling takes the cores that are the device */
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.ncuda = 0;
	conf.nopencl = 1;
	if (starpu_init(&conf))
		peer_fail("StarPU doesn't start");
	if (starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, &worker, 1) != 1)
		peer_fail("StarPU finds no OpenCL device; its variable STARPU_NOPENCL may be set");
	if (starpu_opencl_load_opencl_from_string(PIIC_SOURCE, &bench.program, NULL) ||
		starpu_opencl_load_kernel(&bench.kernel, &bench.queue, &bench.program, PIIC_KERNEL,
			starpu_worker_get_devid(worker)))
		peer_fail("StarPU doesn't build the kernel");
	for (unsigned i = 0; i < TOKENS * STEPS; i++)
		starpu_vector_data_register(
			&bench.handles[i / STEPS][i % STEPS], -1, 0, (uint32_t)floats(), sizeof(float));
	starpu_variable_data_register(&bench.order, STARPU_MAIN_RAM, (uintptr_t)&bench.now, sizeof bench.now);
}

static void stop(void)
{
	for (unsigned i = 0; i < TOKENS * STEPS; i++)
		starpu_data_unregister_no_coherency(bench.handles[i / STEPS][i % STEPS]);
	starpu_data_unregister(bench.order);
	starpu_opencl_release_kernel(bench.kernel);
	starpu_opencl_unload_opencl(&bench.program);
	starpu_shutdown();
}

static void submit(
	struct starpu_codelet *codelet, uint64_t token, starpu_data_handle_t a, starpu_data_handle_t b)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->handles[0] = a;
	task->handles[1] = b;
	task->cl_arg = (void *)(uintptr_t)token; /* the number itself: nothing to copy */
	if (starpu_task_submit(task))
		peer_fail("StarPU takes no task");
}

/* Microseconds a token. */
static double run(unsigned loops)
{
	bench.now = loops;
	for (uint64_t k = 0; k < bench.tokens; k++) {
		starpu_data_handle_t *h = bench.handles[k % TOKENS];

		submit(&producer, k, h[0], NULL);
		submit(&incrementer, k, h[0], h[1]);
		submit(&incrementer, k, h[1], h[2]);
		submit(&consumer, k, h[2], bench.order);
		if (starpu_task_nsubmitted() > 4 * 2 * TOKENS)
			starpu_task_wait_for_n_submitted(4 * TOKENS);
	}
	starpu_task_wait_for_all();
	return (bench.end - bench.begin) / (double)(bench.tokens - 1 - bench.first);
}

static const char help[] = "Usage: starpu_piic [OPTION]...\n"
			   "  -b BYTES   of a token, a multiple of 4 (16000000)\n"
			   "  -l LOOPS   nb_loop of the points, with commas (0,20)\n"
			   "  -f TOKENS  of a run, of which the first third is not timed (60)\n"
			   "  -h         this\n";

static bool option(int c, const char *text)
{
	uint64_t whole;

	if (c == 'l')
		return number_list(text, 0, 1000000, bench.loops, POINTS, &bench.count);
	if (c == 'b' && number_whole(text, 4, 1u << 30, &whole) && whole % 4 == 0) {
		bench.bytes = whole;
		return true;
	}
	if (c != 'f' || !number_whole(text, 6, 1u << 23, &bench.tokens))
		return false;
	bench.first = bench.tokens / 3;
	return true;
}

int main(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "b:l:f:h")) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (c == '?' || !option(c, optarg)) {
			fprintf(stderr, "starpu_piic: -%c: not a number of this option\n%s", c, help);
			return 2;
		}
	}
	printf("P-I-I-C by StarPU: tokens of %zu bytes\n%7s %9s\n", bench.bytes, "nb_loop", "ms");
	start();
	for (unsigned i = 0; i < bench.count; i++)
		printf("%7u %9.3f\n", bench.loops[i], run(bench.loops[i]) * 1e-3);
	stop();
	return 0;
}
