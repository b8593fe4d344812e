/* SPDX-License-Identifier: MIT */
#include "lib/energy/kind.h"

enum { LINE = 1024 };

int ps_energy_refuse(struct ps_text *why, int err, const char *format, ...)
{
	char line[LINE], shown[LINE];
	struct ps_text text = ps_text(shown, sizeof shown);
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	ps_text_add_shown(&text, line, sizeof line);
	ps_text_add(why, "%s", shown);
	return err;
}
