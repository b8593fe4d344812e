/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/check_gnuplot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], program[80];
static pid_t owner;

bool gnuplot_is_there(void)
{
	bool there = !system("gnuplot --version >/dev/null 2>&1");

	if (!there)
		printf("no gnuplot here: its pictures are not tested\n");
	return there;
}

/* Also outside of tests, where Check's assertions can't be used. */
static void must(bool fine)
{
	if (fine)
		return;
	perror("the tests' own gnuplot");
	abort();
}

static void clean(void)
{
	if (getpid() != owner)
		return;
	unlink(program);
	rmdir(folder);
}

void gnuplot_fake(const char *script)
{
	static const char *path;
	const char *tmp = getenv("TMPDIR");
	char all[4096];
	FILE *file;

	if (owner != getpid()) {
		owner = getpid();
		path = path ? path : strdup(getenv("PATH"));
		snprintf(folder, sizeof(folder), "%.30s/penstock-gnuplot-XXXXXX", tmp ? tmp : "/tmp");
		must(mkdtemp(folder) != NULL);
		snprintf(program, sizeof(program), "%s/gnuplot", folder);
		atexit(clean);
	}
	unlink(program);
	snprintf(all, sizeof(all), "%s:%s", folder, path);
	setenv("PATH", script ? all : folder, 1);
	if (!script)
		return;
	file = fopen(program, "w");
	must(file != NULL);
	fprintf(file, "#!/bin/sh\n%s", script);
	must(!fclose(file) && !chmod(program, 0700));
}
