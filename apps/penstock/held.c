/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/held.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void held_begin(struct held *h)
{
	if (!h->file)
		h->file = tmpfile();
	h->written = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	fflush(stderr);
	h->on = h->file && h->written >= 0 && dup2(fileno(h->file), STDERR_FILENO) >= 0;
	if (!h->on && h->written >= 0)
		close(h->written);
}

void held_end(struct held *h)
{
	if (!h->on)
		return;
	fflush(stderr);
	dup2(h->written, STDERR_FILENO);
	close(h->written);
	h->on = false;
}

/* It was written by way of stderr: the file's own buffer has nothing of it. */
static char *read_all(FILE *file)
{
	off_t size = lseek(fileno(file), 0, SEEK_END);
	char *text = size > 0 ? calloc(1, (size_t)size + 1) : NULL;

	if (text && pread(fileno(file), text, (size_t)size, 0) == size)
		return text;
	free(text);
	return NULL;
}

char *held_take(struct held *h)
{
	char *text;

	held_end(h);
	if (!h->file)
		return NULL;
	text = read_all(h->file);
	fclose(h->file);
	h->file = NULL;
	return text;
}
