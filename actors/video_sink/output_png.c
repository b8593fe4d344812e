/* SPDX-License-Identifier: MIT */
/* A contact sheet as PNG. */
#include "config.h"

#include "actors/video_sink/output.h"

#include <errno.h>

#ifdef HAVE_PNG

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct png {
	struct ps_sheet *sheet;
	unsigned char *rgb; /* one frame with overlay */
	int err;            /* what stopped libpng */
};

static int png_write_frame(
	struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	struct png *png = output->data;

	if (!ps_sheet_wants(png->sheet, output->frames))
		return 0;
	if (output->spec.overlay)
		ps_overlay_rgb(png->rgb, map, frame, (size_t)output->spec.width * output->spec.height);
	ps_sheet_put(png->sheet, output->spec.overlay ? png->rgb : map);
	return 0;
}

static void on_error(png_structp context, png_const_charp message)
{
	struct pstk_video_output *output = png_get_error_ptr(context);
	struct png *png = output->data;

	if (!png->err)
		png->err = -EIO;
	(void)message;
	png_longjmp(context, 1);
}

static void on_warning(png_structp context, png_const_charp message)
{
	(void)context, (void)message;
}

static void on_data(png_structp context, png_bytep bytes, size_t size)
{
	struct pstk_video_output *output = png_get_io_ptr(context);
	struct png *png = output->data;

	png->err = ps_writer_write(&output->writer, bytes, size);
	if (png->err)
		png_error(context, "write");
}

static void on_flush(png_structp context)
{
	(void)context;
}

/* Nothing that must be freed is made after setjmp(): libpng leaves by longjmp(). */
static int encode(struct pstk_video_output *output, png_structp context, png_infop info,
	const unsigned char *pixels, uint32_t width, uint32_t height)
{
	struct png *png = output->data;
	size_t line = (size_t)width * (output->spec.overlay ? 3 : 1);

	if (setjmp(png_jmpbuf(context)))
		return png->err;
	png_set_write_fn(context, output, on_data, on_flush);
	png_set_IHDR(context, info, width, height, 8,
		output->spec.overlay ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
		PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(context, info);
	for (uint32_t y = 0; y < height; y++)
		png_write_row(context, pixels + y * line);
	png_write_end(context, info);
	return 0;
}

static int png_complete(struct pstk_video_output *output)
{
	struct png *png = output->data;
	uint32_t width, height;
	unsigned char *pixels = ps_sheet_make(png->sheet, &width, &height);
	png_structp context = png_create_write_struct(PNG_LIBPNG_VER_STRING, output, on_error, on_warning);
	png_infop info = context ? png_create_info_struct(context) : NULL;
	int err = -ENOMEM;

	if (pixels && info)
		err = encode(output, context, info, pixels, width, height);
	png_destroy_write_struct(&context, &info);
	free(pixels);
	return err ? ps_output_fail(output, err, "%s", strerror(-err)) : 0;
}

static void png_close(struct pstk_video_output *output)
{
	struct png *png = output->data;

	ps_sheet_destroy(png->sheet);
	free(png->rgb);
	free(png);
}

int ps_output_open_png(struct pstk_video_output *output)
{
	static const struct ps_output_format format = {
		.write = png_write_frame,
		.complete = png_complete,
		.close = png_close,
	};
	const struct pstk_video_output_spec *spec = &output->spec;
	struct png *png = calloc(1, sizeof(*png));

	if (!png)
		return ps_output_fail(output, -ENOMEM, "out of memory");
	output->format = &format;
	output->data = png;
	png->sheet = ps_sheet_create(spec->width, spec->height, spec->overlay ? 3 : 1);
	if (spec->overlay)
		png->rgb = malloc((size_t)spec->width * spec->height * 3);
	if (!png->sheet || (spec->overlay && !png->rgb))
		return ps_output_fail(output, -ENOMEM, "out of memory");
	return 0;
}

#else

int ps_output_open_png(struct pstk_video_output *output)
{
	return ps_output_fail(output, -ENOTSUP, "this build has no libpng for contact sheets");
}

#endif
