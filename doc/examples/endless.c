/* SPDX-License-Identifier: MIT */
/*
 * A source without an end, stopped by an actor; signals do the same. Then what the network did.
 *
 * To build it:
 *
 *	cc endless.c -o endless $(pkg-config --cflags --libs penstock)
 */
#include <errno.h>
#include <inttypes.h>
#include <penstock/penstock.h>

static int count_fire(struct pstk_firing *f)
{
	*(uint64_t *)pstk_fifo_write_start(f, 0) = pstk_firing_index(f);
	pstk_fifo_write_end(f, 0);
	return PSTK_AGAIN;
}

static int watch_fire(struct pstk_firing *f)
{
	const uint64_t *value = pstk_fifo_read_start(f, 0);

	if (*value == 1000)
		pstk_network_stop(pstk_actor_network(pstk_firing_actor(f)));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static void print_firings(const struct pstk_network *net)
{
	for (unsigned i = 0; i < pstk_network_actor_count(net); i++) {
		const struct pstk_actor *actor = pstk_network_actor(net, i);
		struct pstk_actor_stats stats;

		if (pstk_actor_get_stats(actor, &stats) == 0)
			fprintf(stderr,
				"%s: %" PRIu64 " firings, %" PRIu64 " ns in fire(), %" PRIu64 " ns waiting\n",
				pstk_actor_name(actor), stats.firings, stats.fire_ns, stats.wait_ns);
	}
}

/* A stop drains: what the source has written has all been read. */
static bool drained(const struct pstk_network *net)
{
	struct pstk_fifo_info info = { 0 };

	return pstk_fifo_get_info(pstk_network_fifo(net, 0), &info) == 0 && info.written > 1000 &&
	       info.written == info.read;
}

int main(void)
{
	const struct pstk_port out = { .name = "out", .kind = PSTK_OUTPUT },
			       in = { .name = "in", .kind = PSTK_INPUT };
	struct pstk_network *net = pstk_network_create("endless");
	struct pstk_actor *count = pstk_network_add(net, "count",
		PSTK_ACTOR_TYPE(.name = "count", .ports = &out, .port_count = 1, .fire = count_fire), NULL);
	struct pstk_actor *watch = pstk_network_add(net, "watch",
		PSTK_ACTOR_TYPE(.name = "watch", .ports = &in, .port_count = 1, .fire = watch_fire), NULL);

	pstk_connect(count, "out", watch, "in", PSTK_FIFO(.rate = 1, .token_size = sizeof(uint64_t)));
	printf("FIFOs: %zu bytes\n", pstk_network_fifo_bytes(net));
	pstk_network_handle_signals(net);
	int err = pstk_network_start(net);
	while (!err && (err = pstk_network_wait_for(net, 100000000)) == -ETIMEDOUT)
		err = 0; /* the time for a progress line */
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	else
		puts(drained(net) ? "stopped and drained" : "something was lost");
	print_firings(net);
	pstk_network_destroy(net);
	return err != 0;
}
