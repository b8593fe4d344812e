/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/mpi_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pointer to an object is one to a function here. */
static bool find(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	memcpy(function, &found, sizeof found);
	return found;
}

bool mpi_library_load(struct mpi_library *library, char *text, size_t size)
{
	const char *given = getenv("PENSTOCK_MPI");
	void *handle;

	given = given && *given ? given : NULL;
	handle = dlopen(given ? given : PENSTOCK_MPI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(text, size, "a run over several processes needs libpenstock-mpi: %s. %s", dlerror(),
			given ? "PENSTOCK_MPI names that file"
			      : "It is built where there is MPI (apt-get install mpich libmpich-dev; "
				"./configure --with-mpi); PENSTOCK_MPI=FILE says where it is");
		return false;
	}
	if (find(handle, "pstk_mpi_transport", &library->transport) &&
		find(handle, "pstk_mpi_transport_free", &library->free))
		return true;
	snprintf(text, size, "%s: it is no libpenstock-mpi: %s", given ? given : PENSTOCK_MPI_LIBRARY,
		dlerror());
	dlclose(handle);
	return false;
}
