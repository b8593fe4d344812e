/* SPDX-License-Identifier: MIT */
/* A WAV file of one channel of 16 bits, and the sink that writes it. */
#ifndef FM_RECEIVER_WAV_H
#define FM_RECEIVER_WAV_H

#include <penstock/penstock.h>

struct wav;

/* Opens it as an I/Q output is opened, "-" is stdout, and writes a header. A pipe's length is not known then: it says
 * the most that can be, as other programs do. 0, or what to exit with; said then, and *wav is NULL. */
int wav_open(struct wav **, const char *path, uint32_t rate);

/* Closes it and frees it; removes a file that was not completed. NULL is allowed. */
void wav_close(struct wav *);

/* Samples beyond a full swing, which were written as one. */
uint64_t wav_clipped(const struct wav *);

/* The sink for it. Port: in, f32, -1 .. 1. arg: the wav, borrowed; NULL: the samples are swallowed. The file gets its
 * name when the network has ended well. */
const struct pstk_actor_type *wav_sink_type_for(const struct wav *);

#endif
