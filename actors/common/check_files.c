/* SPDX-License-Identifier: MIT */
#include "actors/common/check_files.h"

#include "penstock/penstock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void remove_all(void)
{
	DIR *dir = opendir(".");

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			ck_assert_int_eq(remove(entry->d_name), 0);
	}
	closedir(dir);
}

static void set_up(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%.40s/penstock-XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void tear_down(void)
{
	test_fail_allocation(0);
	files_fail_system(0);
	remove_all();
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

TCase *files_case(Suite *suite, const char *name)
{
	TCase *tests = test_case(suite, name);

	tcase_add_checked_fixture(tests, set_up, tear_down);
	return tests;
}

void files_write(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

void files_text(const char *name, const char *text)
{
	files_write(name, text, strlen(text));
}

unsigned char *files_read(const char *name, size_t *size)
{
	FILE *file = fopen(name, "r");
	unsigned char *bytes;
	struct stat status;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fstat(fileno(file), &status), 0);
	*size = (size_t)status.st_size;
	bytes = malloc(*size + 1);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

bool files_exists(const char *name)
{
	struct stat status;

	return !lstat(name, &status);
}

off_t files_size(const char *name)
{
	struct stat status;

	return stat(name, &status) ? -1 : status.st_size;
}

unsigned files_count(void)
{
	DIR *dir = opendir(".");
	unsigned count = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

const char *files_part(const char *name)
{
	static char found[256];
	char pattern[128];
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s.?*.part", name);
	found[0] = '\0';
	if (!glob(pattern, 0, NULL, &files)) {
		ck_assert_uint_eq(files.gl_pathc, 1);
		snprintf(found, sizeof(found), "%s", files.gl_pathv[0]);
	}
	globfree(&files);
	return found;
}

unsigned char *files_random(size_t size, uint64_t seed)
{
	struct test_rng rng = { seed };
	unsigned char *bytes = malloc(size);

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)test_random(&rng);
	return bytes;
}

/* The linker sends the code under test here: --wrap. */
static _Thread_local unsigned calls, call_fails_at;
static _Thread_local bool call_has_failed;

void files_fail_system(unsigned n)
{
	calls = 0;
	call_fails_at = n;
	call_has_failed = false;
}

bool files_system_failed(void)
{
	call_fails_at = 0;
	return call_has_failed;
}

static bool call_fails(void)
{
	bool now = call_fails_at && ++calls == call_fails_at;

	call_has_failed = call_has_failed || now;
	if (now)
		errno = EIO;
	return now;
}

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __real_write(int fd, const void *from, size_t n);
int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __real_pipe2(int ends[2], int flags);
int __real_fstat(int fd, struct stat *status);
off_t __real_lseek(int fd, off_t offset, int whence);
int __real_fcntl(int fd, int command, ...);
int __real_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __real_close(int fd);
/* public: sanitizers come as shared libraries, which see these too */
PSTK_PUBLIC ssize_t __wrap_read(int fd, void *to, size_t n);
PSTK_PUBLIC ssize_t __wrap_write(int fd, const void *from, size_t n);
PSTK_PUBLIC int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);
PSTK_PUBLIC int __wrap_pipe2(int ends[2], int flags);
PSTK_PUBLIC int __wrap_fstat(int fd, struct stat *status);
PSTK_PUBLIC off_t __wrap_lseek(int fd, off_t offset, int whence);
PSTK_PUBLIC int __wrap_fcntl(int fd, int command, ...);
PSTK_PUBLIC int __wrap_rename(const char *from, const char *to);
PSTK_PUBLIC int __wrap_link(const char *from, const char *to);
PSTK_PUBLIC int __wrap_close(int fd);

ssize_t __wrap_read(int fd, void *to, size_t n)
{
	return call_fails() ? -1 : __real_read(fd, to, n);
}

ssize_t __wrap_write(int fd, const void *from, size_t n)
{
	return call_fails() ? -1 : __real_write(fd, from, n);
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return call_fails() ? -1 : __real_poll(fds, n, timeout);
}

int __wrap_pipe2(int ends[2], int flags)
{
	return call_fails() ? -1 : __real_pipe2(ends, flags);
}

int __wrap_fstat(int fd, struct stat *status)
{
	return call_fails() ? -1 : __real_fstat(fd, status);
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	return call_fails() ? -1 : __real_lseek(fd, offset, whence);
}

/* All uses here take an int. */
int __wrap_fcntl(int fd, int command, ...)
{
	va_list args;
	int value;

	va_start(args, command);
	value = va_arg(args, int);
	va_end(args);
	return call_fails() ? -1 : __real_fcntl(fd, command, value);
}

int __wrap_rename(const char *from, const char *to)
{
	return call_fails() ? -1 : __real_rename(from, to);
}

int __wrap_link(const char *from, const char *to)
{
	return call_fails() ? -1 : __real_link(from, to);
}

int __wrap_close(int fd)
{
	int result = __real_close(fd);

	return call_fails() ? -1 : result;
}
