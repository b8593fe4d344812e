/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/markup.h"

void markup_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<' || c == '>' || c == '&' || c == '"')
			fprintf(out, "&#%d;", c);
		else if (c < ' ' && c != '\n' && c != '\t')
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
}

static unsigned mix(unsigned from, unsigned to, double share)
{
	return (unsigned)((double)from + ((double)to - (double)from) * share + 0.5);
}

const char *markup_heat(double share, char colour[MARKUP_COLOUR])
{
	static const unsigned stops[3][3] = { { 255, 255, 255 }, { 255, 204, 128 }, { 239, 83, 80 } };
	double at = share > 1 ? 2 : share > 0 ? 2 * share : 0;
	unsigned low = at >= 1, high = low + 1;

	at -= low;
	snprintf(colour, MARKUP_COLOUR, "#%02x%02x%02x", mix(stops[low][0], stops[high][0], at) & 255,
		mix(stops[low][1], stops[high][1], at) & 255, mix(stops[low][2], stops[high][2], at) & 255);
	return colour;
}
