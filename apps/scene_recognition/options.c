/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/scene_recognition/options.h"
#include "apps/common/arguments.h"
#include "apps/common/files.h"
#include "actors/common/same_file.h"

#include <penstock/vision.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char app_name[] = "scene_recognition";

const char options_help[] =
	"Usage: scene_recognition --input FILE... --vocabulary FILE --weights FILE --classes a,b,c "
	"[OPTION]...\n"
	"       scene_recognition --train FOLDER --vocabulary FILE --weights FILE [OPTION]...\n"
	"Says which scene a picture shows, by the words of its patches. Two stages: gradients; words and\n"
	"scores. They are a pipeline, which finds its place on cores and a device by itself; the second one\n"
	"stays on the cores.\n"
	"\n" STAGED_INPUT_HELP "  --vocabulary FILE   128 numbers for each word, little-endian f32\n"
	"  --weights FILE      for each word, and one row more, a number for each class, little-endian f32\n"
	"  --classes A,B,..    names of the classes\n"
	"  --train FOLDER      makes both files from a folder of pictures for each class\n"
	"  --words K           words of the vocabulary that --train makes, 1 to 4096 (32)\n"
	"  --output FILE       a line for each picture: its name, its class, the scores; - is stdout. "
	"Without\n"
	"                      it nothing is written\n" STAGED_HELP;

enum { OPT_VOCABULARY = OPT_OWN, OPT_WEIGHTS, OPT_CLASSES, OPT_TRAIN, OPT_WORDS };

const struct option options_table[] = {
	STAGED_OPTIONS,
	{ "vocabulary", required_argument, NULL, OPT_VOCABULARY },
	{ "weights", required_argument, NULL, OPT_WEIGHTS },
	{ "classes", required_argument, NULL, OPT_CLASSES },
	{ "train", required_argument, NULL, OPT_TRAIN },
	{ "words", required_argument, NULL, OPT_WORDS },
	{ NULL, 0, NULL, 0 },
};

void options_init(struct options *o)
{
	*o = (struct options){ .words = 32 };
}

void options_free(struct options *o)
{
	free(o->class_list);
	free(o->classes);
	*o = (struct options){ .words = 0 };
}

/* Scores of two classes with one name could not be told apart. */
static int check_classes(const struct options *o)
{
	for (unsigned i = 1; i < o->class_count; i++)
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(o->classes[i], o->classes[k]))
				return app_fail(EXIT_USAGE,
					"--classes: '%s' is given twice: each class has a name of its own",
					o->classes[i]);
	return 0;
}

static int take_classes(struct options *o, const char *value)
{
	unsigned room = 1;
	int status;

	for (const char *c = value; *c; c++)
		room += *c == ',';
	free(o->classes);
	o->classes = calloc(room, sizeof *o->classes);
	if (!o->classes)
		return app_out_of_memory();
	status = arguments_cut(value, &o->class_list, o->classes, room, &o->class_count);
	if (!status && (!o->class_count || o->class_count > PSTK_BAG_CLASSES))
		status = arguments_wrong("classes", value, "1 to 4096 names, such as brick,grass");
	return status ? status : check_classes(o);
}

static int take(struct options *o, int option, const char *value)
{
	switch (option) {
	case OPT_VOCABULARY:
		o->vocabulary = value;
		return 0;
	case OPT_WEIGHTS:
		o->weights = value;
		return 0;
	case OPT_CLASSES:
		return take_classes(o, value);
	case OPT_TRAIN:
		o->train = value;
		return 0;
	default:
		o->words_given = true;
		return arguments_uint32("words", value, 1, PSTK_BAG_WORDS, &o->words);
	}
}

int options_take(struct options *o, int option, const char *value)
{
	int status = take(o, option, value);

	return status ? status : -1;
}

static const char *contradiction(const struct options *o, const struct staged_options *shared)
{
	if (!o->vocabulary || !o->weights)
		return "--vocabulary FILE and --weights FILE are needed: --train makes them";
	if (!o->train && !o->class_count)
		return "--classes A,B,.. is needed: one name for each column of the weights";
	if (!o->train)
		return o->words_given ? "--words is of --train: a vocabulary that is read has as many words "
		                        "as its file"
		                      : NULL;
	if (o->class_count)
		return "--classes is what --train finds: the names of the folders";
	if (shared->output)
		return "--train and --output exclude each other";
	return shared->repeat > 1 || shared->frames ? "--train looks at each picture once" : NULL;
}

/* The pictures are the inputs. */
static int check_pictures(const struct options *o, const struct staged_options *shared)
{
	const struct files_named made[] = { { "vocabulary", o->vocabulary, STDOUT_FILENO, false },
		{ "weights", o->weights, STDOUT_FILENO, false } };

	for (unsigned i = 0; i < shared->input_count; i++)
		for (unsigned k = 0; k < sizeof made / sizeof *made; k++)
			if (ps_same_file(shared->inputs[i], STDIN_FILENO, made[k].name, made[k].standard))
				return app_fail(EXIT_USAGE, "--%s: %s is a picture of --train",
					made[k].option, shared->inputs[i]);
	return 0;
}

int options_settle(const struct options *o, const struct staged_options *shared)
{
	const int standard = o->train ? STDOUT_FILENO : STDIN_FILENO;
	const struct files_named names[] = { { "vocabulary", o->vocabulary, standard, false },
		{ "weights", o->weights, standard, false }, { "train", o->train, STDIN_FILENO, false } };
	const char *wrong = contradiction(o, shared);
	int status = wrong ? app_fail(EXIT_USAGE, "%s", wrong)
	                   : staged_check_names(shared, names, sizeof names / sizeof *names);

	return status || !o->train ? status : check_pictures(o, shared);
}
