/* SPDX-License-Identifier: MIT */
/* penstock check */
#include "config.h"

#include "apps/common/arguments.h"
#include "apps/penstock/commands.h"
#include "apps/penstock/loading.h"
#include "apps/penstock/network_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: penstock check [OPTION]... FILE\n"
	"       penstock check [OPTION]... -e CHAIN\n"
	"Says whether the network of a graph file can deadlock, what memory it needs, and what runs where.\n"
	"It runs nothing, and needs no input unless the size of frames is known only from it.\n"
	"\n" LOADING_HELP LOADING_PLAN_HELP
	"  --json                   writes the verdict and the network as JSON\n"
	"  --help\n"
	"\n"
	"Exit status: 0 free of deadlock, or watched for it while it runs;\n" APP_STATUS
	"; 4 it can deadlock or grow.\n";

enum { OPT_JSON = LOADING_END, OPT_HELP };

static const struct option table[] = { LOADING_TABLE, LOADING_PLAN_TABLE,
	{ "json", no_argument, NULL, OPT_JSON }, { "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 } };

struct options {
	struct loading loading;
	bool json;
};

static int take(void *data, int option, const char *value)
{
	struct options *o = data;

	if (option == OPT_HELP)
		return arguments_print(help);
	if (option != OPT_JSON)
		return loading_take(&o->loading, option, value);
	o->json = true;
	return network_json_refuse("json");
}

/* What to exit with after pstk_network_check(). */
static int status_of(int result)
{
	return result >= 0          ? EXIT_DONE
	       : result == -EDEADLK ? EXIT_DEADLOCKED
	       : result == -EINVAL  ? EXIT_USAGE
	                            : EXIT_FAILED;
}

static int check(struct pstk_network *network, bool json)
{
	struct pstk_verdict *verdict = PSTK_VERDICT();
	int result = pstk_network_check(network, NULL, verdict), err = 0;

	if (json) {
		err = network_json_print(network, verdict, stdout);
	} else {
		/* where the network is wrong there may be no table, but the report says what is wrong */
		if (result != -EINVAL && !(err = pstk_network_print(network, stdout)))
			putchar('\n');
		if (!err && pstk_network_check(network, stdout, NULL) == -EIO)
			err = -EIO;
	}
	if (ferror(stdout) | fflush(stdout))
		return arguments_stdout_failed();
	return err ? app_fail(EXIT_FAILED, "check: %s", strerror(-err)) : status_of(result);
}

int command_check(int argc, char **argv)
{
	struct options o = { 0 };
	int status = arguments_parse(&(struct arguments){ .table = table,
					     .take = take,
					     .settle = loading_settle,
					     .data = &o,
					     .operand = loading_operand,
					     .called = "penstock check",
					     .letters = LOADING_LETTERS },
		argc, argv);
	if (status == -1)
		status = loading_open(&o.loading, true);
	if (!status && o.loading.network)
		status = check(o.loading.network, o.json);
	loading_close(&o.loading);
	return status;
}
