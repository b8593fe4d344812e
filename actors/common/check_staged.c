/* SPDX-License-Identifier: MIT */
#include "actors/common/check_staged.h"
#include "actors/common/check_chain.h"
#include "actors/common/wide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct source {
	const struct staged_tokens *tokens;
	size_t next;
};

static int give(struct pstk_firing *f)
{
	struct source *s = pstk_actor_arg(pstk_firing_actor(f));
	size_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), left = s->tokens->count - s->next;
	size_t count = left < rate ? left : rate;

	if (!count)
		return PSTK_DONE;
	memcpy(pstk_fifo_write_start(f, 0), s->tokens->data + s->next * s->tokens->bytes,
		count * s->tokens->bytes);
	s->next += count;
	pstk_fifo_write_end_partial(f, 0, (uint32_t)count);
	return PSTK_AGAIN;
}

static int keep(struct pstk_firing *f)
{
	struct staged_tokens *t = pstk_actor_arg(pstk_firing_actor(f));
	const void *in = pstk_fifo_read_start(f, 0);
	size_t valid = pstk_port_valid(f, 0);

	t->data = realloc(t->data, (t->count + valid) * t->bytes);
	ck_assert_ptr_nonnull(t->data);
	memcpy(t->data + t->count * t->bytes, in, valid * t->bytes);
	t->count += valid;
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static struct pstk_network *build(struct staged_run *run, struct source *from)
{
	static const struct pstk_port in = { .name = "in", .kind = PSTK_INPUT },
				      out = { .name = "out", .kind = PSTK_OUTPUT };
	struct pstk_network *net = pstk_network_create("staged");
	struct pstk_actor *stages[STAGED_STAGES];
	unsigned count = run->build(net, run->data, stages);
	struct pstk_actor *source = pstk_network_add(net, "source",
				  PSTK_ACTOR_TYPE(.name = "give", .ports = &out, .port_count = 1,
					  .fire = give),
				  from),
			  *sink = pstk_network_add(net, "sink",
				  PSTK_ACTOR_TYPE(.name = "keep", .ports = &in, .port_count = 1,
					  .fire = keep),
				  &run->out);

	run->out.data = NULL;
	run->out.count = 0;
	pstk_connect(source, "out", stages[0], "in",
		PSTK_FIFO(.rate = run->rate ? run->rate : 1, .token_size = run->in.bytes));
	pstk_connect(stages[count - 1], run->port ? run->port : "out", sink, "in",
		PSTK_FIFO(.rate = 1, .token_size = run->out.bytes));
	pstk_pipeline_add(net, "tested", stages, count,
		PSTK_PIPELINE(.device = run->device, .configuration = run->configuration,
			.cores = run->cores));
	return net;
}

int staged_fail(struct staged_run *run, char *error, size_t size)
{
	struct source from = { &run->in, 0 };
	struct pstk_network *net = build(run, &from);
	int err = pstk_network_run(net);

	snprintf(error, size, "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	return err;
}

void staged_go(struct staged_run *run)
{
	char error[512];

	ck_assert_msg(staged_fail(run, error, sizeof error) == 0, "%s: %s",
		run->configuration ? run->configuration : "adaptive", error);
}

void staged_free(struct staged_run *run)
{
	free(run->out.data);
	run->out.data = NULL;
}

static void compare(
	const struct staged_run *a, const struct staged_run *b, bool (*same)(const void *, const void *))
{
	ck_assert_uint_eq(a->out.count, b->out.count);
	for (size_t i = 0; i < a->out.count; i++)
		ck_assert_msg(same(a->out.data + i * a->out.bytes, b->out.data + i * b->out.bytes),
			"%s, %u cores: token %zu differs", b->configuration, (unsigned)b->cores, i);
}

static unsigned count_stages(const struct staged_run *run)
{
	struct pstk_network *net = pstk_network_create("count");
	struct pstk_actor *stages[STAGED_STAGES];
	unsigned count = run->build(net, run->data, stages);

	pstk_network_destroy(net);
	return count;
}

void staged_cores(struct staged_run *run, bool (*same)(const void *, const void *))
{
	static const struct {
		const char *grain, *threads;
		uint32_t cores;
	} ways[] = { { "CG", ":1", 1 }, { "CG", ":2", 1 }, { "MG", "", 1 }, { "CG", ":1", 2 },
		{ "CG", ":2", 2 }, { "CG", ":3", 2 }, { "MG", "", 2 } };
	char text[64], mask[STAGED_STAGES + 1] = "";

	memset(mask, '0', count_stages(run));
	run->device = NULL;
	run->cores = 2;
	run->configuration = NULL;
	staged_go(run);
	for (unsigned i = 0; i < TEST_COUNT(ways); i++) {
		struct staged_run other = *run;

		snprintf(text, sizeof text, "%s:%s%s", ways[i].grain, mask, ways[i].threads);
		other.configuration = text;
		other.cores = ways[i].cores;
		staged_go(&other);
		compare(run, &other, same);
		staged_free(&other);
	}
}

const char *staged_device(unsigned number)
{
	static const struct {
		const char *driver, *selector;
	} devices[STAGED_DEVICES] = { { "pthread", "pocl:cpu:0" }, { "basic", "pocl:cpu:0" },
		{ "pthread", "pocl:cpu:0/1of2" } };
	struct pstk_device_info info;

	setenv("POCL_DEVICES", devices[number].driver, 1);
	if (!pstk_device_find(devices[number].selector, &info, NULL, 0))
		return devices[number].selector;
	printf("no device %s of PoCL's driver '%s'\n", devices[number].selector, devices[number].driver);
	return NULL;
}

void staged_configurations(const struct staged_run *run, const char *device, unsigned share,
	bool (*same)(const void *, const void *), bool (*near)(const void *, const void *))
{
	const unsigned stages = count_stages(run), all = (1U << stages) - 1;
	struct test_rng rng = { test_mix(test_seed()) };
	struct staged_run first = *run, other = *run;
	char text[32];

	first.device = NULL;
	first.cores = 1;
	chain_configuration(text, 0, 1, stages, 0, true);
	first.configuration = text;
	staged_go(&first);
	share = test_share(share);
	other.device = device;
	other.configuration = text;
	for (other.cores = 1; other.cores <= 2; other.cores++)
		for (unsigned i = 0, n = 0; chain_configuration(text, n, other.cores, stages, all, true);
			i += share, n = i + test_between(&rng, 0, share - 1)) {
			test_guard(text, test_seed());
			staged_go(&other);
			compare(&first, &other, memchr(text + 3, '1', stages) ? near : same);
			staged_free(&other);
		}
	staged_free(&first);
}

void staged_shortest(const struct staged_run *run, bool (*same)(const void *, const void *))
{
	struct staged_run other = *run;
	enum ps_wide limit = ps_wide_limit(PS_WIDE_ANY);

	staged_go(&other);
	ps_wide_limit(limit);
	compare(run, &other, same);
	staged_free(&other);
}

bool staged_same(const void *a, const void *b, size_t bytes)
{
	struct pstk_frame_size size = pstk_sized_get(a), other = pstk_sized_get(b);

	return size.width == other.width && size.height == other.height &&
	       !memcmp((const char *)a + PSTK_SIZED_HEAD, (const char *)b + PSTK_SIZED_HEAD,
		       bytes * size.width * size.height);
}

unsigned char *staged_frame(const uint8_t *pixels, uint32_t width, uint32_t height, size_t token_bytes)
{
	unsigned char *token = calloc(1, token_bytes);

	ck_assert_ptr_nonnull(token);
	pstk_sized_set(token, width, height);
	memcpy(token + PSTK_SIZED_HEAD, pixels, (size_t)width * height);
	return token;
}

FILE *staged_open(const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof path, TEST_DATA "/%s", name);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s can't be opened", path);
	return file;
}

uint8_t *staged_read_pgm(const char *name, uint32_t *width, uint32_t *height)
{
	FILE *file = staged_open(name);
	uint8_t *pixels;

	ck_assert_int_eq(fscanf(file, "P5 %" SCNu32 " %" SCNu32 " 255", width, height), 2);
	ck_assert_int_eq(getc(file), '\n');
	pixels = malloc((size_t)*width * *height);
	ck_assert_ptr_nonnull(pixels);
	ck_assert_uint_eq(fread(pixels, *width, *height, file), *height);
	fclose(file);
	return pixels;
}
