/* SPDX-License-Identifier: MIT */
/* Raw grey frames. */
#include "config.h"

#include "actors/video_source/input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int raw_read(struct pstk_video_input *input, unsigned char *frame)
{
	size_t size = (size_t)input->width * input->height;
	ssize_t got = ps_reader_full(&input->reader, frame, size);

	if (got < 0)
		return ps_input_fail(input, (int)got, "%s", strerror((int)-got));
	if (got == 0)
		return 0;
	if ((size_t)got < size)
		return ps_input_truncated(input, input->frames, "those before it",
			": frame %" PRIu64 " has %zd of %zu bytes", input->frames, got, size);
	return 1;
}

int ps_input_open_raw(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	static const struct ps_input_format format = { .read = raw_read };
	bool any;
	int err;

	if (!spec->width)
		return ps_input_fail(input, -EINVAL, "raw frames need a size");
	err = ps_reader_starts_with(&input->reader, "", 1, &any);
	if (err < 0)
		return ps_input_fail(input, err, "%s", strerror(-err));
	if (!any)
		return ps_input_fail(input, -ENODATA, "is empty");
	input->format = &format;
	input->width = spec->width;
	input->height = spec->height;
	return 0;
}
