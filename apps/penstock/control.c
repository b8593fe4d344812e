/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/control.h"
#include "apps/common/app.h"
#include "apps/penstock/orders.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 16, LINE = 1024, RETRY_MS = 100 };

struct client {
	int fd;          /* -1: there is none */
	uint64_t number; /* in the order of coming */
	char line[LINE];
	size_t length;
	char *answer; /* NULL: its line is not whole yet */
	size_t size, sent;
};

struct control {
	struct sockaddr_un address;
	struct stat made; /* which file the socket is */
	int listener, end;
	struct pstk_network *network;
	const struct pstk_machine *machine;
	pthread_t thread;
	bool serves;
	uint64_t count; /* of clients that came; the rest: the thread's */
	struct client clients[CLIENTS];
};

bool control_address(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!*path || strlen(path) >= sizeof address->sun_path)
		return false;
	memcpy(address->sun_path, path, strlen(path));
	return true;
}

static void drop(struct client *c)
{
	close(c->fd);
	free(c->answer);
	*c = (struct client){ .fd = -1 };
}

static void write_answer(struct client *c)
{
	ssize_t sent = send(c->fd, c->answer + c->sent, c->size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent > 0)
		c->sent += (size_t)sent;
	if (c->sent == c->size || (sent < 0 && errno != EAGAIN && errno != EINTR))
		drop(c);
}

static void read_line(struct control *control, struct client *c)
{
	ssize_t got = recv(c->fd, c->line + c->length, LINE - c->length, MSG_DONTWAIT);
	char *end;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->length += got > 0 ? (size_t)got : 0;
	end = memchr(c->line, '\n', c->length);
	if (end) {
		*end = '\0';
		c->answer = orders_answer(control->network, control->machine, c->line, &c->size);
	}
	if (c->answer)
		write_answer(c);
	else if (end || got <= 0 || c->length == LINE)
		drop(c);
}

/* A place that no client has, else the one of the oldest client. */
static struct client *choose_place(struct control *control)
{
	struct client *c = control->clients;

	for (unsigned i = 1; i < CLIENTS && c->fd >= 0; i++)
		if (control->clients[i].fd < 0 || control->clients[i].number < c->number)
			c = &control->clients[i];
	return c;
}

/* For want of a descriptor the oldest client goes. false: there is none. */
static bool give_up_a_client(struct control *control)
{
	struct client *oldest = NULL;

	for (struct client *c = control->clients; c < control->clients + CLIENTS; c++)
		if (c->fd >= 0 && (!oldest || c->number < oldest->number))
			oldest = c;
	if (oldest)
		drop(oldest);
	return oldest;
}

/* false: it has to wait until there is a descriptor, or memory. */
static bool take_client(struct control *control)
{
	int fd = accept4(control->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *c = choose_place(control);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
		return give_up_a_client(control);
	if (fd < 0)
		return true;
	if (c->fd >= 0)
		drop(c);
	c->fd = fd;
	c->number = control->count++;
	return true;
}

static void serve_clients(struct control *control, const struct pollfd *fds)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		if (fds[i].revents && control->clients[i].answer)
			write_answer(&control->clients[i]);
		else if (fds[i].revents)
			read_line(control, &control->clients[i]);
}

/* What it polls may be more than the limit of descriptors allows: then it looks at the end now and then. */
static void *serve(void *data)
{
	struct control *control = data;
	struct pollfd fds[2 + CLIENTS] = { { .fd = control->end, .events = POLLIN } };
	bool has_room = true;
	eventfd_t end;

	pthread_setname_np(pthread_self(), "penstock-ctl");
	while (eventfd_read(control->end, &end)) {
		fds[1] = (struct pollfd){ .fd = has_room ? control->listener : -1, .events = POLLIN };
		for (unsigned i = 0; i < CLIENTS; i++)
			fds[2 + i] = (struct pollfd){ .fd = control->clients[i].fd,
				.events = control->clients[i].answer ? POLLOUT : POLLIN };
		if (poll(fds, sizeof fds / sizeof *fds, has_room ? -1 : RETRY_MS) < 0) {
			poll(NULL, 0, RETRY_MS);
			continue;
		}
		serve_clients(control, fds + 2);
		has_room = !fds[1].revents || take_client(control);
	}
	return NULL;
}

/* A socket that only its owner may use, from the beginning: its mode is the one of the file. */
static int make_socket(struct control *control)
{
	const struct sockaddr *address = (const struct sockaddr *)&control->address;

	control->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	control->end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (control->listener < 0 || control->end < 0 || fchmod(control->listener, S_IRUSR | S_IWUSR) ||
		bind(control->listener, address, sizeof control->address))
		return -errno;
	if (!lstat(control->address.sun_path, &control->made) && !listen(control->listener, CLIENTS))
		return 0;
	return -errno;
}

int control_open(struct control **out, const char *path, const struct pstk_machine *machine)
{
	struct control *control = calloc(1, sizeof *control);
	int err;

	if (!control)
		return app_out_of_memory();
	control->machine = machine;
	control->listener = control->end = -1;
	for (unsigned i = 0; i < CLIENTS; i++)
		control->clients[i].fd = -1;
	if (!control_address(&control->address, path)) {
		free(control);
		return app_fail(EXIT_USAGE, "--control %s: the name of a socket has 1 to %zu letters", path,
			sizeof control->address.sun_path - 1);
	}
	*out = control;
	err = make_socket(control);
	if (err == -EADDRINUSE)
		return app_fail(EXIT_USAGE,
			"--control %s: there is such a file: another run may use it; else remove it", path);
	return err ? app_fail(EXIT_FAILED, "--control %s: %s", path, strerror(-err)) : 0;
}

/* Signals are for the other threads. */
void control_serve(void *data, struct pstk_network *network)
{
	struct control *control = data;
	sigset_t all, before;

	if (!control)
		return;
	control->network = network;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	control->serves = !pthread_create(&control->thread, NULL, serve, control);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!control->serves)
		app_fail(EXIT_FAILED, "--control: no thread can be created: nobody is served");
}

void control_close(struct control *control)
{
	struct stat now;

	if (!control)
		return;
	if (control->serves) {
		eventfd_write(control->end, 1);
		pthread_join(control->thread, NULL);
	}
	for (unsigned i = 0; i < CLIENTS; i++)
		if (control->clients[i].fd >= 0)
			drop(&control->clients[i]);
	/* not one that another run has made since */
	if (control->made.st_ino && !lstat(control->address.sun_path, &now) &&
		now.st_ino == control->made.st_ino && now.st_dev == control->made.st_dev)
		unlink(control->address.sun_path);
	if (control->listener >= 0)
		close(control->listener);
	if (control->end >= 0)
		close(control->end);
	free(control);
}
