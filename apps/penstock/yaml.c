/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/penstock/yaml.h"

void yaml_text(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++)
		if (*text == '$')
			fputs("$$", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	fputc('"', out);
}
