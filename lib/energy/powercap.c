/* SPDX-License-Identifier: MIT */
/*
 * Powercap: the zones of a chip in sysfs. A zone is a folder with the files name, energy_uj and max_energy_range_uj.
 * The class's folder has links to all of them, side by side. In the folders that the links lead to they lie in each
 * other: intel-rapl:0 (package-0) has intel-rapl:0:0 (core). So a zone may be met twice, and is known by its inode.
 *
 * A package may have a second zone of the same name, intel-rapl-mmio:0, which reads the same counter another way.
 */
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/energy/chip.h"
#include "lib/energy/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 64, DEEPEST = 4 };

struct zone {
	char path[PATH_MAX];
	char name[NAME];
	char package[NAME]; /* of a part: the name of the zone that it lies in; of a package: empty */
	enum ps_chip_part part;
	dev_t device;
	ino_t inode;
	bool is_mmio;
};

struct zones {
	struct zone *list;
	unsigned count;
};

static enum ps_chip_part part_of(const char *name)
{
	if (!strncmp(name, "package-", 8))
		return PS_CHIP_PACKAGE;
	if (!strcmp(name, "core"))
		return PS_CHIP_CORES;
	return !strcmp(name, "uncore") ? PS_CHIP_DEVICE : PS_CHIP_PARTS;
}

/* A line of a file of a folder. */
static int line_of(const char *folder, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, file) >= sizeof path)
		return -ENAMETOOLONG;
	return ps_energy_line(path, line, size);
}

/* The name of the package that a part belongs to: of the folder above it; where zones lie side by side, of the zone
 * whose name is one ":n" shorter; else one that no other part has. */
static void find_package(struct zone *z)
{
	char above[PATH_MAX];
	char *end, *name;

	if (!line_of(z->path, "../name", z->package, sizeof z->package))
		return;
	memcpy(above, z->path, sizeof above);
	name = strrchr(above, '/');
	end = strrchr(above, ':');
	if (name && end && end > name) {
		*end = 0;
		if (!line_of(above, "name", z->package, sizeof z->package))
			return;
	}
	snprintf(z->package, sizeof z->package, "%ju", (uintmax_t)z->inode);
}

/* Is `a` the one to count, of two zones that count the same? */
static bool is_better(const struct zone *a, const struct zone *b)
{
	if (a->is_mmio != b->is_mmio)
		return b->is_mmio;
	return strcmp(a->path, b->path) < 0;
}

static int add_zone(struct zones *zones, const struct zone *z)
{
	struct zone *list;

	for (unsigned i = 0; i < zones->count; i++) {
		struct zone *other = &zones->list[i];

		if ((z->device == other->device && z->inode == other->inode) ||
			(!strcmp(z->name, other->name) && !strcmp(z->package, other->package))) {
			if (is_better(z, other))
				*other = *z;
			return 0;
		}
	}
	list = ps_memory_resize(zones->list, zones->count + 1, sizeof *list);
	if (!list)
		return -ENOMEM;
	zones->list = list;
	zones->list[zones->count++] = *z;
	return 0;
}

/* Looks at a folder, which is a zone if it has a name. */
static int look(struct zones *zones, const char *path, const struct stat *is)
{
	struct zone *z = ps_memory_zalloc(1, sizeof *z);
	int err = 0;

	if (!z)
		return -ENOMEM;
	snprintf(z->path, sizeof z->path, "%s", path);
	z->device = is->st_dev;
	z->inode = is->st_ino;
	z->is_mmio = !strncmp(strrchr(path, '/') + 1, "intel-rapl-mmio", 15);
	z->part = line_of(path, "name", z->name, sizeof z->name) ? PS_CHIP_PARTS : part_of(z->name);
	if (z->part != PS_CHIP_PACKAGE && z->part != PS_CHIP_PARTS)
		find_package(z);
	if (z->part != PS_CHIP_PARTS)
		err = add_zone(zones, z);
	ps_memory_free(z);
	return err;
}

/* Looks at all folders in a folder, and in those. Links are followed in the outermost folder alone: a zone has some
 * that lead up again. */
static int walk(struct zones *zones, const char *folder, unsigned depth)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int err = 0;

	if (!dir)
		return depth ? 0 : -errno;
	while (!err && (entry = readdir(dir)) != NULL) {
		char path[PATH_MAX];
		struct stat is;

		if (entry->d_name[0] == '.' ||
			fstatat(dirfd(dir), entry->d_name, &is, depth ? AT_SYMLINK_NOFOLLOW : 0) ||
			!S_ISDIR(is.st_mode) ||
			(size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
			continue;
		err = look(zones, path, &is);
		if (!err && depth < DEEPEST)
			err = walk(zones, path, depth + 1);
	}
	closedir(dir);
	return err;
}

static int unreadable(const struct zone *z, int err, struct ps_text *why)
{
	if (err == -ENOMEM)
		return ps_energy_refuse(why, err, "out of memory");
	if (err == -EACCES || err == -EPERM)
		return ps_energy_refuse(why, -EACCES,
			"%s/energy_uj: %s; since Linux 5.10 root alone may read it: as root \"chmod a+r\" it "
			"(or "
			"chown it to you), or give the program CAP_DAC_READ_SEARCH",
			z->path, strerror(-err));
	if (err == -EBADMSG)
		return ps_energy_refuse(
			why, -EACCES, "%s/energy_uj is no number up to max_energy_range_uj", z->path);
	return ps_energy_refuse(why, -EACCES, "%s/energy_uj can't be read: %s", z->path, strerror(-err));
}

static int open_zone(struct ps_chip *chip, const struct zone *z, struct ps_text *why)
{
	struct ps_counter c = { .part = z->part, .is_text = true, .scale = 1e-6 };
	char path[PATH_MAX], line[NAME];
	struct ps_number range;
	int err = line_of(z->path, "max_energy_range_uj", line, sizeof line);

	if (err || !ps_number_parse(PS_UNSIGNED, sizeof range.u, line, &range) || !range.u)
		return ps_energy_refuse(why, -ENODEV,
			"%s/max_energy_range_uj %s: without it nothing tells what has been counted when the "
			"counter wraps",
			z->path, err ? strerror(-err) : "is no number above 0");
	c.range = range.u;
	err = (size_t)snprintf(path, sizeof path, "%s/energy_uj", z->path) >= sizeof path ? -ENAMETOOLONG : 0;
	if (!err) {
		c.fd = ps_energy_system.open(path, O_RDONLY | O_CLOEXEC);
		err = c.fd < 0 ? -errno : ps_chip_add(chip, c);
	}
	return err ? unreadable(z, err, why) : 0;
}

static int open_zones(
	struct ps_chip *chip, const struct zones *zones, const char *folder, struct ps_text *why)
{
	for (unsigned i = 0; i < zones->count; i++) {
		int err = open_zone(chip, &zones->list[i], why);

		if (err)
			return err;
	}
	if (!chip->of[PS_CHIP_PACKAGE])
		return ps_energy_refuse(why, -ENODEV, "%s has no zone package-0", folder);
	return 0;
}

static int powercap_open(
	struct ps_energy_source *s, const char *text, const struct pstk_meter *own, struct ps_text *why)
{
	const char *folder = text ? text : ps_energy_system.powercap;
	struct zones zones = { 0 };
	int err;

	(void)own;
	if (!*folder)
		return ps_energy_refuse(why, -EINVAL, "there is no folder behind the ':'");
	s->self = ps_memory_zalloc(1, sizeof(struct ps_chip));
	if (!s->self)
		return ps_energy_refuse(why, -ENOMEM, "out of memory");
	err = walk(&zones, folder, 0);
	if (err == -ENOMEM)
		ps_energy_refuse(why, err, "out of memory");
	else if (err)
		err = ps_energy_refuse(why, -ENODEV, "%s: %s", folder, strerror(-err));
	else
		err = open_zones(s->self, &zones, folder, why);
	ps_memory_free(zones.list);
	if (err)
		ps_chip_close(s);
	return err;
}

const struct ps_energy_kind ps_energy_powercap = {
	.name = "powercap",
	.rounds = 1,
	.open = powercap_open,
	.read = ps_chip_read,
	.settle = ps_chip_settle,
	.close = ps_chip_close,
};
