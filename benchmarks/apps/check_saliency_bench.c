/* SPDX-License-Identifier: MIT */
/* That the benchmark of saliency sees wrong maps and a wrong order, and that what it compares computes the same. */
#include "config.h"

#include "actors/common/check_files.h"
#include "actors/common/check_pathway.h"
#include "benchmarks/apps/saliency_deal.h"
#include "benchmarks/apps/saliency_figures.h"
#include "benchmarks/apps/saliency_filters.h"
#include "benchmarks/limit/saliency_opencl.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 48, HEIGHT = 40, PIXELS = WIDTH * HEIGHT };

/* -- what watches -- */

static float *made_map(unsigned n)
{
	float *map = malloc(PIXELS * sizeof *map);

	ck_assert_ptr_nonnull(map);
	for (size_t i = 0; i < PIXELS; i++)
		map[i] = (float)((i * (n + 3)) % 101);
	return map;
}

/* Takes maps `of` frames, of which one value of one is off by so much; -1: by nothing. */
static struct saliency_watch watched(const unsigned *of, unsigned count, int wrong, double by)
{
	struct saliency_frames frames;
	struct saliency_watch watch;

	saliency_frames_open(&frames, WIDTH, HEIGHT);
	saliency_watch_open(&watch, &frames, count);
	for (unsigned k = 0; k < count; k++) {
		float *map = made_map(of[k]);

		if ((int)k == wrong)
			map[0] += (float)by;
		saliency_watch_take(&watch, k, map);
		free(map);
	}
	saliency_watch_close(&watch);
	saliency_frames_close(&frames);
	return watch;
}

START_TEST(maps_that_are_right_or_wrong)
{
	static const unsigned right[] = { 0, 1, 2, 0, 1, 2, 0, 1 }, swapped[] = { 0, 1, 2, 0, 2, 1, 0, 1 },
			      strange[] = { 0, 1, 2, 0, 9, 2, 0, 1 };
	struct saliency_watch w = watched(right, 8, -1, 0);

	ck_assert(w.in_order && w.equal && w.taken == 8);
	ck_assert_double_eq(w.apart, 0);
	w = watched(swapped, 8, -1, 0);
	ck_assert(!w.in_order && w.equal);
	w = watched(strange, 8, -1, 0);
	ck_assert(!w.equal);
	w = watched(right, 8, 6, 0.09); /* of 100 */
	ck_assert(w.in_order && w.equal);
	w = watched(right, 8, 6, 0.2);
	ck_assert(!w.equal);
	w = watched(right, 8, 6, NAN);
	ck_assert(!w.equal);
}
END_TEST

START_TEST(largest_difference)
{
	struct saliency_frames frames;
	float *map = made_map(1);

	saliency_frames_open(&frames, WIDTH, HEIGHT);
	saliency_frames_learn(&frames, 1, map);
	map[PIXELS - 1] += 7;
	map[5] -= 3;
	ck_assert_double_eq_tol(saliency_frames_apart(&frames, 1, map), 0.07, 1e-9);
	ck_assert_double_eq_tol(saliency_frames_apart(&frames, 4, map), 0.07, 1e-9);
	map[9] = NAN;
	ck_assert(!(saliency_frames_apart(&frames, 1, map) <= SALIENCY_TOLERANCE));
	free(map);
	saliency_frames_close(&frames);
}
END_TEST

START_TEST(even_and_uneven)
{
	double even[22], pairs[22], half[22] = { 0 };

	for (unsigned i = 0; i < 22; i++) {
		even[i] = 3 + 0.5 * i;
		pairs[i] = i / 2;
		half[i] = i ? half[i - 1] + (i % 2 ? 1 : 2) : 0;
	}
	ck_assert_double_eq_tol(saliency_evenness(even, 22), 1, 1e-9);
	ck_assert_double_eq_tol(saliency_evenness(pairs, 22), 0, 1e-9);
	ck_assert_double_eq_tol(saliency_evenness(half, 22), 0.5, 1e-9);
}
END_TEST

/* -- dealing -- */

struct dealt {
	unsigned count, taken, at[2];
	bool right;
};

static struct dealt *dealt_of(struct pstk_firing *f)
{
	return *(struct dealt *const *)pstk_actor_arg(pstk_firing_actor(f));
}

static int give_number(struct pstk_firing *f)
{
	unsigned k = (unsigned)pstk_firing_index(f);

	memcpy(pstk_fifo_write_start(f, 0), &k, sizeof k);
	pstk_fifo_write_end(f, 0);
	return k + 1 < dealt_of(f)->count ? PSTK_AGAIN : PSTK_DONE;
}

/* Between deal and collect: only every second number comes here. */
static int pass_number(struct pstk_firing *f)
{
	struct dealt *d = dealt_of(f);
	unsigned number, lane = pstk_actor_name(pstk_firing_actor(f))[0] == 'b';

	memcpy(&number, pstk_fifo_read_start(f, 0), sizeof number);
	d->at[lane] += number % 2 == lane && number / 2 == pstk_firing_index(f);
	memcpy(pstk_fifo_write_start(f, 1), &number, sizeof number);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

static int take_number(struct pstk_firing *f)
{
	struct dealt *d = dealt_of(f);
	unsigned number;

	memcpy(&number, pstk_fifo_read_start(f, 0), sizeof number);
	pstk_fifo_read_end(f, 0);
	d->right &= number == d->taken++;
	return PSTK_AGAIN;
}

static struct pstk_actor *add_number(struct pstk_network *net, struct dealt *d, const char *name,
	unsigned first, unsigned count, int (*fire)(struct pstk_firing *))
{
	static const struct pstk_port ports[] = { { .name = "in" }, { .name = "out", .kind = PSTK_OUTPUT } };

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "number", .ports = ports + first, .port_count = count,
			.arg_size = sizeof d, .fire = fire),
		&d);
}

START_TEST(frames_go_round)
{
	static const unsigned counts[] = { 1, 2, 9, 100 };
	struct dealt d = { .count = counts[_i], .right = true };
	struct pstk_network *net = pstk_network_create("dealt");
	struct pstk_actor *source = add_number(net, &d, "source", 1, 1, give_number),
			  *a = add_number(net, &d, "a", 0, 2, pass_number),
			  *b = add_number(net, &d, "b", 0, 2, pass_number),
			  *sink = add_number(net, &d, "sink", 0, 1, take_number),
			  *deal = saliency_deal_add(net), *collect = saliency_collect_add(net);
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = 1, .token_size = sizeof(unsigned));

	pstk_connect(source, "out", deal, "in", spec);
	pstk_connect(deal, "out1", a, "in", spec);
	pstk_connect(deal, "out2", b, "in", spec);
	pstk_connect(a, "out", collect, "in1", spec);
	pstk_connect(b, "out", collect, "in2", spec);
	pstk_connect(collect, "out", sink, "in", spec);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	pstk_network_destroy(net);
	ck_assert(d.right);
	ck_assert_uint_eq(d.taken, d.count);
	ck_assert_uint_eq(d.at[0], (d.count + 1) / 2);
	ck_assert_uint_eq(d.at[1], d.count / 2);
}
END_TEST

/* -- the library and by hand -- */

#ifdef HAVE_KISSFFT
static struct saliency_ran run(struct saliency_frames *frames, struct saliency_way way)
{
	struct saliency_ran ran;

	way.places.split = STEP_SUM;
	way.count = 8;
	way.first = SALIENCY_RING;
	saliency_run(frames, &way, &ran);
	ck_assert(ran.in_order);
	ck_assert_uint_gt(ran.bytes, 0);
	return ran;
}

/* The definition in double precision says what the maps are. */
START_TEST(cores)
{
	struct saliency_frames frames;
	double *maps = malloc(PIXELS * sizeof *maps);
	float *single = malloc(PIXELS * sizeof *single);

	saliency_frames_open(&frames, WIDTH, HEIGHT);
	run(&frames, (struct saliency_way){ .team = 1, .in_turn = true });
	ck_assert(frames.known);
	for (unsigned k = 0; k < SALIENCY_RING; k++) {
		pathway_whole(maps, frames.frames + (size_t)k * PIXELS, WIDTH, HEIGHT, "hann");
		for (size_t i = 0; i < PIXELS; i++)
			single[i] = (float)maps[i];
		ck_assert_double_lt(saliency_frames_apart(&frames, k, single), SALIENCY_TOLERANCE);
		ck_assert_int_eq(saliency_frames_which(&frames, k + 1, single), (int)k);
	}
	ck_assert_double_eq(run(&frames, (struct saliency_way){ .team = 2 }).apart, 0);
	ck_assert_double_eq(run(&frames, (struct saliency_way){ .team = 2, .dealt = true }).apart, 0);
	saliency_frames_close(&frames);
	free(single);
	free(maps);
}
END_TEST
#endif

#ifdef HAVE_CLFFT
/* Lanes: 1, 2. More frames than slots, and a last one at each of them. */
START_TEST(by_hand)
{
	enum { COUNT = 11 };
	struct saliency_frames frames;
	double steps[SALIENCY_HAND_STEPS];
	float *single = malloc(PIXELS * sizeof *single);
	double *maps = malloc(PIXELS * sizeof *maps);
	struct saliency_watch watch;
	struct saliency_hand *hand =
		saliency_hand_open("", CL_DEVICE_TYPE_ALL, WIDTH, HEIGHT, (unsigned)_i + 1);

	if (!hand)
		return;
	saliency_frames_open(&frames, WIDTH, HEIGHT);
	for (unsigned k = 0; k < SALIENCY_RING; k++) {
		pathway_whole(maps, frames.frames + (size_t)k * PIXELS, WIDTH, HEIGHT, "hann");
		for (size_t i = 0; i < PIXELS; i++)
			single[i] = (float)maps[i];
		saliency_frames_learn(&frames, k, single);
	}
	saliency_watch_open(&watch, &frames, COUNT);
	ck_assert_double_gt(
		saliency_hand_run(hand, &(const struct saliency_hand_run){ frames.frames, SALIENCY_RING,
						COUNT, 3, saliency_watch_take, &watch }),
		0);
	ck_assert_uint_eq(watch.taken, COUNT);
	ck_assert(watch.equal && watch.in_order);
	ck_assert_double_lt(watch.apart, SALIENCY_TOLERANCE);
	saliency_hand_steps(hand, frames.frames, steps);
	for (unsigned i = 0; i < SALIENCY_HAND_STEPS; i++)
		ck_assert_double_gt(steps[i], 0);
	saliency_watch_close(&watch);
	saliency_hand_close(hand);
	saliency_frames_close(&frames);
	free(single);
	free(maps);
}
END_TEST
#endif

START_TEST(no_such_device)
{
	ck_assert_ptr_null(saliency_hand_open("no platform is called so", CL_DEVICE_TYPE_ALL, 64, 64, 1));
}
END_TEST

/* -- two devices that take time -- */

/* The paper's figures: 32.6 maps a second and 55.7 % with its split, 33.8 behind the inverse FFT, 2 x 20.95 dealt. */
START_TEST(the_paper_s_times)
{
	static const struct {
		double period, loads;
	} expected[TIMED_WAYS] = { [TIMED_SPLIT] = { 29584e-6, 18147. / 29584 },
		[TIMED_PAPER] = { 30657e-6, 17074. / 30657 },
		[TIMED_DEALT] = { 47731e-6 / 2, 1 } };
	struct saliency_timed timed;

	ck_assert(saliency_timed_open(FAKE_CL_DRIVER));
	saliency_timed_run((enum saliency_timed_way)_i, 12, NULL, &timed);
	ck_assert(timed.in_order);
	ck_assert_double_eq_tol(timed.loads, expected[_i].loads, 1e-6);
	ck_assert_double_eq_tol(timed.planned, expected[_i].period, 0.01 * expected[_i].period);
	ck_assert_double_gt(timed.seconds, 0);
	ck_assert_uint_gt(timed.bytes, 200000000);
}
END_TEST

/* -- the filters -- */

START_TEST(filters)
{
	static const char head[] = "P5\n768 512\n255\n";
	unsigned char *bytes;
	size_t size;

	saliency_filters_write("filters.pgm");
	bytes = files_read("filters.pgm", &size);
	ck_assert_uint_eq(size, sizeof head - 1 + (size_t)FILTERS_WIDTH * FILTERS_HEIGHT);
	ck_assert_mem_eq(bytes, head, sizeof head - 1);
	for (unsigned map = 0; map < PATHWAY_MAPS; map++)
		for (size_t y = 0; y < FILTERS_SIDE; y++)
			for (size_t x = 0; x < FILTERS_SIDE; x++) {
				size_t row = map % PATHWAY_BANDS * FILTERS_SIDE + y,
				       column = map / PATHWAY_BANDS * FILTERS_SIDE + x,
				       at = sizeof head - 1 + row * FILTERS_WIDTH + column;
				double is = pathway_gabor(FILTERS_SIDE, FILTERS_SIDE,
					(x + FILTERS_SIDE / 2) % FILTERS_SIDE,
					(y + FILTERS_SIDE / 2) % FILTERS_SIDE, map);

				ck_assert_double_eq_tol(bytes[at], is * 255, 0.51);
			}
	free(bytes);
}
END_TEST

START_TEST(filters_that_can_t_be_written)
{
	saliency_filters_write(_i ? "/dev/full" : "there/is/no/such/folder.pgm");
}
END_TEST

/* -- JSON -- */

#ifdef HAVE_JANSSON
static struct saliency_figures made_figures(void)
{
	struct saliency_figures f = { .driver = "pocl", .rounds = 3, .frames = 8, .count = 2 };

	for (unsigned i = 0; i < 2; i++) {
		f.sizes[i] = (struct saliency_size){ .one = 2,
			.team = 1,
			.team_ratio = 2.25,
			.library = 4,
			.by_hand = 3,
			.hand_ratio = 0.75,
			.lanes = 1 };
		snprintf(f.sizes[i].name, sizeof f.sizes[i].name, i ? "720x576" : "512x512");
		for (unsigned step = 0; step < STEPS; step++) {
			f.sizes[i].cores[step] = step + 1;
			f.sizes[i].device[step] = step + 0.5;
		}
	}
	f.two.after = "ifft";
	f.two.ran[SALIENCY_DEALT] = (struct saliency_ran){ .seconds = 0.25, .evenness = 0.125, .bytes = 77 };
	f.two.ran[SALIENCY_SPLIT] =
		(struct saliency_ran){ .seconds = 0.5, .evenness = 0.75, .bytes = 33, .in_order = true };
	for (unsigned way = 0; way < TIMED_WAYS; way++)
		f.timed[way] = (struct saliency_timed){ .seconds = 1, .planned = 2, .in_order = true };
	return f;
}

static json_t *written(const struct saliency_figures *f)
{
	FILE *file = fopen("figures.json", "w");
	json_error_t error;
	json_t *json;

	saliency_figures_write(f, file);
	ck_assert_int_eq(fclose(file), 0);
	json = json_load_file("figures.json", 0, &error);
	ck_assert_msg(json, "%d: %s", error.line, error.text);
	return json;
}

static double number(const json_t *json, const char *a, const char *b, const char *c)
{
	json = json_object_get(json, a);
	json = json_is_array(json) ? json_array_get(json, 1) : json;
	json = b ? json_object_get(json, b) : json;
	json = json_is_array(json) ? json_array_get(json, 3) : json;
	json = json_object_get(json, c);
	ck_assert_msg(json_is_number(json) || json_is_boolean(json), "%s %s %s", a, b ? b : "", c);
	return json_is_boolean(json) ? json_is_true(json) : json_number_value(json);
}

START_TEST(figures_as_json)
{
	struct saliency_figures f = made_figures();
	json_t *json;

	f.filters = "f.pgm";
	f.trace = "t.json";
	json = written(&f);
	ck_assert_double_eq(number(json, "table2", "steps", "cores_s"), 4);
	ck_assert_double_eq(number(json, "table2", "steps", "device_s"), 3.5);
	ck_assert_double_eq_tol(number(json, "table2", "steps", "paper_s"), 14908e-6, 1e-12);
	ck_assert_double_eq(number(json, "team", NULL, "ratio"), 2.25);
	ck_assert_double_eq(number(json, "by_hand", NULL, "ratio"), 0.75);
	ck_assert_double_eq(number(json, "two_devices", "split", "rate"), 2);
	ck_assert_double_eq(number(json, "two_devices", "split", "in_order"), 1);
	ck_assert_double_eq(number(json, "two_devices", "dealt", "in_order"), 0);
	ck_assert_double_eq(number(json, "two_devices", "dealt", "evenness"), 0.125);
	ck_assert_double_eq(number(json, "two_devices", "dealt", "bytes"), 77);
	ck_assert_double_eq(number(json, "filters", NULL, "rows"), 4);
	ck_assert_str_eq(json_string_value(json_object_get(json, "trace")), "t.json");
	json_decref(json);
}
END_TEST

/* Bits: what is left out. */
START_TEST(figures_that_are_left_out)
{
	static const struct {
		const char *key;
		int without; /* any of these sets of bits */
	} keys[] = { { "table2", 3 }, { "team", 1 }, { "by_hand", 2 }, { "two_devices", 12 } };
	struct saliency_figures f = made_figures();
	json_t *json;

	for (int bit = 0; bit < 4; bit++) {
		char *why[] = { f.no_cores, f.no_device, f.no_two, f.no_timed };

		if (_i >> bit & 1)
			why[bit][0] = '!';
	}
	json = written(&f);
	for (size_t i = 0; i < TEST_COUNT(keys); i++)
		ck_assert_int_eq(json_object_get(json, keys[i].key) != NULL,
			(_i & keys[i].without) != keys[i].without);
	json_decref(json);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("saliency_bench");
	TCase *tcase = test_case(suite, "saliency_bench"), *files = files_case(suite, "files");

	tcase_add_test(tcase, maps_that_are_right_or_wrong);
	tcase_add_test(tcase, largest_difference);
	tcase_add_test(tcase, even_and_uneven);
	tcase_add_loop_test(tcase, frames_go_round, 0, 4);
#ifdef HAVE_KISSFFT
	tcase_add_test(tcase, cores);
#endif
#ifdef HAVE_CLFFT
	tcase_add_loop_test(tcase, by_hand, 0, SALIENCY_HAND_LANES);
#endif
	tcase_add_test(tcase, no_such_device);
	tcase_add_loop_test(tcase, the_paper_s_times, 0, TIMED_WAYS);
	tcase_add_test(files, filters);
	tcase_add_loop_exit_test(files, filters_that_can_t_be_written, 1, 0, 2);
#ifdef HAVE_JANSSON
	tcase_add_test(files, figures_as_json);
	tcase_add_loop_test(files, figures_that_are_left_out, 0, 16);
#endif
	return test_main(suite);
}
