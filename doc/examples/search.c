/* SPDX-License-Identifier: MIT */
/*
 * A loop: for each pair of rows the shift at which they fit best is searched. One firing of rows is followed by SHIFTS
 * of repeat's tokens, match and best, and by one of print.
 *
 *   rows -+-> repeat --> match --> best ~~~> print
 *         +----shift-----> |        |
 *         +----control--------------+
 *
 * To build it:
 *
 *	cc search.c -o search $(pkg-config --cflags --libs penstock-actors)
 */
#include <penstock/actors.h>

#include <stdlib.h>

enum { WIDTH = 12, SHIFTS = 4, PAIRS = 5 };
enum { NEXT, LAST, VALUES }; /* the control values */

struct pair {
	int left[WIDTH + SHIFTS], right[WIDTH];
};
struct cost {
	uint32_t shift;
	int sum;
};

/* One pair, all shifts that are tried with it, and a control token for each of them. */
enum { ROWS_PAIR, ROWS_SHIFT, ROWS_CONTROL };

static int rows_fire(struct pstk_firing *f)
{
	struct pair *pair = pstk_fifo_write_start(f, ROWS_PAIR);
	uint32_t *shift = pstk_fifo_write_start(f, ROWS_SHIFT);
	uint32_t *control = pstk_fifo_write_start(f, ROWS_CONTROL);
	int row = (int)pstk_firing_index(f);

	for (int i = 0; i < WIDTH + SHIFTS; i++)
		pair->left[i] = (i * i * 7 + row) % 23;
	for (int i = 0; i < WIDTH; i++)
		pair->right[i] = pair->left[i + 3 * row % SHIFTS] + (i == row);
	for (uint32_t s = 0; s < SHIFTS; s++) {
		shift[s] = s;
		control[s] = s + 1 < SHIFTS ? NEXT : LAST;
	}
	pstk_fifo_write_end(f, ROWS_PAIR);
	pstk_fifo_write_end(f, ROWS_SHIFT);
	pstk_fifo_write_end(f, ROWS_CONTROL);
	return row + 1 < PAIRS ? PSTK_AGAIN : PSTK_DONE;
}

static const struct pstk_port rows_ports[] = {
	{ .name = "pair", .kind = PSTK_OUTPUT, .token_size = sizeof(struct pair), .rate = 1 },
	{ .name = "shift", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = SHIFTS },
	{ .name = "control", .kind = PSTK_OUTPUT, .token_type = "u32", .rate = SHIFTS },
};

/* One pair, one shift: it keeps nothing, so a team tries several shifts at a time. */
enum { MATCH_PAIR, MATCH_SHIFT, MATCH_COST };

static int match_fire(struct pstk_firing *f)
{
	const struct pair *pair = pstk_fifo_read_start(f, MATCH_PAIR);
	const uint32_t *shift = pstk_fifo_read_start(f, MATCH_SHIFT);
	struct cost *cost = pstk_fifo_write_start(f, MATCH_COST);

	*cost = (struct cost){ *shift, 0 };
	for (int i = 0; i < WIDTH; i++)
		cost->sum += abs(pair->left[(uint32_t)i + *shift] - pair->right[i]);
	pstk_fifo_read_end(f, MATCH_PAIR);
	pstk_fifo_read_end(f, MATCH_SHIFT);
	pstk_fifo_write_end(f, MATCH_COST);
	return PSTK_AGAIN;
}

static const struct pstk_port match_ports[] = {
	{ .name = "pair", .kind = PSTK_INPUT, .token_size = sizeof(struct pair), .rate = 1 },
	{ .name = "shift", .kind = PSTK_INPUT, .token_type = "u32", .rate = 1 },
	{ .name = "cost", .kind = PSTK_OUTPUT, .token_size = sizeof(struct cost), .rate = 1 },
};

/* The control token says which one is a pair's last: best counts nothing. */
enum { BEST_CONTROL, BEST_COST, BEST_OUT };

static int best_control(struct pstk_firing *f, uint32_t value)
{
	pstk_port_enable(f, BEST_OUT, value == LAST);
	return 0;
}

static int best_init(struct pstk_actor *self)
{
	*(struct cost *)pstk_actor_state(self) = (struct cost){ 0, INT32_MAX };
	return 0;
}

static int best_fire(struct pstk_firing *f)
{
	const struct cost *cost = pstk_fifo_read_start(f, BEST_COST);
	struct cost *best = pstk_actor_state(pstk_firing_actor(f));

	if (cost->sum < best->sum)
		*best = *cost;
	pstk_fifo_read_end(f, BEST_COST);
	if (pstk_port_enabled(f, BEST_OUT)) {
		*(struct cost *)pstk_fifo_write_start(f, BEST_OUT) = *best;
		best->sum = INT32_MAX;
		pstk_fifo_write_end(f, BEST_OUT);
	}
	return PSTK_AGAIN;
}

static const struct pstk_port best_ports[] = {
	{ .name = "control", .kind = PSTK_CONTROL },
	{ .name = "cost", .kind = PSTK_INPUT, .token_size = sizeof(struct cost), .rate = 1 },
	{ .name = "out", .kind = PSTK_DYNAMIC_OUTPUT, .token_size = sizeof(struct cost), .rate = 1 },
};

static int print_fire(struct pstk_firing *f)
{
	const struct cost *best = pstk_fifo_read_start(f, 0);

	printf("row %d: shift %u, cost %d\n", (int)pstk_firing_index(f), (unsigned)best->shift, best->sum);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

int main(void)
{
	const struct pstk_port in = {
		.name = "in", .kind = PSTK_INPUT, .token_size = sizeof(struct cost), .rate = 1
	};
	struct pstk_network *net = pstk_network_create("search");
	struct pstk_actor *rows = pstk_network_add(net, "rows",
		PSTK_ACTOR_TYPE(.name = "rows", .ports = rows_ports, .port_count = 3, .fire = rows_fire),
		NULL);
	struct pstk_actor *repeat =
		pstk_network_add(net, "repeat", pstk_repeat_type(), &(struct pstk_repeat_arg){ SHIFTS });
	struct pstk_actor *match = pstk_network_add(net, "match",
		PSTK_ACTOR_TYPE(.name = "match", .ports = match_ports, .port_count = 3, .stateless = true,
			.fire = match_fire),
		NULL);
	struct pstk_actor *best = pstk_network_add(net, "best",
		PSTK_ACTOR_TYPE(.name = "best", .ports = best_ports, .port_count = 3,
			.state_size = sizeof(struct cost), .control_values = VALUES, .init = best_init,
			.control = best_control, .fire = best_fire),
		NULL);
	struct pstk_actor *print = pstk_network_add(net, "print",
		PSTK_ACTOR_TYPE(.name = "print", .ports = &in, .port_count = 1, .fire = print_fire), NULL);

	/* rows' windows are 1 pair, 4 shifts and 4 control tokens; all others move one token at a time */
	pstk_connect(rows, "pair", repeat, "in", PSTK_FIFO());
	pstk_connect(repeat, "out", match, "pair", PSTK_FIFO());
	pstk_connect(rows, "shift", match, "shift", PSTK_FIFO());
	pstk_connect(match, "cost", best, "cost", PSTK_FIFO());
	pstk_connect(rows, "control", best, "control", PSTK_FIFO());
	pstk_connect(best, "out", print, "in", PSTK_FIFO());
	pstk_network_check(net, stdout, NULL);
	int err = pstk_network_run(net);
	if (err)
		fprintf(stderr, "%s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
