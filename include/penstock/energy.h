/* SPDX-License-Identifier: MIT */
/*
 * Energy: what a meter of a chip counts.
 *
 * A text selects the meter:
 *
 *   none                    no meter
 *   powercap[:FOLDER]       Linux' counters of the chip, in /sys/class/powercap: of the package, the cores, the GPU of
 *                           the chip. Since Linux 5.10 root alone may read them: "chmod a+r" their energy_uj, or give
 *                           the program CAP_DAC_READ_SEARCH.
 *   perf[:FOLDER]           the same counters as events of Linux, in /sys/bus/event_source/devices/power. They need
 *                           CAP_PERFMON, or /proc/sys/kernel/perf_event_paranoid at 0 or below.
 *   nvml[:INDEX]            a board of NVIDIA, by libnvidia-ml.so.1: the device and nothing else. The first board is
 *                           0, the default.
 *   powercap[..]+nvml[..]   the chip's cores, and the board as the device. A GPU of the chip is in the rest then.
 *   perf[..]+nvml[..]
 *   sim:cores=W,core=W,device_idle=W,device=W,rest=W
 *                           No counter: declared watts times the times that the library counts itself. cores: all
 *                           cores, idle. core: what a busy core takes beside. device_idle, device: the device while it
 *                           is idle, while it is busy. rest: all else. All five are said, in any order.
 *   callback                the program's own struct pstk_meter
 *   (none said)             the program's own one if there is one; else the first of powercap, perf and nvml that
 *                           counts; else none
 *
 * The package counts all that runs on the chip, other processes too. Virtual machines mostly have no counters, or such
 * that stand still. A meter whose counters stand still while a thread works is none.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_ENERGY_H
#define PENSTOCK_ENERGY_H

#include <penstock/core/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joules of the parts of a chip. */
struct pstk_joules {
	double cores;  /* C */
	double device; /* G: the GPU, or another OpenCL device */
	double rest;   /* U: the package less both */
};

/* How joules were come by; reports name them "measured", "derived", .. Derived are those that no counter has alone: the
 * chip counts its package, which is all said to be the cores'; or a board tells its power, which is added up. */
enum pstk_energy_flag {
	PSTK_ENERGY_MEASURED = 1,  /* a counter counted them */
	PSTK_ENERGY_DERIVED = 2,   /* .. but for a part of them, which follows */
	PSTK_ENERGY_SPLIT = 4,     /* shares, by time, of the joules of something longer */
	PSTK_ENERGY_SIMULATED = 8, /* declared watts times busy times: nothing was measured */
	PSTK_ENERGY_PARTIAL = 16   /* the device alone was counted: cores and rest are 0 */
};

/*
 * A meter of the program's own: of a board with sensors, say.
 *
 * read() puts the joules there that each part has taken since any beginning, which stays the same. It returns 0, or a
 * negative errno. Totals never fall. One thread at a time calls it. It neither blocks nor allocates. It must move
 * within half a second. data is the program's, and stays valid as long as the meter is in use.
 */
struct pstk_meter {
	uint32_t struct_size; /* sizeof(struct pstk_meter) */
	int (*read)(void *data, struct pstk_joules *total);
	void *data;
};

#ifdef __cplusplus
}
#endif

#endif
