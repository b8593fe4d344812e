/* SPDX-License-Identifier: MIT */
#include "actors/common/check_media.h"

#include <stdlib.h>
#include <string.h>

struct pstk_video_input *media_open(const struct pstk_video_input_spec *spec)
{
	char error[PSTK_VIDEO_ERROR_SIZE];
	struct pstk_video_input *input;
	int err = pstk_video_input_open(&input, spec, error, sizeof(error));

	ck_assert_msg(!err, "%s", error);
	ck_assert_ptr_nonnull(input);
	ck_assert_str_eq(error, "");
	return input;
}

void media_refuses(const struct pstk_video_input_spec *spec, int err, const char *text)
{
	char error[PSTK_VIDEO_ERROR_SIZE] = "?";
	struct pstk_video_input *input = (struct pstk_video_input *)1;

	ck_assert_int_eq(pstk_video_input_open(&input, spec, error, sizeof(error)), err);
	ck_assert_ptr_null(input);
	ck_assert_str_eq(error, text);
}

int media_drain(struct pstk_video_input *input, unsigned char *to, size_t room, size_t *count)
{
	struct pstk_video_info info;
	unsigned char *frame;
	size_t size;
	int got;

	ck_assert_int_eq(pstk_video_input_get_info(input, &info), 0);
	size = (size_t)info.width * info.height;
	frame = malloc(size);
	ck_assert_ptr_nonnull(frame);
	for (*count = 0; (got = pstk_video_input_read(input, frame)) == 1; ++*count) {
		if (to && *count < room)
			memcpy(to + *count * size, frame, size);
	}
	/* the end and errors stay */
	ck_assert_int_eq(pstk_video_input_read(input, frame), got);
	free(frame);
	return got;
}
