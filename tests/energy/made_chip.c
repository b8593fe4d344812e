/* SPDX-License-Identifier: MIT */
#include "tests/energy/made_chip.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZONES = 16, EVENTS = 4, READS = 16 };

void (*made_on_work)(void);
unsigned made_works;
uint64_t made_now_ns;
const char *made_locked;
int made_error, made_refused_cpu;
struct made_opened made_opened[8];
unsigned made_opened_count;
unsigned made_event_reads, made_event_bytes;

static char root[64];
static char powercap[128], perf[128];
static struct ps_energy_system former;
static struct {
	char folder[64];
	uint64_t uj, step;
} zones[ZONES];
static unsigned zone_count;
static struct {
	unsigned number;
	uint64_t step;
} events[EVENTS];
static unsigned event_count;

static uint64_t clock_ns(void)
{
	return made_now_ns;
}

static void work(void)
{
	made_works++;
	made_now_ns += 50000000;
	for (unsigned i = 0; i < zone_count; i++)
		if (zones[i].step)
			made_zone_set(zones[i].folder, zones[i].uj + zones[i].step);
	if (made_on_work)
		made_on_work();
}

static int open_unless_locked(const char *path, int flags, ...)
{
	size_t length = strlen(path), ending = made_locked ? strlen(made_locked) : 0;

	ck_assert(flags & O_CLOEXEC);
	if (made_locked && length >= ending && !strcmp(path + length - ending, made_locked)) {
		errno = made_error;
		return -1;
	}
	return open(path, flags);
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	int ends[2];
	unsigned e = 0;

	if (made_error && (made_refused_cpu < 0 || cpu == made_refused_cpu)) {
		errno = made_error;
		return -1;
	}
	ck_assert_int_eq(group, -1);
	ck_assert_uint_eq(flags, PERF_FLAG_FD_CLOEXEC);
	ck_assert_uint_eq(attr->size, sizeof *attr);
	while (e < event_count && events[e].number != attr->config)
		e++;
	ck_assert_uint_lt(e, event_count);
	ck_assert_uint_lt(made_opened_count, TEST_COUNT(made_opened));
	made_opened[made_opened_count++] = (struct made_opened){ (int)pid, cpu, attr->type, attr->config };
	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	for (unsigned i = 0; i < made_event_reads; i++) {
		/* it is read when it is opened, before the work, behind it, and to begin */
		uint64_t value = events[e].step * (i < 2 ? 0 : i < 4 ? 1 : i - 2);

		ck_assert_int_eq(write(ends[1], &value, made_event_bytes), made_event_bytes);
	}
	close(ends[1]);
	return ends[0];
}

static void *no_library(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

void made_start(void)
{
	former = ps_energy_system;
	snprintf(root, sizeof root, "%s/penstock-test-XXXXXX", access("/tmp", W_OK) ? "." : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(root));
	ck_assert_int_eq(chmod(root, 0755), 0);
	zone_count = event_count = made_opened_count = made_works = 0;
	made_event_reads = READS;
	made_event_bytes = 8;
	made_error = 0;
	made_refused_cpu = -1;
	made_locked = NULL;
	made_on_work = NULL;
	made_now_ns = 1000;
	snprintf(powercap, sizeof powercap, "%s/powercap", root);
	snprintf(perf, sizeof perf, "%s/perf", root);
	ps_energy_system.clock_ns = clock_ns;
	ps_energy_system.work = work;
	ps_energy_system.open = open_unless_locked;
	ps_energy_system.perf_event_open = open_event;
	ps_energy_system.library_open = no_library;
	ps_energy_system.powercap = powercap;
	ps_energy_system.perf = perf;
}

static int take_away(const char *path, const struct stat *is, int kind, struct FTW *ftw)
{
	(void)is;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void made_stop(void)
{
	ps_energy_system = former;
	ck_assert_int_eq(nftw(root, take_away, 16, FTW_DEPTH | FTW_PHYS), 0);
}

const char *made_path(const char *path)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *whole = paths[next++ % 4];

	snprintf(whole, PATH_MAX, "%s/%s", root, path);
	return whole;
}

/* Makes the folders that a path leads through. */
static void make_folders(const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%s", path);
	for (char *slash = strchr(folder + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		ck_assert(!mkdir(folder, 0755) || errno == EEXIST);
		*slash = '/';
	}
}

void made_write(const char *path, const char *text)
{
	const char *whole = made_path(path);
	FILE *f;

	make_folders(whole);
	f = fopen(whole, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

void made_remove(const char *path)
{
	ck_assert_int_eq(remove(made_path(path)), 0);
}

void made_link(const char *path, const char *to)
{
	const char *whole = made_path(path);

	make_folders(whole);
	ck_assert_int_eq(symlink(to, whole), 0);
}

static void write_number(const char *folder, const char *file, uint64_t number)
{
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	snprintf(text, sizeof text, "%ju\n", (uintmax_t)number);
	made_write(path, text);
}

void made_zone(const char *folder, const char *name, uint64_t uj, uint64_t step)
{
	char path[PATH_MAX], line[64];

	ck_assert_uint_lt(zone_count, ZONES);
	snprintf(zones[zone_count].folder, sizeof zones->folder, "%s", folder);
	zones[zone_count++].step = step;
	snprintf(path, sizeof path, "%s/name", folder);
	snprintf(line, sizeof line, "%s\n", name);
	made_write(path, line);
	write_number(folder, "max_energy_range_uj", MADE_RANGE);
	made_zone_set(folder, uj);
}

void made_zone_set(const char *folder, uint64_t uj)
{
	unsigned i = 0;

	while (strcmp(zones[i].folder, folder) != 0)
		i++;
	zones[i].uj = uj;
	write_number(folder, "energy_uj", uj);
}

void made_event(const char *name, unsigned number, uint64_t step)
{
	char path[PATH_MAX], text[32];

	snprintf(path, sizeof path, "perf/events/%s", name);
	snprintf(text, sizeof text, "event=0x%02x\n", number);
	made_write(path, text);
	snprintf(path, sizeof path, "perf/events/%s.scale", name);
	made_write(path, "2.3283064365386962890625e-10\n"); /* 2^-32 */
	snprintf(path, sizeof path, "perf/events/%s.unit", name);
	made_write(path, "Joules\n");
	ck_assert_uint_lt(event_count, EVENTS);
	events[event_count].number = number;
	events[event_count++].step = step;
}

unsigned made_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

struct ps_energy *made_open(const char *selector)
{
	char why[PS_ENERGY_WHY] = "nothing yet";
	struct ps_energy *e;

	ck_assert_msg(!ps_energy_open(selector, NULL, &e, why, sizeof why), "%s", why);
	ck_assert_ptr_nonnull(e);
	ck_assert_str_eq(why, "");
	return e;
}

void made_refused(const char *selector, int err, const char *words, ...)
{
	unsigned before = made_descriptors();
	struct ps_energy *e = (struct ps_energy *)1;
	char why[PS_ENERGY_WHY];
	va_list ap;

	ck_assert_int_eq(ps_energy_open(selector, NULL, &e, why, sizeof why), err);
	ck_assert_ptr_null(e);
	ck_assert_uint_eq(made_descriptors(), before);
	va_start(ap, words);
	for (; words; words = va_arg(ap, const char *))
		ck_assert_msg(strstr(why, words) != NULL, "'%s' is not in: %s", words, why);
	va_end(ap);
}

void made_reads(struct ps_energy *e, double cores, double device, double rest)
{
	struct pstk_joules total;

	ck_assert_int_eq(ps_energy_read(e, NULL, &total), 0);
	ck_assert_double_eq_tol(total.cores, cores, 1e-9);
	ck_assert_double_eq_tol(total.device, device, 1e-9);
	ck_assert_double_eq_tol(total.rest, rest, 1e-9);
}
