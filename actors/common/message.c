/* SPDX-License-Identifier: MIT */
#include "actors/common/message.h"

#include <stdio.h>
#include <string.h>

void ps_label(char label[PS_LABEL_SIZE], const char *path)
{
	size_t length = strlen(path);
	size_t room = PS_LABEL_SIZE - 1;

	if (length > room) {
		path += length - (room - 3);
		while (((unsigned char)*path & 0xC0) == 0x80) /* the rest of a UTF-8 character */
			path++;
		snprintf(label, PS_LABEL_SIZE, "...%s", path);
	} else {
		snprintf(label, PS_LABEL_SIZE, "%s", path);
	}
}

bool ps_ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length >= tail && !strcmp(path + length - tail, ending);
}

void ps_message(char *error, size_t size, const char *label, const char *format, va_list args)
{
	struct ps_text line = ps_text(error, size);
	char text[512];
	int used = snprintf(text, sizeof text, "%s: ", label);

	vsnprintf(text + used, sizeof text - (size_t)used, format, args);
	ps_text_add_shown(&line, text, sizeof text);
}
