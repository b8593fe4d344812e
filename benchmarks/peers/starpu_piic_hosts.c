/* SPDX-License-Identifier: MIT */
/*
 * P-I-I-C over two ranks by StarPU-MPI, beside benchmarks/piic_hosts -w: the same kernel, tokens, check, and devices
 * that take time by the clock. P and the first incrementer are on rank 0, the second one and C on rank 1. Each rank
 * submits all tasks. StarPU runs those whose output it owns, and moves tokens to devices, back, and between ranks. Each
 * of the four tokens in flight has buffers of its own. A token's time is from one consumed token to the next.
 *
 * It runs with the MPI that StarPU was built with, which needs not be the one of libpenstock-mpi.
 */
#include "actors/common/cl_direct.h"
#include "benchmarks/apps/piic_timed.h"
#include "benchmarks/apps/piic_token.h"
#include "benchmarks/common/number.h"
#include "benchmarks/peers/peer.h"

#include <getopt.h>
#include <starpu.h>
#include <starpu_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 4, STEPS = 3, POINTS = 32 }; /* in flight; buffers of one, between P, I, I and C */

static struct {
	struct piic piic;
	double loop_s;
	unsigned loops[POINTS], count;
	/* of the run, set before its first task; kernel and queue are the device's worker's */
	unsigned now;
	int rank;
	struct starpu_opencl_program program;
	cl_kernel kernel;
	cl_command_queue queue;
	starpu_data_handle_t handles[TOKENS][STEPS], order;
	double begin, end;
} bench = {
	.piic = { .incrementers = 2,
		.rate = 1e9,
		.latency = 10e-6,
		.bytes = 16000000,
		.tokens = 60,
		.first = 20 },
	.loop_s = 2.565e-4,
	.loops = { 0, 120, 400 },
	.count = 3,
};

static size_t floats(void)
{
	return bench.piic.bytes / sizeof(float);
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
	if (k == bench.piic.first)
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

/* The last buffer of a token, and the order of the consumer's tasks, are rank 1's. */
static void register_data(void)
{
	for (int i = 0; i < TOKENS * STEPS; i++) {
		starpu_data_handle_t *h = &bench.handles[i / STEPS][i % STEPS];

		starpu_vector_data_register(h, -1, 0, (uint32_t)floats(), sizeof(float));
		starpu_mpi_data_register(*h, i, i % STEPS == STEPS - 1);
	}
	if (bench.rank)
		starpu_variable_data_register(
			&bench.order, STARPU_MAIN_RAM, (uintptr_t)&bench.now, sizeof bench.now);
	else
		starpu_variable_data_register(&bench.order, -1, 0, sizeof bench.now);
	starpu_mpi_data_register(bench.order, TOKENS * STEPS, 1);
}

static void start(void)
{
	struct starpu_conf conf;
	int worker, ranks = 0;

	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.ncuda = 0;
	conf.nopencl = 1;
	if (starpu_mpi_init_conf(NULL, NULL, 1, MPI_COMM_WORLD, &conf))
		peer_fail("StarPU doesn't start");
	starpu_mpi_comm_size(MPI_COMM_WORLD, &ranks);
	starpu_mpi_comm_rank(MPI_COMM_WORLD, &bench.rank);
	if (ranks != 2)
		peer_fail("%d processes, it takes two", ranks);
	if (starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, &worker, 1) != 1)
		peer_fail("StarPU finds no OpenCL device; its variable STARPU_NOPENCL may be set");
	if (starpu_opencl_load_opencl_from_string(PIIC_SOURCE, &bench.program, NULL) ||
		starpu_opencl_load_kernel(&bench.kernel, &bench.queue, &bench.program, PIIC_KERNEL,
			starpu_worker_get_devid(worker)))
		peer_fail("StarPU doesn't build the kernel");
	register_data();
}

static void stop(void)
{
	for (unsigned i = 0; i < TOKENS * STEPS; i++)
		starpu_data_unregister_no_coherency(bench.handles[i / STEPS][i % STEPS]);
	starpu_data_unregister(bench.order);
	starpu_opencl_release_kernel(bench.kernel);
	starpu_opencl_unload_opencl(&bench.program);
	starpu_mpi_shutdown();
}

/* Both ranks insert each task. */
static void insert(uint64_t k)
{
	starpu_data_handle_t *h = bench.handles[k % TOKENS];
	void *token = (void *)(uintptr_t)k; /* the number itself: nothing to copy */
	int err = 0;

	err |= starpu_mpi_task_insert(
		MPI_COMM_WORLD, &producer, STARPU_W, h[0], STARPU_CL_ARGS_NFREE, token, sizeof token, 0);
	err |= starpu_mpi_task_insert(MPI_COMM_WORLD, &incrementer, STARPU_R, h[0], STARPU_W, h[1],
		STARPU_CL_ARGS_NFREE, token, sizeof token, 0);
	err |= starpu_mpi_task_insert(MPI_COMM_WORLD, &incrementer, STARPU_R, h[1], STARPU_W, h[2],
		STARPU_CL_ARGS_NFREE, token, sizeof token, 0);
	err |= starpu_mpi_task_insert(MPI_COMM_WORLD, &consumer, STARPU_R, h[2], STARPU_RW, bench.order,
		STARPU_CL_ARGS_NFREE, token, sizeof token, 0);
	if (err)
		peer_fail("StarPU takes no task");
}

/* Microseconds a token, of the rank with the consumer. */
static double run(unsigned loops)
{
	starpu_mpi_barrier(MPI_COMM_WORLD);
	bench.now = loops;
	for (uint64_t k = 0; k < bench.piic.tokens; k++) {
		insert(k);
		if (starpu_task_nsubmitted() > 2 * 2 * TOKENS)
			starpu_task_wait_for_n_submitted(2 * TOKENS);
	}
	starpu_mpi_wait_for_all(MPI_COMM_WORLD);
	starpu_mpi_barrier(MPI_COMM_WORLD);
	return (bench.end - bench.begin) / (double)(bench.piic.tokens - 1 - bench.piic.first);
}

static const char help[] = "Usage: mpirun -n 2 starpu_piic_hosts [OPTION]...\n"
			   "  -b BYTES    of a token, a multiple of 4 (16000000)\n"
			   "  -l LOOPS    nb_loop of the points, with commas (0,120,400)\n"
			   "  -a SECONDS  what a round of the loop takes (2.565e-4: as of piic_hosts)\n"
			   "  -r RATE     bytes/s of a copy to or from a device (1e9)\n"
			   "  -f TOKENS   of a run, of which the first third is not timed (60)\n"
			   "  -h          this\n";

static bool option(int c, const char *text)
{
	uint64_t whole;

	switch (c) {
	case 'l':
		return number_list(text, 0, 1000000, bench.loops, POINTS, &bench.count);
	case 'b':
		if (!number_whole(text, 4, 1u << 30, &whole) || whole % 4)
			return false;
		bench.piic.bytes = whole;
		return true;
	case 'a':
		return number_real(text, 0, 10, &bench.loop_s);
	case 'r':
		return number_real(text, 1, 1e18, &bench.piic.rate);
	default:
		if (c != 'f' || !number_whole(text, 6, 1u << 23, &bench.piic.tokens))
			return false;
		bench.piic.first = bench.piic.tokens / 3;
		return true;
	}
}

int main(int argc, char **argv)
{
	for (int c; (c = getopt(argc, argv, "b:l:a:r:f:h")) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (c == '?' || !option(c, optarg)) {
			fprintf(stderr, "starpu_piic_hosts: -%c: not a number of this option\n%s", c, help);
			return 2;
		}
	}
	/* before StarPU and MPI, which look for OpenCL devices */
	if (!piic_timed_start(&bench.piic, 1))
		peer_fail("the tests' driver does not start");
	piic_timed_loop(bench.loop_s);
	start();
	if (bench.rank)
		printf("P-I-I-C on two ranks by StarPU: tokens of %zu bytes\n%7s %9s\n", bench.piic.bytes,
			"nb_loop", "ms");
	for (unsigned i = 0; i < bench.count; i++) {
		double us = run(bench.loops[i]);

		if (bench.rank)
			printf("%7u %9.3f\n", bench.loops[i], us * 1e-3);
	}
	stop();
	return 0;
}
