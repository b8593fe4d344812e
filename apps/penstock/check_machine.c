/* SPDX-License-Identifier: MIT */
/* penstock machine: what it prints is a machine that penstock plan takes. */
#include "config.h"

#include "apps/common/check_program.h"
#include "apps/penstock/check_command.h"
#include "apps/penstock/memory_limit.h"
#include "lib/base/cores.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char graph[] =
	"actors:\n  s: {type: count, tokens: 8}\n  m: {type: repeat, times: 1}\n  e: {type: expect}\n"
	"fifos:\n  - {from: s.out, to: m.in, rate: 2}\n  - {from: m.out, to: e.in, rate: 2}\n";

static void no_devices(void)
{
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
}

/* The file is written by `penstock machine`; a plan of the graph with m at this place. */
static void plan_with(struct run *run, const char *file, const char *place)
{
	char at[64];

	snprintf(at, sizeof at, "m=%s", place);
	files_text("g.yaml", graph);
	RUN(run, 0, "plan", "g.yaml", "--machine", file, "--device", at);
}

START_TEST(of_a_host)
{
	struct run run = { 0 };
	char cores[64];

	no_devices();
	setenv("HWLOC_SYNTHETIC", "numa:2(memory=1000000) l3:1(size=3000000) l1:2(size=32768) core:1 pu:2",
		1);
	snprintf(cores, sizeof cores,
		"machine:\n  hosts:\n    \"h1\":\n      cores: %u\n      memory: ", ps_cores());
	RUN(&run, 0, "machine", "--name", "h1");
	ck_assert_msg(!strncmp((char *)run.out, cores, strlen(cores)), "%s", (char *)run.out);
#ifdef HAVE_HWLOC
	TEST_SAYS((char *)run.out, "memory: 2000000\n"
				   "      caches:\n"
				   "        - {level: 1, size: 32768, cores: 2, count: 4}\n"
				   "        - {level: 3, size: 3000000, cores: 4, count: 2}\n"
				   "      numa:\n"
				   "        - {memory: 1000000, cores: 4}\n"
				   "        - {memory: 1000000, cores: 4}\n");
#endif
	ck_assert_ptr_null(strstr((char *)run.out, "devices"));
	ck_assert_ptr_null(strstr((char *)run.out, "links"));
	program_free(&run);
	RUN(&run, 0, "machine", "--name", "h1", "--output", "m.yaml");
	program_free(&run);
	plan_with(&run, "m.yaml", "h1");
	TEST_SAYS((char *)run.out, "m      h1 ");
	program_free(&run);
#ifdef HAVE_JANSSON
	RUN(&run, 0, "machine", "--name", "h1", "--json", "--output", "m.json");
	program_free(&run);
	plan_with(&run, "m.json", "h1");
	TEST_SAYS((char *)run.out, "m      h1 ");
	program_free(&run);
#endif
	RUN(&run, 0, "machine", "--measure", "--output", "m.yaml");
	TEST_SAYS(run.err, "penstock: --measure: nothing is copied between the places of this machine\n");
	program_free(&run);
}
END_TEST

START_TEST(refusals)
{
	no_devices();
	FAILS(2, "penstock: --name: 'a/b' is no name of a host: it begins with", "machine", "--name", "a/b");
	FAILS(2, "penstock: --output needs a name", "machine", "--output", "");
	FAILS(2, "penstock: --bytes: 'few' is not a number of bytes from 64 to 1073741824", "machine",
		"--bytes", "few");
	FAILS(2, "penstock: --bytes is of the transfers of --measure: give both", "machine", "--bytes", "64");
	FAILS(3, "penstock: --device: ", "machine", "--device", "gpu");
	FAILS(2, "unexpected argument 'm.yaml'", "machine", "m.yaml");
}
END_TEST

#ifdef HAVE_OPENCL

static void choose_fake(const char *settings)
{
	setenv("OCL_ICD_VENDORS", FAKE_CL_DRIVER, 1);
	setenv("PENSTOCK_FAKE_CL", settings, 1);
}

/* Memory of the host is what the devices have, too; of the others their own. */
START_TEST(devices_share)
{
	struct run run = { 0 };

	choose_fake("devices=2,svm=fine,unified=1");
	RUN(&run, 0, "machine");
	TEST_SAYS((char *)run.out, "        gpu0: {device: \"pstk:gpu:0\", memory: ",
		"        gpu1: {device: \"pstk:gpu:1\", memory: ",
		"  links:\n    - between: [\"host\", \"host/gpu0\"]\n      kind: shared\n"
		"    - between: [\"host\", \"host/gpu1\"]\n      kind: shared\n");
	ck_assert_ptr_null(strstr((char *)run.out, "copy"));
	program_free(&run);
	RUN(&run, 0, "machine", "--device", "pstk:gpu:1/2of2", "--device", "pstk:gpu:1/1of2", "--device",
		"pstk:gpu:0");
	TEST_SAYS((char *)run.out, "        gpu0-2of2: {device: \"pstk:gpu:1/2of2\"",
		"    - between: [\"host/gpu0-2of2\", \"host/gpu0-1of2\"]\n      kind: shared\n",
		"        gpu1: {");
	ck_assert_ptr_null(strstr((char *)run.out, "[\"host/gpu0-2of2\", \"host/gpu1\"]"));
	program_free(&run);
	FAILS(2, "penstock: --device: 'pstk:gpu:0' is given twice", "machine", "--device", "pstk:gpu:0",
		"--device", ":gpu:0");
}
END_TEST

static unsigned count_of(const char *text, const char *word)
{
	unsigned count = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		count++;
	return count;
}

/* A device with memory of its own: transfers are measured, and what comes of them is a machine. */
START_TEST(devices_copy)
{
	struct run run = { 0 };

	choose_fake("devices=2,report=1");
	RUN(&run, 0, "machine");
	TEST_SAYS((char *)run.out, "    - between: [\"host\", \"host/gpu0\"]\n      kind: copy\n"
				   "    - between: [\"host\", \"host/gpu1\"]\n      kind: copy\n");
	program_free(&run);
	RUN(&run, 0, "machine", "--measure", "--bytes", "4096");
	ck_assert_uint_eq(count_of((char *)run.out, "\n      rate: "), 2);
	ck_assert_uint_eq(count_of((char *)run.out, "\n      latency: "), 2);
	ck_assert_uint_eq(count_of((char *)run.out, "\n      duplex: "), 2);
	ck_assert_uint_eq(count_of((char *)run.out, "        - {memory: pageable, at_once: "), 6);
	ck_assert_uint_eq(count_of((char *)run.out, "        - {memory: locked, at_once: "), 6);
	ck_assert_uint_eq(count_of((char *)run.out, "at_once: 6, there: "), 4);
	program_free(&run);
	RUN(&run, 0, "machine", "--measure", "--bytes", "4096", "--output", "m.yaml");
	program_free(&run);
	plan_with(&run, "m.yaml", "host/gpu1");
	TEST_SAYS((char *)run.out, "m      host/gpu1 ", "host/gpu1");
	program_free(&run);
#ifdef HAVE_JANSSON
	RUN(&run, 0, "machine", "--measure", "--bytes", "4096", "--json", "--output", "m.json");
	program_free(&run);
	plan_with(&run, "m.json", "host/gpu1");
	TEST_SAYS((char *)run.out, "m      host/gpu1 ");
	program_free(&run);
#endif
	choose_fake("fail=clFinish:3:-6");
	FAILS(1, "penstock: --measure: clFinish: CL_OUT_OF_HOST_MEMORY (-6) on pstk:gpu:0", "machine",
		"--measure", "--bytes", "64");
	choose_fake("devices=2,svm=fine,unified=1");
	setenv("PENSTOCK_MEMORY", "copy", 1);
	RUN(&run, 0, "machine");
	ck_assert_uint_eq(count_of((char *)run.out, "kind: copy"), 2);
	program_free(&run);
}
END_TEST

#endif

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* A tree with /proc/self/cgroup and a file of limits. */
static void make_limit(const char *groups, const char *folder, const char *file, const char *text)
{
	char path[512];

	mkdir("root", 0777);
	mkdir("root/proc", 0777);
	mkdir("root/proc/self", 0777);
	files_text("root/proc/self/cgroup", groups);
	for (const char *at = folder; at; at = *at ? at + 1 : NULL) {
		at += strcspn(at, "/");
		snprintf(path, sizeof path, "root/%.*s", (int)(at - folder), folder);
		mkdir(path, 0777);
	}
	snprintf(path, sizeof path, "root/%s/%s", folder, file);
	files_text(path, text);
}

START_TEST(limits_of_containers)
{
	ck_assert(memory_limit("root") == UINT64_MAX);
	make_limit("0::/a/b\n", "sys/fs/cgroup/a/b", "memory.max", "max\n");
	ck_assert(memory_limit("root") == UINT64_MAX);
	make_limit("0::/a/b\n", "sys/fs/cgroup/a", "memory.max", "5000\n");
	ck_assert_uint_eq(memory_limit("root"), 5000);
	make_limit("0::/a/b\n", "sys/fs/cgroup", "memory.max", "6000\n");
	ck_assert_uint_eq(memory_limit("root"), 5000);
	make_limit("0::/elsewhere/c\n", "sys/fs/cgroup", "memory.max", "6000\n");
	ck_assert_uint_eq(memory_limit("root"), 6000);
	make_limit("12:cpu,memory:/a\n3:memoryless:/\nx\n1:b\n", "sys/fs/cgroup/memory/a",
		"memory.limit_in_bytes", "700\n");
	ck_assert_uint_eq(memory_limit("root"), 700);
	make_limit("12:cpu,memory:/a\n", "sys/fs/cgroup/memory/a", "memory.limit_in_bytes",
		"99999999999999999999999\n");
	ck_assert(memory_limit("root") == UINT64_MAX);
	ck_assert_int_eq(nftw("root", remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("machine");
	TCase *c = files_case(suite, "machine");

	command_find();
	tcase_add_test(c, of_a_host);
	tcase_add_test(c, refusals);
#ifdef HAVE_OPENCL
	tcase_add_test(c, devices_share);
	tcase_add_test(c, devices_copy);
#endif
	tcase_add_test(c, limits_of_containers);
	return test_main(suite);
}
