/* SPDX-License-Identifier: MIT */
/* Stages of a pipeline on a real device: what comes out of any runs of any pipeline, and what is copied for them. */
#include "lib/opencl/cl_actor.h"
#include "tests/common/common.h"
#include "tests/opencl/cl_chain.h"
#include "tests/opencl/row_line.h"
#include "tests/opencl/row_net.h"
#include "tests/pipeline/line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const memories[] = { "copy", "map", "svm" };
static bool shares; /* of the test's memory */

/* The device, or a half of it; NULL: there is none. */
static const char *open_device(int i)
{
	static char half[96];
	const char *device = cl_chain_device("pthread", memories[i % 3]);

	shares = strcmp(memories[i % 3], "copy") != 0;
	if (device)
		snprintf(half, sizeof half, "%s%s", device, i / 3 ? "/1of2" : "");
	return device ? half : NULL;
}

static void start(struct row_net *n, const char *device)
{
	row_net_build(n, device);
	ck_assert_msg(!pstk_network_start(n->net), "%s", pstk_network_error(n->net));
}

static void end(struct row_net *n)
{
	ck_assert_msg(!row_net_end(n), "%s", pstk_network_error(n->net));
	row_net_free(n);
}

static void carry(struct row_net *n, uint32_t mask, uint32_t valid, struct ps_row_times *times)
{
	uint64_t up, down, were_up, were_down, more_up, more_down;
	char text[PS_TEXT_SIZE] = "";
	unsigned failed = 0;
	int err;

	ps_row_bytes(n->pipeline->row, &were_up, &were_down);
	err = row_net_carry(n, mask, valid, times, text, &failed);
	ck_assert_msg(!err, "stage %u: %d, %s", failed, err, text);
	ps_row_bytes(n->pipeline->row, &up, &down);
	if ((times && !times->stages_only) || valid < 1024)
		return;
	row_net_bytes(n, mask, shares, &more_up, &more_down);
	ck_assert_uint_eq(up - were_up, more_up);
	ck_assert_uint_eq(down - were_down, more_down);
}

/* Each mask of a chain, with full windows and at last with few tokens. */
START_TEST(masks)
{
	static struct row_net n;
	const char *device = open_device(_i);

	if (!device)
		return;
	row_net_chain(&n, 4, 33, 0);
	n.stages[2].form = ROW_HOST_CODE;
	start(&n, device);
	ck_assert_str_eq(ps_row_device(n.pipeline)->selector, device);
	for (uint32_t mask = 0; mask < 16; mask++) {
		carry(&n, mask, 1024, NULL);
		carry(&n, mask, 1024, NULL);
		carry(&n, mask, 500, NULL);
		carry(&n, mask, 1, NULL);
		carry(&n, mask, 0, NULL);
	}
	end(&n);
}
END_TEST

static void run_drawn(uint64_t seed, const char *device)
{
	static struct row_net n;
	struct test_rng rng = { test_mix(seed + 1) };
	struct ps_row_times times;

	test_guard("a pipeline", seed);
	row_net_draw(&n, seed);
	start(&n, device);
	for (unsigned i = 0; i < 20; i++) {
		times.stages_only = test_chance(&rng, 50);
		carry(&n, test_between(&rng, 0, (1u << n.stage_count) - 1),
			test_chance(&rng, 60) ? 1024 : test_between(&rng, 0, 1024),
			test_chance(&rng, 25) ? &times : NULL);
	}
	end(&n);
}

/* Any pipelines: side outputs, stages that read several stages, rates; any masks, with trainings in between. */
START_TEST(drawn)
{
	const char *device = open_device(_i);

	for (uint64_t i = 0; device && i < test_rounds(10); i++)
		run_drawn(test_seed() + i, device);
}
END_TEST

START_TEST(token_sizes)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 3 }, { 7, 1 }, { 1, 4096 }, { 5, 65536 },
		{ 1, 1 << 20 }, { 1 << 20, 1 } };
	const char *device = open_device(0);

	for (size_t i = 0; device && i < TEST_COUNT(sizes); i++) {
		static struct row_net n;

		row_net_chain(&n, 2, sizes[i][0], sizes[i][1]);
		start(&n, device);
		carry(&n, 3, 1024, NULL);
		carry(&n, 1, 700, NULL);
		end(&n);
	}
}
END_TEST

/* Of a chain: a launch for each stage; in front of each stage there is one window, of which all have been moved. Then
 * the launches alone. */
START_TEST(training)
{
	static struct row_net n;
	const char *device = open_device(_i);
	struct ps_row_times times;
	uint64_t up, down;

	if (!device)
		return;
	row_net_chain(&n, 3, 100, 0);
	start(&n, device);
	memset(&times, 0xff, sizeof times);
	times.stages_only = false;
	carry(&n, 7, 1024, &times);
	ps_row_bytes(n.pipeline->row, &up, &down);
	ck_assert_uint_eq(up, shares ? 0 : 4 * 400);
	ck_assert_uint_eq(down, shares ? 0 : 4 * 400);
	for (unsigned k = 0; k <= 3; k++) {
		ck_assert(times.to_device[k] > 0 && times.to_device[k] < UINT64_MAX);
		ck_assert(times.to_host[k] > 0 && times.to_host[k] < UINT64_MAX);
		ck_assert(k == 3 || (times.stage[k] > 0 && times.stage[k] < UINT64_MAX));
	}
	memset(&times, 0xff, sizeof times);
	times.stages_only = true;
	carry(&n, 7, 1024, &times);
	for (unsigned k = 0; k < 3; k++)
		ck_assert(times.stage[k] > 0 && times.stage[k] < UINT64_MAX);
	carry(&n, 7, 1024, NULL);
	end(&n);
}
END_TEST

/* How long a stage's launches took, with PSTK_PROFILE. */
START_TEST(profile)
{
	static struct row_net n;
	const char *device = open_device(0);
	const struct ps_cl_actor *parts[2];

	if (!device)
		return;
	row_net_chain(&n, 2, 10000, 0);
	n.stages[1].form = ROW_HOST_CODE;
	row_net_build(&n, device);
	ck_assert_int_eq(pstk_network_set_flags(n.net, PSTK_PROFILE), 0);
	ck_assert_msg(!pstk_network_start(n.net), "%s", pstk_network_error(n.net));
	for (unsigned k = 0; k < 2; k++) {
		parts[k] = n.stages[k].actor->cl;
		ck_assert_uint_eq(atomic_load(&parts[k]->device_ns), 0);
	}
	carry(&n, 3, 1024, NULL);
	for (unsigned k = 0; k < 2; k++)
		ck_assert_uint_gt(atomic_load(&parts[k]->device_ns), 0);
	end(&n);
}
END_TEST

/* Carries items in the first windows of the FIFOs at the border of a chain. */
static void carry_border(struct row_net *n)
{
	const struct pstk_actor *a = pstk_pipeline_actor(n->pipeline);
	struct row_wire *ends[2] = { &n->wires[n->stages[0].in[0]],
		&n->wires[n->stages[n->stage_count - 1].out[0]] };
	unsigned char *own[2] = { ends[0]->host, ends[1]->host };

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < 2; k++) {
			const struct ps_fifo *f = &a->ports[k].fifo->fifo;

			ends[k]->host = f->memory + i * f->writer.step;
		}
		carry(n, 7, 1024, NULL);
		carry(n, 7, 20, NULL);
	}
	for (unsigned k = 0; k < 2; k++)
		ends[k]->host = own[k];
}

/* Windows of the FIFOs at the border, whatever their size: the row finds them by itself. */
START_TEST(border)
{
	static const uint32_t sizes[][2] = { { 1024, 4 }, { 1, 40000 }, { 1000, 4 }, { 1, 1 }, { 129, 1 } };
	const char *device = open_device(_i);

	for (size_t i = 0; device && i < TEST_COUNT(sizes); i++) {
		static struct row_net n;

		row_net_chain(&n, 3, sizes[i][0], sizes[i][1]);
		start(&n, device);
		carry_border(&n);
		end(&n);
	}
}
END_TEST

/* Items that the library carries. */
START_TEST(carried)
{
	const char *device = open_device(_i);

	if (!device)
		return;
	row_line_sizes(device);
	row_line_kinds(device);
	row_line_copies(device);
}
END_TEST

/* fire_cl() says that the stream ends. */
START_TEST(done)
{
	static struct row_net n;
	const char *device = open_device(0);

	if (!device)
		return;
	row_net_chain(&n, 3, 10, 0);
	n.stages[1].form = ROW_HOST_CODE_DONE;
	start(&n, device);
	carry(&n, 7, 1024, NULL);
	carry(&n, 2, 512, NULL);
	end(&n);
}
END_TEST

/* What fire_cl() does wrong: the row says it, and is of no use from then on. */
START_TEST(host_code_fails)
{
	static const struct {
		int returns, err;
		const char *says;
	} cases[] = { { -EDOM, -EDOM, "fire_cl(): it can't" },
		{ 7, -EPROTO, "fire_cl(): fire_cl() returned 7" }, { PSTK_AGAIN, 0, NULL } };
	static struct row_net n;
	const char *device = open_device(0);
	char text[PS_TEXT_SIZE];
	unsigned failed;

	for (unsigned i = 0; device && i < 2; i++) {
		row_net_chain(&n, 3, 10, 0);
		n.stages[1].form = ROW_HOST_CODE;
		n.stages[1].fails = cases[i].returns;
		start(&n, device);
		for (unsigned k = 0; k < 2; k++) {
			failed = 99;
			ck_assert_int_eq(row_net_carry(&n, 7, 1024, NULL, text, &failed), cases[i].err);
			ck_assert_uint_eq(failed, 1);
			ck_assert_msg(strstr(text, cases[i].says), "%s", text);
		}
		end(&n);
	}
}
END_TEST

START_TEST(no_such_device)
{
	static struct row_net n;

	if (!open_device(0))
		return;
	row_net_chain(&n, 2, 1, 0);
	row_net_build(&n, "pocl:gpu:7");
	ck_assert_int_eq(ps_row_map(n.stages[0].actor, "pocl:gpu:7"), -ENODEV);
	ck_assert_ptr_null(ps_row_device(pstk_actor_pipeline(n.stages[0].actor)));
	ck_assert_int_eq(ps_row_map(n.stages[0].actor, "cpu/9of2"), -EINVAL);
	ck_assert_int_eq(pstk_network_start(n.net), -ENODEV);
	TEST_SAYS(pstk_network_error(n.net), "pipeline 'bytes': ", "pocl:gpu:7");
	row_net_free(&n);
}
END_TEST

/* A pipeline whose kernel does not build has not run, and invents no figures. */
START_TEST(kernel_does_not_build)
{
	static const struct pstk_kernel kernel = { .name = "k", .source = "__kernel void k(nonsense) {}" };
	struct pstk_actor_type type = *line_type();
	const char *device = open_device(0);
	struct pstk_pipeline *p;
	char text[200] = "";
	struct line line;
	FILE *file;

	if (!device)
		return;
	type.kernel = &kernel;
	line_begin_with(&line, &type, 1, 4, 1);
	p = pstk_pipeline_add(line.net, "line", line.stages, 1, PSTK_PIPELINE(.cores = 1, .device = device));
	ck_assert_int_lt(pstk_network_run(line.net), 0);
	TEST_SAYS(pstk_network_error(line.net), "'stage0' (pass)");
	ck_assert_ptr_nonnull(p);
	file = fmemopen(text, sizeof text - 1, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(pstk_pipeline_print(p, file), 0);
	fclose(file);
	ck_assert_str_eq(text, "pipeline 'line': it has not run\n");
	pstk_network_destroy(line.net);
}
END_TEST

/*
 * Stages, and the forms that they have.
 */

/* The device form of stages that never are on the device. */
static int never_cl(struct pstk_firing *f)
{
	(void)f;
	return -EIO;
}

/* forms: of stages, as a mask: those with a form for the device. */
static void begin_line(struct line *line, unsigned stages, uint32_t forms)
{
	struct pstk_actor_type type = *line_type();

	type.fire_cl = never_cl;
	line_begin_with(line, &type, stages, 40, 1);
	for (unsigned k = 0; k < stages; k++)
		if (!(forms >> k & 1))
			line->stages[k]->type.fire_cl = NULL;
}

static void refused(struct line *line, const char *words)
{
	ck_assert_int_eq(pstk_network_run(line->net), -EINVAL);
	TEST_SAYS(pstk_network_error(line->net), "pipeline 'line': ", words);
	pstk_network_destroy(line->net);
}

START_TEST(mapped_by_hand)
{
	const char *device = open_device(0);
	struct line line;

	if (!device)
		return;
	begin_line(&line, 2, 3);
	ck_assert_int_eq(pstk_actor_map(line.stages[1], device), 0);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 1, .device = device)));
	refused(&line, "'stage1' (pass) is mapped by hand: leave out its pstk_actor_map(), `mapping` or "
		       "--device, and give the pipeline a `device`");
	/* what was taken back was not said */
	begin_line(&line, 2, 3);
	ck_assert_int_eq(pstk_actor_map(line.stages[1], device), 0);
	ck_assert_int_eq(pstk_actor_map(line.stages[1], NULL), 0);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 1, .device = device)));
	pstk_network_destroy(line.net);
}
END_TEST

/* A configuration with a stage that has no form; no stage that has one. */
START_TEST(stages_without_a_form)
{
	const char *device = open_device(0);
	char error[200];
	struct line line;

	if (!device)
		return;
	begin_line(&line, 2, 1);
	ck_assert_ptr_null(
		line_make(&line, PSTK_PIPELINE(.cores = 1, .device = device, .configuration = "CP-CG:01:2")));
	refused(&line,
		"configuration 'CP-CG:01:2': it needs stage 2, 'stage1' (pass), on the device, but its "
		"type has neither a kernel nor a fire_cl()");
	begin_line(&line, 2, 1);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 1, .device = device)));
	ck_assert_int_eq(
		pstk_pipeline_set_configuration(line.pipeline, "DP-MG:11:2", error, sizeof error), -EINVAL);
	TEST_SAYS(error, "it needs stage 2, 'stage1' (pass), on the device");
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, "CP-CG:10:2", NULL, 0), 0);
	pstk_network_destroy(line.net);
	begin_line(&line, 2, 0);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 1, .device = device)));
	refused(&line, "no stage has a kernel or a fire_cl() for device '");
}
END_TEST

/* .. which the report says. */
START_TEST(report_of_forms)
{
	const char *device = open_device(0);
	char text[4000] = "";
	struct line line;
	FILE *file;

	if (!device)
		return;
	begin_line(&line, 3, 5);
	ck_assert_ptr_nonnull(line_make(
		&line, PSTK_PIPELINE(.cores = 1, .device = device, .configuration = "CPU-CG:000:2")));
	line_run(&line);
	file = fmemopen(text, sizeof text - 1, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(pstk_pipeline_print(line.pipeline, file), 0);
	fclose(file);
	for (unsigned k = 0; k < 3; k++) {
		char name[16];
		const char *row, *words;

		snprintf(name, sizeof name, "\n  stage%u ", k);
		row = strstr(text, name);
		ck_assert_msg(row != NULL, "%s", text);
		words = strstr(row, "  it has no form for the device\n");
		ck_assert_int_eq(words && words < strchr(row + 1, '\n'), k == 1);
	}
	pstk_network_destroy(line.net);
}
END_TEST

/* More than 2^20 configurations are too many to choose from, but one of them may be given. */
START_TEST(too_many_configurations)
{
	const char *device = open_device(0);
	char error[200];
	struct line line;

	if (!device)
		return;
	begin_line(&line, 16, 0xffff);
	ck_assert_ptr_null(line_make(&line, PSTK_PIPELINE(.cores = 15, .device = device)));
	refused(&line, "16 stages and 15 cores have more than 1048576 configurations to choose from: give it "
		       "a `configuration`, or fewer cores");
	begin_line(&line, 16, 0xffff);
	ck_assert_ptr_nonnull(line_make(&line, PSTK_PIPELINE(.cores = 14, .device = device)));
	pstk_network_destroy(line.net);
	begin_line(&line, 16, 0xffff);
	ck_assert_ptr_nonnull(line_make(&line,
		PSTK_PIPELINE(.cores = 15, .device = device, .configuration = "CPU-CG:0000000000000000:2")));
	ck_assert_int_eq(pstk_pipeline_set_configuration(line.pipeline, NULL, error, sizeof error), -EINVAL);
	TEST_SAYS(error, "there are more than 1048576 configurations to choose from");
	pstk_network_destroy(line.net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row");
	TCase *tcase = test_case(suite, "row"), *forms = test_case(suite, "forms");

	tcase_add_loop_test(tcase, masks, 0, 6);
	tcase_add_loop_test(tcase, drawn, 0, 6);
	tcase_add_test(tcase, token_sizes);
	tcase_add_loop_test(tcase, training, 0, 3);
	tcase_add_loop_test(tcase, border, 0, 3);
	tcase_add_loop_test(tcase, carried, 1, 3);
	tcase_add_test(tcase, profile);
	tcase_add_test(tcase, done);
	tcase_add_test(tcase, host_code_fails);
	tcase_add_test(tcase, no_such_device);
	tcase_add_test(tcase, kernel_does_not_build);
	tcase_add_test(forms, mapped_by_hand);
	tcase_add_test(forms, stages_without_a_form);
	tcase_add_test(forms, report_of_forms);
	tcase_add_test(forms, too_many_configurations);
	return test_main(suite);
}
