/* SPDX-License-Identifier: MIT */
/* The plug-in of libpenstock-saliency: its types by name, for graph files. */
#include "config.h"

#include "actors/common/plugin_types.h"
#include "penstock/saliency.h"

/* Maps and spectra have as many elements as frames have pixels. */
static const char frames[] = "gray8";

static const struct pstk_plugin_type types[] = {
	{ .help = "transforms a map in two dimensions", .type = pstk_fft2d_type, .format = frames },
	{ .help = "filters a spectrum by 24 Gabor filters", .type = pstk_gabor_type, .format = frames },
	{ .help = "makes frames of maps: the largest value is white",
		.type = pstk_grey_type,
		.format = frames },
	{ .help = "transforms a spectrum back, and gives the energy",
		.type = pstk_ifft2d_type,
		.format = frames },
	{ .help = "lets 24 maps support and inhibit each other",
		.type = pstk_interactions_type,
		.format = frames },
	{ .help = "leaves maps with few peaks as they are", .type = pstk_normalize_type, .format = frames },
	{ .help = "adds the 24 maps of a frame", .type = pstk_sum_type, .format = frames },
	{ .help = "takes the mean off a frame, and weighs it", .type = pstk_window_type, .format = frames },
};

PSTK_PLUGIN(.name = "saliency", .types = types, .type_count = sizeof types / sizeof *types);
