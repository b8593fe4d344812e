/* SPDX-License-Identifier: MIT */
/* What the names on the command line stand for. */
#include "config.h"

#include "apps/common/files.h"
#include "apps/common/app.h"
#include "actors/common/same_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void files_fill_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) < 0)
			_exit(1); /* there is no stream to say so on */
	}
}

static int check_pair(const struct files_named *a, const struct files_named *b)
{
	bool one_option = !strcmp(a->option, b->option);

	if (!a->name || !b->name || (one_option && b->more) ||
		!ps_same_file(a->name, a->standard, b->name, b->standard))
		return 0;
	if (one_option)
		return app_fail(EXIT_USAGE, "the same --%s twice", a->option);
	return app_fail(EXIT_USAGE, "--%s and --%s name the same file", a->option, b->option);
}

int files_check_names(const struct files_named *names, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		if (names[i].name && !*names[i].name)
			return app_fail(EXIT_USAGE, "--%s needs a name", names[i].option);
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count && !status; k++)
			status = check_pair(&names[i], &names[k]);
	}
	return status;
}

bool files_is_fifo(const char *name)
{
	struct stat status;

	return ps_file_is_there(name, STDOUT_FILENO, &status) && S_ISFIFO(status.st_mode);
}

bool files_may_wait(const char *name)
{
	struct stat status, null;

	if (!ps_file_is_there(name, STDOUT_FILENO, &status))
		return false; /* it will be a regular file */
	if (S_ISCHR(status.st_mode))
		return stat("/dev/null", &null) || status.st_rdev != null.st_rdev;
	return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}
