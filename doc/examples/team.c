/* SPDX-License-Identifier: MIT */
/*
 * A team of two threads, and an actor that both may fire at once: how many primes are there below 100,000?
 *
 * To build it:
 *
 *	cc team.c -o team $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

#define NUMBERS 100000

/* The source: 0, 1, 2, .. in windows of `rate` numbers; the last window may hold fewer. */
static int count_fire(struct pstk_firing *f)
{
	uint32_t rate = pstk_actor_port_rate(pstk_firing_actor(f), 0), n = 0;
	uint32_t first = (uint32_t)pstk_firing_index(f) * rate;
	uint32_t *out = pstk_fifo_write_start(f, 0);

	for (; n < rate && first + n < NUMBERS; n++)
		out[n] = first + n;
	pstk_fifo_write_end_partial(f, 0, n);
	return first + n < NUMBERS ? PSTK_AGAIN : PSTK_DONE;
}

static uint32_t is_prime(uint32_t n)
{
	for (uint32_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return n >= 2;
}

/* Stateless: nothing is kept from one firing to the next, so several may run side by side. */
static int sieve_fire(struct pstk_firing *f)
{
	const uint32_t *in = pstk_fifo_read_start(f, 0);
	uint32_t *out = pstk_fifo_write_start(f, 1);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		out[i] = is_prime(in[i]);
	pstk_fifo_read_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return PSTK_AGAIN;
}

/* The sink has state, so its firings follow one another, in the order of the numbers. */
static int sum_fire(struct pstk_firing *f)
{
	unsigned *primes = pstk_actor_arg(pstk_firing_actor(f));
	const uint32_t *in = pstk_fifo_read_start(f, 0);

	for (uint32_t i = 0; i < pstk_port_valid(f, 0); i++)
		*primes += in[i];
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	static const struct pstk_port ports[] = { { .name = "in", .kind = PSTK_INPUT },
		{ .name = "out", .kind = PSTK_OUTPUT } };
	unsigned primes = 0;
	struct pstk_network *net = pstk_network_create("primes");
	struct pstk_actor *count = pstk_network_add(net, "count",
		PSTK_ACTOR_TYPE(.name = "count", .ports = &ports[1], .port_count = 1, .fire = count_fire),
		NULL);
	struct pstk_actor *sieve = pstk_network_add(net, "sieve",
		PSTK_ACTOR_TYPE(.name = "sieve", .ports = ports, .port_count = 2, .fire = sieve_fire,
			.stateless = true),
		NULL);
	struct pstk_actor *sum = pstk_network_add(net, "sum",
		PSTK_ACTOR_TYPE(.name = "sum", .ports = ports, .port_count = 1, .fire = sum_fire), &primes);
	int err;

	pstk_connect(count, "out", sieve, "in", PSTK_FIFO(.rate = 1000, .token_size = sizeof(uint32_t)));
	pstk_connect(sieve, "out", sum, "in", PSTK_FIFO(.rate = 1000, .token_size = sizeof(uint32_t)));
	pstk_network_set_threads(net, 2);
	pstk_network_print(net, stdout);
	err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	else
		printf("%u primes below %d\n", primes, NUMBERS);
	pstk_network_destroy(net);
	return err ? 1 : 0;
}
