/* SPDX-License-Identifier: MIT */
/*
 * The smallest program in C++: the types are filled member by member, as C++11 knows no designated initialisers.
 *
 * To build it:
 *
 *	c++ hello.cc -o hello $(pkg-config --cflags --libs penstock)
 */
#include <penstock/penstock.h>

#include <cstdio>

static int count_fire(struct pstk_firing *f)
{
	int *next = static_cast<int *>(pstk_actor_state(pstk_firing_actor(f)));

	*static_cast<int *>(pstk_fifo_write_start(f, 0)) = ++*next;
	pstk_fifo_write_end(f, 0);
	return *next < 10 ? PSTK_AGAIN : PSTK_DONE;
}

static int print_fire(struct pstk_firing *f)
{
	std::printf("%d\n", *static_cast<const int *>(pstk_fifo_read_start(f, 0)));
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static pstk_actor *add_one_port(
	pstk_network *net, const char *name, pstk_port_kind kind, int (*fire)(pstk_firing *))
{
	pstk_port port = pstk_port();
	pstk_actor_type type = pstk_actor_type_init();

	port.name = "port";
	port.kind = kind;
	type.name = name;
	type.ports = &port;
	type.port_count = 1;
	type.state_size = sizeof(int);
	type.fire = fire;
	return pstk_network_add(net, name, &type, nullptr);
}

int main()
{
	pstk_network *net = pstk_network_create("hello");
	pstk_actor *count = add_one_port(net, "count", PSTK_OUTPUT, count_fire);
	pstk_actor *print = add_one_port(net, "print", PSTK_INPUT, print_fire);
	pstk_fifo_spec spec = pstk_fifo_spec_init();

	spec.rate = 1;
	spec.token_size = sizeof(int);
	pstk_connect(count, "port", print, "port", &spec);
	const int err = pstk_network_run(net);
	if (err)
		std::fprintf(stderr, "hello: %s\n", pstk_network_error(net));
	pstk_network_destroy(net);
	return err != 0;
}
