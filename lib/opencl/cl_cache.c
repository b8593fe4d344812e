/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_cache.h"
#include "lib/base/environment.h"
#include "lib/model/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* PoCL 3.1 takes a megabyte for a while to build a small kernel. */
uint64_t ps_cl_cache_low = 4 << 20;

enum { TRIED = 64 * 1024, SHOWN = 100, REASON = 128 };

bool ps_cl_cache_is_of(const char *platform)
{
	return !strcmp(platform, "Portable Computing Language");
}

/* As PoCL finds it: an empty XDG_CACHE_HOME counts as none. */
static int find(struct ps_cl_cache *c)
{
	const char *own = ps_environment_text(PS_VARIABLE_POCL_CACHE_DIR),
		   *xdg = ps_environment_text(PS_VARIABLE_XDG_CACHE_HOME),
		   *home = ps_environment_text(PS_VARIABLE_HOME);
	int length;

	if (own) {
		c->from = "POCL_CACHE_DIR";
		length = snprintf(c->path, sizeof c->path, "%s", own);
	} else if (xdg && *xdg) {
		c->from = "XDG_CACHE_HOME";
		length = snprintf(c->path, sizeof c->path, "%s/pocl/kcache", xdg);
	} else if (home) {
		c->from = "HOME";
		length = snprintf(c->path, sizeof c->path, "%s/.cache/pocl/kcache", home);
	} else {
		length = snprintf(c->path, sizeof c->path, "/tmp/pocl/kcache");
	}
	if (!*c->path)
		return -ENOENT;
	return (size_t)length < sizeof c->path ? 0 : -ENAMETOOLONG;
}

/* Its parents, too. */
static int make(const char *path)
{
	char part[PS_CL_CACHE_PATH];
	struct stat st;

	for (size_t end = 1; path[0] && path[end - 1]; end++) {
		if (path[end] && path[end] != '/')
			continue;
		memcpy(part, path, end);
		part[end] = '\0';
		if (mkdir(part, S_IRWXU) && errno != EEXIST && (stat(part, &st) || !S_ISDIR(st.st_mode)))
			return -errno;
	}
	return 0;
}

/* A disk may say that it is full only when the file is closed. */
static int write_file(const char *path)
{
	static const char zeros[TRIED];
	char name[PS_CL_CACHE_PATH + 32];
	int fd, err = 0;

	snprintf(name, sizeof name, "%s/penstock-XXXXXX", path);
	fd = mkstemp(name);
	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < sizeof zeros && !err;) {
		ssize_t n = write(fd, zeros + done, sizeof zeros - done);

		if (n < 0 && errno != EINTR)
			err = -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	if (close(fd) && !err)
		err = -errno;
	unlink(name);
	return err;
}

void ps_cl_cache_look(struct ps_cl_cache *c)
{
	struct statvfs disk;

	memset(c, 0, sizeof *c);
	c->err = find(c);
	if (!c->err)
		c->err = make(c->path);
	if (!c->err)
		c->err = write_file(c->path);
	c->left = statvfs(c->path, &disk) ? UINT64_MAX : (uint64_t)disk.f_bavail * disk.f_frsize;
}

bool ps_cl_cache_fault(const struct ps_cl_cache *c, char *text, size_t size)
{
	char reason[REASON];

	if (!c->err)
		return false;
	snprintf(text, size,
		"PoCL can't write its cache %.*s%s (%s): %s; set POCL_CACHE_DIR to a directory with some "
		"megabytes "
		"of room",
		SHOWN, c->path, strlen(c->path) > SHOWN ? ".." : "", c->from ? c->from : "HOME is not set",
		ps_strerror(-c->err, reason, sizeof reason));
	return true;
}
