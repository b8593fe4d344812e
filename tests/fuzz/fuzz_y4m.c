/* SPDX-License-Identifier: MIT */
/* Y4M: each frame of what opens is read. */
#include "penstock/media.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { PIXELS = 1 << 22 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char magic[] = "YUV4MPEG2";
	struct pstk_video_input *input;
	struct pstk_video_info info;
	char error[PSTK_VIDEO_ERROR_SIZE];

	/* all else is FFmpeg's */
	if (size < sizeof magic || memcmp(data, magic, sizeof magic - 1) != 0)
		return 0;
	if (pstk_video_input_open(
		    &input, PSTK_VIDEO_INPUT(.path = fuzz_file("v.y4m", data, size)), error, sizeof error))
		return 0;
	pstk_video_input_get_info(input, &info);
	if ((uint64_t)info.width * info.height <= PIXELS) {
		unsigned char *frame = malloc((size_t)info.width * info.height);

		while (pstk_video_input_read(input, frame) == 1) {
		}
		free(frame);
	}
	pstk_video_input_close(input);
	return 0;
}
