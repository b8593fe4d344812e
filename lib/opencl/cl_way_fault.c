/* SPDX-License-Identifier: MIT */
/* What is said of transfers that have failed. */
#include "lib/model/error.h"
#include "lib/opencl/cl_fifo.h"

#include <stdio.h>

int ps_cl_way_fail(const struct ps_cl_hop *hop, cl_int code, const char *call, struct ps_cl_fault *fault)
{
	const struct ps_cl_fifo *c = hop->of;
	const struct ps_cl_way *y = c->way;
	const char *on = (hop->up ? c->reader : c->writer)->info.selector;
	bool second = y->down && hop != y->hops;
	char what[PS_CL_TEXT];

	if (fault->err)
		return fault->err;
	snprintf(what, sizeof what, "hop %u of %u, a transfer %s %s: %s%s%s (%d)", second ? 2U : 1U,
		y->down && y->count > 1 ? 2U : 1U, hop->up ? "to" : "from", on, call ? call : "",
		call ? ": " : "", ps_cl_error_name(code), (int)code);
	if (!c->of)
		return ps_cl_refuse(fault, ps_cl_errno(code), "%s", what);
	fault->named = true;
	return ps_cl_refuse(fault, ps_cl_errno(code), PS_CONNECTION ", %s", PS_CONNECTION_ARGS(c->of), what);
}

/* Of so many events the first one's that has failed by itself. */
static cl_int code_of(const cl_event *events, unsigned count)
{
	cl_int code = CL_SUCCESS;

	for (unsigned i = 0; events && i < count && code == CL_SUCCESS; i++) {
		code = ps_cl_event_code(events[i]);
		if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
			code = CL_SUCCESS;
	}
	return code;
}

void ps_cl_way_find_failed(struct ps_cl_fifo *c, struct ps_cl_fault *fault)
{
	struct ps_cl_way *y = c->way;

	pthread_mutex_lock(&y->lock);
	for (unsigned i = 0; i < y->count && !fault->err; i++) {
		cl_int code = code_of(y->hops[i].done, y->slots);

		if (code == CL_SUCCESS)
			code = code_of(y->hops[i].parts, y->slots * (PS_CL_PIECES - 1));
		if (code != CL_SUCCESS)
			ps_cl_way_fail(&y->hops[i], code, NULL, fault);
	}
	pthread_mutex_unlock(&y->lock);
}
