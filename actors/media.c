/* SPDX-License-Identifier: MIT */
#include "actors/media.h"

#include <string.h>

void ps_media_label(char label[PS_LABEL_SIZE], const char *path)
{
	size_t length = strlen(path);
	size_t room = PS_LABEL_SIZE - 1;

	if (length > room)
		snprintf(label, PS_LABEL_SIZE, "...%s", path + length - (room - 3));
	else
		snprintf(label, PS_LABEL_SIZE, "%s", path);
}

void ps_media_message(char *error, const char *label, const char *format, va_list args)
{
	int used = snprintf(error, PSTK_VIDEO_ERROR_SIZE, "%s: ", label);

	vsnprintf(error + used, PSTK_VIDEO_ERROR_SIZE - (size_t)used, format, args);
}
