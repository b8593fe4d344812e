/* SPDX-License-Identifier: MIT */
#include "lib/energy/system.h"
#include "lib/base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORK_NS UINT64_C(50000000)

static uint64_t clock_ns(void)
{
	return ps_clock_ns();
}

/* The thread's own time: on a busy machine 50 ms of the clock may pass without any work. */
static void work(void)
{
	uint64_t end = ps_clock_cpu_ns() + WORK_NS;

	while (ps_clock_cpu_ns() < end)
		for (volatile unsigned i = 0; i < 10000;)
			i = i + 1;
}

/* glibc has no function for it. */
static int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

struct ps_energy_system ps_energy_system = {
	.clock_ns = clock_ns,
	.work = work,
	.open = open,
	.perf_event_open = perf_event_open,
	.library_open = dlopen,
	.library_symbol = dlsym,
	.library_close = dlclose,
	.powercap = "/sys/class/powercap",
	.perf = "/sys/bus/event_source/devices/power",
	.nvml = "libnvidia-ml.so.1",
};

int ps_energy_line(const char *path, char *line, size_t size)
{
	int fd = ps_energy_system.open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;
	char *end;
	int err;

	if (fd < 0)
		return -errno;
	length = pread(fd, line, size - 1, 0);
	err = length < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	line[length] = 0;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	else if ((size_t)length == size - 1)
		return -EMSGSIZE;
	return 0;
}
