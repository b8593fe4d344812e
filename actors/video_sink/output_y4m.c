/* SPDX-License-Identifier: MIT */
/* Y4M: maps as Cmono, the picture with motion in red as C444. */
#include "config.h"

#include "actors/video_sink/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char frame_line[] = "FRAME\n";

/* data: a frame with its line */
static int y4m_repeat(struct pstk_video_output *output)
{
	size_t line = sizeof(frame_line) - 1, n = (size_t)output->spec.width * output->spec.height;
	int err = ps_writer_write(&output->writer, output->data, line + (output->spec.overlay ? 3 * n : n));

	return err ? ps_output_fail(output, err, "%s", strerror(-err)) : 0;
}

static int y4m_write(struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	size_t line = sizeof(frame_line) - 1, n = (size_t)output->spec.width * output->spec.height;
	unsigned char *buffer = output->data;

	if (output->spec.overlay)
		ps_overlay_ycc(buffer + line, map, frame, n);
	else
		memcpy(buffer + line, map, n);
	return y4m_repeat(output);
}

static void y4m_close(struct pstk_video_output *output)
{
	free(output->data);
}

int ps_output_open_y4m(struct pstk_video_output *output)
{
	static const struct ps_output_format format = {
		.write = y4m_write, .repeat = y4m_repeat, .close = y4m_close
	};
	const struct pstk_video_output_spec *spec = &output->spec;
	size_t n = (size_t)spec->width * spec->height;
	char header[128];
	int length, err;

	output->format = &format;
	output->data = malloc(sizeof(frame_line) + (spec->overlay ? 3 * n : n));
	if (!output->data)
		return ps_output_fail(output, -ENOMEM, "out of memory");
	memcpy(output->data, frame_line, sizeof(frame_line) - 1);
	length = snprintf(header, sizeof(header),
		"YUV4MPEG2 W%" PRIu32 " H%" PRIu32 " F%" PRIu32 ":%" PRIu32 " Ip A1:1 C%s\n", spec->width,
		spec->height, spec->rate_num, spec->rate_den, spec->overlay ? "444" : "mono");
	err = ps_writer_write(&output->writer, header, (size_t)length);
	return err ? ps_output_fail(output, err, "%s", strerror(-err)) : 0;
}
