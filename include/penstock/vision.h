/* SPDX-License-Identifier: MIT */
/*
 * Vision: stages of video applications, of libpenstock-actors. Each of them is stateless, has a form for the cores,
 * which a pipeline may spread over all of them, and one for devices where nothing else is said.
 *
 * The applications are those of Vilches, Navarro, Asenjo, Corbera, Gran and Garzaran, "Mapping Streaming Applications
 * on Commodity Multi-CPU and GPU On-Chip Processors" (IEEE TPDS 2016).
 *
 * Frames of several sizes in one stream
 *   A token holds the largest frame. It begins with the size of its own frame, a struct pstk_frame_size,
 *   PSTK_SIZED_HEAD bytes before what belongs to that frame, row after row without padding. What lies behind that is
 *   not defined. A token that an actor makes of a frame, of whatever elements, begins with the frame's size, too.
 *   So a frame costs what its own size costs, also its way to a device and back (token_bytes() of
 *   <penstock/core/actor.h>; not a pair of frames).
 *   The width and height of an actor are the largest of the stream, each by itself; a frame with a larger one is
 *   refused, with -EINVAL, on the cores; a device takes no more of it than that.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_VISION_H
#define PENSTOCK_VISION_H

#include <penstock/actors.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * -- Sized frames -----------------------------------------------------------------------------------------------------
 */

#define PSTK_SIZED_HEAD 64

/* Returns the bytes of a token with so many bytes behind its size: a multiple of 64. Context: ANY. */
static inline size_t pstk_sized_bytes(size_t bytes)
{
	return PSTK_SIZED_HEAD + (bytes + 63) / 64 * 64;
}

/* Returns the size of a token's frame. Context: ANY. */
static inline struct pstk_frame_size pstk_sized_get(const void *token)
{
	return *(const struct pstk_frame_size *)token;
}

/* Says the size of a token's frame. Context: ANY. */
static inline void pstk_sized_set(void *token, uint32_t width, uint32_t height)
{
	struct pstk_frame_size *size = (struct pstk_frame_size *)token;

	size->width = width;
	size->height = height;
}

/*
 * -- ViVid: what is in a picture, by filters, histograms and a classifier ---------------------------------------------
 *
 *	frame -> vivid_filters -> vivid_histogram -> vivid_classify -> distances
 *
 * After M. Dikmen, D. Hoiem and T. Huang, "A data-driven method for feature transformation" (CVPR 2012), as the paper
 * uses it. All tokens are of frames of several sizes, see above.
 */

/* Pixels of the side of a cell; filters, at most. */
#define PSTK_VIVID_CELL 8
#define PSTK_VIVID_FILTERS 256

/* Of an actor and its tokens. What an actor has not is 0 and NULL. */
struct pstk_vivid_spec {
	uint32_t struct_size;   /* sizeof(struct pstk_vivid_spec) of the program */
	uint32_t width, height; /* pixels of the largest frame */
	uint32_t filters;       /* 1 .. PSTK_VIVID_FILTERS */
	uint32_t rows;          /* of the classifier, from 1 */
	/* vivid_filters: 9 for each filter, row after row; vivid_classify: `filters` for each row. Finite. Copied. */
	const float *coefficients;
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_VIVID(...)                   \
	(&(const struct pstk_vivid_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_vivid_spec), __VA_ARGS__ })

static inline struct pstk_vivid_spec pstk_vivid_spec_init(void)
{
	struct pstk_vivid_spec spec = { (uint32_t)sizeof(struct pstk_vivid_spec), 0, 0, 0, 0, NULL };

	return spec;
}

/* Returns how many cells of PSTK_VIVID_CELL x PSTK_VIVID_CELL pixels a frame has, from its first pixel on; the rest of
 * a row and of a column is in none. Context: ANY. */
static inline size_t pstk_vivid_cells(uint32_t width, uint32_t height)
{
	return (size_t)(width / PSTK_VIVID_CELL) * (height / PSTK_VIVID_CELL);
}

/*
 * Adds an actor that filters frames by 3x3 pixels. Context: BUILD.
 *
 * Ports: in, u8: a frame. value, f32, and index, u8: as many as the frame has pixels.
 * value is the largest |sum of filter x pixels around it|, index the filter, the first one of several. In the first and
 * last row and column both are 0.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no spec, or one without struct_size; no width or height; filters that are none, too many, or not finite
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_vivid_filters_add(
	struct pstk_network *, const char *name, const struct pstk_vivid_spec *);

/*
 * Adds an actor that adds up values by their index, cell by cell. Context: BUILD.
 *
 * Ports: value, index: as vivid_filters gives them. hist, f32: `filters` sums for each cell, cells row after row.
 * Values of an index beyond the filters are left out. Errors: as above, without coefficients.
 */
PSTK_PUBLIC struct pstk_actor *pstk_vivid_histogram_add(
	struct pstk_network *, const char *name, const struct pstk_vivid_spec *);

/*
 * Adds an actor that compares histograms with the rows of a classifier. Context: BUILD.
 *
 * Ports: hist, as vivid_histogram gives them. dist, f32: for each row the squared distance to each cell, rows one after
 * the other.
 * It is |a|^2 - 2 a b + |b|^2 in single precision, and where that leaves less than a quarter of |a|^2 + |b|^2 the sum
 * of the squared differences: so it is near that everywhere. Errors: as above, and no rows.
 */
PSTK_PUBLIC struct pstk_actor *pstk_vivid_classify_add(
	struct pstk_network *, const char *name, const struct pstk_vivid_spec *);

/*
 * -- Bags of words: which scene a picture shows -----------------------------------------------------------------------
 *
 *	frame -> bag_gradients -> bag_words -> scores
 *
 * After G. Csurka, C. Dance, L. Fan, J. Willamowski and C. Bray, "Visual categorization with bags of keypoints" (ECCV
 * workshop, 2004), with a dense grid of patches. All tokens are of frames of several sizes, see above.
 */

/* Pixels of the side of a patch, and from one patch to the next; numbers of its descriptor. */
#define PSTK_BAG_PATCH 16
#define PSTK_BAG_STEP 8
#define PSTK_BAG_NUMBERS 128
/* Words and classes, at most. */
#define PSTK_BAG_WORDS 4096
#define PSTK_BAG_CLASSES 4096

/* Of an actor and its tokens. What an actor has not is 0 and NULL. */
struct pstk_bag_spec {
	uint32_t struct_size;   /* sizeof(struct pstk_bag_spec) of the program */
	uint32_t width, height; /* pixels of the largest frame */
	uint32_t words, classes;
	const float *vocabulary; /* PSTK_BAG_NUMBERS for each word. Finite. Copied */
	const float *weights; /* for each word, and one row more, a number for each class. Finite. Copied */
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_BAG(...) \
	(&(const struct pstk_bag_spec){ .struct_size = (uint32_t)sizeof(struct pstk_bag_spec), __VA_ARGS__ })

static inline struct pstk_bag_spec pstk_bag_spec_init(void)
{
	struct pstk_bag_spec spec = { (uint32_t)sizeof(struct pstk_bag_spec), 0, 0, 0, 0, NULL, NULL };

	return spec;
}

/* Returns how many patches fit into a frame, from its first pixel on. Context: ANY. */
static inline size_t pstk_bag_patches(uint32_t width, uint32_t height)
{
	if (width < PSTK_BAG_PATCH || height < PSTK_BAG_PATCH)
		return 0;
	return (size_t)((width - PSTK_BAG_PATCH) / PSTK_BAG_STEP + 1) *
	       ((height - PSTK_BAG_PATCH) / PSTK_BAG_STEP + 1);
}

/*
 * Adds an actor that takes the gradients of frames. Context: BUILD.
 *
 * Ports: in, u8: a frame. magnitude, f32, and bin, u8: as many as the frame has pixels.
 * The gradient is half the difference of both neighbours, across and along; 0 across the frame's edge. bin is that of
 * its direction, 0 .. 7: which eighth of a circle, beginning with its first line; 0 of no gradient.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no spec, or one without struct_size; no width or height, or more than 32768
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_bag_gradients_add(
	struct pstk_network *, const char *name, const struct pstk_bag_spec *);

/*
 * Adds an actor that describes patches by their gradients, on the cores. Context: BUILD.
 *
 * Ports: magnitude, bin: as bag_gradients gives them. descriptors, f32: PSTK_BAG_NUMBERS for each patch, row of patches
 * after row.
 * A patch has 4x4 cells of 4x4 pixels, and each cell a number for each bin: the sum of its magnitudes, weighed by a
 * Gaussian around the patch (sigma 8 pixels). They are divided by their length, no number is above 0.2 then, and they
 * are divided by their length again. A patch without gradients has zeros. Errors: as above.
 */
PSTK_PUBLIC struct pstk_actor *pstk_bag_descriptors_add(
	struct pstk_network *, const char *name, const struct pstk_bag_spec *);

/*
 * Adds an actor that gives a frame scores by the words of its patches, on the cores. Context: BUILD.
 *
 * Ports: magnitude, bin: as bag_gradients gives them. hist, f32: for each word the share of the patches whose
 * descriptor is nearest to it, the first one of several. scores, f32: (hist, 1) times the weights, a number for each
 * class.
 * A frame without a patch has a hist of zeros. Errors: as above, and
 *   -EINVAL: no words or too many, no classes or too many, a vocabulary or weights that are missing, or not finite
 */
PSTK_PUBLIC struct pstk_actor *pstk_bag_words_add(
	struct pstk_network *, const char *name, const struct pstk_bag_spec *);

/*
 * -- SRAD: takes the speckle out of ultrasound and radar pictures -----------------------------------------------------
 *
 * Speckle reducing anisotropic diffusion (Y. Yu, S. Acton, "Speckle reducing anisotropic diffusion", IEEE Trans. Image
 * Processing 11 (11), 2002), in the six stages that the paper takes from the Rodinia suite:
 *
 *	frame -> extract -+-> prepare -> reduce -+-> srad1 -+-> srad2 -> compress -> frame
 *	                  |                      |          |
 *	                  '----------- J --------+----------'
 *
 * A map is a float for each pixel. A step is one picture. The arg of each type is, or begins with, a struct
 * pstk_frame_size: the largest picture, from 1 x 1 on; init() compares the FIFOs' token sizes with it.
 * More than one iteration is prepare .. srad2 several times in a row, or a loop that stands for all of them. On the
 * cores results depend neither on that nor on threads; a device differs in the last bits.
 */

/* Returns a stage that makes J = exp(I / 255) of a frame. Context: ANY. Ports: in, a frame; out, a map. arg: struct
 * pstk_frame_size. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad_extract_type(void);

/* Returns a stage that squares a map, in single precision. Context: ANY. Ports: in, out. arg: struct pstk_frame_size.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad_prepare_type(void);

/* Bytes of a token of statistics: floats mean, variance, q0 and 0 behind the head. */
#define PSTK_SRAD_STATS_BYTES (PSTK_SIZED_HEAD + 64)

/*
 * Returns a stage that measures a map. Context: ANY. Ports: in, J; squares, J^2; out, PSTK_SRAD_STATS_BYTES. arg:
 * struct pstk_frame_size.
 *
 * mean(J), var = mean(J^2) - mean(J)^2, q0 = var / mean(J)^2. Where q0 is not above 2^-23, twice what rounding J^2 to
 * single precision may be, variance and q0 are 0: so of a picture of one grey level, and of one pixel.
 * Order of the sums
 *   C       in double precision: a row is of 8 sums, each of every 8th pixel, added pairwise; the rows of a band are
 *           added from the first to the last one, then the 64 bands, of which band k begins with row k x height / 64
 *   device  in single precision with what rounding has lost beside it; each work-item adds its pixels in lanes, then
 *           lanes and work-items are added in order. How many there are depends on the device.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad_reduce_type(void);

/*
 * Returns a stage that says how much a map is to be smoothed where. Context: ANY. Ports: in, J; stats, of reduce; out,
 * c. arg: struct pstk_frame_size.
 *
 * With N, S, W, E the differences of the neighbours to a pixel (outside of the map is the edge's pixel):
 *	G2 = (N^2 + S^2 + W^2 + E^2) / J^2,  L = (N + S + W + E) / J,  q = (G2 / 2 - L^2 / 16) / (1 + L / 4)^2
 *	c = 1 / (1 + (q - q0) / (q0 (1 + q0))), at least 0 and at most 1
 * Where q0 is 0, c is 0: the map stays as it is.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad1_type(void);

/* J += lambda / 4 (c N + c(south) S + c W + c(east) E), c repeated at the edge. */
struct pstk_srad2_arg {
	struct pstk_frame_size size;
	float lambda; /* above 0, at most 1: so no pixel becomes brighter or darker than its neighbours were; 0.5 */
};

/* Returns a stage that smoothes a map by one step. Context: ANY. Ports: in, J; c, of srad1; out. arg: struct
 * pstk_srad2_arg. */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad2_type(void);

/*
 * Returns a stage that makes a frame of a map: log(J) 255, truncated. Context: ANY. Ports: in, a map; out, a frame.
 * arg: struct pstk_frame_size.
 *
 * 2^-13 is added before it truncates: more than what all stages have rounded. So a pixel that did not change is what it
 * was.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad_compress_type(void);

struct pstk_srad_loop_arg {
	struct pstk_frame_size size;
	float lambda;        /* as of struct pstk_srad2_arg */
	uint32_t iterations; /* at least 1 */
};

/*
 * Returns a stage that does what `iterations` times prepare, reduce, srad1 and srad2 do, on the cores bit for bit.
 * Context: ANY. Ports: in, out, maps. arg: struct pstk_srad_loop_arg.
 *
 * Memory on the cores: a map and 128 rows for each firing that may run side by side; on a device two maps.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_srad_loop_type(void);

/*
 * -- Tracking: where features of a frame are in the next one ----------------------------------------------------------
 *
 *	frame -> pair -> preprocess -> features -> track -> tracks
 *	                       '--------------------^
 *
 * The tracker of Kanade, Lucas and Tomasi (J. Shi, C. Tomasi, "Good features to track", CVPR 1994; J.-Y. Bouguet,
 * "Pyramidal implementation of the Lucas Kanade feature tracker", 2000) on two levels, with the constants of the
 * tracking benchmark of SD-VBS. A pair is two frames that follow one another, two tokens, so all stages are stateless.
 * In a pipeline an item is a pair; a step of preprocess is one frame, so there it is given two:
 * pstk_actor_set_steps(preprocess, 2).
 *
 * Levels of a frame of w x h pixels, a token: floats. Level 0 has the frame's size, level 1 (w + 1) / 2 x (h + 1) / 2
 * pixels. Of level 0 a picture, its gradient across and its gradient along, then the same of level 1.
 * All sums up to the strengths of features are exact, so cores and devices find the same features in the same order.
 */

/* Returns the floats of the levels of a frame. Context: ANY. */
static inline size_t pstk_levels_count(uint32_t width, uint32_t height)
{
	return 3 * ((size_t)width * height + ((size_t)width + 1) / 2 * (((size_t)height + 1) / 2));
}

/* A feature, in pixels of level 0. */
struct pstk_feature {
	float x, y, strength, reserved;
};

/* Where a feature was, and where it is in the next frame. */
struct pstk_track {
	float x, y, to_x, to_y;
};

/* A token of features or tracks: `count` of them behind it, strongest feature first. */
struct pstk_found {
	struct pstk_frame_size size; /* of the frame, or of the second one of a pair */
	uint32_t count, window;      /* window: of the frame */
	uint32_t reserved[12];       /* to PSTK_SIZED_HEAD */
};

/* Returns what lies behind it. Context: ANY. */
static inline const struct pstk_feature *pstk_found_features(const struct pstk_found *found)
{
	return (const struct pstk_feature *)(found + 1);
}

static inline const struct pstk_track *pstk_found_tracks(const struct pstk_found *found)
{
	return (const struct pstk_track *)(found + 1);
}

/* The most features, and the largest window. */
#define PSTK_FEATURES_MOST 16384
#define PSTK_WINDOW_MOST 256

struct pstk_tracking_spec {
	uint32_t struct_size;   /* sizeof(struct pstk_tracking_spec) of the program */
	uint32_t width, height; /* pixels of the largest frame */
	/* 0: what SD-VBS has for the smallest of its formats that is as wide as the frame:
	 *	width      128  176  352  640  more
	 *	window       8   12   20   32    48
	 *	features   500  400  500  400   500
	 *	rounds      15   15   20   20    20 */
	uint32_t window, features, rounds;
	uint32_t radius; /* pixels around a feature in which there is no weaker one; 0: 10 */
	/* Their levels come as they are and not as pairs: a step takes one token, and sees the one before, too. */
	bool chained;
	/* Features are found in the first frame of a stream, and in each one whose size is another than the one's
	 * before; then they are followed from frame to frame. Such actors are not stateless and run on the cores. */
	bool first;
};

/* A pointer to a spec that is filled as the arguments say. C only. */
#define PSTK_TRACKING(...)                   \
	(&(const struct pstk_tracking_spec){ \
		.struct_size = (uint32_t)sizeof(struct pstk_tracking_spec), __VA_ARGS__ })

static inline struct pstk_tracking_spec pstk_tracking_spec_init(void)
{
	struct pstk_tracking_spec spec = { (uint32_t)sizeof(struct pstk_tracking_spec), 0, 0, 0, 0, 0, 0,
		false, false };

	return spec;
}

/* Returns the window, the features and the rounds of a frame of this width: what a spec says, or the table above.
 * Context: ANY. */
PSTK_PUBLIC uint32_t pstk_tracking_window(const struct pstk_tracking_spec *, uint32_t width);
PSTK_PUBLIC uint32_t pstk_tracking_features(const struct pstk_tracking_spec *, uint32_t width);
PSTK_PUBLIC uint32_t pstk_tracking_rounds(const struct pstk_tracking_spec *, uint32_t width);

/* Returns the bytes of a token of features, or of tracks, with room for the most of any frame. Context: ANY. */
PSTK_PUBLIC size_t pstk_tracking_found_bytes(const struct pstk_tracking_spec *);

/*
 * Returns an actor that makes pairs of a stream's frames: 1 2, 2 3, 3 4, .. Context: ANY. Ports: in, out, of one token
 * size, 8-bit grey frames. A stream of one frame has no pair. It runs on the cores.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_pair_type(void);

/*
 * Returns a stage that makes levels of a frame. Context: ANY. Ports: in, a frame, u8; out, its levels, f32. arg: struct
 * pstk_frame_size, the largest frame.
 *
 * Level 0 is the frame, blurred by [1 4 6 4 1] / 16 both ways, level 1 every second pixel, from (2, 2) on, of level 0
 * blurred so once more. What is less than 2 pixels from an edge is 0 behind each of both ways, and so is the rest of
 * level 1. Gradient across: [-1 0 1] / 2, and [1 2 1] / 4 along; the other one likewise; in the outermost pixels 0.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_preprocess_type(void);

/*
 * Adds a stage that finds the strongest features of the first frame of a pair. Context: BUILD. Ports: in, levels of a
 * pair; out, features.
 *
 * Sums of gx^2, gx gy, gy^2 over window x window pixels, which begin (window + 1) / 2 pixels before the pixel both
 * ways, make the strength det / (trace + 1e-5). Of the pixels that are `window` away from all edges the strongest
 * `features` are taken, as long as they are above 0, equal ones in the order of rows and columns; then, from the
 * strongest one on, all are dropped that are within `radius` of a kept one.
 * Errors (NULL is returned, and the network has the problem):
 *   -EINVAL: no spec, or one without struct_size; no width or height; a window below 2 or too large; too many features
 *   -ENOMEM
 */
PSTK_PUBLIC struct pstk_actor *pstk_features_add(
	struct pstk_network *, const char *name, const struct pstk_tracking_spec *);

/*
 * Adds a stage that follows features from the first frame of a pair to the second one. Context: BUILD. Ports: levels,
 * of a pair; features, of the first frame; out, tracks. With `first`: also positions, in and out ("positions_out"):
 * features that are connected with each other, with one delay token.
 *
 * From level 1 to level 0: patches of 2 window x 2 window pixels, bilinear, of the first frame, I, and of the second
 * one's gradients at the same position; G is the sum of the gradients' products. Then the displacement d, twice that of
 * level 1, becomes d + G^-1 sum((I - J) (gx, gy)), with J the second frame's patch at the position + d, until a step is
 * shorter than sqrt(0.03) pixels, or there were so many rounds. A feature is dropped where det G / (trace G + 1e-5) is
 * below 0.03, or where a patch leaves the picture. Frames of two sizes have no tracks.
 * (SD-VBS has the gradients' sign wrong, so that it goes away from where it should go.)
 * Errors: as pstk_features_add().
 */
PSTK_PUBLIC struct pstk_actor *pstk_track_add(
	struct pstk_network *, const char *name, const struct pstk_tracking_spec *);

#ifdef __cplusplus
}
#endif

#endif
