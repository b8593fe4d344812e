/* SPDX-License-Identifier: MIT */
/* Selectors on machines that are thought up: no driver is asked. */
#include "lib/opencl/cl_selector.h"
#include "tests/common/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 384, NONE = -1, SEVERAL = -2, WRONG = -3 };

/* Integrated and discrete GPUs, two alike; two platforms of one vendor; a CPU with a helper. */
static const struct ps_cl_entry workstation[] = {
	{ 0, PS_CL_GPU, "Intel(R) Arc(TM) A770 Graphics", "Intel(R) OpenCL Graphics", "Intel(R) Corporation",
		"INTEL", "" },
	{ 1, PS_CL_GPU, "NVIDIA GeForce RTX 3090", "NVIDIA CUDA", "NVIDIA Corporation", "NV", "" },
	{ 1, PS_CL_GPU, "NVIDIA GeForce RTX 3090", "NVIDIA CUDA", "NVIDIA Corporation", "NV", "" },
	{ 2, PS_CL_CPU, "pthread-skylake-avx512-Intel(R) Xeon(R)", "Portable Computing Language",
		"The pocl project", "POCL", "" },
	{ 2, PS_CL_CUSTOM, "ttasim", "Portable Computing Language", "The pocl project", "POCL", "" },
	{ 4, PS_CL_CPU, "Intel(R) Xeon(R) Gold 6148", "Intel(R) OpenCL", "Intel(R) Corporation", "INTEL",
		"" },
	{ 4, PS_CL_ACCELERATOR, "Intel(R) FPGA Emulation Device", "Intel(R) OpenCL", "Intel(R) Corporation",
		"INTEL", "" },
	{ 4, PS_CL_CPU, "Intel(R) Xeon(R) Gold 6148", "Intel(R) OpenCL", "Intel(R) Corporation", "INTEL",
		"" },
};

/* Two platforms with one name; one whose name lies about its devices; names that can't stand in a selector. */
static const struct ps_cl_entry odd[] = {
	{ 0, PS_CL_GPU, "gfx908:sramecc+", "AMD Accelerated Parallel Processing",
		"Advanced Micro Devices, Inc.", "AMD", "" },
	{ 1, PS_CL_GPU, "gfx908:sramecc+", "AMD Accelerated Parallel Processing",
		"Advanced Micro Devices, Inc.", "AMD", "" },
	{ 2, PS_CL_CPU, "Emulator", "GPU 4711 !", "GPU makers", "", "" },
	{ 3, PS_CL_CPU, "x", "\303\244\303\266 *", "-", "a:b", "" },
	{ 4, PS_CL_CPU, "y", "Averyveryveryverylongplatformname", "", "12", "" },
};

static void take(struct ps_cl_entry *to, const struct ps_cl_entry *from, unsigned count)
{
	memcpy(to, from, count * sizeof *to);
	ps_cl_selector_name(to, count);
}

/* The index that a selector names, or NONE, SEVERAL, WRONG. */
static int find(const char *selector, const struct ps_cl_entry *entries, unsigned count, char *why)
{
	struct ps_cl_selector parsed;
	unsigned found = count;
	int err = ps_cl_selector_parse(&parsed, selector, why, TEXT);

	if (err) {
		ck_assert_int_eq(err, -EINVAL);
		return WRONG;
	}
	err = ps_cl_selector_find(&parsed, entries, count, &found, why, TEXT);
	ck_assert_msg(err == 0 || err == -ENODEV || err == -ENOTUNIQ, "%s: %d", selector, err);
	if (err)
		return err == -ENODEV ? NONE : SEVERAL;
	ck_assert_uint_lt(found, count);
	return (int)found;
}

/* What each names on the workstation. */
static const struct {
	const char *selector;
	int expected;
} cases[] = {
	{ "pocl:cpu:0", 3 },
	{ "POCL:CPU:0", 3 },
	{ "pocl::0", 3 },
	{ "pocl::1", 4 },
	{ "pocl:custom:0", 4 },
	{ "pocl:custom", 4 },
	{ "pocl:custom:", 4 },
	{ "pocl:cust:tta", 4 },
	{ "pocl:cpu:1", NONE },
	{ "pocl::2", NONE },
	{ "pocl:gpu:", NONE },
	{ "pocl", SEVERAL },
	{ "portable:cpu", 3 },     /* platform's name */
	{ "pocl project:cpu", 3 }, /* its vendor */
	{ "2:cpu:", 3 },           /* its number */
	{ "3::", NONE },           /* a platform without devices */
	{ "nvidia:gpu:", SEVERAL },
	{ "nv:gpu:1", 2 },
	{ ":gpu:1", 2 }, /* only one platform has two */
	{ ":gpu:0", SEVERAL },
	{ ":gpu", SEVERAL },
	{ ":acc", 6 },
	{ ":acc:0", 6 }, /* counted among the accelerators */
	{ "4::1", 6 },   /* counted among all */
	{ "4:cpu:1", 7 },
	{ "4:cpu:2", NONE },
	{ "4:pu:1", 7 }, /* cpu and gpu */
	{ "0:pu:0", 0 },
	{ "::skylake", 3 },
	{ "::SkyLake", 3 },
	{ "::", SEVERAL },
	{ "0.0", 0 },
	{ "1.1", 2 },
	{ "4.1", 6 },
	{ "4.3", NONE },
	{ "3.0", NONE },
	{ "5.0", NONE },
	{ "4294967296.0", NONE }, /* no wrap around */
	{ "0.18446744073709551616", NONE },
	{ "00.00", 0 },
	{ "custom", 4 },
	{ "accelerator", 6 },
	{ "Accelerator", 6 },
	{ "cpu", SEVERAL },
	{ "gpu", SEVERAL },
	{ "arc", 0 },
	{ "graphics", 0 },
	{ "fpga", 6 },
	{ "rtx 3090", SEVERAL },
	{ "radeon", NONE },
	{ "intel/amd", NONE }, /* a slash in a name */
	{ "pocl:cpu:0/1of2", 3 },
	{ "2.0/2of2", 3 },
	{ "custom/1OF1", 4 },
	{ "radeon/1of2", NONE },
	{ "pocl/65535of65535", SEVERAL },
	{ "", WRONG },
	{ "/1of2", WRONG },
	{ "0", WRONG },
	{ "3090", WRONG },
	{ "a:b:c:d", WRONG },
	{ ":::", WRONG },
	{ "pocl:0", WRONG },
	{ "pocl:0:0", WRONG },
	{ "pocl:fpu:", WRONG },
	{ "pocl:cpu:0/", WRONG },
	{ "pocl:cpu:0/1", WRONG },
	{ "pocl:cpu:0/1of", WRONG },
	{ "pocl:cpu:0/0of2", WRONG },
	{ "pocl:cpu:0/3of2", WRONG },
	{ "pocl:cpu:0/1of0", WRONG },
	{ "pocl:cpu:0/1of2x", WRONG },
	{ "pocl:cpu:0/1of65536", WRONG },
	{ "pocl:cpu:0/4294967297of4294967298", WRONG },
	{ "pocl:cpu:0/1 of 2", WRONG },
};

START_TEST(each_form_names_its_device)
{
	struct ps_cl_entry entries[TEST_COUNT(workstation)];
	char why[TEXT];

	take(entries, workstation, TEST_COUNT(entries));
	for (unsigned i = 0; i < TEST_COUNT(cases); i++) {
		int found = find(cases[i].selector, entries, TEST_COUNT(entries), why);

		ck_assert_msg(found == cases[i].expected, "'%s' names %d, not %d", cases[i].selector, found,
			cases[i].expected);
	}
}
END_TEST

START_TEST(parts_are_numbered)
{
	struct ps_cl_selector s;
	char why[TEXT];

	ck_assert_int_eq(ps_cl_selector_parse(&s, "a/b::c/12of345", why, sizeof why), 0);
	ck_assert_uint_eq(s.part, 12);
	ck_assert_uint_eq(s.parts, 345);
	ck_assert_int_eq(strncmp(s.device.text, "c/", 1), 0);
	ck_assert_uint_eq(s.device.length, 1);
	ck_assert_uint_eq(s.platform.length, 3);
	ck_assert_int_eq(ps_cl_selector_parse(&s, "a::c", why, sizeof why), 0);
	ck_assert_uint_eq(s.part, 0);
	ck_assert_uint_eq(s.parts, 0);
}
END_TEST

START_TEST(selectors_of_devices)
{
	static const char *const expected[] = { "graphics:gpu:0", "nv:gpu:0", "nv:gpu:1", "pocl:cpu:0",
		"pocl:custom:0", "4:cpu:0", "4:accelerator:0", "4:cpu:1" },
				 *const expected_odd[] = { "0:gpu:0", "1:gpu:0", "gpu:cpu:0", "3:cpu:0",
					 "4:cpu:0" };
	struct ps_cl_entry entries[TEST_COUNT(workstation)], odds[TEST_COUNT(odd)];

	take(entries, workstation, TEST_COUNT(entries));
	for (unsigned i = 0; i < TEST_COUNT(entries); i++)
		ck_assert_str_eq(entries[i].selector, expected[i]);
	take(odds, odd, TEST_COUNT(odds));
	for (unsigned i = 0; i < TEST_COUNT(odds); i++)
		ck_assert_str_eq(odds[i].selector, expected_odd[i]);
}
END_TEST

/* `gpu` is a type, even if a platform or device has it in its name. */
START_TEST(a_type_is_no_name)
{
	struct ps_cl_entry odds[TEST_COUNT(odd)];
	char why[TEXT];

	take(odds, odd, TEST_COUNT(odds));
	ck_assert_int_eq(find("gpu", &odds[2], 1, why), NONE);
	ck_assert_int_eq(find("gpu makers", &odds[2], 1, why), 0);
	ck_assert_int_eq(find("gpu", &odds[1], 1, why), 0);
	ck_assert_int_eq(find("amd", odds, TEST_COUNT(odds), why), SEVERAL);
	ck_assert_int_eq(find("gfx908", odds, TEST_COUNT(odds), why), SEVERAL);
	ck_assert_int_eq(find("1::gfx908", odds, TEST_COUNT(odds), why), 1);
}
END_TEST

START_TEST(what_there_is_is_listed)
{
	struct ps_cl_entry entries[TEST_COUNT(workstation)];
	char why[TEXT];

	take(entries, workstation, TEST_COUNT(entries));
	find("radeon", &entries[1], 3, why);
	ck_assert_str_eq(why,
		"no OpenCL device is named by 'radeon'; there are: nv:gpu:0 (NVIDIA GeForce RTX 3090), "
		"nv:gpu:1 (NVIDIA GeForce RTX 3090), "
		"pocl:cpu:0 (pthread-skylake-avx512-Intel(R) Xeon(R))");
	find("nvidia/2of4", entries, TEST_COUNT(entries), why);
	ck_assert_str_eq(why,
		"'nvidia/2of4' names 2 OpenCL devices: nv:gpu:0/2of4 (NVIDIA GeForce RTX 3090), "
		"nv:gpu:1/2of4 (NVIDIA GeForce RTX 3090)");
	find("a\n:b\xc2\x9b:\033", entries, TEST_COUNT(entries), why);
	TEST_SAYS(why, "'a\\x0a:b\\x9b:\\x1b'", "cpu, gpu, accelerator, custom");
	find("1", entries, TEST_COUNT(entries), why);
	TEST_SAYS(why, "'1'", "platform.device");
	find("", entries, TEST_COUNT(entries), why);
	TEST_SAYS(why, "empty", "'::'");
	find("a:b:c:d", entries, TEST_COUNT(entries), why);
	TEST_SAYS(why, "three parts", "platform:type:device");
	find("cpu/3of2", entries, TEST_COUNT(entries), why);
	TEST_SAYS(why, "/1of2");
}
END_TEST

/* However little room there is, and however much to say. */
START_TEST(texts_fit)
{
	static struct ps_cl_entry many[100];
	char why[TEXT + 1], selector[4096];
	struct ps_cl_selector parsed;
	unsigned found;

	for (unsigned i = 0; i < TEST_COUNT(many); i++) {
		many[i] = workstation[i % TEST_COUNT(workstation)];
		many[i].platform = i / 10;
	}
	ps_cl_selector_name(many, TEST_COUNT(many));
	memset(selector, 'q', sizeof selector);
	selector[sizeof selector - 1] = '\0';
	for (unsigned round = 0; round < 2; round++)
		for (size_t size = 0; size <= TEXT; size++) {
			why[size] = '#';
			ck_assert_int_eq(
				ps_cl_selector_parse(&parsed, round ? selector : "::", why, size), 0);
			ck_assert_int_eq(
				ps_cl_selector_find(&parsed, many, TEST_COUNT(many), &found, why, size),
				round ? -ENODEV : -ENOTUNIQ);
			ck_assert_int_eq(why[size], '#');
			if (size)
				ck_assert_uint_lt(strlen(why), size);
		}
	ck_assert_uint_gt(strlen(why), 300); /* of the last one, TEXT: well used, and cut between two */
	ck_assert_str_eq(why + strlen(why) - 5, "), ..");
	selector[0] = ':'; /* no device: the parser's text */
	ck_assert_int_eq(ps_cl_selector_parse(&parsed, selector, why, 30), -EINVAL);
	ck_assert_uint_eq(strlen(why), 29);
}
END_TEST

static void random_name(struct test_rng *rng, char *out, bool may_be_empty)
{
	static const char *const words[] = { "NVIDIA", "nv", "Intel(R)", "OpenCL", "GPU", "cpu", "POCL",
		"Pocl2", "0", "1", "3090", "AMD", "a:b", "/1of2", "Xeon", "Platform", "x", "accelerator",
		"1.0", "..", "extraordinarilylongwordsdonotfit" };
	unsigned count = test_between(rng, may_be_empty ? 0 : 1, 3);
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < count; i++)
		used += (size_t)snprintf(out + used, PS_CL_NAME - used, "%s%s", i ? " " : "",
			words[test_between(rng, 0, TEST_COUNT(words) - 1)]);
}

static unsigned random_machine(struct test_rng *rng, struct ps_cl_entry *entries, unsigned most)
{
	unsigned count = 0;

	for (unsigned platform = 0; platform < 5; platform++) {
		struct ps_cl_entry like = { .platform = platform };
		unsigned devices = test_between(rng, 0, 4);

		random_name(rng, like.platform_name, true);
		random_name(rng, like.vendor, true);
		random_name(rng, like.suffix, true);
		if (platform && test_chance(rng, 20))
			like = (struct ps_cl_entry){
				.platform = platform, .platform_name = "Same", .suffix = "SAME"
			};
		for (unsigned i = 0; i < devices && count < most; i++) {
			entries[count] = like;
			entries[count].type =
				(enum ps_cl_arg_type)test_between(rng, 0, PS_CL_ARG_TYPE_COUNT - 1);
			random_name(rng, entries[count++].name, false);
		}
	}
	return count;
}

/* On any machine a device's selector, in any case and with any part, names that device; and so does P.D. */
START_TEST(every_selector_names_its_device)
{
	uint64_t rounds = test_rounds(20000), seed = test_seed();

	for (uint64_t round = 0; round < rounds; round++) {
		struct test_rng rng = { seed + round };
		struct ps_cl_entry entries[20];
		unsigned count = random_machine(&rng, entries, TEST_COUNT(entries)), number = 0;
		char why[TEXT], text[PS_CL_SELECTOR + 32];

		ps_cl_selector_name(entries, count);
		for (unsigned i = 0; i < count; i++) {
			struct ps_cl_selector parsed;

			ck_assert_msg(find(entries[i].selector, entries, count, why) == (int)i,
				"seed %lu: %s: %s", (unsigned long)(seed + round), entries[i].selector, why);
			snprintf(text, sizeof text, "%s/65535of65535", entries[i].selector);
			ck_assert_uint_lt(strlen(text), PS_CL_SELECTOR); /* fits the public struct */
			ck_assert_int_eq(find(text, entries, count, why), (int)i);
			ck_assert_int_eq(ps_cl_selector_parse(&parsed, text, why, sizeof why), 0);
			ck_assert_uint_eq(parsed.parts, 65535);
			for (char *c = text; *c; c++)
				if (*c >= 'a' && *c <= 'z' && test_chance(&rng, 50))
					*c = (char)(*c - 'a' + 'A');
			ck_assert_int_eq(find(text, entries, count, why), (int)i);
			number = i && entries[i].platform == entries[i - 1].platform ? number + 1 : 0;
			snprintf(text, sizeof text, "%u.%u", entries[i].platform, number);
			ck_assert_int_eq(find(text, entries, count, why), (int)i);
		}
	}
}
END_TEST

/* Any bytes: parsed or refused, never a crash; what is found matches nothing less than what was asked. */
START_TEST(any_text_is_taken_or_refused)
{
	static const char letters[] = "::::..//00112of cgpuaxNV\n\377";
	uint64_t rounds = test_rounds(100000), seed = test_seed();
	struct ps_cl_entry entries[TEST_COUNT(workstation)];
	unsigned refused = 0, found = 0;
	char why[TEXT], text[16];

	take(entries, workstation, TEST_COUNT(entries));
	for (uint64_t round = 0; round < rounds; round++) {
		struct test_rng rng = { seed + round };
		unsigned length = test_between(&rng, 0, sizeof text - 1);
		int result;

		for (unsigned i = 0; i < length; i++)
			text[i] = letters[test_between(&rng, 0, sizeof letters - 2)];
		text[length] = '\0';
		result = find(text, entries, TEST_COUNT(entries), why);
		refused += result == WRONG;
		found += result >= 0;
	}
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_gt(found, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("selector");
	TCase *c = test_case(suite, "selector");

	tcase_add_test(c, each_form_names_its_device);
	tcase_add_test(c, parts_are_numbered);
	tcase_add_test(c, selectors_of_devices);
	tcase_add_test(c, a_type_is_no_name);
	tcase_add_test(c, what_there_is_is_listed);
	tcase_add_test(c, texts_fit);
	tcase_add_test(c, every_selector_names_its_device);
	tcase_add_test(c, any_text_is_taken_or_refused);
	return test_main(suite);
}
