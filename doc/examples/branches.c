/* SPDX-License-Identifier: MIT */
/*
 * Branches that are switched while samples flow: x and x |x|^2, each through a filter of its own, and their sum. A
 * configuration says which of them take part: here a list; pstk_configuration_set() does it from outside.
 *
 * To build it:
 *
 *	cc branches.c -o branches $(pkg-config --cflags --libs penstock-actors)
 */
#include <penstock/actors.h>
#include <stdio.h>

enum { BLOCK = 4, BLOCKS = 4 };

/* The source: 1, 1, 1, .. */
static int ones_fire(struct pstk_firing *f)
{
	int *blocks = pstk_actor_state(pstk_firing_actor(f));
	float *re = pstk_fifo_write_start(f, 0), *im = pstk_fifo_write_start(f, 1);

	for (int i = 0; i < BLOCK; i++) {
		re[i] = 1;
		im[i] = 0;
	}
	pstk_fifo_write_end(f, 0);
	pstk_fifo_write_end(f, 1);
	return ++*blocks < BLOCKS ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	const float *re = pstk_fifo_read_start(f, 0), *im = pstk_fifo_read_start(f, 1);

	for (int i = 0; i < BLOCK; i++)
		printf("%s%g%+gi", i ? "  " : "", (double)re[i], (double)im[i]);
	putchar('\n');
	pstk_fifo_read_end(f, 0);
	pstk_fifo_read_end(f, 1);
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct pstk_network *net, const char *name, enum pstk_port_kind kind,
	int (*fire)(struct pstk_firing *))
{
	const struct pstk_port ports[] = {
		{ .name = "re", .kind = kind, .token_size = sizeof(float), .token_type = "f32" },
		{ .name = "im", .kind = kind, .token_size = sizeof(float), .token_type = "f32" }
	};

	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = name, .ports = ports, .port_count = 2, .state_size = sizeof(int),
			.fire = fire),
		NULL);
}

static void connect_signal(struct pstk_actor *src, const char *re, const char *im, struct pstk_actor *dst,
	const char *in_re, const char *in_im)
{
	const struct pstk_fifo_spec *spec = PSTK_FIFO(.rate = BLOCK, .token_size = sizeof(float));

	pstk_connect(src, re, dst, in_re, spec);
	pstk_connect(src, im, dst, in_im, spec);
}

int main(void)
{
	const struct pstk_polynomial_branch terms[] = { { .order = 1 }, { .order = 3 } };
	const struct pstk_cf32 first[] = { { 1, 0 } }, second[] = { { 0, 1 }, { 0, 1 } }, offset = { 10, 0 };
	const uint32_t sets[] = { 3, 1, 2 }; /* a block each: both, the first, the second branch */
	struct pstk_configuration *configuration =
		pstk_configuration_create(PSTK_CONFIGURATION(.period = 1, .values = sets, .count = 3));
	struct pstk_network *net = pstk_network_create("branches");
	struct pstk_actor *ones = add(net, "ones", PSTK_OUTPUT, ones_fire),
			  *conf = pstk_configuration_add(net, "conf", configuration),
			  *poly = pstk_polynomial_add(net, "poly", terms, 2, true),
			  *fir1 = pstk_fir_add(net, "fir1", first, 1),
			  *fir2 = pstk_fir_add(net, "fir2", second, 2),
			  *sum = pstk_adder_add(net, "sum", 2, offset, true),
			  *print = add(net, "print", PSTK_INPUT, print_fire);
	/* deep enough that the polynomial need not wait for the adder's tokens to be taken */
	const struct pstk_fifo_spec control =
		*PSTK_FIFO(.rate = 1, .token_size = sizeof(uint32_t), .depth = 6);
	int err;

	connect_signal(ones, "re", "im", poly, "re", "im");
	connect_signal(poly, "re1", "im1", fir1, "re", "im");
	connect_signal(poly, "re2", "im2", fir2, "re", "im");
	connect_signal(fir1, "re_out", "im_out", sum, "re1", "im1");
	connect_signal(fir2, "re_out", "im_out", sum, "re2", "im2");
	connect_signal(sum, "re", "im", print, "re", "im");
	/* one output, two readers: both see the same value for the same block */
	pstk_connect(conf, "out", poly, "active", &control);
	pstk_connect(conf, "out", sum, "active", &control);
	err = pstk_network_check(net, NULL, NULL);
	printf("%s\n", err == 0 ? "proven" : "not proven");
	err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "branches: %s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	pstk_configuration_destroy(configuration);
	return err != 0;
}
