/* SPDX-License-Identifier: MIT */
/* A file that gets its name when it is whole, or a device, FIFO or stdout, written directly. */
#include "config.h"

#include "actors/common/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void ps_writer_init(struct ps_writer *writer)
{
	*writer = (struct ps_writer){ .fd = -1, .wake = { -1, -1 } };
	atomic_init(&writer->stopped, false);
}

static int set_up(struct ps_writer *writer)
{
	struct stat status;
	int err = writer->fd < 0 ? writer->fd : fstat(writer->fd, &status) ? -errno : 0, flags = 0;

	if (!err)
		flags = fcntl(writer->fd, F_GETFL);
	if (flags < 0)
		err = -errno;
	if (!err)
		err = ps_file_pipe(writer->wake);
	if (err) {
		ps_writer_close(writer);
		return err;
	}
	/* `>> file`: whatever is written goes to its end */
	writer->regular = S_ISREG(status.st_mode) && !(flags & O_APPEND);
	writer->waits = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(writer->fd);
	return 0;
}

/* Something in place of what the path would lead to: a file in memory, or /dev/null. */
static int open_dry(struct ps_writer *writer, const char *path)
{
	int is_direct = ps_file_check(path);

	writer->fd = is_direct < 0 ? is_direct
	             : is_direct   ? ps_file_lift(open("/dev/null", O_WRONLY | O_CLOEXEC))
	                           : ps_file_lift(memfd_create("penstock", MFD_CLOEXEC));
	return set_up(writer);
}

int ps_writer_open(struct ps_writer *writer, const char *path)
{
	if (writer->dry)
		return open_dry(writer, path);
	writer->fd = ps_file_open_direct(path);
	return writer->fd ? set_up(writer) : ps_writer_open_part(writer, path);
}

int ps_writer_open_part(struct ps_writer *writer, const char *path)
{
	if (writer->dry)
		return open_dry(writer, path);
	writer->fd = ps_part_open(&writer->part, path);
	return set_up(writer);
}

/* Waits until a little can be written, or until another thread stops it. */
static int writer_wait(struct ps_writer *writer)
{
	struct pollfd fds[2] = { { .fd = writer->fd, .events = POLLOUT },
		{ .fd = writer->wake[0], .events = POLLIN } };

	while (writer->waits && !atomic_load(&writer->stopped)) {
		int ready = poll(fds, 2, -1);

		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0 && fds[0].revents)
			break;
	}
	return atomic_load(&writer->stopped) ? -ECANCELED : 0;
}

int ps_writer_write(struct ps_writer *writer, const void *bytes, size_t n)
{
	const unsigned char *from = bytes;

	while (n > 0) {
		/* PIPE_BUF bytes are what a pipe takes for sure when poll() says that it is ready: more could
		   block where nothing wakes us */
		size_t part = !writer->waits || n < PIPE_BUF ? n : PIPE_BUF;
		int err = writer_wait(writer);
		ssize_t done;

		if (err)
			return err;
		done = write(writer->fd, from, part);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (done > 0) {
			from += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

int64_t ps_writer_seek(struct ps_writer *writer, int64_t offset, int whence)
{
	off_t at;

	assert(writer->regular); /* others are not asked */
	at = lseek(writer->fd, offset, whence);
	return at < 0 ? -errno : at;
}

/* What was stopped may have been cut short. */
static int writer_end(struct ps_writer *writer)
{
	int fd = writer->fd;

	if (atomic_load(&writer->stopped))
		return -ECANCELED;
	writer->fd = -1;
	return close(fd) && errno != EINTR ? -errno : 0;
}

int ps_writer_complete(struct ps_writer *writer)
{
	int err = writer_end(writer);

	return err ? err : ps_part_complete(&writer->part);
}

int ps_writer_complete_both(struct ps_writer *first, struct ps_writer *second)
{
	int err = writer_end(first);

	if (!err)
		err = writer_end(second);
	return err || first->dry ? err : ps_part_complete_both(&first->part, &second->part);
}

void ps_writer_close(struct ps_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	ps_part_drop(&writer->part);
	if (writer->wake[0] >= 0) {
		close(writer->wake[0]);
		close(writer->wake[1]);
	}
	writer->fd = writer->wake[0] = writer->wake[1] = -1;
}

void ps_writer_stop(struct ps_writer *writer)
{
	atomic_store(&writer->stopped, true);
	if (writer->wake[1] >= 0 && write(writer->wake[1], "", 1) < 0) {
		/* full: it has been woken before */
	}
}
