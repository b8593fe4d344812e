/* SPDX-License-Identifier: MIT */
#include "tests/opencl/row_net.h"
#include "lib/model/actor.h"
#include "lib/firing/partial.h"
#include "tests/common/common.h"

#include <penstock/opencl.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the kernels -- */

/* out[i] of output o: of the inputs' bytes, which are used again and again where they are fewer. */
static unsigned char value_of(const unsigned char *const in[], const uint32_t bytes[], unsigned inputs,
	uint32_t key, uint64_t firing, uint32_t valid, unsigned output, size_t i)
{
	uint32_t v = key + (uint32_t)firing + 11 * valid + output;

	for (unsigned k = 0; k < inputs; k++)
		v += (2 * k + 3) * in[k][i % bytes[k]];
	return (unsigned char)v;
}

#define HEAD(name) "__kernel void " name "("
#define IN(n) "__global const uchar *" n ", "
#define OUT(n) "__global uchar *" n ", "
#define REST                                                                                              \
	"__global uint *key, ulong firing, uint valid, uint na, uint nb, uint nc, uint nx, uint ny)\n{\n" \
	"size_t i = get_global_id(0); uint v = key[0] + (uint)firing + 11 * valid;\n"
#define A "v += 3 * a[i % na];\n"
#define B "v += 5 * b[i % nb];\n"
#define C "v += 7 * c[i % nc];\n"
#define X "if (i < nx) x[i] = (uchar)v;\n"
#define Y "if (i < ny) y[i] = (uchar)(v + 1);\n"

static const char texts[] =
	HEAD("row_11") IN("a") OUT("x") REST A X "}\n" HEAD("row_12") IN("a") OUT("x") OUT("y") REST A X Y
	"}\n" HEAD("row_21") IN("a") IN("b") OUT("x") REST A B X "}\n" HEAD("row_22") IN("a") IN("b") OUT("x")
		OUT("y") REST A B X Y "}\n" HEAD("row_31") IN("a") IN("b") IN("c") OUT("x") REST A B C X
	"}\n" HEAD("row_32") IN("a") IN("b") IN("c") OUT("x") OUT("y") REST A B C X Y "}\n";

static const struct pstk_kernel kernels[ROW_INPUTS][ROW_OUTPUTS] = {
	{ { .name = "row_11", .source = texts }, { .name = "row_12", .source = texts } },
	{ { .name = "row_21", .source = texts }, { .name = "row_22", .source = texts } },
	{ { .name = "row_31", .source = texts }, { .name = "row_32", .source = texts } },
};

/* The numbers behind the state: firing, valid, bytes of the inputs and the outputs. */
static uint32_t number(const struct fake_cl_launch *l, unsigned index)
{
	uint32_t value;

	memcpy(&value, l->arg[index], sizeof value);
	return value;
}

static void run(const struct fake_cl_launch *l, unsigned inputs, unsigned outputs)
{
	const unsigned char *in[ROW_INPUTS] = { 0 };
	unsigned at = inputs + outputs;
	uint32_t key = *(const uint32_t *)l->arg[at], bytes[ROW_INPUTS];
	uint64_t firing;

	memcpy(&firing, l->arg[at + 1], sizeof firing);
	for (unsigned k = 0; k < ROW_INPUTS; k++) {
		in[k] = k < inputs ? l->arg[k] : NULL;
		bytes[k] = number(l, at + 3 + k);
	}
	for (unsigned o = 0; o < outputs; o++)
		for (size_t i = 0; i < number(l, at + 3 + ROW_INPUTS + o) && i < l->global[0]; i++)
			((unsigned char *)l->arg[inputs + o])[i] =
				value_of(in, bytes, inputs, key, firing, number(l, at + 2), o, i);
}

#define FAKE_REST                                                                                           \
	FAKE_CL_OUT("key", "uint"), FAKE_CL_VALUE("firing", "ulong", 8), FAKE_CL_VALUE("valid", "uint", 4), \
		FAKE_CL_VALUE("na", "uint", 4), FAKE_CL_VALUE("nb", "uint", 4),                             \
		FAKE_CL_VALUE("nc", "uint", 4), FAKE_CL_VALUE("nx", "uint", 4),                             \
		FAKE_CL_VALUE("ny", "uint", 4)
#define FAKE(inputs, outputs, ...)                                        \
	static void run_##inputs##outputs(const struct fake_cl_launch *l) \
	{                                                                 \
		run(l, inputs, outputs);                                  \
	}                                                                 \
	static const struct fake_cl_arg args_##inputs##outputs[] = { __VA_ARGS__, FAKE_REST };

FAKE(1, 1, FAKE_CL_IN("a", "uchar"), FAKE_CL_OUT("x", "uchar"))
FAKE(1, 2, FAKE_CL_IN("a", "uchar"), FAKE_CL_OUT("x", "uchar"), FAKE_CL_OUT("y", "uchar"))
FAKE(2, 1, FAKE_CL_IN("a", "uchar"), FAKE_CL_IN("b", "uchar"), FAKE_CL_OUT("x", "uchar"))
FAKE(2, 2, FAKE_CL_IN("a", "uchar"), FAKE_CL_IN("b", "uchar"), FAKE_CL_OUT("x", "uchar"),
	FAKE_CL_OUT("y", "uchar"))
FAKE(3, 1, FAKE_CL_IN("a", "uchar"), FAKE_CL_IN("b", "uchar"), FAKE_CL_IN("c", "uchar"),
	FAKE_CL_OUT("x", "uchar"))
FAKE(3, 2, FAKE_CL_IN("a", "uchar"), FAKE_CL_IN("b", "uchar"), FAKE_CL_IN("c", "uchar"),
	FAKE_CL_OUT("x", "uchar"), FAKE_CL_OUT("y", "uchar"))

#define FAKE_KERNEL(n)                                                                                 \
	{                                                                                              \
		.name = "row_" #n, .args = args_##n, .arg_count = TEST_COUNT(args_##n), .run = run_##n \
	}

const struct fake_cl *row_net_driver(const char *settings, const char *memory)
{
	const struct fake_cl *fake = fake_cl_start(FAKE_CL_DRIVER, settings, NULL);

	ck_assert_msg(fake, "the fake driver is not there");
	if (memory)
		setenv("PENSTOCK_MEMORY", memory, 1);
	else
		unsetenv("PENSTOCK_MEMORY");
	row_net_reset(fake);
	return fake;
}

void row_net_reset(const struct fake_cl *fake)
{
	static const struct fake_cl_kernel all[] = { FAKE_KERNEL(11), FAKE_KERNEL(12), FAKE_KERNEL(21),
		FAKE_KERNEL(22), FAKE_KERNEL(31), FAKE_KERNEL(32) };

	fake->reset();
	for (size_t i = 0; i < TEST_COUNT(all); i++)
		ck_assert_int_eq(fake->add_kernel(&all[i]), 0);
}

/* -- the actors -- */

static struct row_stage *stage_of(const struct pstk_actor *a)
{
	return pstk_actor_arg(a);
}

/* Plain code is never fired: the test carries the items. */
static int fire(struct pstk_firing *f)
{
	return pstk_actor_error(pstk_firing_actor(f), -EDOM, "fired by the library");
}

static size_t port_bytes(const struct pstk_actor *a, unsigned port)
{
	return (size_t)pstk_actor_port_rate(a, port) * pstk_actor_port_token_size(a, port);
}

static struct row_wire *wire_at(const struct row_stage *s, unsigned port)
{
	return &s->of->wires[port < s->inputs ? s->in[port] : s->out[port - s->inputs]];
}

/* As lib/pipeline does before init(). What several stages read is told several times. */
static int add_windows(const struct row_stage *s)
{
	int err = 0;

	for (unsigned i = 0; i < s->inputs + s->outputs && !err; i++)
		if (wire_at(s, i)->in_place)
			err = ps_row_window(s->of->pipeline->row, s->actor->index, i, wire_at(s, i)->host);
	return err;
}

static int init(struct pstk_actor *self)
{
	const struct row_stage *s = stage_of(self);
	uint32_t bytes[ROW_INPUTS + ROW_OUTPUTS] = { 1, 1, 1, 0, 0 };
	size_t global = 0;
	int err;

	if (add_windows(s))
		return -ENOMEM;
	*(uint32_t *)pstk_actor_state(self) = s->key;
	for (unsigned k = 0; k < s->inputs; k++)
		bytes[k] = (uint32_t)port_bytes(self, k);
	for (unsigned o = 0; o < s->outputs; o++) {
		bytes[ROW_INPUTS + o] = (uint32_t)port_bytes(self, s->inputs + o);
		global = bytes[ROW_INPUTS + o] > global ? bytes[ROW_INPUTS + o] : global;
	}
	err = pstk_actor_set_work_size(self, 1, &global, NULL);
	if (!err)
		err = pstk_actor_set_arg(self, 0, 4, PSTK_ARG_VALID(0));
	for (unsigned i = 0; !err && i < TEST_COUNT(bytes); i++)
		err = pstk_actor_set_arg(self, 1 + i, 4, &bytes[i]);
	return err;
}

/* So that a command that fails is seen. */
static cl_int depend(struct pstk_firing *f, cl_event event)
{
	int err = pstk_cl_depend(f, event);

	clReleaseEvent(event);
	return err ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* Each output is its key, and then what fits of the first input. */
static int fire_cl(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	const struct row_stage *s = stage_of(self);
	struct pstk_cl_window in[ROW_INPUTS], out;
	unsigned char key = (unsigned char)s->key;
	cl_int code = CL_SUCCESS;
	cl_event event;

	if (!pstk_cl_context(self) || !pstk_cl_device(self) || pstk_cl_place(f))
		return pstk_actor_error(self, -EDOM, "no device");
	for (unsigned k = 0; k < s->inputs; k++)
		if (pstk_cl_window(f, k, &in[k]))
			return -EPROTO;
	if (s->fails)
		return s->fails < 0 ? pstk_actor_error(self, s->fails, "it can't") : s->fails;
	for (unsigned o = 0; o < s->outputs && !code; o++) {
		if (pstk_cl_window(f, s->inputs + o, &out))
			return -EPROTO;
		code = clEnqueueFillBuffer(
			pstk_cl_queue(f), out.buffer, &key, 1, 0, out.bytes, 0, NULL, &event);
		if (!code)
			code = depend(f, event);
		if (!code)
			code = clEnqueueCopyBuffer(pstk_cl_queue(f), in[0].buffer, out.buffer, 0, 0,
				in[0].bytes < out.bytes ? in[0].bytes : out.bytes, 0, NULL, &event);
		if (!code)
			code = depend(f, event);
	}
	if (code)
		return pstk_actor_error(self, -EIO, "a call of its own: %s", pstk_cl_error_name(code));
	return s->form == ROW_HOST_CODE_DONE ? PSTK_DONE : PSTK_AGAIN;
}

static int source_fire(struct pstk_firing *f)
{
	struct row_net *n = *(struct row_net **)pstk_actor_arg(pstk_firing_actor(f));

	while (!atomic_load(&n->go) && !pstk_network_failed(n->net))
		sched_yield();
	return PSTK_DONE;
}

static int sink_fire(struct pstk_firing *f)
{
	return pstk_actor_error(pstk_firing_actor(f), -EDOM, "something came");
}

/* -- which pipeline -- */

static unsigned add_wire(struct row_net *n, unsigned writer, uint32_t rate, uint32_t token_size)
{
	n->wires[n->wire_count] = (struct row_wire){
		.writer = writer, .rate = rate, .token_size = token_size ? token_size : 4, .in_place = true
	};
	return n->wire_count++;
}

void row_net_chain(struct row_net *n, unsigned stages, uint32_t rate, uint32_t token_size)
{
	unsigned from;

	memset(n, 0, sizeof *n);
	n->stage_count = stages;
	from = add_wire(n, ROW_STAGES, rate, token_size);
	for (unsigned k = 0; k < stages; k++) {
		n->stages[k] =
			(struct row_stage){ .inputs = 1, .outputs = 1, .in = { from }, .key = 17 + 3 * k };
		from = n->stages[k].out[0] = add_wire(n, k, rate, token_size);
	}
	n->wires[from].leaves = true;
}

static void draw_stage(struct row_net *n, struct test_rng *rng, unsigned k)
{
	struct row_stage *s = &n->stages[k];

	s->form = test_chance(rng, 20) ? ROW_HOST_CODE : ROW_KERNEL;
	s->key = test_between(rng, 0, 255);
	s->inputs = test_between(rng, 1, ROW_INPUTS);
	s->outputs = test_between(rng, 1, ROW_OUTPUTS);
	for (unsigned i = 0; i < s->inputs; i++) {
		unsigned w = k ? test_between(rng, 0, n->wire_count - 1) : 0;

		/* a window that comes from outside has one reader */
		if (k && n->wires[w].writer != ROW_STAGES && test_chance(rng, 75))
			s->in[i] = w;
		else
			s->in[i] = add_wire(n, ROW_STAGES, test_between(rng, 1, 9), test_between(rng, 1, 5));
	}
	for (unsigned o = 0; o < s->outputs; o++) {
		s->out[o] = add_wire(n, k, test_between(rng, 1, 9), test_between(rng, 1, 5));
		n->wires[s->out[o]].leaves = test_chance(rng, 25);
	}
}

static bool is_read(const struct row_net *n, unsigned w)
{
	for (unsigned k = 0; k < n->stage_count; k++)
		for (unsigned i = 0; i < n->stages[k].inputs; i++)
			if (n->stages[k].in[i] == w)
				return true;
	return false;
}

void row_net_draw(struct row_net *n, uint64_t seed)
{
	struct test_rng rng = { test_mix(seed) };

	memset(n, 0, sizeof *n);
	n->stage_count = test_between(&rng, 1, ROW_STAGES);
	for (unsigned k = 0; k < n->stage_count; k++)
		draw_stage(n, &rng, k);
	for (unsigned w = 0; w < n->wire_count; w++) {
		n->wires[w].leaves |= !is_read(n, w);
		n->wires[w].in_place = test_chance(&rng, 60);
	}
}

/* -- building -- */

static void add_stage(struct row_net *n, unsigned k)
{
	struct row_stage *s = &n->stages[k];
	bool kernel = s->form == ROW_KERNEL;
	char name[16];

	s->of = n;
	for (unsigned i = 0; i < s->inputs + s->outputs; i++) {
		bool reads = i < s->inputs;

		snprintf(s->names[i], sizeof s->names[i], "%s%u", reads ? "in" : "out",
			reads ? i : i - s->inputs);
		s->ports[i] = (struct pstk_port){ .name = s->names[i],
			.kind = reads ? PSTK_INPUT : PSTK_OUTPUT,
			.token_size = n->wires[reads ? s->in[i] : s->out[i - s->inputs]].token_size };
	}
	snprintf(name, sizeof name, "stage%u", k);
	s->actor = pstk_network_add(n->net, name,
		PSTK_ACTOR_TYPE(.name = "bytes", .ports = s->ports, .port_count = s->inputs + s->outputs,
			.stateless = true, .state_size = 4, .init = init, .fire = fire,
			.fire_cl = kernel ? NULL : fire_cl,
			.kernel = kernel ? &kernels[s->inputs - 1][s->outputs - 1] : NULL),
		s);
}

/* The source's and the sink's ports, one a window of the border. */
static unsigned list_border(struct row_net *n, bool source)
{
	unsigned count = 0;

	for (unsigned w = 0; w < n->wire_count; w++) {
		snprintf(n->names[w], sizeof n->names[w], "w%u", w);
		if (source ? n->wires[w].writer == ROW_STAGES : n->wires[w].leaves)
			n->border[source ? 0 : 1][count++] = (struct pstk_port){ .name = n->names[w],
				.kind = source ? PSTK_OUTPUT : PSTK_INPUT,
				.token_size = n->wires[w].token_size };
	}
	return count;
}

static const char *port_of(const struct row_net *n, unsigned w)
{
	const struct row_stage *s = &n->stages[n->wires[w].writer];

	return s->names[s->inputs + (s->out[0] != w)];
}

static void connect_input(struct row_net *n, struct pstk_actor *from, unsigned k, unsigned i)
{
	unsigned w = n->stages[k].in[i];
	bool border = n->wires[w].writer == ROW_STAGES;

	pstk_connect(border ? from : n->stages[n->wires[w].writer].actor,
		border ? n->names[w] : port_of(n, w), n->stages[k].actor, n->stages[k].names[i],
		PSTK_FIFO(.rate = n->wires[w].rate));
}

static void connect_all(struct row_net *n, struct pstk_actor *from, struct pstk_actor *to)
{
	for (unsigned k = 0; k < n->stage_count; k++)
		for (unsigned i = 0; i < n->stages[k].inputs; i++)
			connect_input(n, from, k, i);
	for (unsigned w = 0; w < n->wire_count; w++)
		if (n->wires[w].leaves)
			pstk_connect(n->stages[n->wires[w].writer].actor, port_of(n, w), to, n->names[w],
				PSTK_FIFO(.rate = n->wires[w].rate));
}

static void take_memory(struct row_wire *w)
{
	w->bytes = (size_t)w->rate * w->token_size;
	ck_assert_int_eq(posix_memalign((void **)&w->host, 4096, w->bytes), 0);
	w->expected = malloc(w->bytes);
	ck_assert_ptr_nonnull(w->expected);
}

void row_net_build(struct row_net *n, const char *device)
{
	struct pstk_actor *from, *to, *stages[ROW_STAGES];
	char configuration[32];

	snprintf(configuration, sizeof configuration, "CG:%0*d:1", (int)n->stage_count, 0);
	atomic_store(&n->go, false);
	n->net = pstk_network_create("row");
	from = pstk_network_add(n->net, "source",
		PSTK_ACTOR_TYPE(.name = "source", .ports = n->border[0], .port_count = list_border(n, true),
			.fire = source_fire, .blocks = true, .arg_size = sizeof n),
		&n);
	to = pstk_network_add(n->net, "sink",
		PSTK_ACTOR_TYPE(.name = "sink", .ports = n->border[1], .port_count = list_border(n, false),
			.fire = sink_fire),
		NULL);
	for (unsigned k = 0; k < n->stage_count; k++) {
		add_stage(n, k);
		stages[k] = n->stages[k].actor;
	}
	connect_all(n, from, to);
	n->pipeline = pstk_pipeline_add(n->net, "bytes", stages, n->stage_count,
		PSTK_PIPELINE(.device = device, .configuration = configuration, .cores = 1, .in_flight = 2));
	for (unsigned k = 0; n->pipeline && k < n->stage_count; k++)
		ps_row_map(stages[k], device);
	for (unsigned w = 0; w < n->wire_count; w++)
		take_memory(&n->wires[w]);
}

/* -- carrying -- */

/* What the stage writes, computed by plain C, and how much of it is valid. */
static void expect_stage(struct row_net *n, unsigned k)
{
	const struct row_stage *s = &n->stages[k];
	const unsigned char *in[ROW_INPUTS];
	uint32_t bytes[ROW_INPUTS], valid = n->wires[s->in[0]].valid;

	for (unsigned i = 0; i < s->inputs; i++) {
		in[i] = n->wires[s->in[i]].expected;
		bytes[i] = (uint32_t)n->wires[s->in[i]].bytes;
	}
	for (unsigned o = 0; o < s->outputs; o++) {
		struct row_wire *w = &n->wires[s->out[o]];

		w->valid = n->fired >> k & 1 ? w->rate : 0;
		for (unsigned i = 0; i < s->inputs; i++) { /* each token in gives its token out */
			const struct row_wire *from = &n->wires[s->in[i]];
			uint32_t share =
				(uint32_t)(((uint64_t)w->rate * from->valid + from->rate - 1) / from->rate);

			w->valid = share < w->valid ? share : w->valid;
		}
		memset(w->expected, 0, w->bytes);
		for (size_t i = 0; i < (size_t)w->valid * w->token_size; i++)
			w->expected[i] = s->form == ROW_KERNEL ? value_of(in, bytes, s->inputs, s->key,
									 n->item, valid, o, i)
			                 : i < bytes[0]        ? in[0][i]
			                                       : (unsigned char)s->key;
	}
}

static struct pstk_firing *firing_of(const struct row_net *n, unsigned k)
{
	const struct ps_task *t = n->stages[k].actor->task;

	return &t->slots[t->slot_count - 1];
}

static bool has_tokens(const struct row_net *n, unsigned k)
{
	for (unsigned i = 0; i < n->stages[k].inputs; i++)
		if (!n->wires[n->stages[k].in[i]].valid)
			return false;
	return true;
}

/* As a carrier does. */
static struct pstk_firing *take(void *data, unsigned k)
{
	struct row_net *n = data;
	const struct row_stage *s = &n->stages[k];
	struct pstk_firing *f = firing_of(n, k);

	f->index = f->ran = n->item;
	for (unsigned i = 0; i < s->inputs + s->outputs; i++) {
		struct row_wire *w = &n->wires[i < s->inputs ? s->in[i] : s->out[i - s->inputs]];

		f->windows[i].data = w->host;
		f->windows[i].valid = i < s->inputs ? w->valid : 0;
	}
	ps_partial_take_stage(f);
	if (has_tokens(n, k))
		n->fired |= 1u << k;
	expect_stage(n, k); /* and so how much is valid */
	return has_tokens(n, k) ? f : NULL;
}

/* Behind ps_row_run(). */
static void check_firing(const struct row_net *n, unsigned k)
{
	const struct pstk_firing *f = firing_of(n, k);
	const struct row_stage *s = &n->stages[k];

	ck_assert_int_eq(f->rc, s->form == ROW_HOST_CODE_DONE ? PSTK_DONE : PSTK_AGAIN);
	ck_assert_uint_eq(f->open, 0);
	for (unsigned i = 0; i < s->inputs + s->outputs; i++) {
		ck_assert_int_eq(f->windows[i].state, PS_WINDOW_ENDED);
		if (i >= s->inputs)
			ck_assert_uint_eq(f->windows[i].valid, n->wires[s->out[i - s->inputs]].valid);
	}
}

static void check_window(const struct row_net *n, unsigned w)
{
	const struct row_wire *is = &n->wires[w];

	for (size_t i = 0; i < is->bytes; i++)
		ck_assert_msg(is->host[i] == is->expected[i],
			"item %u: window %u of stage %u, %u of %u tokens of %u bytes: byte %zu is %u, not %u",
			(unsigned)n->item, w, is->writer, is->valid, is->rate, is->token_size, i, is->host[i],
			is->expected[i]);
}

static void fill(struct row_net *n, uint32_t valid)
{
	for (unsigned w = 0; w < n->wire_count; w++) {
		struct row_wire *is = &n->wires[w];

		memset(is->host, 0xa5, is->bytes);
		if (is->writer != ROW_STAGES)
			continue;
		is->valid = (uint32_t)(((uint64_t)is->rate * valid + 1023) / 1024);
		memset(is->host, 0, is->bytes);
		for (size_t i = 0; i < (size_t)is->valid * is->token_size; i++)
			is->host[i] = (unsigned char)test_mix(n->item * 64 + w + i / 8 * 8191);
		memcpy(is->expected, is->host, is->bytes);
	}
}

/* The end of the run that begins with this stage. */
static unsigned run_of(const struct row_net *n, uint32_t mask, unsigned k)
{
	unsigned end = k;

	while (end < n->stage_count && (mask >> end & 1) == (mask >> k & 1))
		end++;
	return end;
}

int row_net_carry(struct row_net *n, uint32_t mask, uint32_t valid, struct ps_row_times *times,
	char text[PS_TEXT_SIZE], unsigned *failed)
{
	const struct ps_row_item item = { take, n };
	unsigned end;

	n->fired = 0;
	if (!n->broken)
		fill(n, valid);
	for (unsigned k = 0; k < n->stage_count; k = end) {
		int err = 0;

		end = run_of(n, mask, k);
		if (mask >> k & 1)
			err = ps_row_run(n->pipeline->row, &item, k, end - k, times, text, failed);
		n->broken = err;
		if (err)
			return err;
		for (unsigned i = k; i < end && !(mask >> k & 1); i++) { /* on the cores */
			take(n, i);
			for (unsigned o = 0; o < n->stages[i].outputs; o++) {
				struct row_wire *w = &n->wires[n->stages[i].out[o]];

				memcpy(w->host, w->expected, w->bytes);
			}
		}
		for (unsigned i = k; i < end; i++)
			if ((mask >> k & 1) && (n->fired >> i & 1))
				check_firing(n, i);
	}
	for (unsigned w = 0; w < n->wire_count; w++)
		if (n->wires[w].leaves && n->wires[w].valid)
			check_window(n, w);
	n->item++;
	return 0;
}

/* Of a window that is brought. */
static size_t copied(const struct row_wire *w, bool shares)
{
	return shares && w->in_place ? 0 : w->bytes;
}

void row_net_bytes(const struct row_net *n, uint32_t mask, bool shares, uint64_t *up, uint64_t *down)
{
	unsigned end;

	*up = *down = 0;
	for (unsigned k = 0; k < n->stage_count; k = end) {
		bool there[ROW_WIRES] = { false }, back[ROW_WIRES] = { false };

		end = run_of(n, mask, k);
		for (unsigned i = k; i < end && (mask >> k & 1); i++) {
			for (unsigned j = 0; j < n->stages[i].inputs; j++) {
				const struct row_wire *w = &n->wires[n->stages[i].in[j]];

				*up += there[n->stages[i].in[j]] ? 0 : copied(w, shares);
				there[n->stages[i].in[j]] = true;
			}
			for (unsigned o = 0; o < n->stages[i].outputs; o++) {
				there[n->stages[i].out[o]] = true;
				back[n->stages[i].out[o]] = n->wires[n->stages[i].out[o]].leaves;
			}
		}
		for (unsigned i = end; i < n->stage_count; i++)
			for (unsigned j = 0; j < n->stages[i].inputs; j++) {
				unsigned w = n->stages[i].in[j];

				back[w] |= (mask >> k & 1) && n->wires[w].writer >= k &&
				           n->wires[w].writer < end;
			}
		for (unsigned w = 0; w < n->wire_count; w++)
			*down += back[w] ? copied(&n->wires[w], shares) : 0;
	}
}

int row_net_end(struct row_net *n)
{
	atomic_store(&n->go, true);
	return pstk_network_wait(n->net);
}

void row_net_free(struct row_net *n)
{
	atomic_store(&n->go, true);
	pstk_network_destroy(n->net);
	for (unsigned w = 0; w < n->wire_count; w++) {
		free(n->wires[w].host);
		free(n->wires[w].expected);
	}
}
