/* SPDX-License-Identifier: MIT */
/* Wrong channels and wrong messages: each is refused by name, and leaves all else as it was. */
#include "tests/mpi/mpi_case.h"

#include <limits.h>

static void refused_channels(void)
{
	uint32_t me = case_transport->rank, other = !me;
	const struct {
		struct pstk_transport_channel channels[2];
		uint32_t count;
		int err;
		const char *words;
	} rows[] = {
		{ { { 7, 99, true, 1, 8 } }, 1, -EINVAL, "channel 7: there is no rank 99, there are " },
		{ { { 7, me, true, 1, 8 } }, 1, -EINVAL, "channel 7: its peer is rank " },
		{ { { 1, other, true, 1, 8 }, { 7, other, true, 0, 8 } }, 2, -EINVAL, "channel 7: no slots" },
		{ { { UINT32_MAX, other, true, 1, 8 } }, 1, -ERANGE,
			"channel 4294967295: MPI's tags end at " },
		{ { { 7, other, true, 1, UINT64_C(1) + INT_MAX } }, 1, -EMSGSIZE,
			"channel 7: messages of 2147483648 bytes, MPI takes 2147483647 at most" },
		{ { { 7, other, true, 1, 8 }, { 7, other, true, 1, 4 } }, 2, -EEXIST,
			"channel 7: there are two to rank " },
		{ { { 7, other, false, 1, 8 }, { 7, other, false, 1, 4 } }, 2, -EEXIST,
			"channel 7: there are two from rank " },
		{ { { 7, other, true, INT_MAX, 8 }, { 8, other, true, 1, 4 } }, 2, -E2BIG,
			"the channels have 2147483648 slots together" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CASE_NEEDS(case_transport->open(case_transport->self, rows[i].channels, rows[i].count) ==
			   rows[i].err);
		case_says(rows[i].words);
	}
}

static void refused_messages(void)
{
	struct pstk_transport *t = case_transport;
	uint8_t bytes[9];

	CASE_NEEDS(t->receive(t->self, 2, 0, bytes, 8) == -EINVAL);
	case_says("there is no channel at place 2");
	CASE_NEEDS(t->send(t->self, UINT32_MAX, 0, bytes, 8) == -EINVAL);
	CASE_NEEDS(t->receive(t->self, 0, 0, bytes, 8) == -EINVAL);
	case_says("channel 1 sends");
	CASE_NEEDS(t->send(t->self, 1, 0, bytes, 8) == -EINVAL);
	case_says("channel 2 receives");
	CASE_NEEDS(t->receive(t->self, 1, 2, bytes, 8) == -EINVAL);
	case_says("channel 2: there is no slot 2, there are 2");
	CASE_NEEDS(t->receive(t->self, 1, 0, bytes, 9) == -EMSGSIZE);
	case_says("channel 2: 9 bytes, where 8 are the most");
	CASE_NEEDS(t->cancel(t->self, 0) == -EINVAL);
	CASE_NEEDS(t->cancel(t->self, 2) == -EINVAL);
	case_says("there is no channel at place 2 that receives");
	case_receive(1, 1, bytes, 8);
	CASE_NEEDS(t->receive(t->self, 1, 1, bytes, 8) == -EBUSY);
	case_says("channel 2: slot 1 is posted");
	CASE_NEEDS(!t->cancel(t->self, 1));
	CASE_NEEDS(case_await().err == -ECANCELED);
}

void case_refused(char **arguments)
{
	uint32_t other;

	(void)arguments;
	case_begin(2);
	other = !case_transport->rank;
	refused_channels();
	/* nothing is left of those */
	case_open((const struct pstk_transport_channel[]){ { 1, other, true, 2, 8 },
			  { 2, other, false, 2, 8 } },
		2);
	CASE_NEEDS(case_transport->open(case_transport->self, NULL, 0) == -EALREADY);
	case_says("the channels are open already");
	refused_messages();
	case_end();
}
