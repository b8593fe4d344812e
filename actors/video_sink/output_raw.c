/* SPDX-License-Identifier: MIT */
/* Raw maps. */
#include "config.h"

#include "actors/video_sink/output.h"

#include <string.h>

static int raw_write(struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	int err = ps_writer_write(&output->writer, map, (size_t)output->spec.width * output->spec.height);

	(void)frame;
	return err ? ps_output_fail(output, err, "%s", strerror(-err)) : 0;
}

int ps_output_open_raw(struct pstk_video_output *output)
{
	static const struct ps_output_format format = { .write = raw_write };

	output->format = &format;
	return 0;
}
