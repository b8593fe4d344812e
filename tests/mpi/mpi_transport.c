/* SPDX-License-Identifier: MIT */
/* A case of the transport over MPI: mpi_transport CASE ARGUMENT.., in each rank. */
#include "tests/mpi/mpi_case.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int arguments;
	void (*run)(char **arguments);
} cases[] = {
	{ "stream", 5, case_stream },
	{ "alone", 0, case_alone },
	{ "cancel", 0, case_cancel },
	{ "longer", 0, case_longer },
	{ "given_up", 0, case_given_up },
	{ "again", 0, case_again },
	{ "abort", 1, case_abort },
	{ "hosts", 0, case_hosts },
	{ "beside", 0, case_beside },
	{ "begun", 0, case_begun },
	{ "level", 1, case_level },
	{ "refused", 0, case_refused },
	{ "faults", 0, case_faults },
	{ "memory", 0, case_memory },
	{ "failed", 1, case_failed },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc >= 2 && !strcmp(argv[1], cases[i].name) && argc - 2 == cases[i].arguments) {
			cases[i].run(argv + 2);
			return 0;
		}
	fprintf(stderr, "%s: no such case\n", argv[0]);
	return 2;
}
