/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/picture.h"
#include "apps/common/arguments.h"
#include "apps/common/whole.h"

#include <errno.h>
#include <string.h>

const struct tool picture_dot = { "dot", "graphviz", "-V", "-Tsvg" };

int picture_svg(void (*print)(const void *data, FILE *), const void *data, FILE *out, const char *path)
{
	FILE *text = tmpfile();
	int status;

	if (!text)
		return app_fail(EXIT_FAILED, "%s: a temporary file for dot: %s", path, strerror(errno));
	print(data, text);
	status = tool_draw(&picture_dot, text, out, path);
	fclose(text);
	return status;
}

static int write_file(picture_draw *draw, const void *data, const char *path)
{
	struct whole *file;
	int status = whole_open(&file, path);

	if (status)
		return status;
	status = draw(data, whole_file(file), path);
	if (!status)
		return whole_complete(file);
	whole_drop(file);
	return status;
}

int picture_write(picture_draw *draw, const void *data, const char *file)
{
	int status;

	if (file && strcmp(file, "-") != 0)
		return write_file(draw, data, file);
	status = draw(data, stdout, "stdout");
	return !status && (ferror(stdout) | fflush(stdout)) ? arguments_stdout_failed() : status;
}
