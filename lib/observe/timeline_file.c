/* SPDX-License-Identifier: MIT */
#include "lib/observe/timeline_file.h"
#include "lib/model/adopted.h"
#include "lib/model/type.h"
#include "lib/observe/host_text.h"
#include "penstock/hosts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes of a character of UTF-8 at c; 0: it is none. */
static unsigned length_of(const unsigned char *c)
{
	unsigned length = *c < 0x80 ? 1 : *c >= 0xC2 && *c < 0xE0 ? 2 : *c >= 0xE0 && *c < 0xF0 ? 3 : 0;

	if (*c >= 0xF0 && *c < 0xF5)
		length = 4;
	for (unsigned i = 1; i < length; i++)
		if ((c[i] & 0xC0) != 0x80)
			return 0;
	return length;
}

/* Surrogates and long forms pass: readers replace them. */
const char *ps_timeline_name(const char *name, char buffer[PS_TIMELINE_NAME])
{
	char *to = buffer;

	while (*name && to < buffer + PS_TIMELINE_NAME - 7) {
		unsigned length = length_of((const unsigned char *)name);

		if (!length || (unsigned char)*name < 0x20) {
			to += snprintf(to, 7, "\\u%04x", (unsigned char)*name++);
			continue;
		}
		if (*name == '"' || *name == '\\')
			*to++ = '\\';
		memcpy(to, name, length);
		to += length;
		name += length;
	}
	*to = 0;
	return buffer;
}

PSTK_PRINTF(2, 3)
static void say(struct ps_timeline_file *f, const char *format, ...)
{
	va_list ap;

	if (f->err)
		return;
	va_start(ap, format);
	if (vfprintf(f->file, format, ap) < 0)
		f->err = errno ? -errno : -EIO;
	va_end(ap);
}

void ps_timeline_event(struct ps_timeline_file *f, const char *format, ...)
{
	va_list ap;

	if (f->err)
		return;
	fputs(f->is_next ? "\n,{" : "\n{", f->file);
	va_start(ap, format);
	vfprintf(f->file, format, ap);
	va_end(ap);
	if (fputc('}', f->file) < 0 || ferror(f->file))
		f->err = errno ? -errno : -EIO;
	f->is_next = true;
}

static void write_link(struct ps_timeline_file *f, const struct pstk_crossing *c, bool is_next)
{
	char names[4][PS_TIMELINE_NAME];

	say(f,
		"%s{\"from\":\"%s\",\"to\":\"%s\",\"fifo\":\"%s -> %s\",\"windows\":%" PRIu64
		",\"bytes\":%" PRIu64 ",\"wait_ns\":%" PRIu64 "}",
		is_next ? "," : "", ps_timeline_name(ps_ranks_host(f->net, c->from), names[0]),
		ps_timeline_name(ps_ranks_host(f->net, c->to), names[1]),
		ps_timeline_name(c->fifo->src->name, names[2]),
		ps_timeline_name(c->fifo->dst->name, names[3]), c->windows, c->bytes, c->wait_ns);
}

/* What crossed between hosts, as pstk_network_crossings() says. */
static void write_links(struct ps_timeline_file *f)
{
	const struct ps_adopted *d = atomic_load(&f->net->adopted);
	const struct ps_adopted_crossings *of = d ? atomic_load(&d->crossings) : NULL;
	bool is_next = false;

	if (!of)
		return;
	say(f, ",\"links\":[");
	for (; of; of = atomic_load(&of->next))
		for (unsigned i = 0; i < of->count; i++, is_next = true)
			write_link(f, &of->crossing[i], is_next);
	say(f, "]");
}

static void write_head(struct ps_timeline_file *f)
{
	const struct ps_trace *t = f->timeline->trace;
	uint64_t fired = ps_trace_fired(t), lost = ps_trace_lost(t);
	char name[PS_TIMELINE_NAME];

	say(f, PS_TIMELINE_BEGIN "\"otherData\":{\"network\":\"%s\",\"library\":\"%s\",",
		ps_timeline_name(f->net->name, name), pstk_version());
	say(f, "\"firings\":%" PRIu64 ",\"lost_firings\":%" PRIu64 ",\"kept\":\"%s\"", fired, lost,
		!lost                     ? "all"
		: f->timeline->keep_first ? "first"
					  : "last");
	write_links(f);
	say(f, "},\n\"traceEvents\":[");
}

/* Where the n-th line from the end begins. */
static off_t find_line(int fd, off_t end, unsigned n)
{
	char c;

	while (end > 0 && n) {
		if (pread(fd, &c, 1, --end) != 1)
			return 0;
		n -= c == '\n';
	}
	return end;
}

/* Ends a file that was cut short behind an event that is whole: the two last lines give room for the end. */
static void mend(int fd)
{
	static const char end[] = "\n]}\n";
	struct stat s;
	off_t at;

	if (fstat(fd, &s) || !S_ISREG(s.st_mode))
		return;
	at = find_line(fd, s.st_size, 2);
	if (at && !ftruncate(fd, at) && pwrite(fd, end, sizeof end - 1, at) != sizeof end - 1)
		return; /* then it ends behind an event, which some readers take */
}

int ps_timeline_open(struct ps_timeline_file *f)
{
	int fd = f->timeline->fd;
	struct stat s;

	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && ftruncate(fd, 0))
		return -errno;
	fd = dup(fd);
	f->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f->file) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return err;
	}
	write_head(f);
	return 0;
}

int ps_timeline_close(struct ps_timeline_file *f)
{
	say(f, "\n]}\n");
	if (fflush(f->file) && !f->err)
		f->err = -errno;
	if (fclose(f->file) && !f->err)
		f->err = -errno;
	if (f->err)
		mend(f->timeline->fd);
	return f->err;
}

const char *ps_timeline_host(const struct ps_timeline_file *f, unsigned host, char buffer[PS_TIMELINE_HOST])
{
	char number[PS_HOST_TEXT];

	buffer[0] = 0;
	if (!f->timeline->joined)
		return buffer;
	ps_timeline_name(ps_host_text(f->net, host, number), buffer);
	memcpy(buffer + strlen(buffer), ": ", 3);
	return buffer;
}
