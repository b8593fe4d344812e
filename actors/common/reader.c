/* SPDX-License-Identifier: MIT */
/* A file, pipe or terminal that is read in order, and whose waiting another thread can end. */
#include "config.h"

#include "actors/common/reader.h"

#include "actors/common/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ps_reader_init(struct ps_reader *reader)
{
	*reader = (struct ps_reader){ .fd = -1, .wake = { -1, -1 } };
	atomic_init(&reader->stopped, false);
}

static int reader_set_up(struct ps_reader *reader)
{
	struct stat status;
	int err;

	if (fstat(reader->fd, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	reader->regular = S_ISREG(status.st_mode);
	reader->base = reader->regular ? lseek(reader->fd, 0, SEEK_CUR) : 0;
	if (reader->base < 0)
		return -errno;
	err = ps_file_pipe(reader->wake);
	if (err)
		return err;
	reader->buffer = malloc(PS_READER_BUFFER);
	return reader->buffer ? 0 : -ENOMEM;
}

int ps_reader_open(struct ps_reader *reader, const char *path)
{
	int err;

	/* A duplicate of stdin, so that closing the input leaves the program's own alone. */
	reader->fd =
		ps_file_lift(strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC)
					       : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
	if (reader->fd < 0)
		return reader->fd;
	err = reader_set_up(reader);
	if (err)
		ps_reader_close(reader);
	return err;
}

void ps_reader_close(struct ps_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	if (reader->wake[0] >= 0) {
		close(reader->wake[0]);
		close(reader->wake[1]);
	}
	free(reader->buffer);
	reader->fd = reader->wake[0] = reader->wake[1] = -1;
	reader->buffer = NULL;
	reader->start = reader->end = 0;
}

void ps_reader_stop(struct ps_reader *reader)
{
	atomic_store(&reader->stopped, true);
	if (reader->wake[1] >= 0 && write(reader->wake[1], "", 1) < 0) {
		/* full: it has been woken before */
	}
}

/* Waits until a read won't block, or until another thread stops it. */
static int reader_wait(struct ps_reader *reader)
{
	struct pollfd fds[2] = { { .fd = reader->fd, .events = POLLIN },
		{ .fd = reader->wake[0], .events = POLLIN } };

	while (!reader->regular && !atomic_load(&reader->stopped)) {
		int ready = poll(fds, 2, -1);

		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0 && fds[0].revents)
			break;
	}
	return atomic_load(&reader->stopped) ? -ECANCELED : 0;
}

static void reader_count(struct ps_reader *reader, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n && reader->taken + (int64_t)i < (int64_t)sizeof(reader->head); i++)
		reader->head[(size_t)reader->taken + i] = bytes[i];
	reader->taken += (int64_t)n;
}

static ssize_t reader_read(struct ps_reader *reader, void *to, size_t n)
{
	for (;;) {
		int err = reader_wait(reader);
		ssize_t got;

		if (err)
			return err;
		got = read(reader->fd, to, n);
		if (got > 0)
			reader_count(reader, to, (size_t)got);
		if (got >= 0)
			return got;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

/* Fills the empty buffer; 0: the end. */
static ssize_t reader_refill(struct ps_reader *reader)
{
	ssize_t got = reader_read(reader, reader->buffer, PS_READER_BUFFER);

	reader->start = 0;
	reader->end = got > 0 ? (size_t)got : 0;
	return got;
}

static size_t reader_take(struct ps_reader *reader, void *to, size_t n)
{
	size_t held = reader->end - reader->start;

	n = n < held ? n : held;
	if (to)
		memcpy(to, reader->buffer + reader->start, n);
	reader->start += n;
	return n;
}

ssize_t ps_reader_some(struct ps_reader *reader, void *to, size_t n)
{
	if (reader->start < reader->end)
		return (ssize_t)reader_take(reader, to, n);
	return reader_read(reader, to, n);
}

ssize_t ps_reader_full(struct ps_reader *reader, void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		unsigned char *here = to ? (unsigned char *)to + done : NULL;
		ssize_t got;

		if (reader->start < reader->end) {
			done += reader_take(reader, here, n - done);
			continue;
		}
		/* what is larger than the buffer goes straight to where it is wanted */
		if (here && n - done >= PS_READER_BUFFER) {
			got = reader_read(reader, here, n - done);
			done += got > 0 ? (size_t)got : 0;
		} else {
			got = reader_refill(reader);
		}
		if (got < 0)
			return got;
		if (got == 0)
			break;
	}
	return (ssize_t)done;
}

int ps_reader_starts_with(struct ps_reader *reader, const char *bytes, size_t n, bool *any)
{
	while (reader->end < n) {
		ssize_t got =
			reader_read(reader, reader->buffer + reader->end, PS_READER_BUFFER - reader->end);

		if (got < 0)
			return (int)got;
		if (got == 0)
			break;
		reader->end += (size_t)got;
	}
	*any = reader->end > 0;
	return reader->end >= n && !memcmp(reader->buffer, bytes, n);
}

ssize_t ps_reader_line(struct ps_reader *reader, char *line, size_t size)
{
	size_t length = 0;

	for (;;) {
		ssize_t got = reader->start < reader->end ? 1 : reader_refill(reader);
		char c;

		line[length] = '\0';
		if (got <= 0)
			return got < 0 ? got : length ? -EPROTO : -ENODATA;
		c = (char)reader->buffer[reader->start++];
		if (c == '\n')
			break;
		if (length + 1 >= size)
			return -EPROTO;
		line[length++] = c;
	}
	return (ssize_t)length;
}

int64_t ps_reader_size(const struct ps_reader *reader)
{
	struct stat status;

	assert(reader->regular); /* others are not asked */
	if (fstat(reader->fd, &status))
		return -errno;
	return status.st_size > reader->base ? status.st_size - reader->base : 0;
}

int64_t ps_reader_seek(struct ps_reader *reader, int64_t offset, int whence)
{
	off_t at;

	assert(reader->regular); /* others are not asked */
	if (whence == SEEK_CUR)  /* what the buffer holds has not been taken */
		offset -= (int64_t)(reader->end - reader->start);
	if (whence == SEEK_SET)
		offset += reader->base;
	at = lseek(reader->fd, offset, whence);
	if (at < 0)
		return -errno;
	reader->start = reader->end = 0;
	return at - reader->base;
}
