/* SPDX-License-Identifier: MIT */
/* penstock devices */
#include "config.h"

#include "apps/common/devices.h"
#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"

static const char help[] =
	"Usage: penstock devices\n"
	"Lists the OpenCL devices with their selectors, ready to paste, and what each can do; or what to\n"
	"install if there is none.\n"
	"\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage, 3 there is no device.\n";

static const struct option table[] = { { "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };

static int take(void *data, int option, const char *value)
{
	(void)data, (void)option, (void)value;
	return arguments_print(help);
}

static int settle(void *data)
{
	(void)data;
	return devices_list();
}

int command_devices(int argc, char **argv)
{
	return arguments_parse(
		&(struct arguments){
			.table = table, .take = take, .settle = settle, .called = "penstock devices" },
		argc, argv);
}
