/* SPDX-License-Identifier: MIT */
/* Grey frames of one size to another, by libswscale. */
#include "config.h"

#include "actors/video_source/input.h"

#include <errno.h>

#ifdef HAVE_FFMPEG

#include <libavutil/mem.h>
#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>

struct ps_scaler {
	struct SwsContext *context;
	int height, to_width, to_height;
	int stride, to_stride;
	unsigned char *out; /* padded: libswscale writes whole vectors, also beyond the end of a row */
};

int ps_scaler_create(struct ps_scaler **result, uint32_t width, uint32_t height, bool limited,
	uint32_t to_width, uint32_t to_height)
{
	const int *coefficients = sws_getCoefficients(SWS_CS_DEFAULT);
	struct ps_scaler *scaler = calloc(1, sizeof(*scaler));

	if (!scaler)
		return -ENOMEM;
	scaler->height = (int)height;
	scaler->stride = (int)width;
	scaler->to_width = (int)to_width;
	scaler->to_height = (int)to_height;
	scaler->to_stride = ((int)to_width + 127) & ~63;
	scaler->out = av_malloc((size_t)scaler->to_stride * to_height);
	scaler->context = sws_getContext((int)width, (int)height, AV_PIX_FMT_GRAY8, (int)to_width,
		(int)to_height, AV_PIX_FMT_GRAY8, SWS_BICUBIC, NULL, NULL, NULL);
	if (!scaler->out || !scaler->context) {
		ps_scaler_destroy(scaler);
		return -ENOMEM;
	}
	if (limited)
		sws_setColorspaceDetails(
			scaler->context, coefficients, 0, coefficients, 1, 0, 1 << 16, 1 << 16);
	*result = scaler;
	return 0;
}

int ps_scaler_run(struct ps_scaler *scaler, const unsigned char *from, unsigned char *to)
{
	const uint8_t *const source[4] = { from };
	uint8_t *const target[4] = { scaler->out };
	const int strides[4] = { scaler->stride }, to_strides[4] = { scaler->to_stride };
	size_t width = (size_t)scaler->to_width;

	if (sws_scale(scaler->context, source, strides, 0, scaler->height, target, to_strides) !=
		scaler->to_height)
		return -EIO;
	for (size_t y = 0; y < (size_t)scaler->to_height; y++)
		memcpy(to + y * width, scaler->out + y * (size_t)scaler->to_stride, width);
	return 0;
}

void ps_scaler_destroy(struct ps_scaler *scaler)
{
	if (!scaler)
		return;
	sws_freeContext(scaler->context);
	av_free(scaler->out);
	free(scaler);
}

#else

int ps_scaler_create(struct ps_scaler **result, uint32_t width, uint32_t height, bool limited,
	uint32_t to_width, uint32_t to_height)
{
	(void)width, (void)height, (void)limited, (void)to_width, (void)to_height;
	*result = NULL;
	return -ENOTSUP;
}

int ps_scaler_run(struct ps_scaler *scaler, const unsigned char *from, unsigned char *to)
{
	(void)scaler, (void)from, (void)to;
	return -ENOTSUP;
}

void ps_scaler_destroy(struct ps_scaler *scaler)
{
	(void)scaler;
}

#endif
