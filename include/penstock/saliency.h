/* SPDX-License-Identifier: MIT */
/*
 * Saliency: where a picture draws the eye; the actors of libpenstock-saliency.
 *
 * The static pathway of a model of the visual system, as in "PACCO" (Boulos, Houzet, Huet et al., "Efficient
 * implementation of data flow graphs on multi-gpu clusters", section 5.3). The actors stand in this order:
 *
 *	frame -> window -> fft2d -> gabor -> ifft2d -> interactions -> normalize -> sum -> map
 *
 *   - A frame is 8-bit grey, as in <penstock/actors.h>. A map is width x height floats (f32), a spectrum as many
 *     complex numbers (cf32: real part, imaginary part), row after row without padding. One of them is one token.
 *   - A frame gives PSTK_SALIENCY_MAPS maps, one after the other: that of orientation j and band i is number 4 j + i.
 *   - All of them have the ports in and out, and take a struct pstk_frame_size, whose sides are 8 to 32768, or a
 *     struct that begins with it. init() compares the FIFOs' token sizes with it. pstk_network_add() copies the arg.
 *   - They are stateless, so their firings may run side by side. Sums are in single precision; cores and devices differ
 *     in the last bits, but for pstk_normalize_type().
 *   - On the cores transforms need kissfft and take any size. On devices they need clFFT, and sides without a prime
 *     factor above 13. Where that is missing the start fails with -ENOTSUP.
 *
 * Conventions (units, errors, contexts, ownership): <penstock/penstock.h>.
 */
#ifndef PENSTOCK_SALIENCY_H
#define PENSTOCK_SALIENCY_H

#include <penstock/actors.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PSTK_SALIENCY_ORIENTATIONS 6
#define PSTK_SALIENCY_BANDS 4
#define PSTK_SALIENCY_MAPS (PSTK_SALIENCY_ORIENTATIONS * PSTK_SALIENCY_BANDS)

/*
 * Takes a frame's mean off, and weighs it by a window in both directions. Context: ANY.
 *
 * Step: one frame in, one map out. arg: struct pstk_window_arg.
 * The result is divided by the square root of P, the mean of the frame's squares; a black frame gives zeros. So
 * energies behind it are in units of P, whatever the brightness of the frame.
 * window: of n pixels, k = 0 .. n - 1
 *   "hann"    0.5 - 0.5 cos(2 pi k / (n - 1)); also NULL
 *   "flat8"   1 - ((k - m) / m)^8 with m = n / 2, rounded down
 *   "none"    1
 */
struct pstk_window_arg {
	struct pstk_frame_size size;
	const char *window;
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_window_type(void);

/*
 * Transforms a map into its spectrum. Context: ANY.
 *
 * Step: one map in, one spectrum out: the two-dimensional discrete Fourier transform, not scaled, 0 first.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_fft2d_type(void);

/*
 * Filters a spectrum by Gabor filters of six orientations and four bands. Context: ANY.
 *
 * Step: one spectrum in, 24 out. With u the frequency of a column and v minus that of a row, in cycles a pixel from
 * -1/2 on, the filter of orientation j and band i is
 *
 *	exp(-((u - f cos t)^2 + (v - f sin t)^2) / (2 s^2)),   t = 90 + 30 j degrees
 *
 * with f = 1/32, 1/16, 1/8, 1/4 and s = 2 / (2 pi 3.9) / 2^(3 - i). It is a product of a factor of the column and one
 * of the row; factors below 10^-12 are 0.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_gabor_type(void);

/*
 * Transforms a spectrum back, and takes the energy. Context: ANY.
 *
 * Step: one spectrum in, one map out: |x|^2 of the inverse transform, which is scaled by 1 / (width x height).
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_ifft2d_type(void);

/*
 * Lets the maps of a frame inhibit and support each other. Context: ANY.
 *
 * Step: 24 maps in, 24 out: r[j,i] = m[j,i] + (m[j,i-1] + m[j,i+1]) / 2 - c (m[j-1,i] + m[j+1,i]), of bands those that
 * exist; orientations are cyclic. c is 1/4 in the first and the last band, else 1/2.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_interactions_type(void);

/*
 * Makes maps comparable: a map with few peaks keeps them, one with many loses them. Context: ANY.
 *
 * Step: one map in, one out. arg: struct pstk_normalize_arg.
 *   1. max - min <= flat: all of the map is 0. Else n = (r - min) / (max - min).
 *   2. n = n (1 - mean n)^2.
 *   3. With M the largest n and l = M / 5: n > l ? (n - l) / (M - l) M : 0.
 * Cores and devices with denormal numbers give the same bits: sums have one order. That of a row is of 32 sums, each of
 * every 32nd pixel, added pairwise; rows are added from the first to the last one.
 */
struct pstk_normalize_arg {
	struct pstk_frame_size size;
	float flat; /* in units of P: 1e-9 is what the model says */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_normalize_type(void);

/*
 * Adds the maps of a frame, from the first to the last one. Context: ANY.
 *
 * Step: 24 maps in, one out.
 */
PSTK_PUBLIC const struct pstk_actor_type *pstk_sum_type(void);

/*
 * Makes a frame of 8-bit grey of a map: its largest value becomes 255, 0 and what is below becomes 0. Context: ANY.
 *
 * Step: one map in, one frame out; rounded, halves up. arg: struct pstk_grey_arg. It runs on the cores.
 */
struct pstk_grey_arg {
	struct pstk_frame_size size;
	uint32_t mark; /* 0; or 1 .. 255: what is so bright or brighter becomes 255, the rest 0 */
};
PSTK_PUBLIC const struct pstk_actor_type *pstk_grey_type(void);

#ifdef __cplusplus
}
#endif

#endif
