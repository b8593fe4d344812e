/* SPDX-License-Identifier: MIT */
/* How much of its tokens each stage says is used for a frame: those with a device form of <penstock/vision.h>. */
#include "penstock/vision.h"
#include "tests/common/common.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 150, HEIGHT = 90, FILTERS = 13, ROWS = 21, PORTS = 3 };

/* What a port's token has behind its head: so many bytes for each pixel, or for each cell; neither: it is whole. */
struct use {
	const char *port;
	size_t pixel, cell;
};

static float coefficients[FILTERS * ROWS * 9];

static struct pstk_actor *add_vivid(struct pstk_network *net, const char *name)
{
	struct pstk_vivid_spec spec = *PSTK_VIVID(.width = WIDTH, .height = HEIGHT, .filters = FILTERS,
		.rows = ROWS, .coefficients = coefficients);

	if (strstr(name, "filters"))
		return pstk_vivid_filters_add(net, name, &spec);
	if (strstr(name, "histogram"))
		return pstk_vivid_histogram_add(net, name, &spec);
	return pstk_vivid_classify_add(net, name, &spec);
}

static struct pstk_actor *add_bag(struct pstk_network *net, const char *name)
{
	return pstk_bag_gradients_add(net, name, PSTK_BAG(.width = WIDTH, .height = HEIGHT));
}

static struct pstk_actor *add_srad(struct pstk_network *net, const char *name)
{
	static const struct pstk_actor_type *(*const types[])(void) = { pstk_srad_extract_type,
		pstk_srad_prepare_type, pstk_srad_reduce_type, pstk_srad1_type, pstk_srad2_type,
		pstk_srad_compress_type, pstk_srad_loop_type };
	struct pstk_srad_loop_arg arg = { { WIDTH, HEIGHT }, 0.5f, 3 };

	for (unsigned i = 0; i < TEST_COUNT(types); i++)
		if (!strcmp(types[i]()->name, name))
			return pstk_network_add(net, name, types[i](), &arg);
	ck_abort_msg("there is no %s", name);
}

static const struct {
	const char *name;
	struct pstk_actor *(*add)(struct pstk_network *, const char *name);
	struct use ports[PORTS];
} stages[] = {
	{ "vivid_filters", add_vivid, { { "in", 1, 0 }, { "value", 4, 0 }, { "index", 1, 0 } } },
	{ "vivid_histogram", add_vivid,
		{ { "value", 4, 0 }, { "index", 1, 0 }, { "hist", 0, FILTERS * 4 } } },
	{ "vivid_classify", add_vivid, { { "hist", 0, FILTERS * 4 }, { "dist", 0, ROWS * 4 } } },
	{ "bag_gradients", add_bag, { { "in", 1, 0 }, { "magnitude", 4, 0 }, { "bin", 1, 0 } } },
	{ "srad_extract", add_srad, { { "in", 1, 0 }, { "out", 4, 0 } } },
	{ "srad_prepare", add_srad, { { "in", 4, 0 }, { "out", 4, 0 } } },
	{ "srad_reduce", add_srad, { { "in", 4, 0 }, { "squares", 4, 0 }, { "out", 0, 0 } } },
	{ "srad1", add_srad, { { "in", 4, 0 }, { "stats", 0, 0 }, { "out", 4, 0 } } },
	{ "srad2", add_srad, { { "in", 4, 0 }, { "c", 4, 0 }, { "out", 4, 0 } } },
	{ "srad_compress", add_srad, { { "in", 4, 0 }, { "out", 1, 0 } } },
	{ "srad_loop", add_srad, { { "in", 4, 0 }, { "out", 4, 0 } } },
};

/* Connects each port, so that it has tokens of the largest frame. */
static void connect_all(struct pstk_network *net, struct pstk_actor *stage, const struct use *ports)
{
	const struct pstk_actor_type *type = pstk_actor_get_type(stage);

	for (unsigned i = 0; i < type->port_count; i++) {
		const struct use *u = &ports[i];
		bool input = type->ports[i].kind == PSTK_INPUT;
		const struct pstk_port port = { .name = "end", .kind = input ? PSTK_OUTPUT : PSTK_INPUT };
		size_t bytes = u->pixel * WIDTH * HEIGHT + u->cell * pstk_vivid_cells(WIDTH, HEIGHT);
		struct pstk_actor *end = pstk_network_add(net, u->port,
			PSTK_ACTOR_TYPE(.name = "end", .ports = &port, .port_count = 1,
				.fire = (int (*)(struct pstk_firing *))abort),
			NULL);
		const struct pstk_fifo_spec *spec =
			PSTK_FIFO(.rate = 1, .token_size = pstk_sized_bytes(bytes ? bytes : 16));

		ck_assert_str_eq(type->ports[i].name, u->port);
		ck_assert_msg(input ? pstk_connect(end, "end", stage, u->port, spec) != NULL
				    : pstk_connect(stage, u->port, end, "end", spec) != NULL,
			"%s", pstk_network_error(net));
	}
}

START_TEST(as_the_frame_has)
{
	struct test_rng rng = { test_mix(test_seed() + (uint64_t)_i) };
	struct pstk_network *net = pstk_network_create("sized");
	struct pstk_actor *stage = stages[_i].add(net, stages[_i].name);
	const struct pstk_actor_type *type;

	ck_assert_msg(stage != NULL, "%s", pstk_network_error(net));
	type = pstk_actor_get_type(stage);
	connect_all(net, stage, stages[_i].ports);
	for (unsigned n = 0; n < 200; n++) {
		uint32_t w = test_between(&rng, n ? 0 : WIDTH, WIDTH),
			 h = test_between(&rng, n ? 0 : HEIGHT, HEIGHT);
		uint64_t head[8] = { 0 };

		pstk_sized_set(head, w, h);
		for (unsigned i = 0; i < type->port_count; i++) {
			const struct use *u = &stages[_i].ports[i];
			size_t bytes = u->pixel * w * h + u->cell * ((size_t)(w / 8) * (h / 8)),
			       used = type->token_bytes(stage, i, head);

			ck_assert_uint_eq(used, u->pixel || u->cell ? PSTK_SIZED_HEAD + bytes : 0);
			ck_assert_uint_le(used, pstk_actor_port_token_size(stage, i));
		}
	}
	pstk_network_destroy(net);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sized");
	TCase *c = test_case(suite, "sized");

	tcase_add_loop_test(c, as_the_frame_has, 0, TEST_COUNT(stages));
	return test_main(suite);
}
