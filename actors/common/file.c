/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING 48  /* ".PID-COUNT.part", and more of the kind */
#define TRIES 1000 /* names that others may have left behind */
#define LINKS 40   /* one to the next: Linux's limit, too */

int ps_file_lift(int fd)
{
	int lifted, err;

	if (fd < 0)
		return -errno;
	if (fd > STDERR_FILENO)
		return fd;
	lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	err = errno;
	close(fd);
	return lifted < 0 ? -err : lifted;
}

int ps_file_pipe(int ends[2])
{
	int err = 0;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		ends[0] = ends[1] = -1;
		return -errno;
	}
	for (int i = 0; i < 2; i++) {
		ends[i] = ps_file_lift(ends[i]);
		if (ends[i] < 0)
			err = ends[i];
	}
	for (int i = 0; i < 2 && err; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
		ends[i] = -1;
	}
	return err;
}

/* The descriptor that a name stands for; -1: none. */
static int named_descriptor(const char *path)
{
	static const char folder[] = "/dev/fd/";
	const char *number = path + sizeof(folder) - 1;
	char *end;
	unsigned long fd;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	if (strncmp(path, folder, sizeof(folder) - 1) || *number < '0' || *number > '9')
		return -1;
	fd = strtoul(number, &end, 10);
	return *end || fd > 1000000 ? -1 : (int)fd;
}

int ps_file_open_direct(const char *path)
{
	int given = named_descriptor(path), fd;
	struct stat status;

	if (given >= 0) {
		fd = fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd < 0 ? -errno : fd;
	}
	if (stat(path, &status) || S_ISREG(status.st_mode))
		return 0;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return ps_file_lift(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
}

char *ps_file_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t folder = *name != '/' && slash ? (size_t)(slash - path) + 1 : 0;
	size_t size = folder + strlen(name) + 1;
	char *whole = malloc(size);

	if (whole)
		snprintf(whole, size, "%.*s%s", (int)folder, path, name);
	return whole;
}

/* The name that links lead to, also where there is no file yet. Only the last part of a path matters: the
 * system follows the others. */
static int follow(struct ps_part *part)
{
	char target[PATH_MAX];

	for (int i = 0; i <= LINKS; i++) {
		ssize_t length = readlink(part->path, target, sizeof(target) - 1);
		char *next;

		if (length < 0) /* no link, or nothing yet */
			return errno == EINVAL || errno == ENOENT ? 0 : -errno;
		target[length] = '\0';
		next = ps_file_beside(part->path, target);
		if (!next)
			return -ENOMEM;
		free(part->path);
		part->path = next;
	}
	return -ELOOP;
}

/* May a file be made in the folder of this path? 0 or a negative errno. */
static int check_folder(const char *path)
{
	char *folder = ps_file_beside(path, ".");
	int err = 0;

	if (!folder)
		return -ENOMEM;
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		err = -errno;
	free(folder);
	return err;
}

int ps_file_check(const char *path)
{
	struct ps_part part = { .path = NULL };
	int given = named_descriptor(path), err;
	struct stat status;

	if (given >= 0)
		return fcntl(given, F_GETFD) < 0 ? -errno : 1;
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode)                           ? -EISDIR
		       : faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ? -errno
		                                                         : 1;
	part.path = strdup(path);
	err = part.path ? follow(&part) : -ENOMEM;
	if (!err)
		err = check_folder(part.path);
	ps_part_drop(&part);
	return err;
}

/* So many bytes of a path may stand in a part's name, whose last part must not be too long: whole
 * characters of UTF-8. */
static size_t fitting(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash - path) + 1 : 0, length = strlen(path);

	if (length - folder <= NAME_MAX - ENDING)
		return length;
	length = folder + NAME_MAX - ENDING;
	while (length > folder && ((unsigned char)path[length] & 0xC0) == 0x80)
		length--;
	return length;
}

/* A new file with the permissions that any new file gets. */
static int create(char *name, size_t size, const char *path)
{
	static atomic_uint count;
	int kept = (int)fitting(path), fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		snprintf(name, size, "%.*s.%ld-%u.part", kept, path, (long)getpid(),
			atomic_fetch_add(&count, 1));
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* A number in front of `end`, where it begins: printf() is nothing for signal handlers. */
static char *put_number(char *end, unsigned long number)
{
	do
		*--end = (char)('0' + number % 10);
	while (number /= 10);
	return end;
}

/* The system says which files are open: a list of our own would need a lock, and each library would have one. */
void ps_part_remove_all(void)
{
	static const char folder[] = "/proc/self/fd/", ending[] = ".part";
	char process[32] = "", path[64], target[PATH_MAX], *mark;
	enum { ROOM = 20, DESCRIPTORS = 65536 };

	process[ROOM + 1] = '-';
	mark = put_number(process + ROOM + 1, (unsigned long)getpid());
	*--mark = '.';
	for (unsigned long fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
		char *number = put_number(path + sizeof path - 1, fd) - (sizeof folder - 1);
		ssize_t length;

		path[sizeof path - 1] = '\0';
		memcpy(number, folder, sizeof folder - 1);
		length = readlink(number, target, sizeof target - 1);
		if (length < (ssize_t)sizeof ending)
			continue;
		target[length] = '\0';
		if (!strcmp(target + length + 1 - sizeof ending, ending) && strstr(target, mark))
			unlink(target);
	}
}

/* The new file gets the permissions of the file whose place it takes. */
static void copy_mode(int fd, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && fchmod(fd, status.st_mode & 0777)) {
		/* a file system without permissions */
	}
}

int ps_part_open(struct ps_part *part, const char *path)
{
	size_t size;
	int fd;

	part->name = NULL;
	part->path = strdup(path);
	fd = part->path ? follow(part) : -ENOMEM;
	if (fd)
		return fd;
	size = strlen(part->path) + ENDING;
	part->name = malloc(size);
	if (!part->name)
		return -ENOMEM;
	fd = create(part->name, size, part->path);
	if (fd < 0) { /* not ours: nothing to remove */
		free(part->name);
		part->name = NULL;
		return fd;
	}
	copy_mode(fd, part->path);
	return ps_file_lift(fd);
}

int ps_part_complete(struct ps_part *part)
{
	if (part->name && rename(part->name, part->path))
		return -errno;
	free(part->name);
	part->name = NULL;
	return 0;
}

/* Another name for what is there now: 1; 0: nothing is there. A link, so that it keeps its own; without
 * links, its only one. */
static int keep(const struct ps_part *part, char *name, size_t size)
{
	struct stat status;

	/* a folder has no links, and must not be moved: renaming to its name would have failed */
	if (!lstat(part->path, &status) && S_ISDIR(status.st_mode))
		return -EISDIR;
	for (int i = 0; i < TRIES; i++) {
		snprintf(name, size, "%s.%d.old", part->name, i);
		if (!link(part->path, name))
			return 1;
		if (errno == ENOENT)
			return 0;
		if (errno != EEXIST)
			break;
	}
	if (errno == EEXIST || rename(part->path, name))
		return errno == ENOENT ? 0 : -errno;
	return 1;
}

/* Gives first its name, then second; a failure takes the first back. */
static int rename_both(const struct ps_part *first, const struct ps_part *second, const char *old, bool kept)
{
	int err = rename(first->name, first->path) ? -errno : 0;

	if (!err && rename(second->name, second->path)) {
		err = -errno;
		if (!kept)
			unlink(first->path);
	}
	if (err && kept && rename(old, first->path))
		return err; /* it stays under that name */
	if (kept)
		unlink(old); /* also after the rename, which does nothing to two names of one file */
	return err;
}

int ps_part_complete_both(struct ps_part *first, struct ps_part *second)
{
	size_t size = strlen(first->name) + ENDING;
	char *old = malloc(size);
	int kept = old ? keep(first, old, size) : -ENOMEM;
	int err = kept < 0 ? kept : rename_both(first, second, old, kept > 0);

	free(old);
	if (err)
		return err;
	free(first->name);
	free(second->name);
	first->name = second->name = NULL;
	return 0;
}

void ps_part_drop(struct ps_part *part)
{
	if (part->name)
		unlink(part->name);
	free(part->name);
	free(part->path);
	part->name = part->path = NULL;
}
