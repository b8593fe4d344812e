/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/scene_recognition/training.h"
#include "actors/common/message.h"
#include "apps/common/numbers.h"
#include "apps/common/signals.h"
#include "apps/common/whole.h"
#include "apps/scene_recognition/learning.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The folders.
 */

/* Is it a folder, or is it a file? Names that begin with a dot are left out. */
static bool is_wanted(const char *folder, const char *name, bool folders)
{
	struct stat status;
	char *path;
	bool wanted = false;

	if (name[0] == '.' || asprintf(&path, "%s/%s", folder, name) < 0)
		return false;
	if (!stat(path, &status))
		wanted = folders ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode);
	free(path);
	return wanted;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds FOLDER/NAME to a list. */
static int add_path(char ***list, unsigned *count, const char *folder, const char *name)
{
	char **longer = realloc(*list, (*count + 1) * sizeof **list);

	if (!longer)
		return app_out_of_memory();
	*list = longer;
	if (asprintf(&longer[*count], "%s/%s", folder, name) < 0)
		return app_out_of_memory();
	++*count;
	return 0;
}

/* Adds what is in a folder, in the order of names. */
static int look_into(const char *folder, bool folders, char ***list, unsigned *count)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, compare), status = 0;

	if (n < 0)
		return errno == ENOMEM ? app_out_of_memory()
		                       : app_fail(EXIT_USAGE, "--train: %s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!status && is_wanted(folder, names[i]->d_name, folders))
			status = add_path(list, count, folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return status;
}

static int add_class(struct training *t, unsigned c)
{
	const unsigned before = t->path_count;
	int status = look_into(t->classes[c], false, &t->paths, &t->path_count);
	unsigned *longer;

	if (status)
		return status;
	if (t->path_count == before)
		return app_fail(EXIT_USAGE, "--train: %s has no picture", t->classes[c]);
	longer = realloc(t->class_of, t->path_count * sizeof *t->class_of);
	if (!longer)
		return app_out_of_memory();
	t->class_of = longer;
	for (unsigned i = before; i < t->path_count; i++)
		t->class_of[i] = c;
	return 0;
}

static int give_inputs(const struct training *t, struct staged_options *shared)
{
	const char **inputs = calloc(t->path_count, sizeof *inputs);

	if (!inputs)
		return app_out_of_memory();
	for (unsigned i = 0; i < t->path_count; i++)
		inputs[i] = t->paths[i];
	free(shared->inputs);
	shared->inputs = inputs;
	shared->input_count = t->path_count;
	return 0;
}

static const char *class_name(const struct training *t, unsigned c)
{
	return strrchr(t->classes[c], '/') + 1;
}

/* They become --classes. */
static int check_names(const struct training *t)
{
	for (unsigned c = 0; c < t->class_count; c++)
		if (strchr(class_name(t, c), ','))
			return app_fail(EXIT_USAGE,
				"--train: %s has a comma in its name, which --classes takes for two classes: "
				"rename the folder",
				t->classes[c]);
	return 0;
}

int training_find(struct training *t, const struct options *options, struct staged_options *shared)
{
	int status;

	*t = (struct training){ .options = options };
	if (shared->input_count)
		return app_fail(EXIT_USAGE, "--train and --input exclude each other");
	status = look_into(options->train, true, &t->classes, &t->class_count);
	if (!status && (t->class_count < 2 || t->class_count > PSTK_BAG_CLASSES))
		status = app_fail(EXIT_USAGE,
			"--train: %s has %u folder%s: expected one for each class, 2 to %d", options->train,
			t->class_count, ps_plural(t->class_count), PSTK_BAG_CLASSES);
	if (!status)
		status = check_names(t);
	for (unsigned c = 0; c < t->class_count && !status; c++)
		status = add_class(t, c);
	return status ? status : give_inputs(t, shared);
}

/*
 * The sink.
 */

static bool make_room(struct training *t, size_t more)
{
	size_t room = t->room ? t->room : 1024;
	float *longer;

	while (room < t->count + more)
		room *= 2;
	longer = room == t->room ? t->descriptors
	                         : realloc(t->descriptors, room * LEARNING_NUMBERS * sizeof *longer);
	if (!longer)
		return false;
	t->descriptors = longer;
	t->room = room;
	return true;
}

static bool make_frame(struct training *t)
{
	unsigned room = t->frame_room ? 2 * t->frame_room : 64;
	size_t *patches;
	unsigned *classes;

	if (t->frames < t->frame_room)
		return true;
	patches = realloc(t->patches, room * sizeof *patches);
	if (patches)
		t->patches = patches;
	classes = patches ? realloc(t->frame_class, room * sizeof *classes) : NULL;
	if (!classes)
		return false;
	t->frame_class = classes;
	t->frame_room = room;
	return true;
}

static bool keep(struct training *t, const void *token)
{
	const struct pstk_frame_size size = pstk_sized_get(token);
	const size_t patches = pstk_bag_patches(size.width, size.height);

	if (!make_room(t, patches) || !make_frame(t))
		return false;
	memcpy(t->descriptors + t->count * LEARNING_NUMBERS, (const char *)token + PSTK_SIZED_HEAD,
		patches * LEARNING_NUMBERS * sizeof *t->descriptors);
	t->count += patches;
	t->patches[t->frames] = patches;
	t->frame_class[t->frames] = t->class_of[frame_source_origin(&t->run->frames, t->frames).input];
	t->frames++;
	return true;
}

static int fire(struct pstk_firing *f)
{
	struct training *t = pstk_actor_arg(pstk_firing_actor(f));

	if (!keep(t, pstk_fifo_read_start(f, 0)))
		return pstk_actor_error(pstk_firing_actor(f), -ENOMEM, "out of memory for descriptors");
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

struct pstk_actor *training_add(struct training *t, const struct staged *run, struct pstk_network *net)
{
	static const struct pstk_port in = {
		.name = "descriptors", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1
	};

	t->run = run;
	return pstk_network_add(net, "sink",
		PSTK_ACTOR_TYPE(.name = "training_sink", .ports = &in, .port_count = 1, .fire = fire), t);
}

/*
 * The files.
 */

int training_open(struct training *t)
{
	int status = t->vocabulary ? 0 : whole_open(&t->vocabulary, t->options->vocabulary);

	return status || t->weights ? status : whole_open(&t->weights, t->options->weights);
}

/* What is learned. */
struct learned {
	float *words, *weights;
	double *hists;
};

/* A line on a terminal says how far it is. */
static bool go_on(void *data, unsigned round)
{
	struct training *t = data;

	if (round != t->round && isatty(STDERR_FILENO)) {
		if (round <= LEARNING_ROUNDS)
			fprintf(stderr, "\rlearning: round %u of %d\033[K", round, LEARNING_ROUNDS);
		else
			fputs("\rlearning: weights\033[K", stderr);
	}
	t->round = round;
	return !signals_came();
}

static int count_words(struct learned *l, const struct training *t, const struct learning_watch *watch)
{
	const size_t words = t->options->words;
	const float *descriptors = t->descriptors;
	int err = 0;

	for (unsigned i = 0; i < t->frames && !err; i++) {
		err = learning_count(
			l->hists + i * words, l->words, words, descriptors, t->patches[i], watch);
		descriptors += t->patches[i] * LEARNING_NUMBERS;
	}
	return err;
}

static int learn(struct learned *l, struct training *t)
{
	const struct learning_watch watch = { go_on, t };
	const size_t words = t->options->words;
	int err;

	l->words = calloc(words * LEARNING_NUMBERS, sizeof *l->words);
	l->weights = calloc((words + 1) * t->class_count, sizeof *l->weights);
	l->hists = calloc(t->frames * words, sizeof *l->hists);
	if (!l->words || !l->weights || !l->hists)
		return app_out_of_memory();
	err = learning_make_words(l->words, words, t->descriptors, t->count, &watch);
	if (!err)
		err = count_words(l, t, &watch);
	if (!err)
		err = learning_make_weights(
			l->weights, l->hists, t->frame_class, t->frames, words, t->class_count, &watch);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (err == -ECANCELED)
		return app_fail(EXIT_INTERRUPTED, "interrupted while it learned: neither file is written");
	return err ? app_out_of_memory() : 0;
}

/* Would a shell take all names for what they are? */
static bool are_plain(const struct training *t)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+@%";
	bool all = true;

	for (unsigned c = 0; c < t->class_count; c++)
		all = all && !class_name(t, c)[strspn(class_name(t, c), plain)];
	return all;
}

/* Inside of quotes of the shell. */
static void say_quoted(const char *name)
{
	for (; *name; name += *name == '\'') {
		int length = (int)strcspn(name, "'");

		app_say(stderr, "%.*s", length, name);
		name += length;
		if (*name)
			fputs("'\\''", stderr);
	}
}

/* The option, ready to paste. */
static void say_classes(const struct training *t)
{
	const char *quote = are_plain(t) ? "" : "'";

	fprintf(stderr, "%zu descriptors of %u pictures; --classes %s", t->count, t->frames, quote);
	for (unsigned c = 0; c < t->class_count; c++) {
		fputs(c ? "," : "", stderr);
		say_quoted(class_name(t, c));
	}
	fprintf(stderr, "%s\n", quote);
}

static int write_both(struct training *t, const struct learned *l)
{
	struct whole *vocabulary = t->vocabulary, *weights = t->weights;
	const size_t words = t->options->words;

	/* what goes wrong the streams know */
	(void)numbers_write(whole_file(vocabulary), l->words, words * LEARNING_NUMBERS);
	(void)numbers_write(whole_file(weights), l->weights, (words + 1) * t->class_count);
	t->vocabulary = t->weights = NULL;
	return whole_complete_both(vocabulary, weights);
}

int training_complete(struct training *t)
{
	struct learned l = { NULL, NULL, NULL };
	int status;

	if (pstk_network_signal(t->run->network))
		return app_fail(EXIT_INTERRUPTED, "interrupted before it learned: neither file is written");
	if (t->count < t->options->words)
		return app_fail(EXIT_USAGE,
			"--words: %" PRIu32 " are more than the %zu patches of all pictures",
			t->options->words, t->count);
	status = learn(&l, t);
	if (!status)
		status = write_both(t, &l);
	if (!status)
		say_classes(t);
	free(l.words);
	free(l.weights);
	free(l.hists);
	return status;
}

void training_close(struct training *t)
{
	for (unsigned i = 0; i < t->class_count; i++)
		free(t->classes[i]);
	for (unsigned i = 0; i < t->path_count; i++)
		free(t->paths[i]);
	free(t->classes);
	free(t->paths);
	free(t->class_of);
	free(t->descriptors);
	free(t->patches);
	free(t->frame_class);
	whole_drop(t->vocabulary);
	whole_drop(t->weights);
	*t = (struct training){ .options = NULL };
}
