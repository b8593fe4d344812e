/* SPDX-License-Identifier: MIT */
/* The baseline runtime: chains of processes with streams and windows at any rate, delay and capacity, with
 * each switch on and off, against a computation that knows only lists of tokens. */
#include "benchmarks/dal/baseline.h"
#include "dal/check_dal.h"
#include "tests/common/file.h"
#include "tests/fake_cl/fake_cl.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* producer, then STAGES processes with windows, each with an input and an output, then consumer. */
enum { STAGES = 3, CHANNELS = STAGES + 1, MOST_TOKENS = 4096, MOST_RATE = 8 };

struct _local_states {
	uint64_t next; /* the producer's; a stage's number */
	uint64_t rate; /* a stage's, as the next one */
	uint64_t firings;
};

/* One chain. Read only while it runs, but for what is said. */
static struct chain {
	uint64_t tokens;                  /* of the producer */
	uint64_t delays;                  /* a seed; 0: none */
	unsigned chunk;                   /* that it writes at a time; 0: different ones */
	uint32_t in[STAGES], out[STAGES]; /* rates */
	uint32_t blocks[STAGES];
	uint32_t delay[CHANNELS], size[CHANNELS];
	bool device[STAGES];
	uint64_t got[MOST_TOKENS * MOST_RATE]; /* the consumer's only */
	unsigned count;
	uint64_t firings[STAGES]; /* finish only */
} chain;

/* Gives the core away now and then: another order of events in each chain. */
static void dawdle(uint64_t who, uint64_t when)
{
	for (unsigned n = chain.delays ? (unsigned)(test_mix(chain.delays + 64 * when + who) % 4) : 0; n; n--)
		sched_yield();
}

static int producer_fire(DALProcess *p)
{
	uint64_t x[16];
	unsigned n = chain.chunk ? chain.chunk : 1 + (unsigned)(p->local->next % 7);

	dawdle(0, p->local->next);
	for (unsigned i = 0; i < n; i++)
		x[i] = p->local->next + i + 1;
	if (n > chain.tokens - p->local->next)
		n = (unsigned)(chain.tokens - p->local->next);
	DAL_write("out", x, (int)(n * sizeof *x), p);
	p->local->next += n;
	if (p->local->next == chain.tokens)
		DAL_send_event("done", p);
	return 0;
}

static int consumer_fire(DALProcess *p)
{
	uint64_t x[3];
	unsigned got;

	dawdle(1, chain.count);
	got = (unsigned)DAL_read("in", x, sizeof x, p) / sizeof *x;

	for (unsigned i = 0; i < got && chain.count < MOST_TOKENS * MOST_RATE; i++)
		chain.got[chain.count++] = x[i];
	return 0;
}

/* Token k of a window that stage s writes. */
static uint64_t mix(uint64_t s, uint64_t k, uint64_t first, uint64_t at)
{
	return 5 * at + 3 * first + 7 * k + s;
}

static void stage_init(DALProcess *p)
{
	p->local->next = (uint64_t)DAL_getIndex(0, p);
	p->local->rate = chain.in[p->local->next];
}

/* On a device it is read back. */
static void stage_finish(DALProcess *p)
{
	chain.firings[p->local->next] = p->local->firings;
}

static int stage_fire(DALProcess *p)
{
	unsigned s = (unsigned)DAL_getIndex(0, p), in_rate = chain.in[s], out_rate = chain.out[s];
	unsigned size = out_rate / chain.blocks[s];
	const uint64_t *in = DAL_read_begin("in", sizeof *in, in_rate, p);

	DAL_foreach_block(blk, chain.blocks[s])
	{
		uint64_t *out = DAL_write_begin("out", sizeof *out, out_rate, size, blk, p);

		for (unsigned i = 0; i < size; i++) {
			unsigned k = blk * size + i;

			out[i] = mix(s, k, in[0], in[k % in_rate]);
		}
		DAL_write_end("out", out, p);
	}
	DAL_read_end("in", in, p);
	dawdle(2 + s, p->local->firings++);
	return 0;
}

/* -- what should come out -- */

/* One channel and the stage behind it: delay zeros, then windows, the last one padded. */
static unsigned expect_stage(uint64_t *list, unsigned count, unsigned s)
{
	uint64_t *from = calloc(count + chain.delay[s] + MOST_RATE, sizeof *from);
	unsigned in = chain.in[s], out = chain.out[s], done = 0;

	ck_assert_ptr_nonnull(from);
	memcpy(from + chain.delay[s], list, count * sizeof *from);
	count += chain.delay[s];
	ck_assert_uint_eq(chain.firings[s], (count + in - 1) / in);
	for (unsigned at = 0; at < count; at += in) {
		unsigned valid = count - at < in ? count - at : in, keep = (out * valid + in - 1) / in;

		for (unsigned k = 0; k < keep; k++)
			list[done++] = mix(s, k, from[at], from[at + k % in]);
	}
	free(from);
	return done;
}

static void check_output(const char *what)
{
	uint64_t *list = calloc(MOST_TOKENS * MOST_RATE, sizeof *list);
	unsigned count = (unsigned)chain.tokens, delay = chain.delay[STAGES];

	ck_assert_ptr_nonnull(list);
	for (unsigned i = 0; i < count; i++)
		list[i] = i + 1;
	for (unsigned s = 0; s < STAGES; s++)
		count = expect_stage(list, count, s);
	memmove(list + delay, list, count * sizeof *list);
	memset(list, 0, delay * sizeof *list);
	ck_assert_msg(
		chain.count == count + delay, "%s: %u tokens, not %u", what, chain.count, count + delay);
	for (unsigned i = 0; i < count + delay; i++)
		ck_assert_msg(chain.got[i] == list[i], "%s: token %u is %llu, not %llu", what, i,
			(unsigned long long)chain.got[i], (unsigned long long)list[i]);
	free(list);
}

/* -- running it -- */

/* One for all stages: their numbers come in the state, which is zeros in a launch before the first firing. */
static const struct pstk_kernel kernel = {
	.source = "kernel void stage(global const ulong *in, global ulong *out, global ulong *state,\n"
		  "	ulong firing)\n"
		  "{\n"
		  "	size_t k = get_global_id(0);\n"
		  "	out[k] = FIVE * in[k % max(state[1], (ulong)1)] + 3 * in[0] + 7 * k + state[0];\n"
		  "	if (k == 0)\n"
		  "		state[2] = firing + 1;\n"
		  "}\n",
	.name = "stage",
	.options = "-DFIVE=5",
};

PSTK_DAL_PRINTF(3, 4)
static char *add_text(char *at, const char *end, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(at, (size_t)(end - at), format, args);
	va_end(args);
	ck_assert_int_ge(n, 0);
	ck_assert_int_lt(n, end - at);
	return at + n;
}

static const char *network_file(void)
{
	char text[6000], *at = text;
	const char *end = text + sizeof text;

	at = add_text(at, end,
		"<processnetwork name='chain'><process name='producer'>" DAL_OUT(
			"out") "</process><process name='consumer'>" DAL_IN("in") "</process>"
										  "<iterator variable='i' "
										  "range='%d'><process "
										  "name='stage'><append "
										  "function='i'/>" DAL_IN(
											  "in")
											  DAL_OUT("out") "</"
													 "pro"
													 "ces"
													 "s><"
													 "/it"
													 "era"
													 "tor"
													 ">"
													 "\n",
		STAGES);
	for (unsigned c = 0; c < CHANNELS; c++) {
		char from[16] = "producer", to[16] = "consumer";

		if (c)
			snprintf(from, sizeof from, "stage_%u", c - 1);
		if (c < STAGES)
			snprintf(to, sizeof to, "stage_%u", c);
		at = add_text(at, end,
			"<sw_channel type='fifo' name='c%u' size='%u' tokensize='8' initialtokens='%u'/>"
			"<connection><origin name='%s'><port name='out'/></origin><target name='c%u'>"
			"<port name='0'/></target></connection><connection><origin name='c%u'>"
			"<port name='1'/></origin><target name='%s'><port "
			"name='in'/></target></connection>\n",
			c, chain.size[c], chain.delay[c], from, c, c, to);
	}
	add_text(at, end, "</processnetwork>\n");
	return test_file("chain.xml", text);
}

/* The stages that are on the device; NULL: none. */
static const char *mapping_file(void)
{
	char text[2000], *at = text;
	const char *end = text + sizeof text;
	bool any = false;

	at = add_text(at, end, "<mapping name='m'>");
	for (unsigned s = 0; s < STAGES; s++) {
		if (!chain.device[s])
			continue;
		any = true;
		at = add_text(at, end,
			"<binding><process name='stage_%u'/><processor name='gpu_0'><target>"
			"<opencl workgroups='%u' workitems='%u'/></target></processor></binding>",
			s, chain.out[s] % 2 ? chain.out[s] : chain.out[s] / 2, 2 - chain.out[s] % 2);
	}
	add_text(at, end, "</mapping>");
	return any ? test_file("map.xml", text) : NULL;
}

/* false: it could not be made or run, and text says why. */
static bool try_chain(const struct baseline_options *options, char *text, size_t size)
{
	struct pstk_dal_port ports[STAGES][2];
	struct pstk_dal_process processes[STAGES + 2] = {
		PSTK_DAL_PROCESS("producer", NULL, producer_fire, NULL, sizeof(struct _local_states)),
		PSTK_DAL_PROCESS("consumer", NULL, consumer_fire, NULL, 0),
	};
	static char names[STAGES][16];
	struct baseline *b;
	int err = 0;

	for (unsigned s = 0; s < STAGES; s++) {
		snprintf(names[s], sizeof names[s], "stage_%u", s);
		ports[s][0] = (struct pstk_dal_port){ "in", chain.in[s], 8, 0 };
		ports[s][1] = (struct pstk_dal_port){ "out", chain.out[s], 8, chain.blocks[s] };
		processes[2 + s] = (struct pstk_dal_process){ .name = names[s],
			.init = stage_init,
			.finish = stage_finish,
			.fire = stage_fire,
			.ports = ports[s],
			.port_count = 2,
			.state_size = sizeof(struct _local_states),
			.kernel = &kernel };
	}
	chain.count = 0;
	b = baseline_create(network_file(), mapping_file(), processes, STAGES + 2, options, text, size);
	test_files_remove();
	if (!b)
		return false;
	ck_assert_uint_gt(baseline_memory(b), 0);
	err = baseline_run(b);
	ck_assert_int_eq(!err, !baseline_error(b)[0]);
	snprintf(text, size, "%s", baseline_error(b));
	baseline_destroy(b);
	return !err;
}

static void run_chain(const struct baseline_options *options, const char *what)
{
	char text[400] = "";
	bool ran = try_chain(options, text, sizeof text);

	ck_assert_msg(ran, "%s: %s", what, text);
	check_output(what);
}

/* A chain at random; on_device: its stages may be on the first device. */
static void make_chain(struct test_rng *rng, bool on_device)
{
	uint32_t rate = test_between(rng, 1, MOST_RATE);

	chain.tokens = test_between(rng, 1, 300);
	chain.chunk = test_between(rng, 0, 16);
	chain.delays = test_chance(rng, 50) ? test_random(rng) : 0;
	for (unsigned s = 0; s < STAGES; s++) {
		chain.in[s] = rate;
		rate = test_between(rng, 1, MOST_RATE);
		/* no longer than the list of what is expected */
		if (rate > 2 * chain.in[s])
			rate = 2 * chain.in[s];
		chain.out[s] = rate;
		chain.blocks[s] = test_between(rng, 1, 3);
		if (rate % chain.blocks[s])
			chain.blocks[s] = 1;
		chain.device[s] = on_device && test_chance(rng, 70);
	}
	for (unsigned c = 0; c < CHANNELS; c++) {
		chain.delay[c] = test_chance(rng, 50) ? test_between(rng, 0, 20) : 0;
		chain.size[c] = chain.delay[c] + test_between(rng, !chain.delay[c], 30);
	}
}

static void run_random(unsigned i, bool on_device)
{
	uint64_t seed = test_seed() + i;
	struct test_rng rng = { seed };
	struct baseline_options o = { .copying = i & 1,
		.pinned = i & 2,
		.wait = (enum baseline_wait)(i / 4 % 2 + (i / 4 % 2 && test_chance(&rng, 50))),
		.wait_per_firing = i & 8,
		.by_location = i & 16,
		.capacity = test_chance(&rng, 50) ? 1 : test_between(&rng, 1, 16) };
	char what[64];

	snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
	make_chain(&rng, on_device);
	run_chain(&o, what);
}

static bool has_device(void)
{
	if (pstk_devices(NULL, 0) > 0)
		return true;
	printf("no OpenCL device: skipped\n");
	return false;
}

enum { RANDOM_CHAINS = 32, DEVICE_CHAINS = 8 };

START_TEST(test_cores)
{
	for (unsigned k = 0; k < test_rounds(4); k++)
		run_random((unsigned)_i + RANDOM_CHAINS * k, false);
}
END_TEST

/* Each alone and all together on a device. */
START_TEST(test_device)
{
	if (!has_device())
		return;
	for (unsigned k = 0; k < DEVICE_CHAINS; k++)
		run_random((unsigned)_i * DEVICE_CHAINS + k, true);
}
END_TEST

/* -- a driver that counts what it has made and says what other drivers let pass -- */

static void stage_item(const struct fake_cl_launch *l, const size_t id[3])
{
	const uint64_t *in = l->arg[0];
	uint64_t *out = l->arg[1], *state = l->arg[2], rate = state[1] ? state[1] : 1;

	out[id[0]] = mix(state[0], id[0], in[0], in[id[0] % rate]);
	if (!id[0])
		memcpy(&state[2], l->arg[3], sizeof state[2]);
	state[2] += !id[0];
}

static const struct fake_cl *start_fake(const char *settings)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "ulong"), FAKE_CL_OUT("out", "ulong"),
		FAKE_CL_OUT("state", "ulong"), FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel stage = {
		.name = "stage", .args = args, .arg_count = 4, .item = stage_item
	};
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);

	ck_assert_ptr_nonnull(fake);
	ck_assert_int_eq(fake->add_kernel(&stage), 0);
	return fake;
}

static void check_left(const struct fake_cl *fake)
{
	fake->settle();
	for (int kind = 0; kind < FAKE_CL_KIND_COUNT; kind++)
		ck_assert_int_eq(fake->live((enum fake_cl_kind)kind), 0);
	ck_assert_msg(!fake->violation_count(), "%s", fake->violation(0));
}

static const char *const fakes[] = { "svm=none,delay=3", "svm=coarse,delay=5,guard=1", "svm=fine,delay=7",
	"svm=none,lazy=1", "svm=fine,lazy=1", "version=12" };

START_TEST(test_fake)
{
	const struct fake_cl *fake = start_fake(fakes[_i]);

	for (unsigned k = 0; k < RANDOM_CHAINS; k += _i % 2 || TEST_SANITIZED ? 3 : 1)
		run_random(k, true);
	ck_assert_uint_gt(fake->calls("clEnqueueNDRangeKernel"), 100);
	check_left(fake);
}
END_TEST

/* Three stages on the device, with windows across blocks and a last one that is filled in part. */
static void make_fixed_chain(void)
{
	chain = (struct chain){ .tokens = 9,
		.chunk = 2,
		.in = { 2, 2, 2 },
		.out = { 2, 2, 2 },
		.blocks = { 1, 1, 1 },
		.delay = { 0, 1, 2 },
		.size = { 4, 5, 6, 4 },
		.device = { true, true, true } };
}

/* What could not be made is released. */
static const char *const makers[] = { "clGetPlatformIDs", "clCreateContext", "clCreateCommandQueue",
	"clCreateProgramWithSource", "clBuildProgram", "clCreateKernel", "clGetKernelInfo", "clCreateBuffer",
	"clSVMAlloc", "clEnqueueFillBuffer", "clEnqueueSVMMemFill", "clSetKernelArg" };

START_TEST(test_releases)
{
	static const char *const settings[] = { "svm=none", "svm=fine" };
	const struct fake_cl *fake = start_fake(settings[_i % 2]);
	struct baseline_options o = _i % 2 ? baseline_best() : baseline_paper();
	const char *maker = makers[_i / 2];
	char text[400];

	make_fixed_chain();
	for (unsigned n = 1; n < 8; n += TEST_SANITIZED ? 3 : 1) {
		uint64_t launches;

		fake->reset();
		start_fake(settings[_i % 2]);
		ck_assert_int_eq(fake->fail_calls(maker, n, 1, CL_OUT_OF_RESOURCES), 0);
		text[0] = '\0';
		if (try_chain(&o, text, sizeof text))
			check_output(maker);
		else
			ck_assert_str_ne(text, "");
		launches = fake->calls("clEnqueueNDRangeKernel");
		/* else it has been made, and three kernels launched */
		if (text[0] && launches < STAGES)
			check_left(fake);
	}
}
END_TEST

/* What else it calls, but for releases. */
static const char *const others[] = { "clGetDeviceIDs", "clGetDeviceInfo", "clGetKernelWorkGroupInfo",
	"clRetainProgram", "clFinish", "clEnqueueNDRangeKernel", "clSetKernelArgSVMPointer", "clFlush",
	"clEnqueueWriteBuffer", "clEnqueueReadBuffer", "clEnqueueSVMMemcpy", "clRetainEvent",
	"clGetEventInfo", "clWaitForEvents" };

/* The n-th call of this function; true: it has come to that. */
static bool fail_call(const char *settings, const char *name, unsigned n, const struct baseline_options *o)
{
	const struct fake_cl *fake = start_fake(settings);
	char text[400] = "";

	fake->reset();
	start_fake(settings);
	ck_assert_int_eq(fake->fail_calls(name, n, 1, CL_OUT_OF_RESOURCES), 0);
	if (try_chain(o, text, sizeof text))
		check_output(name);
	else
		ck_assert_str_ne(text, "");
	ck_assert_msg(!fake->violation_count(), "%s, call %u: %s", name, n, fake->violation(0));
	return fake->calls(name) >= n;
}

/* Each call in turn: either it is said what has failed, or it did not matter; nothing hangs. */
START_TEST(test_failures)
{
	static const char *const settings[] = { "svm=none", "svm=coarse", "svm=fine" };
	struct baseline_options o = _i ? baseline_best() : baseline_paper();
	unsigned failed = 0;

	make_fixed_chain();
	for (unsigned i = 0; i < TEST_COUNT(others); i++)
		for (unsigned n = 1; fail_call(settings[_i], others[i], n, &o); n += TEST_SANITIZED ? 4 : 1)
			failed++;
	ck_assert_uint_gt(failed, TEST_SANITIZED ? 20 : 60);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("baseline");
	TCase *data = test_case(suite, "data"), *fake = test_case(suite, "fake driver");

	tcase_add_loop_test(data, test_cores, 0, RANDOM_CHAINS);
	tcase_add_loop_test(data, test_device, 0, RANDOM_CHAINS / DEVICE_CHAINS);
	tcase_add_loop_test(fake, test_fake, 0, TEST_COUNT(fakes));
	tcase_add_loop_test(fake, test_failures, 0, 3);
	tcase_add_loop_test(fake, test_releases, 0, 2 * TEST_COUNT(makers));
	return test_main(suite);
}
