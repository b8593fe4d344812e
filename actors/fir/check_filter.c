/* SPDX-License-Identifier: MIT */
#include "actors/fir/check_filter.h"
#include "actors/common/check_moving.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static float noise(struct test_rng *rng)
{
	return (float)test_between(rng, 0, 2000000) / 1e6f - 1;
}

struct pstk_cf32 *filter_taps(struct test_rng *rng, unsigned count)
{
	struct pstk_cf32 *taps = malloc(count * sizeof *taps);

	ck_assert_ptr_nonnull(taps);
	for (unsigned k = 0; k < count; k++)
		taps[k] = (struct pstk_cf32){ noise(rng), noise(rng) };
	return taps;
}

static struct filter_signal room_for(size_t count)
{
	struct filter_signal s = { malloc((count + 1) * sizeof *s.re), malloc((count + 1) * sizeof *s.im),
		0 };

	ck_assert(s.re && s.im);
	return s;
}

struct filter_signal filter_noise(struct test_rng *rng, size_t count)
{
	struct filter_signal s = room_for(count);

	for (; s.count < count; s.count++) {
		s.re[s.count] = noise(rng);
		s.im[s.count] = noise(rng);
	}
	return s;
}

void filter_free(struct filter_signal *s)
{
	free(s->re);
	free(s->im);
}

/* -- the network -- */

static int source_fire(struct pstk_firing *f)
{
	struct filter_run *run = pstk_actor_arg(pstk_firing_actor(f));
	size_t left = run->in.count - run->next, n = left < run->rate ? left : run->rate;

	if (!n)
		return PSTK_DONE;
	memcpy(pstk_fifo_write_start(f, 0), run->in.re + run->next, n * sizeof(float));
	memcpy(pstk_fifo_write_start(f, 1), run->in.im + run->next, n * sizeof(float));
	pstk_fifo_write_end_partial(f, 0, (uint32_t)n);
	pstk_fifo_write_end_partial(f, 1, (uint32_t)n);
	run->next += n;
	return n < run->rate ? PSTK_DONE : PSTK_AGAIN;
}

/* Keeps it; but a window that the filter did not see must be zeros. */
static int sink_fire(struct pstk_firing *f)
{
	struct filter_run *run = pstk_actor_arg(pstk_firing_actor(f));
	const float *re = pstk_fifo_read_start(f, 0), *im = pstk_fifo_read_start(f, 1);
	uint32_t n = pstk_port_valid(f, 0);
	bool through = !run->sets || run->sets[run->seen < run->set_count ? run->seen : run->set_count - 1];
	int err = pstk_port_valid(f, 1) == n && run->out.count + n <= run->in.count ? 0 : -EPROTO;

	run->seen++;
	for (uint32_t i = 0; i < n && !through; i++)
		if (re[i] != 0 || im[i] != 0)
			err = -EPROTO;
	if (!err && through) {
		memcpy(run->out.re + run->out.count, re, n * sizeof *re);
		memcpy(run->out.im + run->out.count, im, n * sizeof *im);
		run->out.count += n;
	}
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	return err;
}

static void connect_pair(const struct filter_run *run, struct pstk_actor *from, const char *const *out,
	struct pstk_actor *to, const char *const *in)
{
	for (unsigned part = 0; part < 2; part++)
		pstk_connect(from, out[part], to, in[part],
			PSTK_FIFO(.rate = run->rate, .depth = run->depth, .token_size = sizeof(float)));
}

static const char *const plain[] = { "re", "im" }, *const branch[] = { "re1", "im1" },
			 *const filtered[] = { "re_out", "im_out" };

/* Between from and to, which are under one control. */
static void add_branch(struct filter_run *run, struct pstk_network *net, struct pstk_actor *source,
	struct pstk_actor *fir, struct pstk_actor *sink, struct pstk_configuration *sets)
{
	static const struct pstk_polynomial_branch x = { .order = 1 };
	struct pstk_actor *from = pstk_polynomial_add(net, "from", &x, 1, true);
	struct pstk_actor *to = pstk_adder_add(net, "to", 1, (struct pstk_cf32){ 0 }, true);
	struct pstk_actor *control = pstk_configuration_add(net, "sets", sets);

	pstk_connect(control, "out", from, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
	pstk_connect(control, "out", to, "active", PSTK_FIFO(.rate = 1, .token_size = 4));
	connect_pair(run, source, plain, from, plain);
	connect_pair(run, from, branch, fir, plain);
	connect_pair(run, fir, filtered, to, branch);
	connect_pair(run, to, plain, sink, plain);
}

static struct pstk_network *build(struct filter_run *run, struct pstk_configuration *sets)
{
	static const struct pstk_port out[] = { { .name = "re", .kind = PSTK_OUTPUT },
		{ .name = "im", .kind = PSTK_OUTPUT } };
	static const struct pstk_port in[] = { { .name = "re", .kind = PSTK_INPUT },
		{ .name = "im", .kind = PSTK_INPUT } };
	struct pstk_network *net = pstk_network_create("filter");
	struct pstk_actor *source = pstk_network_add(net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = out, .port_count = 2, .fire = source_fire), run);
	struct pstk_actor *fir = pstk_fir_add(net, "tested", run->taps, run->count), *last = fir;
	struct pstk_actor *sink = pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = in, .port_count = 2, .fire = sink_fire), run);

	if (run->twice)
		last = pstk_fir_add(net, "second", run->taps, run->count);
	for (unsigned i = 0; i < (run->twice ? 2 : 1) && run->device; i++)
		moving_map(i ? last : fir, run->device);
	if (sets) {
		add_branch(run, net, source, fir, sink, sets);
		return net;
	}
	connect_pair(run, source, plain, fir, plain);
	if (run->twice)
		connect_pair(run, fir, filtered, last, plain);
	connect_pair(run, last, filtered, sink, plain);
	return net;
}

void filter_run(struct filter_run *run)
{
	struct pstk_configuration *sets = NULL;
	struct pstk_network *net;

	if (run->sets)
		sets = pstk_configuration_create(
			PSTK_CONFIGURATION(.period = 1, .values = run->sets, .count = run->set_count));
	ck_assert(sets || !run->sets);
	run->out = room_for(run->in.count);
	run->next = run->seen = 0;
	net = build(run, sets);
	ck_assert_msg(!pstk_network_run(net), "%s", pstk_network_error(net));
	moving_check(net);
	pstk_network_destroy(net);
	pstk_configuration_destroy(sets);
	if (!run->sets)
		ck_assert_uint_eq(run->out.count, run->in.count);
}

/* -- the oracle -- */

static void expect(
	const struct pstk_cf32 *taps, size_t count, const struct filter_signal *x, size_t n, double y[2])
{
	y[0] = y[1] = 0;
	for (size_t k = 0; k < count && k <= n; k++) {
		double re = (double)x->re[n - k], im = (double)x->im[n - k];

		y[0] += (double)taps[k].re * re - (double)taps[k].im * im;
		y[1] += (double)taps[k].re * im + (double)taps[k].im * re;
	}
}

/* Every step-th output, so that it takes no more than so many multiplications, but each of the first 64 and
 * last 64. */
static size_t next_looked_at(size_t n, size_t count, size_t samples)
{
	const size_t most = TEST_SANITIZED ? 2000000 : 10000000;
	size_t step = 1 + count * samples / most;

	return n < 64 || n + 64 >= samples || n + step >= samples ? n + 1 : n + step;
}

void filter_check(const struct pstk_cf32 *taps, size_t count, const struct filter_signal *x,
	const struct filter_signal *got, const char *what)
{
	double largest = 0, worst = 0, y[2];
	size_t at = 0;

	for (size_t n = 0; n < got->count; n = next_looked_at(n, count, got->count)) {
		double off;

		expect(taps, count, x, n, y);
		largest = fmax(largest, hypot(y[0], y[1]));
		off = hypot((double)got->re[n] - y[0], (double)got->im[n] - y[1]);
		if (!(off <= worst)) {
			worst = off;
			at = n;
		}
	}
	ck_assert_msg(worst <= 1e-5 * largest, "%s: %zu taps, %zu samples, output %zu: off by %g of %g", what,
		count, got->count, at, worst, largest);
}
