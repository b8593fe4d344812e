/* SPDX-License-Identifier: MIT */
/* RIFF WAVE: 44 bytes of header, then samples, all little-endian. */
#include "config.h"

#include "apps/fm_receiver/wav.h"
#include "actors/common/message.h"
#include "actors/common/writer.h"
#include "apps/common/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 44, SAMPLE = 2, CHUNK = 4096 };

struct wav {
	struct ps_writer writer;
	uint32_t rate;
	uint64_t samples, clipped;
	char label[PS_LABEL_SIZE];
	unsigned char chunk[CHUNK * SAMPLE];
};

static void put(unsigned char *to, uint32_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (unsigned char)(value >> 8 * i);
}

/* A length that 32 bits can't hold is the most that they can, which is what unknown ones are, too. */
static int write_header(struct wav *wav, uint64_t samples)
{
	const uint64_t most = UINT32_MAX - HEADER;
	uint32_t bytes =
		samples < most / SAMPLE ? (uint32_t)(samples * SAMPLE) : (uint32_t)(most - most % SAMPLE);
	unsigned char header[HEADER] = "RIFF    WAVEfmt ";

	put(header + 4, bytes + HEADER - 8, 4);
	put(header + 16, 16, 4); /* bytes of the format, which follows */
	put(header + 20, 1, 2);  /* whole numbers */
	put(header + 22, 1, 2);  /* channels */
	put(header + 24, wav->rate, 4);
	put(header + 28, wav->rate * SAMPLE, 4); /* bytes a second */
	put(header + 32, SAMPLE, 2);
	put(header + 34, 8 * SAMPLE, 2);
	memcpy(header + 36, "data", 4);
	put(header + 40, bytes, 4);
	return ps_writer_write(&wav->writer, header, sizeof header);
}

int wav_open(struct wav **result, const char *path, uint32_t rate)
{
	struct wav *wav = calloc(1, sizeof *wav);
	int err;

	*result = NULL;
	if (!wav)
		return app_out_of_memory();
	wav->rate = rate;
	ps_label(wav->label, strcmp(path, "-") ? path : "stdout");
	ps_writer_init(&wav->writer);
	err = ps_writer_open(&wav->writer, path);
	if (!err)
		err = write_header(wav, UINT64_MAX);
	if (err) {
		int status = app_fail(EXIT_FAILED, "%s: %s", wav->label, strerror(-err));

		wav_close(wav);
		return status;
	}
	*result = wav;
	return 0;
}

void wav_close(struct wav *wav)
{
	if (!wav)
		return;
	ps_writer_close(&wav->writer);
	free(wav);
}

uint64_t wav_clipped(const struct wav *wav)
{
	return wav ? wav->clipped : 0;
}

static int write_samples(struct wav *wav, const float *in, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t part = n - done < CHUNK ? n - done : CHUNK;
		int err;

		for (size_t i = 0; i < part; i++) {
			long value = lrintf(fmaxf(-2, fminf(2, in[done + i])) * INT16_MAX);

			wav->clipped += value > INT16_MAX || value < -INT16_MAX;
			value = value > INT16_MAX ? INT16_MAX : value < -INT16_MAX ? -INT16_MAX : value;
			put(wav->chunk + i * SAMPLE, (uint32_t)value, SAMPLE);
		}
		err = ps_writer_write(&wav->writer, wav->chunk, part * SAMPLE);
		if (err)
			return err;
		done += part;
		wav->samples += part;
	}
	return 0;
}

/* A file that stdin's and stdout's owner shares with others begins anywhere: only our own is written to again. */
static int complete(struct wav *wav)
{
	int64_t at = wav->writer.part.name ? ps_writer_seek(&wav->writer, 0, SEEK_SET) : -1;
	int err = at < 0 ? 0 : write_header(wav, wav->samples);

	return err ? err : ps_writer_complete(&wav->writer);
}

static int fail(struct pstk_actor *self, int err)
{
	const struct wav *wav = pstk_actor_arg(self);

	return pstk_actor_error(
		self, err, "%s: %s", wav->label, err == -ECANCELED ? "stopped" : strerror(-err));
}

static int sink_fire(struct pstk_firing *f)
{
	struct pstk_actor *self = pstk_firing_actor(f);
	struct wav *wav = pstk_actor_arg(self);
	const float *in = pstk_fifo_read_start(f, 0);
	int err = wav ? write_samples(wav, in, pstk_port_valid(f, 0)) : 0;

	if (err)
		return fail(self, err);
	pstk_fifo_read_end(f, 0);
	return PSTK_AGAIN;
}

static int sink_finish(struct pstk_actor *self)
{
	struct wav *wav = pstk_actor_arg(self);
	int err = wav && !pstk_network_failed(pstk_actor_network(self)) ? complete(wav) : 0;

	return err ? fail(self, err) : 0;
}

/* A stop lets the samples under way be written; only when they are dropped may writing be cut short. */
static void sink_unblock(struct pstk_actor *self)
{
	struct wav *wav = pstk_actor_arg(self);

	if (wav && pstk_network_failed(pstk_actor_network(self)))
		ps_writer_stop(&wav->writer);
}

static const struct pstk_port ports[] = {
	{ .name = "in", .kind = PSTK_INPUT, .token_type = "f32", .rate = 1 },
};

#define SINK_TYPE(may_wait)                                                                                  \
	{                                                                                                    \
		.struct_size = (uint32_t)sizeof(struct pstk_actor_type), .name = "wav_sink", .ports = ports, \
		.port_count = 1, .blocks = (may_wait), .fire = sink_fire, .finish = sink_finish,             \
		.unblock = sink_unblock,                                                                     \
	}

const struct pstk_actor_type *wav_sink_type_for(const struct wav *wav)
{
	static const struct pstk_actor_type prompt = SINK_TYPE(false), waiting = SINK_TYPE(true);

	return wav && wav->writer.waits ? &waiting : &prompt;
}
