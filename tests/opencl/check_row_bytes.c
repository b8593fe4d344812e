/* SPDX-License-Identifier: MIT */
/* What is copied of tokens that are seldom full: as much as the stages say, and each used byte is right. */
#include "tests/common/common.h"
#include "tests/opencl/row_net.h"

#include <penstock/pipeline.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 3, ITEMS = 60, MOST = 3000, HEAD = 8 };

#define KERNEL "row_bytes_add"

/* A token: how many bytes are used behind its head, the head's other half, these bytes; then what is not defined. */
struct token {
	uint32_t used, zero;
	unsigned char bytes[MOST];
};

/* How much the stages tell. */
enum telling { TELL_ALL, TELL_NONE, TELL_NOT_ALWAYS, TELL_TOO_MUCH, TELL_NOT_SECOND };

static const char *const configurations[] = { "DP-CG:111:1", "CP-CG:110:1", "CP-CG:011:1", "CP-CG:101:1",
	"CP-CG:101:3", "MG:110", NULL };

static struct {
	uint64_t told, come; /* bytes of all tokens that came in, as stages tell; tokens that came out */
	enum telling telling;
	uint32_t rate;
} t;

static struct token token_of(uint64_t item)
{
	struct token token = { .used = (uint32_t)(test_mix(item) % (MOST + 1)) };

	if (item % 7 == 0)
		token.used = item % 2 ? MOST : 0;
	for (uint32_t i = 0; i < token.used; i++)
		token.bytes[i] = (unsigned char)test_mix(item * MOST + i);
	return token;
}

/* A stage. */
static void add(const struct token *in, struct token *out)
{
	out->used = in->used;
	out->zero = 0;
	for (uint32_t i = 0; i < in->used; i++)
		out->bytes[i] = (unsigned char)(in->bytes[i] + 1);
}

static void run_kernel(const struct fake_cl_launch *l)
{
	const struct token *in = l->arg[0];
	struct token *out = l->arg[1];

	for (uint32_t i = 0; i < t.rate; i++)
		add(&in[i], &out[i]);
}

static const struct fake_cl *open_driver(const char *settings)
{
	static const struct fake_cl_arg args[] = { FAKE_CL_IN("in", "uchar"), FAKE_CL_OUT("out", "uchar"),
		FAKE_CL_VALUE("firing", "ulong", 8) };
	static const struct fake_cl_kernel is = {
		.name = KERNEL, .args = args, .arg_count = TEST_COUNT(args), .run = run_kernel
	};
	const struct fake_cl *fake = row_net_driver(settings, NULL);

	ck_assert_int_eq(fake->add_kernel(&is), 0);
	return fake;
}

static size_t token_bytes(const struct pstk_actor *self, unsigned port, const void *came_in)
{
	uint32_t used;

	memcpy(&used, came_in, sizeof used);
	ck_assert_uint_lt(port, 2);
	if (t.telling == TELL_NOT_ALWAYS && !used)
		return 0;
	return t.telling == TELL_TOO_MUCH ? pstk_actor_port_token_size(self, port) + used : HEAD + used;
}

static size_t expected_bytes(uint32_t used)
{
	bool whole = t.telling == TELL_NONE || t.telling == TELL_TOO_MUCH ||
	             (t.telling == TELL_NOT_ALWAYS && !used);

	return whole ? sizeof(struct token) : HEAD + used;
}

static int stage_init(struct pstk_actor *self)
{
	return pstk_actor_set_work_size(self, 1, &(size_t){ 1 }, NULL);
}

static int stage_fire(struct pstk_firing *f)
{
	const struct token *in = pstk_fifo_read_start(f, 0);
	struct token *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		add(&in[i], &out[i]);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int source_fire(struct pstk_firing *f)
{
	struct token *to = pstk_fifo_write_start(f, 0);

	for (uint32_t i = 0; i < t.rate; i++) {
		struct token token = token_of(pstk_firing_index(f) * t.rate + i);

		memcpy(&to[i], &token, HEAD + token.used);
		t.told += expected_bytes(token.used);
	}
	pstk_fifo_write_end(f, 0);
	return pstk_firing_index(f) + 1 < ITEMS ? PSTK_AGAIN : PSTK_DONE;
}

static bool is_right(const struct token *is, uint64_t item)
{
	struct token expected = token_of(item);

	for (uint32_t i = 0; i < expected.used; i++)
		expected.bytes[i] = (unsigned char)(expected.bytes[i] + STAGES);
	return !memcmp(is, &expected, HEAD + expected.used);
}

static int sink_fire(struct pstk_firing *f)
{
	const struct token *is = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		if (!is_right(&is[i], t.come++))
			return pstk_actor_error(
				pstk_firing_actor(f), -EPROTO, "token %" PRIu64 " is wrong", t.come - 1);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
	{ .name = "out", .kind = PSTK_OUTPUT } };

static void connect(struct pstk_actor *from, struct pstk_actor *to)
{
	ck_assert_ptr_nonnull(pstk_connect(
		from, "out", to, "in", PSTK_FIFO(.rate = t.rate, .token_size = sizeof(struct token))));
}

static struct pstk_actor *add_stage(struct pstk_network *net, unsigned k)
{
	static const struct pstk_kernel kernel = { .name = KERNEL,
		.source = "__kernel void " KERNEL
			  "(__global const uchar *in, __global uchar *out, ulong firing) { }\n" };
	bool tells = t.telling != TELL_NONE && (t.telling != TELL_NOT_SECOND || k != 1);

	return pstk_network_add(net, (const char *const[]){ "first", "second", "third" }[k],
		PSTK_ACTOR_TYPE(.name = "stage", .ports = ports, .port_count = 2, .stateless = true,
			.init = stage_init, .fire = stage_fire, .kernel = &kernel,
			.token_bytes = tells ? token_bytes : NULL),
		NULL);
}

static struct pstk_network *build(const char *configuration, struct pstk_pipeline **pipeline)
{
	struct pstk_network *net = pstk_network_create("bytes");
	struct pstk_actor *stages[STAGES], *source, *sink;

	source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = ports + 1, .port_count = 1, .fire = source_fire),
		NULL);
	sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = ports, .port_count = 1, .fire = sink_fire), NULL);
	for (unsigned k = 0; k < STAGES; k++) {
		stages[k] = add_stage(net, k);
		connect(k ? stages[k - 1] : source, stages[k]);
	}
	connect(stages[STAGES - 1], sink);
	*pipeline = pstk_pipeline_add(net, "tested", stages, STAGES,
		PSTK_PIPELINE(.device = "pstk:gpu:0", .configuration = configuration, .cores = 2));
	ck_assert_msg(*pipeline != NULL, "%s", pstk_network_error(net));
	return net;
}

/* Bytes to the device, and from there. */
static void run(const char *configuration, uint64_t *up, uint64_t *down)
{
	struct pstk_pipeline *pipeline;
	struct pstk_pipeline_report *report;
	struct pstk_network *net;

	test_guard(configuration ? configuration : "adaptive", t.telling);
	t.told = t.come = 0;
	net = build(configuration, &pipeline);
	ck_assert_msg(!pstk_network_run(net), "%s: %s", configuration, pstk_network_error(net));
	ck_assert_uint_eq(t.come, ITEMS * t.rate);
	report = pstk_pipeline_get_report(pipeline);
	ck_assert_ptr_nonnull(report);
	*up = report->bytes_to_device;
	*down = report->bytes_to_host;
	pstk_pipeline_free_report(report);
	pstk_network_destroy(net);
}

static void expect_clean(const struct fake_cl *fake)
{
	fake->settle();
	ck_assert_msg(fake->violation_count() == 0, "%s", fake->violation(0));
}

/* One thread always finds the device idle. Each run there brings one token, and takes one back. */
START_TEST(as_much_as_is_used)
{
	static const unsigned runs[] = { 1, 1, 1, 2 }; /* of an item, in the first configurations */
	const struct fake_cl *fake = open_driver("svm=none,unified=0");

	t.rate = 1;
	t.telling = (enum telling)_i;
	for (unsigned i = 0; i < TEST_COUNT(configurations); i++) {
		uint64_t up, down;

		run(configurations[i], &up, &down);
		if (i >= TEST_COUNT(runs))
			continue;
		ck_assert_msg(up == runs[i] * t.told && down == runs[i] * t.told,
			"%s: %" PRIu64 " bytes to the device, %" PRIu64 " from there, not %" PRIu64,
			configurations[i], up, down, runs[i] * t.told);
	}
	expect_clean(fake);
}
END_TEST

/* Behind a stage that tells nothing, and where it is the first one, tokens are whole. */
START_TEST(one_tells_nothing)
{
	const uint64_t whole = (uint64_t)ITEMS * sizeof(struct token);
	const struct fake_cl *fake = open_driver("svm=none,unified=0");
	uint64_t up, down;

	t.rate = 1;
	t.telling = TELL_NOT_SECOND;
	run("DP-CG:111:1", &up, &down);
	ck_assert_uint_eq(up, t.told);
	ck_assert_uint_eq(down, whole);
	run("CP-CG:011:1", &up, &down);
	ck_assert_uint_eq(up, whole);
	ck_assert_uint_eq(down, whole);
	run("CP-CG:101:1", &up, &down);
	ck_assert_uint_eq(up, 2 * t.told);
	ck_assert_uint_eq(down, 2 * t.told);
	expect_clean(fake);
}
END_TEST

START_TEST(items_of_several_tokens_are_whole)
{
	const struct fake_cl *fake = open_driver("svm=none,unified=0");
	uint64_t up, down;

	t.rate = 3;
	t.telling = TELL_ALL;
	for (unsigned i = 0; i < TEST_COUNT(configurations); i++) {
		run(configurations[i], &up, &down);
		if (i == 0) {
			ck_assert_uint_eq(up, (uint64_t)ITEMS * 3 * sizeof(struct token));
			ck_assert_uint_eq(down, up);
		}
	}
	expect_clean(fake);
}
END_TEST

/* Where the device uses the host's windows: nothing is copied, and the head is read before they are lent. */
START_TEST(in_place)
{
	const struct fake_cl *fake = open_driver("svm=none,unified=1,delay=3");
	uint64_t up, down;

	t.rate = 1;
	t.telling = TELL_ALL;
	for (unsigned i = 0; i < TEST_COUNT(configurations); i++)
		run(configurations[i], &up, &down);
	expect_clean(fake);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_bytes");
	TCase *tcase = test_case(suite, "bytes");

	tcase_add_loop_test(tcase, as_much_as_is_used, 0, TELL_NOT_SECOND);
	tcase_add_test(tcase, one_tells_nothing);
	tcase_add_test(tcase, items_of_several_tokens_are_whole);
	tcase_add_test(tcase, in_place);
	return test_main(suite);
}
