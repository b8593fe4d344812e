/* SPDX-License-Identifier: MIT */
/* What is read of files: against lists by hand, each error with its line, each allocation that fails. */
#include "dal/check_dal.h"
#include "tests/common/file.h"
#include "dal/description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads or fails the test. */
static struct ps_dal_description *read_files(const char *network, const char *mapping)
{
	struct ps_dal_description *d;
	char text[400];

	ck_assert_msg(ps_dal_read(&d, network, mapping, text, sizeof text) == 0, "%s", text);
	ck_assert_str_eq(text, "");
	return d;
}

/* The whole of a description, a word for each thing. */
static void describe(const struct ps_dal_description *d, char *to, size_t size)
{
	FILE *f = fmemopen(to, size, "w");

	fprintf(f, "%s:", d->name);
	for (const struct ps_dal_process *p = d->processes; p; p = p->next) {
		fprintf(f, " %s(%s", p->name, p->basename);
		for (unsigned i = 0; i < p->index_count; i++)
			fprintf(f, ",%d", p->indices[i]);
		for (const struct ps_dal_port *port = p->ports; port; port = port->next)
			fprintf(f, " %c%s", port->input ? '<' : '>', port->name);
		fprintf(f, ")");
		if (p->place)
			fprintf(f, "@%s%u", p->place == PS_DAL_CORE ? "core" : "gpu", p->number);
		if (p->workgroups)
			fprintf(f, "[%ux%u]", p->workgroups, p->workitems);
	}
	for (const struct ps_dal_channel *c = d->channels; c; c = c->next)
		fprintf(f, " %s[%u*%u+%u]%s.%s-%s.%s", c->name, c->size, c->token_size, c->initial,
			c->writer->process->name, c->writer->name, c->reader->process->name, c->reader->name);
	fclose(f);
}

static void check_files(const char *network, const char *mapping, const char *expected)
{
	struct ps_dal_description *d = read_files(network, mapping);
	char text[4000];

	describe(d, text, sizeof text);
	ck_assert_str_eq(text, expected);
	ps_dal_free(d);
}

START_TEST(test_square)
{
	check_files(DAL_DATA "/square.xml", NULL,
		"square: producer(producer >out) square(square <0 >1) consumer(consumer <in)"
		" C1[16*0+0]producer.out-square.0 C2[2*8+0]square.1-consumer.in");
}
END_TEST

static const char pipeline[] =
	"pipeline: producer(producer >out)@core0 add_0(add,0 <in >out)@core0 add_1(add,1 <in >out)@core0"
	" add_2(add,2 <in >out)@core0 add_3(add,3 <in >out)@core0 consumer(consumer <in)@gpu1[3x16]"
	" C_0[3*8+0]producer.out-add_0.in C_1[3*8+0]add_0.out-add_1.in C_2[3*8+0]add_1.out-add_2.in"
	" C_3[3*8+0]add_2.out-add_3.in C_4[3*8+0]add_3.out-consumer.in";

START_TEST(test_pipeline)
{
	check_files(DAL_DATA "/pipeline.xml", DAL_DATA "/mapping.xml", pipeline);
}
END_TEST

/* Lines, locations and numbers of ports. */
START_TEST(test_places)
{
	struct ps_dal_description *d = read_files(DAL_DATA "/square.xml", NULL);
	const struct ps_dal_process *p = ps_dal_find_process(d, "square");

	ck_assert_str_eq(p->location, "square.c");
	ck_assert_uint_eq(p->line, 7);
	ck_assert_uint_eq(p->order, 1);
	ck_assert_uint_eq(ps_dal_find_port(p, "1")->line, 9);
	ck_assert_uint_eq(ps_dal_find_port(p, "1")->number, 1);
	ck_assert_ptr_null(ps_dal_find_port(p, "2"));
	ck_assert_uint_eq(ps_dal_find_channel(d, "C2")->line, 21);
	ck_assert_ptr_null(ps_dal_find_channel(d, "square"));
	ck_assert_ptr_null(ps_dal_find_process(d, "C1"));
	ck_assert_uint_eq(d->process_count, 3);
	ck_assert_uint_eq(d->channel_count, 2);
	ps_dal_free(d);
	ps_dal_free(NULL);
}
END_TEST

/* A grid of two dimensions with iterated ports, names that a flattened network has, variables that end with
 * their element. */
START_TEST(test_grid)
{
	check_files(
		test_file("net.xml",
			"<processnetwork name='grid'>"
			"<process name='hub'><variable name='K' value='2'/>"
			"<iterator variable='i' range='K'><iterator variable='j' range='K'>"
			"<port type='output' name='out'><append function='i'/><append function='j'/></port>"
			"</iterator></iterator></process>\n"
			"<variable name='K' value='2'/>"
			"<iterator variable='i' range='K'><iterator variable='j' range='K'>"
			"<process name='cell'><append function='i'/><append function='K - 1 - j'/>"
			"<port type='input' name='in'/></process>"
			"<sw_channel name='C' size='K * 4'><append function='K * i + j'/>"
			"<port type='input' name='a'/><port type='output' name='b'/></sw_channel>"
			"<connection><origin name='hub'><port name='out'><append function='i'/><append "
			"function='j'/>"
			"</port></origin><target name='C'><append function='K * i + j'/><port "
			"name='a'/></target>"
			"</connection>"
			"<connection><origin name='C'><append function='K * i + j'/><port name='b'/></origin>"
			"<target name='cell'><append function='i'/><append function='j'/><port "
			"name='in'/></target>"
			"</connection></iterator></iterator>"
			"<iterator variable='i' range='0'><unknown/></iterator>"
			"<process name='flat_3_4' basename='flat'/><process name='odd' basename='flat'/>"
			"</processnetwork>"),
		NULL,
		"grid: hub(hub >out_0_0 >out_0_1 >out_1_0 >out_1_1) cell_0_1(cell,0,1 <in) cell_0_0(cell,0,0 "
		"<in)"
		" cell_1_1(cell,1,1 <in) cell_1_0(cell,1,0 <in) flat_3_4(flat,3,4) odd(flat)"
		" C_0[8*0+0]hub.out_0_0-cell_0_0.in C_1[8*0+0]hub.out_0_1-cell_0_1.in"
		" C_2[8*0+0]hub.out_1_0-cell_1_0.in C_3[8*0+0]hub.out_1_1-cell_1_1.in");
	test_files_remove();
}
END_TEST

#define PN(text) "<processnetwork name='n'>\n" text "\n</processnetwork>\n"
#define TWO "<process name='p'>" DAL_OUT("o") "</process><process name='c'>" DAL_IN("i") "</process>"
#define ENDS(origin, origin_port, target, target_port)                                                       \
	"<connection><origin name='" origin "'><port name='" origin_port "'/></origin><target name='" target \
	"'><port name='" target_port "'/></target></connection>"
#define CHANNEL "<sw_channel name='k' size='1'/>"

/* Where the line is 0 none is said. */
static const struct {
	const char *network;
	unsigned line;
	const char *says;
} network_errors[] = {
	{ "", 0, "not well-formed" },
	{ "<processnetwork>\n<process>\n</processnetwork>", 3, "not well-formed" },
	{ "<mapping/>", 1, "this is a <mapping>, not a <processnetwork>" },
	{ PN(""), 1, "there is no <process>" },
	{ PN("\n<hw_channel/>"), 3, "<hw_channel> is not known here: <process>, <sw_channel>, <connection>" },
	{ PN("<process/>"), 2, "<process> needs name=\"..\"" },
	{ PN("<process name=''/>"), 2, "<process> needs name=\"..\"" },
	{ PN("<process name='a&#10;b'/>"), 2, "a control character" },
	{ PN("<process name='p'>\n<port name='i'/></process>"), 3, "<port> needs type=\"..\"" },
	{ PN("<process name='p'>\n<port type='input'/></process>"), 3, "<port> needs name=\"..\"" },
	{ PN("<process name='p'>\n<port type='in' name='i'/></process>"), 3, "a port is input or output" },
	{ PN("<process name='p'>\n<source type='c'/></process>"), 3, "<source> needs location=\"..\"" },
	{ PN("<process name='p'>\n<fire/></process>"), 3, "<fire> is not known here: <port>, <source>" },
	{ PN("<process name='p'>\n" DAL_IN("i") "\n" DAL_OUT("i") "</process>"), 4, "has two ports 'i'" },
	{ PN("<process name='p'/>\n<process name='p'/>"), 3, "there are two 'p': <append>" },
	{ PN("<process name='p'/>\n<sw_channel name='p' size='1'/>"), 3, "there are two 'p': <append>" },
	{ PN("<iterator variable='i' range='2'>\n<process name='p'/></iterator>"), 3, "there are two 'p'" },
	{ PN("<iterator range='2'/>"), 2, "<iterator> needs variable=\"..\"" },
	{ PN("<iterator variable='i'/>"), 2, "<iterator> needs range=\"..\"" },
	{ PN("<iterator variable='i' range='-1'/>"), 2, "range=\"-1\"> is -1: it must be 0 to 65536" },
	{ PN("<iterator variable='i' range='M'/>"), 2, "range=\"M\">: there is no variable" },
	{ PN("<iterator variable='i' range='60000'><iterator variable='j' range='60000'/></iterator>"), 2,
		"iterators make more than 65536 steps" },
	{ PN("<variable value='1'/>"), 2, "<variable> needs name=\"..\"" },
	{ PN("<variable name='N'/>"), 2, "<variable> needs value=\"..\"" },
	{ PN("<variable name='N' value='1/0'/>"), 2, "<variable value=\"1/0\">: a division by 0" },
	{ PN("<function>1</function>"), 2, "<function> needs name=\"..\"" },
	{ PN("<process name='p'><variable name='N' value='1'/></process><iterator variable='i' range='N'/>"),
		2, "there is no variable" },
	{ PN("<process name='p'>\n<append/></process>"), 3, "<append> needs function=\"..\"" },
	{ PN("<process name='p'>\n<append function='0-1'/></process>"), 3, "is -1: it must be 0 to" },
	{ PN("<process name='p'>"
	     "<append function='1'/><append function='1'/><append function='1'/><append function='1'/>"
	     "<append function='1'/><append function='1'/><append function='1'/><append function='1'/>"
	     "\n<append function='1'/></process>"),
		3, "more than 8 <append>s" },
	{ PN("<process name='"
	     "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
	     "abcdefghijabcdefghijabcdefghijabcdefg'><append function='1'/></process>"),
		2, "its name is too long" },
	{ PN("<sw_channel name='k'/>"), 2, "<sw_channel> needs size=\"..\"" },
	{ PN("<sw_channel name='k' size='0'/>"), 2, "size=\"0\"> is 0: it must be 1 to" },
	{ PN("<sw_channel name='k' size='1' tokensize='0'/>"), 2, "tokensize=\"0\"> is 0" },
	{ PN("<sw_channel name='k' size='1' initialtokens='0-1'/>"), 2, "initialtokens=\"0-1\"> is -1" },
	{ PN("<sw_channel name='k' size='1' tokensize='4' initialtokens='2'/>"), 2,
		"'k': its 2 initial tokens need a size of 2, not 1" },
	{ PN("<sw_channel name='k' size='1' type='wire'/>"), 2, "a channel is a fifo" },
	{ PN("<sw_channel name='k' size='1'>\n" DAL_IN("a") "\n" DAL_IN("b") "</sw_channel>"), 4,
		"two input ports" },
	{ PN("<sw_channel name='k' size='1'>\n" DAL_OUT("a") "\n" DAL_OUT("b") "</sw_channel>"), 4,
		"two output ports" },
	{ PN(TWO CHANNEL "\n<connection/>"), 3, "<connection> needs an <origin> and a <target>" },
	{ PN(TWO CHANNEL "<connection>\n<origin name='p'/></connection>"), 3, "<origin> needs a <port" },
	{ PN(TWO CHANNEL "<connection>\n<target name='p'/></connection>"), 3, "<target> needs a <port" },
	{ PN(TWO CHANNEL
		  "<connection><origin name='p'><port name='o'/>\n<port name='o'/></origin></connection>"),
		3, "a second <port>" },
	{ PN(TWO CHANNEL
		  "<connection><origin name='p'><port name='o'/></origin>\n<origin name='p'/></connection>"),
		3, "a second <origin>" },
	{ PN(TWO CHANNEL "\n" ENDS("x", "o", "k", "0")), 3, "there is no process or channel 'x'" },
	{ PN(TWO CHANNEL "\n" ENDS("p", "o", "x", "0")), 3, "there is no process or channel 'x'" },
	{ PN(TWO CHANNEL "\n" ENDS("p", "o", "c", "i")), 3, "'p' and 'c' are both processes" },
	{ PN(TWO CHANNEL "\n" ENDS("k", "1", "k", "0")), 3, "'k' and 'k' are both channels" },
	{ PN(TWO CHANNEL "\n" ENDS("p", "x", "k", "0")), 3,
		"process 'p' has no port 'x': a <port> in its element, line 2, says" },
	{ PN(TWO CHANNEL "\n" ENDS("c", "i", "k", "0")), 3,
		"port 'i' of 'c' is an input: it can't be a connection's origin" },
	{ PN(TWO CHANNEL "\n" ENDS("k", "1", "p", "o")), 3,
		"is an output: it can't be a connection's target" },
	{ PN(TWO CHANNEL "\n" ENDS("p", "o", "k", "1")), 3,
		"port '1' of channel 'k' is not its input: that is '0'" },
	{ PN(TWO CHANNEL "\n" ENDS("k", "0", "c", "i")), 3,
		"port '0' of channel 'k' is not its output: that is '1'" },
	{ PN(TWO CHANNEL
		  "<sw_channel name='l' size='1'/>" ENDS("p", "o", "k", "0") "\n" ENDS("p", "o", "l", "0")),
		2, "port 'o' of 'p' is connected to 'l' already" },
	{ PN("<process name='q'>" DAL_OUT("o") "</process>" TWO CHANNEL "\n" ENDS("p", "o", "k", "0")
			  ENDS("q", "o", "k", "0")),
		3, "channel 'k' has a writer already, 'q'" },
	{ PN("<process name='q'>" DAL_IN("i") "</process>" TWO CHANNEL "\n" ENDS("k", "1", "c", "i")
			  ENDS("k", "1", "q", "i")),
		3, "channel 'k' has a reader already, 'q'" },
	{ PN("<process name='p'>\n" DAL_OUT("o") "</process>"), 3, "port 'o' of 'p' is not connected" },
	{ PN("<process name='p'/>\n" CHANNEL), 3, "channel 'k' has no writer" },
	{ PN("<process name='p'>" DAL_OUT("o") "</process>\n" CHANNEL ENDS("p", "o", "k", "0")), 3,
		"channel 'k' has no reader" },
};

static void refuse(
	const char *network, const char *mapping, int err, const char *file, unsigned line, const char *says)
{
	struct ps_dal_description *d = (void *)&d;
	char text[400], place[200];

	ck_assert_int_eq(ps_dal_read(&d, network, mapping, text, sizeof text), err);
	ck_assert_ptr_null(d);
	snprintf(place, sizeof place, line ? "%s:%u: " : "%s:", file, line);
	ck_assert_msg(strncmp(text, place, strlen(place)) == 0, "'%s' does not begin with '%s'", text, place);
	TEST_SAYS(text, says);
	ck_assert_ptr_null(strchr(text, '\n'));
}

START_TEST(test_network_errors)
{
	const char *file = test_file("net.xml", network_errors[_i].network);

	refuse(file, NULL, -EINVAL, file, network_errors[_i].line, network_errors[_i].says);
	test_files_remove();
}
END_TEST

START_TEST(test_scenarios)
{
	const char *file = test_file("net.xml", "<fsm name='f'/>");

	refuse(file, NULL, -ENOTSUP, file, 1,
		"state machine are not offered: give the <processnetwork> of one");
	test_files_remove();
}
END_TEST

START_TEST(test_no_file)
{
	refuse("no/such.xml", NULL, -ENOENT, "no/such.xml", 0, strerror(ENOENT));
	refuse(DAL_DATA "/square.xml", "no/such.xml", -ENOENT, "no/such.xml", 0, strerror(ENOENT));
}
END_TEST

/* A folder can be opened, but not read. */
START_TEST(test_folder)
{
	refuse(DAL_DATA, NULL, -EINVAL, DAL_DATA, 0, "not well-formed");
}
END_TEST

#define MAP(text) "<mapping name='m'>\n" text "\n</mapping>\n"
#define BIND(process, processor) \
	"<binding><process name='" process "'/><processor name='" processor "'/></binding>"

static const struct {
	const char *mapping;
	unsigned line;
	const char *says;
} mapping_errors[] = {
	{ "<processnetwork/>", 1, "this is a <processnetwork>, not a <mapping>" },
	{ "<mapping processnetwork='x'/>", 1, "this maps the process network 'x', not 'square'" },
	{ MAP("<bind/>"), 2, "<bind> is not known here: <binding>" },
	{ MAP("<binding><process name='square'/></binding>"), 2,
		"<binding> needs a <process> and a <processor>" },
	{ MAP("<binding><processor name='core_0'/></binding>"), 2,
		"<binding> needs a <process> and a <processor>" },
	{ MAP("<binding><process name='square'/>\n<process name='square'/></binding>"), 3,
		"a second <process>" },
	{ MAP(BIND("x", "core_0")), 2, "there is no process 'x' in " DAL_DATA "/square.xml" },
	{ MAP(BIND("square", "core_0") "\n" BIND("square", "core_1")), 3,
		"'square' is mapped already, in line 2" },
	{ MAP(BIND("square", "core")), 2, "'core' of 'square': a processor is core_N or gpu_N" },
	{ MAP(BIND("square", "core_")), 2, "a processor is core_N or gpu_N" },
	{ MAP(BIND("square", "core_0x")), 2, "a processor is core_N or gpu_N" },
	{ MAP(BIND("square", "core_1234567")), 2, "a processor is core_N or gpu_N" },
	{ MAP(BIND("square", "dsp_0")), 2, "a processor is core_N or gpu_N" },
	{ MAP(BIND("square", "gpu_0")), 2, "'square' on gpu_0 needs <target><opencl" },
	{ MAP("<binding><process name='square'/><processor name='core_0'/>"
	      "<target><opencl workgroups='1' workitems='1'/></target></binding>"),
		2, "<opencl> is for gpu_N" },
	{ MAP("<binding><target>\n<opencl workitems='1'/></target></binding>"), 3,
		"needs workgroups=\"..\"" },
	{ MAP("<binding><target>\n<opencl workgroups='1'/></target></binding>"), 3,
		"needs workitems=\"..\"" },
	{ MAP("<binding><target>\n<cuda/></target></binding>"), 3, "<cuda> is not known here: <opencl>" },
};

START_TEST(test_mapping_errors)
{
	const char *file = test_file("map.xml", mapping_errors[_i].mapping);

	refuse(DAL_DATA "/square.xml", file, -EINVAL, file, mapping_errors[_i].line, mapping_errors[_i].says);
	test_files_remove();
}
END_TEST

/* 16384 of each, and no more. */
START_TEST(test_limits)
{
	struct ps_dal_description *d;
	const char *file;

	file = test_file("net.xml",
		PN("<iterator variable='i' range='16385'>\n<process name='p'><append function='i'/>"
		   "</process></iterator>"));
	refuse(file, NULL, -EINVAL, file, 3, "more than 16384 processes");
	file = test_file("net.xml",
		PN("<process name='p'/><iterator variable='i' range='16385'>\n"
		   "<sw_channel name='c' size='1'><append function='i'/></sw_channel></iterator>"));
	refuse(file, NULL, -EINVAL, file, 3, "more than 16384 channels");
	file = test_file("net.xml",
		PN("<process name='p'><iterator variable='i' range='4097'>\n"
		   "<port type='input' name='i'><append function='i'/></port></iterator></process>"));
	refuse(file, NULL, -EINVAL, file, 3, "process 'p' has more than 4096 ports");
	file = test_file(
		"net.xml", PN("<iterator variable='i' range='2000'>\n<process name='p'><append function='i'/>"
			      "</process></iterator>"));
	d = read_files(file, NULL);
	ck_assert_uint_eq(d->process_count, 2000);
	ck_assert_ptr_nonnull(ps_dal_find_process(d, "p_1999"));
	ps_dal_free(d);
	test_files_remove();
}
END_TEST

/* Each allocation fails once: what is read then is an error, and never half of the files. */
START_TEST(test_memory)
{
	unsigned failed = 0;

	dal_watch_allocations();
	for (unsigned n = 1;; n++) {
		struct ps_dal_description *d;
		char text[400], all[4000];
		int err;

		test_guard("reading", n);
		atomic_store(&dal_allocation_failed, false);
		atomic_store(&dal_fail_allocation, n);
		err = ps_dal_read(&d, DAL_DATA "/pipeline.xml", DAL_DATA "/mapping.xml", text, sizeof text);
		atomic_store(&dal_fail_allocation, 0);
		if (err) {
			failed++;
			ck_assert_msg(err == -ENOMEM && strstr(text, "out of memory"), "allocation %u: %s", n,
				text);
			ck_assert_ptr_null(d);
			continue;
		}
		describe(d, all, sizeof all);
		ck_assert_str_eq(all, pipeline);
		ps_dal_free(d);
		if (!atomic_load(&dal_allocation_failed))
			break;
	}
	ck_assert_uint_ge(failed, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("description");
	TCase *reads = test_case(suite, "reads"), *errors = test_case(suite, "errors");

	tcase_add_test(reads, test_square);
	tcase_add_test(reads, test_pipeline);
	tcase_add_test(reads, test_places);
	tcase_add_test(reads, test_grid);
	tcase_add_loop_test(errors, test_network_errors, 0, TEST_COUNT(network_errors));
	tcase_add_loop_test(errors, test_mapping_errors, 0, TEST_COUNT(mapping_errors));
	tcase_add_test(errors, test_scenarios);
	tcase_add_test(errors, test_no_file);
	tcase_add_test(errors, test_folder);
	tcase_add_test(errors, test_limits);
	tcase_add_test(errors, test_memory);
	return test_main(suite);
}
