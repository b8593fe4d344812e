/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/scene_recognition/results.h"
#include "apps/common/files.h"
#include "apps/common/whole.h"
#include "apps/common/pattern.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { HIST, SCORES };

void results_init(struct results *r, const struct options *options, const struct staged *run)
{
	const char *path = run->options.output;

	*r = (struct results){
		.options = options, .run = run, .path = path && !strcmp(path, "-") ? "/dev/stdout" : path
	};
}

int results_open(struct results *r, bool fifos)
{
	if (!r->path || r->lines || (fifos && !files_is_fifo(r->path)))
		return 0;
	return whole_open(&r->lines, r->path);
}

int results_complete(struct results *r)
{
	struct whole *lines = r->lines;

	r->lines = NULL;
	return lines ? whole_complete(lines) : 0;
}

void results_close(struct results *r)
{
	whole_drop(r->lines);
	*r = (struct results){ .path = NULL };
}

/* A name may have an end of line, but a line has one name. */
static void write_name(FILE *file, const char *name)
{
	for (;; name++) {
		size_t length = strcspn(name, "\n");

		app_say(file, "%.*s", (int)length, name);
		name += length;
		if (!*name)
			return;
		fputs("\\x0a", file);
	}
}

/* Of numbered pictures each has its name. The frames of other inputs behind the first one have a number, too. */
static void write_picture(const struct results *r, FILE *file)
{
	const struct frame_origin from = frame_source_origin(&r->run->frames, r->frames);
	const char *input = r->run->options.inputs[from.input];
	char name[PATH_MAX];

	if (pattern_picture(name, input, from.number)) {
		write_name(file, name);
		return;
	}
	write_name(file, input);
	if (from.number)
		fprintf(file, ":%" PRIu64, from.number);
}

static int write_line(struct results *r, const float *scores)
{
	FILE *file = whole_file(r->lines);
	unsigned best = 0;

	for (unsigned c = 1; c < r->options->class_count; c++)
		if (scores[c] > scores[best])
			best = c;
	write_picture(r, file);
	putc(' ', file);
	write_name(file, r->options->classes[best]);
	for (unsigned c = 0; c < r->options->class_count; c++)
		fprintf(file, " %.9g", (double)scores[c]);
	putc('\n', file);
	return ferror(file) ? -EIO : 0;
}

static int fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct results *r = pstk_actor_arg(self);
	const float *scores;
	int err;

	pstk_fifo_read_start(f, HIST);
	scores = pstk_fifo_read_start(f, SCORES);
	errno = 0;
	err = r->lines ? write_line(r, scores + PSTK_SIZED_HEAD / sizeof *scores) : 0;
	if (err)
		return pstk_actor_error(self, err, "%s: %s", r->path, strerror(errno ? errno : EIO));
	r->frames++;
	pstk_fifo_read_end(f, HIST);
	pstk_fifo_read_end(f, SCORES);
	return PSTK_AGAIN;
}

struct pstk_actor *results_add(struct results *r, struct pstk_network *net)
{
	static const struct pstk_port ports[] = {
		[HIST] = { .name = "hist", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
		[SCORES] = { .name = "scores", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
	};

	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "scene_sink", .ports = ports,
			.port_count = sizeof ports / sizeof *ports,
			.blocks = r->path && files_may_wait(r->path), .fire = fire),
		r);
}
