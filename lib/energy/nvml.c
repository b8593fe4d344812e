/* SPDX-License-Identifier: MIT */
/*
 * Nvml: a board of NVIDIA. Its driver comes with the library, which is loaded when such a meter is opened: nothing of
 * it is needed to build or to link. Boards since Volta count joules. Of older ones the power is read, and taken to run
 * in a straight line from one read to the next: read them often.
 */
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/energy/kind.h"
#include "lib/energy/system.h"

#include <dlfcn.h>

/* What of nvml.h is used here, under names of our own. */
enum { NVML_SUCCESS = 0, NVML_INVALID_ARGUMENT = 2, NVML_NOT_SUPPORTED = 3, NVML_NO_PERMISSION = 4 };

struct board {
	void *library, *device;
	int (*init)(void);
	int (*shutdown)(void);
	int (*find)(unsigned index, void **device);
	int (*energy)(void *device, unsigned long long *millijoules); /* NULL: it counts none */
	int (*power)(void *device, unsigned *milliwatts);             /* NULL: there is none */
	const char *(*error)(int);                                    /* may be NULL */
	unsigned long long last_millijoules;
	unsigned last_milliwatts;
	uint64_t last_ns; /* when the power was read */
	double joules;
};

static const char *error_of(const struct board *b, int status, char text[32])
{
	const char *said = b->error ? b->error(status) : NULL;

	if (!said)
		snprintf(text, 32, "error %d", status);
	return said ? said : text;
}

PSTK_PRINTF(4, 5)
static int refuse(const struct board *b, int status, struct ps_text *why, const char *format, ...)
{
	char what[128], text[32];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	return ps_energy_refuse(why, status == NVML_NO_PERMISSION ? -EACCES : -ENODEV, "%s: %s", what,
		error_of(b, status, text));
}

static void load(struct board *b)
{
	void *(*symbol)(void *, const char *) = ps_energy_system.library_symbol;

	/* POSIX lets an object pointer of dlsym() be a function's, ISO C only by way of its bytes */
	*(void **)&b->init = symbol(b->library, "nvmlInit_v2");
	*(void **)&b->shutdown = symbol(b->library, "nvmlShutdown");
	*(void **)&b->find = symbol(b->library, "nvmlDeviceGetHandleByIndex_v2");
	*(void **)&b->energy = symbol(b->library, "nvmlDeviceGetTotalEnergyConsumption");
	*(void **)&b->power = symbol(b->library, "nvmlDeviceGetPowerUsage");
	*(void **)&b->error = symbol(b->library, "nvmlErrorString");
}

/* Looks which figure the board has, and reads it. */
static int begin(struct board *b, unsigned *flags)
{
	int status = b->energy ? b->energy(b->device, &b->last_millijoules) : NVML_NOT_SUPPORTED;

	*flags = PSTK_ENERGY_MEASURED | PSTK_ENERGY_PARTIAL;
	if (status == NVML_SUCCESS)
		return status;
	if (status != NVML_NOT_SUPPORTED || !b->power)
		return status;
	b->energy = NULL;
	*flags |= PSTK_ENERGY_DERIVED;
	b->last_ns = ps_energy_system.clock_ns();
	return b->power(b->device, &b->last_milliwatts);
}

static int open_board(struct board *b, unsigned index, unsigned *flags, struct ps_text *why)
{
	int status;

	load(b);
	if (!b->init || !b->shutdown || !b->find)
		return ps_energy_refuse(why, -ENODEV, "%s is no NVML", ps_energy_system.nvml);
	status = b->init();
	if (status != NVML_SUCCESS)
		return refuse(b, status, why, "%s", ps_energy_system.nvml);
	status = b->find(index, &b->device);
	if (status == NVML_INVALID_ARGUMENT)
		status = ps_energy_refuse(why, -ENODEV, "there is no board %u", index);
	else if (status != NVML_SUCCESS)
		status = refuse(b, status, why, "board %u", index);
	else if ((status = begin(b, flags)) != NVML_SUCCESS)
		status = refuse(b, status, why, "board %u tells neither energy nor power", index);
	if (status)
		b->shutdown();
	return status;
}

static int nvml_open(
	struct ps_energy_source *s, const char *text, const struct pstk_meter *own, struct ps_text *why)
{
	struct ps_number index = { .u = 0 };
	struct board *b;
	int err;

	(void)own;
	if (text && !ps_number_parse(PS_UNSIGNED, 4, text, &index))
		return ps_energy_refuse(
			why, -EINVAL, "'%s' is no number of a board: expected nvml:INDEX, from 0 on", text);
	b = ps_memory_zalloc(1, sizeof *b);
	if (!b)
		return ps_energy_refuse(why, -ENOMEM, "out of memory");
	b->library = ps_energy_system.library_open(ps_energy_system.nvml, RTLD_NOW | RTLD_LOCAL);
	if (!b->library)
		err = ps_energy_refuse(why, -ENODEV, "there is no %s", ps_energy_system.nvml);
	else
		err = open_board(b, (unsigned)index.u, &s->flags, why);
	if (err && b->library)
		ps_energy_system.library_close(b->library);
	if (err)
		ps_memory_free(b);
	else
		s->self = b;
	return err;
}

static int count_energy(struct board *b)
{
	unsigned long long now;

	if (b->energy(b->device, &now) != NVML_SUCCESS || now < b->last_millijoules)
		return -EIO;
	b->joules += 1e-3 * (double)(now - b->last_millijoules);
	b->last_millijoules = now;
	return 0;
}

static int add_power(struct board *b)
{
	uint64_t now = ps_energy_system.clock_ns();
	unsigned milliwatts;

	if (b->power(b->device, &milliwatts) != NVML_SUCCESS)
		return -EIO;
	b->joules += 1e-3 * ((double)b->last_milliwatts + milliwatts) / 2 * 1e-9 * (double)(now - b->last_ns);
	b->last_milliwatts = milliwatts;
	b->last_ns = now;
	return 0;
}

static int nvml_read(struct ps_energy_source *s, const struct ps_busy *busy, struct pstk_joules *total)
{
	struct board *b = s->self;
	int err = b->energy ? count_energy(b) : add_power(b);

	(void)busy;
	*total = (struct pstk_joules){ .device = b->joules };
	return err;
}

static void nvml_close(struct ps_energy_source *s)
{
	struct board *b = s->self;

	b->shutdown();
	ps_energy_system.library_close(b->library);
	ps_memory_free(b);
}

const struct ps_energy_kind ps_energy_nvml = {
	.name = "nvml",
	.rounds = 10, /* a board's figures move every 20 to 100 ms */
	.open = nvml_open,
	.read = nvml_read,
	.close = nvml_close,
};
