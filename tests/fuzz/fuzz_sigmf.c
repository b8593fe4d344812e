/* SPDX-License-Identifier: MIT */
/* SigMF: the input is the metadata; with samples beside them all is read. */
#include "penstock/iq.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned char samples[256];
	const char *path = fuzz_file("r.sigmf-meta", data, size);
	struct pstk_iq_input *input;
	char error[512];
	float re[16], im[16];

	fuzz_file("r.sigmf-data", samples, sizeof samples);
	if (pstk_iq_input_open(&input, PSTK_IQ_INPUT(.path = path), error, sizeof error))
		return 0;
	while (pstk_iq_input_read(input, re, im, 16) > 0) {
	}
	pstk_iq_input_close(input);
	return 0;
}
