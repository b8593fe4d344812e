/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/video.h"
#include "apps/common/app.h"

#include <inttypes.h>
#include <string.h>

const char *video_contradiction(const char *input, bool synthetic, bool sized)
{
	size_t length = input ? strlen(input) : 0;

	if (input && synthetic)
		return "--input and --synthetic exclude each other";
	if (!input && !synthetic)
		return "--input FILE or --synthetic WxH is needed";
	if (length >= 5 && !strcmp(input + length - 5, ".gray") && !sized)
		return "a .gray input needs --size";
	return NULL;
}

/* A file's name for a message. */
static const char *called(const char *name, const char *standard)
{
	return strcmp(name, "-") != 0 ? name : standard;
}

bool video_warn_audio(const struct pstk_video_output *output, const char *input)
{
	struct pstk_video_output_info info = { 0 };

	pstk_video_output_get_info(output, &info);
	if (info.loses_audio)
		app_fail(EXIT_DONE, "%s: its audio is not written", called(input, "stdin"));
	return info.loses_audio;
}

void video_warn_rate(
	const struct pstk_video_output *output, const char *name, const struct pstk_video_info *input)
{
	struct pstk_video_output_info info = { 0 };

	pstk_video_output_get_info(output, &info);
	if (info.repeated || info.left_out)
		app_fail(EXIT_DONE,
			"%s: has a constant rate, %.4g frames/s: to keep the input's time stamps %" PRIu64
			" frame%s repeated, %" PRIu64 " left out",
			called(name, "stdout"), (double)input->rate_num / input->rate_den, info.repeated,
			info.repeated == 1 ? " is" : "s are", info.left_out);
}
