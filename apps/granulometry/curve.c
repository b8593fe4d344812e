/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/granulometry/curve.h"
#include "actors/common/message.h"
#include "apps/granulometry/results.h"

#include <inttypes.h>

static void put_data(FILE *file, const uint64_t *counts, uint32_t length)
{
	fputs("$curve << EOD\n", file);
	for (uint32_t n = 0; n < length; n++)
		fprintf(file, "%" PRIu32 " %" PRIu64 "\n", n, counts[n]);
	fputs("EOD\n$spectrum << EOD\n", file);
	for (uint32_t n = 0; n + 1 < length; n++)
		fprintf(file, "%" PRIu32 " %" PRIu64 "\n", n, counts[n] - counts[n + 1]);
	fputs("EOD\n", file);
}

void curve_write(FILE *file, const uint64_t *counts, uint32_t length, uint64_t images)
{
	const uint32_t best = results_main(counts, length);

	put_data(file, counts, length);
	fprintf(file, "set title '{/*1.3 Granulometry}'\n");
	if (images > 1)
		fprintf(file, "set title \"{/*1.3 Granulometry}\\n{/*0.85 sums over %" PRIu64 " images}\"\n",
			images);
	fprintf(file,
		"set xlabel 'size of the opening'\nset ylabel 'pixels'\nset xrange [0:%" PRIu32 "]\n"
		"set yrange [0:%" PRIu64 "]\nset format y '%%.0f'\n"
		"set border linecolor rgb '#8c959f'\nset grid linecolor rgb '#d5dbe1' linetype 1\n"
		"set tics textcolor rgb 'black'\nset key below left Left reverse maxcols 1 samplen 3\n",
		length > 1 ? length - 1 : 1, counts[0] ? counts[0] + counts[0] / 20 + 1 : 1);
	fprintf(file,
		"plot $curve using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.5 linecolor rgb "
		"'#0a5bc4' title 'granulometric curve G(n): pixels left'");
	if (best != UINT32_MAX)
		fprintf(file,
			", \\\n$spectrum using 1:2 with linespoints linewidth 2 dashtype (7,4) pointtype 7 "
			"pointsize "
			"0.5 linecolor rgb '#d35400' title 'pattern spectrum G(n) - G(n + 1): largest at n = "
			"%" PRIu32 "'",
			best);
	fputc('\n', file);
}
