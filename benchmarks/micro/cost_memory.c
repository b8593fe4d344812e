/* SPDX-License-Identifier: MIT */
#include "benchmarks/micro/cost_memory.h"

#include "benchmarks/common/rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* So many that each window of a FIFO of the default depth has been used, also under a team of two. */
enum { TOKENS = 8 };

/* What the actors share. */
struct chain {
	const struct cost_memory *what; /* constant */
	struct pstk_network *net;       /* constant */
	size_t before;                  /* constant while it runs */
	struct cost_bytes bytes;        /* the last actor's */
};

/* Memory of this process that no file stands behind. */
static size_t own_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t kilobytes = 0;
	char line[128];

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "RssAnon: %" SCNu64, &kilobytes) == 1)
			break;
	if (!file || !kilobytes)
		rounds_fail("/proc/self/status does not tell RssAnon, the memory of this process");
	fclose(file);
	return kilobytes * 1024;
}

static int first_fire(struct pstk_firing *f)
{
	const struct chain *chain = pstk_actor_arg(pstk_firing_actor(f));

	for (unsigned i = 0; i < chain->what->fifos; i++) {
		*(uint32_t *)pstk_fifo_write_start(f, i) = i;
		pstk_fifo_write_end(f, i);
	}
	return pstk_firing_index(f) + 1 == TOKENS ? PSTK_DONE : PSTK_AGAIN;
}

static int middle_fire(struct pstk_firing *f)
{
	const struct chain *chain = pstk_actor_arg(pstk_firing_actor(f));
	unsigned fifos = chain->what->fifos;

	for (unsigned i = 0; i < fifos; i++) {
		const uint32_t *in = pstk_fifo_read_start(f, i);

		*(uint32_t *)pstk_fifo_write_start(f, fifos + i) = *in;
		pstk_fifo_read_end(f, i);
		pstk_fifo_write_end(f, fifos + i);
	}
	return PSTK_AGAIN;
}

static int last_fire(struct pstk_firing *f)
{
	struct chain *chain = pstk_actor_arg(pstk_firing_actor(f));
	bool same = true;

	for (unsigned i = 0; i < chain->what->fifos; i++) {
		same &= *(const uint32_t *)pstk_fifo_read_start(f, i) == i;
		pstk_fifo_read_end(f, i);
	}
	if (!same)
		return -EIO;
	if (pstk_firing_index(f) + 1 == TOKENS)
		chain->bytes.grown_bytes = own_bytes() - chain->before;
	return PSTK_AGAIN;
}

static struct pstk_actor *add(struct chain *chain, unsigned index)
{
	struct pstk_port ports[2 * COST_FIFOS_MOST];
	char names[2 * COST_FIFOS_MOST][16], name[24];
	unsigned fifos = chain->what->fifos, ins = index ? fifos : 0,
		 outs = index + 1 < chain->what->actors ? fifos : 0;

	for (unsigned i = 0; i < ins + outs; i++) {
		snprintf(names[i], sizeof names[i], i < ins ? "in%u" : "out%u", i < ins ? i : i - ins);
		ports[i] = (struct pstk_port){ .name = names[i], .kind = i < ins ? PSTK_INPUT : PSTK_OUTPUT };
	}
	snprintf(name, sizeof name, "actor%u", index);
	return pstk_network_add(chain->net, name,
		PSTK_ACTOR_TYPE(.name = "pass", .ports = ports, .port_count = ins + outs,
			.fire = !ins    ? first_fire
	                        : !outs ? last_fire
	                                : middle_fire),
		chain);
}

static void build(struct chain *chain)
{
	struct pstk_actor *before = add(chain, 0);

	for (unsigned k = 1; k < chain->what->actors; k++) {
		struct pstk_actor *next = add(chain, k);

		for (unsigned i = 0; i < chain->what->fifos; i++) {
			char in[16], out[16];

			snprintf(in, sizeof in, "in%u", i);
			snprintf(out, sizeof out, "out%u", i);
			pstk_connect(before, out, next, in, PSTK_FIFO(.rate = 1, .token_size = COST_TOKEN));
		}
		before = next;
	}
	pstk_network_set_threads(chain->net, chain->what->team);
}

static struct cost_bytes measure_here(const struct cost_memory *what)
{
	struct chain chain = { .what = what };

	malloc_trim(0);
	chain.before = own_bytes();
	chain.net = pstk_network_create("memory");
	build(&chain);
	if (pstk_network_run(chain.net))
		rounds_fail("%s", pstk_network_error(chain.net));
	chain.bytes.fifo_bytes = pstk_network_fifo_bytes(chain.net);
	chain.bytes.allocated_bytes = pstk_network_allocated_bytes(chain.net);
	pstk_network_destroy(chain.net);
	return chain.bytes;
}

struct cost_bytes cost_memory_measure(const struct cost_memory *what)
{
	struct cost_bytes bytes = { 0, 0, 0 };
	int ends[2], status = 1;
	pid_t child;

	fflush(NULL);
	if (pipe(ends) || (child = fork()) < 0)
		rounds_fail("no process to measure memory in");
	if (!child) {
		bytes = measure_here(what);
		_exit(write(ends[1], &bytes, sizeof bytes) != (ssize_t)sizeof bytes);
	}
	close(ends[1]);
	if (read(ends[0], &bytes, sizeof bytes) != (ssize_t)sizeof bytes)
		bytes.grown_bytes = 0;
	close(ends[0]);
	waitpid(child, &status, 0);
	if (status || !bytes.grown_bytes)
		rounds_fail("the process that was to measure the memory of %u actors ended with status %d",
			what->actors, status);
	return bytes;
}
