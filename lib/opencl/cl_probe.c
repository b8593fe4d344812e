/* SPDX-License-Identifier: MIT */
#include "lib/opencl/cl_probe.h"
#include "lib/base/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int ps_cl_probe_ms = 20000;

/* hwloc, which PoCL asks, looks there, if it is not told; or below another root. */
static bool machine_is_known(void)
{
	const char *root = ps_environment_text(PS_VARIABLE_HWLOC_FSROOT);
	char path[512];

	if (!root && (ps_environment_text(PS_VARIABLE_HWLOC_SYNTHETIC) ||
			     ps_environment_text(PS_VARIABLE_HWLOC_XMLFILE)))
		return true;
	snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/topology", root ? root : "");
	return !access(path, F_OK);
}

bool ps_cl_probe_doubt(char *text, size_t size)
{
	const char *cache = ps_environment_text(PS_VARIABLE_POCL_CACHE_DIR);
	long memory = sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024;

	if (cache && !*cache)
		snprintf(text, size, "POCL_CACHE_DIR is set, but empty: unset it, or name a directory");
	else if (!machine_is_known())
		snprintf(text, size,
			"/sys does not say what processor this is: mount it (mount -t sysfs sysfs /sys), or "
			"say it with HWLOC_SYNTHETIC='numa:1(memory=%ldMB) core:%ld pu:1'",
			memory, sysconf(_SC_NPROCESSORS_ONLN));
	else
		return false;
	return true;
}

/* What ends this process may say so on stderr and leave a core file, and is no business of the program's handlers. */
static void hush(void)
{
	struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int n = 1; n < NSIG; n++)
		signal(n, SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
}

/* Waits for the child's byte, or its end. false: it has ended without a byte. */
static bool hear(int from, pid_t child)
{
	struct pollfd fd = { .fd = from, .events = POLLIN };
	char byte;
	ssize_t n;
	int ready;

	do
		ready = poll(&fd, 1, ps_cl_probe_ms);
	while (ready < 0 && errno == EINTR);
	if (ready < 1) { /* it hangs: nothing is known */
		kill(child, SIGKILL);
		return true;
	}
	do
		n = read(from, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

bool ps_cl_probe(void (*look)(void))
{
	int fds[2];
	pid_t child;
	bool said;

	if (pipe2(fds, O_CLOEXEC))
		return true;
	child = fork();
	if (child == 0) {
		hush();
		look();
		_exit(write(fds[1], "", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	close(fds[1]);
	said = child < 0 || hear(fds[0], child);
	close(fds[0]);
	/* a program that ignores SIGCHLD, or waits for any child, has its status: the byte is what counts */
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return said;
}
