/* SPDX-License-Identifier: MIT */
/* The coefficients of the application predistortion: JSON. */
#include "apps/common/app.h"
#include "apps/predistortion/coefficients.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct coefficients c = { .count = 0 };

	coefficients_load(&c, fuzz_file("c.json", data, size));
	coefficients_free(&c);
	return 0;
}
