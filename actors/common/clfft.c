/* SPDX-License-Identifier: MIT */
/*
 * clFFT has state of its own, which is set up once for all actors and torn down with the last one. Its calls may come
 * from several threads, but a plan is used by one at a time: an actor's firings are enqueued one after the other.
 */
#include "config.h"

#include "actors/common/clfft.h"
#include "actors/common/launch.h"
#include "penstock/actors.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>

enum { PRIME_MOST = 13 };

static uint32_t largest_prime(uint32_t n)
{
	uint32_t largest = 1;

	for (uint32_t prime = 2; n > 1; prime++)
		for (; n % prime == 0; n /= prime)
			largest = prime;
	return largest;
}

/* The nearest side below that goes. */
static uint32_t fitting(uint32_t n)
{
	while (largest_prime(n) > PRIME_MOST)
		n--;
	return n;
}

static int check_size(struct pstk_actor *self)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	uint32_t width = largest_prime(size->width), height = largest_prime(size->height),
		 prime = width > height ? width : height;

	if (prime <= PRIME_MOST)
		return 0;
	return pstk_actor_error(self, -ENOTSUP,
		"clFFT can't transform %" PRIu32 " x %" PRIu32 ": %" PRIu32
		" is a prime factor above %d: scale to %" PRIu32 " x %" PRIu32 ", or leave '%s' on the cores",
		size->width, size->height, prime, PRIME_MOST, fitting(size->width), fitting(size->height),
		pstk_actor_name(self));
}

#ifdef HAVE_CLFFT
#include <clFFT.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users; /* guarded by lock */

/* Codes of OpenCL go on into those of clFFT. */
static int fail(struct pstk_actor *self, clfftStatus code, const char *call)
{
	if (code < CLFFT_BUGCHECK)
		return ps_launch_fail(self, (cl_int)code, call);
	return pstk_actor_error(self, -EIO, "%s: error %d of clFFT", call, (int)code);
}

static clfftStatus set_up(struct ps_clfft *p)
{
	clfftSetupData data;
	clfftStatus code = CLFFT_SUCCESS;

	clfftInitSetupData(&data);
	pthread_mutex_lock(&lock);
	if (!users)
		code = clfftSetup(&data);
	if (!code) {
		users++;
		p->set_up = true;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static clfftStatus choose(clfftPlanHandle plan, const struct ps_clfft_way *way, size_t pixels)
{
	clfftResultLocation place = way->in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE;
	clfftStatus code = clfftSetPlanPrecision(plan, CLFFT_SINGLE);

	if (!code)
		code = clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED);
	if (!code)
		code = clfftSetResultLocation(plan, place);
	if (!code)
		code = clfftSetPlanBatchSize(plan, way->batch);
	return code ? code : clfftSetPlanDistance(plan, pixels, pixels);
}

/* A queue for the compiler alone. */
static clfftStatus bake(struct pstk_actor *self, clfftPlanHandle plan)
{
	cl_int code;
	cl_command_queue queue = clCreateCommandQueue(pstk_cl_context(self), pstk_cl_device(self), 0, &code);
	clfftStatus baked;

	if (code)
		return (clfftStatus)code;
	baked = clfftBakePlan(plan, 1, &queue, NULL, NULL);
	clReleaseCommandQueue(queue);
	return baked;
}

static clfftStatus make_between(struct pstk_actor *self, struct ps_clfft *p)
{
	size_t bytes = 0;
	cl_int code = CL_SUCCESS;
	clfftStatus asked = clfftGetTmpBufSize(p->plan, &bytes);

	if (!asked && bytes)
		p->between = clCreateBuffer(pstk_cl_context(self), CL_MEM_READ_WRITE, bytes, NULL, &code);
	return asked ? asked : (clfftStatus)code;
}

int ps_clfft_make(struct pstk_actor *self, struct ps_clfft *p, const struct ps_clfft_way *way)
{
	const struct pstk_frame_size *size = pstk_actor_arg(self);
	size_t sides[] = { size->width, size->height };
	int err = check_size(self);
	clfftStatus code;

	if (err)
		return err;
	code = set_up(p);
	if (code)
		return fail(self, code, "clfftSetup");
	code = clfftCreateDefaultPlan(&p->plan, pstk_cl_context(self), CLFFT_2D, sides);
	if (code)
		return fail(self, code, "clfftCreateDefaultPlan");
	p->made = true;
	code = choose(p->plan, way, sides[0] * sides[1]);
	if (code)
		return fail(self, code, "clfftSetPlan");
	code = bake(self, p->plan);
	if (code)
		return fail(self, code, "clfftBakePlan");
	code = make_between(self, p);
	return code ? fail(self, code, "clfftGetTmpBufSize") : 0;
}

int ps_clfft_run(struct pstk_firing *f, const struct ps_clffts *plans, bool inverse, cl_mem in, cl_mem out)
{
	const struct ps_clfft *p = &plans->at[pstk_cl_place(f)];
	cl_command_queue queue = pstk_cl_queue(f);
	clfftStatus code = clfftEnqueueTransform(p->plan, inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1, &queue,
		0, NULL, NULL, &in, out ? &out : NULL, p->between);

	return code ? fail(pstk_firing_actor(f), code, "clfftEnqueueTransform") : 0;
}

static void end_place(struct ps_clfft *p)
{
	if (p->between)
		clReleaseMemObject(p->between);
	if (p->made)
		clfftDestroyPlan(&p->plan);
	if (p->set_up) {
		pthread_mutex_lock(&lock);
		if (!--users)
			clfftTeardown();
		pthread_mutex_unlock(&lock);
	}
}

void ps_clfft_end(struct ps_clffts *plans)
{
	for (unsigned place = 0; place < PSTK_PLACES_MAX; place++)
		end_place(&plans->at[place]);
	*plans = (struct ps_clffts){ 0 };
}

#else

int ps_clfft_make(struct pstk_actor *self, struct ps_clfft *p, const struct ps_clfft_way *way)
{
	int err = check_size(self);

	(void)p, (void)way;
	if (err)
		return err;
	return pstk_actor_error(self, -ENOTSUP,
		"this build has no clFFT, which transforms on devices: build with libclfft-dev, or leave "
		"'%s' on the cores",
		pstk_actor_name(self));
}

/* Never called: there is no plan. */
int ps_clfft_run(struct pstk_firing *f, const struct ps_clffts *plans, bool inverse, cl_mem in, cl_mem out)
{
	(void)f, (void)plans, (void)inverse, (void)in, (void)out;
	return -ENOTSUP;
}

void ps_clfft_end(struct ps_clffts *plans)
{
	(void)plans;
}

#endif
