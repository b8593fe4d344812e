/* SPDX-License-Identifier: MIT */
/* The synthetic scene: a still street, walkers over it, a little noise over all. */
#include "config.h"

#include "actors/scene/scene.h"
#include "actors/video_source/input.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ps_scene {
	uint32_t width, height;
	unsigned char *street; /* constant after create */
};

int ps_scene_create(struct ps_scene **result, uint32_t width, uint32_t height)
{
	struct ps_scene *scene;

	if (width < PS_SCENE_MIN_SIDE || height < PS_SCENE_MIN_SIDE || width > PS_VIDEO_MAX_SIDE ||
		height > PS_VIDEO_MAX_SIDE)
		return -EINVAL;
	scene = calloc(1, sizeof(*scene));
	if (scene)
		scene->street = malloc((size_t)width * height);
	if (!scene || !scene->street) {
		free(scene);
		return -ENOMEM;
	}
	scene->width = width;
	scene->height = height;
	ps_street_paint(scene->street, (int)width, (int)height);
	*result = scene;
	return 0;
}

/* xorshift64: eight noise bytes a step */
static uint64_t next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

/* Adds -3 .. 3 to each pixel, eight at a time: pixels are 10 .. 245, so no byte carries into the next. */
static void add_noise(unsigned char *frame, size_t size, uint64_t n)
{
	const uint64_t twos = UINT64_C(0x0303030303030303);
	uint64_t random = (n + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;

	for (size_t at = 0; at < size; at += 8) {
		size_t count = size - at < 8 ? size - at : 8;
		uint64_t pixels = 0;

		random = next_random(random);
		memcpy(&pixels, frame + at, count);
		if (count < 8) /* bytes beyond the end must not borrow either */
			memset((unsigned char *)&pixels + count, 128, 8 - count);
		pixels += htole64(random & twos);
		pixels += htole64((random >> 2) & twos);
		pixels -= twos;
		memcpy(frame + at, &pixels, count);
	}
}

void ps_scene_frame(const struct ps_scene *scene, uint64_t n, unsigned char *frame)
{
	size_t size = (size_t)scene->width * scene->height;

	memcpy(frame, scene->street, size);
	ps_walkers_paint(frame, (int)scene->width, (int)scene->height, n);
	add_noise(frame, size, n);
}

void ps_scene_destroy(struct ps_scene *scene)
{
	if (!scene)
		return;
	free(scene->street);
	free(scene);
}

static int scene_read(struct pstk_video_input *input, unsigned char *frame)
{
	ps_scene_frame(input->data, input->frames, frame);
	return 1;
}

static void scene_close(struct pstk_video_input *input)
{
	ps_scene_destroy(input->data);
}

int ps_input_open_scene(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	static const struct ps_input_format format = { .read = scene_read, .close = scene_close };
	struct ps_scene *scene = NULL;
	int err = ps_scene_create(&scene, spec->scene_width, spec->scene_height);

	if (err == -EINVAL)
		return ps_input_fail(input, err, "wrong size %ux%u (%ux%u to %ux%u)", spec->scene_width,
			spec->scene_height, PS_SCENE_MIN_SIDE, PS_SCENE_MIN_SIDE, PS_VIDEO_MAX_SIDE,
			PS_VIDEO_MAX_SIDE);
	if (err)
		return ps_input_fail(input, err, "out of memory");
	input->format = &format;
	input->data = scene;
	input->width = spec->scene_width;
	input->height = spec->scene_height;
	return 0;
}
