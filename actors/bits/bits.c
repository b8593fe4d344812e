/* SPDX-License-Identifier: MIT */
/* Grey to 1 bit a pixel. */
#include "config.h"

#include "actors/common/spec.h"
#include "actors/common/volume.h"
#include "actors/common/wide.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { IN, OUT };
enum { BYTE = 8, BYTES = PS_WORD_BITS / BYTE };

/* Bit 0 of byte k becomes bit k. */
PS_WIDE_BODY static uint64_t gather(const uint8_t *flags)
{
	uint64_t eight;

	memcpy(&eight, flags, sizeof eight);
	return le64toh(eight) * UINT64_C(0x0102040810204080) >> (PS_WORD_BITS - BYTE);
}

PS_WIDE_BODY static uint64_t pack_word(const uint8_t *grey, uint8_t threshold)
{
	uint8_t flags[PS_WORD_BITS];
	uint64_t word = 0;

	for (unsigned i = 0; i < PS_WORD_BITS; i++)
		flags[i] = grey[i] > threshold;
	for (unsigned i = 0; i < BYTES; i++)
		word |= gather(flags + i * BYTE) << i * BYTE;
	return word;
}

/* Rows lie one behind the other on both sides. */
PS_WIDE_BODY static void pack_body(
	uint64_t *restrict bits, const uint8_t *restrict grey, size_t width, size_t rows, uint8_t threshold)
{
	size_t rest = width % PS_WORD_BITS;

	for (size_t y = 0; y < rows; y++) {
		for (size_t i = 0; i < width / PS_WORD_BITS; i++, grey += PS_WORD_BITS)
			*bits++ = pack_word(grey, threshold);
		if (rest) {
			uint8_t padded[PS_WORD_BITS] = { 0 };

			memcpy(padded, grey, rest);
			*bits++ = pack_word(padded, threshold);
			grey += rest;
		}
	}
}

PS_WIDE(pack,
	(uint64_t *restrict bits, const uint8_t *restrict grey, size_t width, size_t rows, uint8_t threshold),
	(bits, grey, width, rows, threshold))

void pstk_bits_pack(uint64_t *bits, const uint8_t *grey, uint32_t width, uint32_t height, uint32_t depth,
	uint32_t threshold)
{
	pack(bits, grey, width, (size_t)height * depth,
		(uint8_t)(threshold < UINT8_MAX ? threshold : UINT8_MAX));
}

struct bits {
	struct ps_volume volume;
	uint32_t threshold;
};

static int init(struct pstk_actor *self)
{
	const struct bits *b = pstk_actor_arg(self);
	const uint64_t width = b->volume.width, words = b->volume.words;
	const uint64_t rows = (uint64_t)b->volume.height * b->volume.depth;
	const size_t work[] = { words, rows * pstk_actor_port_rate(self, OUT) };
	int err = pstk_actor_set_work_size(self, sizeof work / sizeof *work, work, NULL);

	if (!err)
		err = pstk_actor_set_arg(self, 0, sizeof width, &width);
	if (!err)
		err = pstk_actor_set_arg(self, 1, sizeof words, &words);
	if (!err)
		err = pstk_actor_set_arg(self, 2, sizeof rows, &rows);
	if (!err)
		err = pstk_actor_set_arg(self, 3, sizeof(uint32_t), PSTK_ARG_VALID(OUT));
	if (!err)
		err = pstk_actor_set_arg(self, 4, sizeof b->threshold, &b->threshold);
	return err;
}

static int fire(struct pstk_firing *f)
{
	const struct bits *b = pstk_actor_arg(pstk_firing_actor(f));
	const uint8_t *grey = pstk_fifo_read_start(f, IN);
	uint64_t *out = pstk_fifo_write_start(f, OUT);
	const struct ps_volume *v = &b->volume;

	pack(out, grey, v->width, (size_t)v->height * v->depth * pstk_port_valid(f, OUT),
		(uint8_t)b->threshold);
	pstk_fifo_read_end(f, IN);
	pstk_fifo_write_end(f, OUT);
	return PSTK_AGAIN;
}

static const struct pstk_kernel kernel = {
	.source =
#include "actors/bits/bits.clh"
		, .name = "bits",
};

static int read_spec(
	struct bits *b, struct pstk_network *net, const char *name, const struct pstk_bits_spec *given)
{
	struct pstk_bits_spec spec;

	if (!given)
		return pstk_network_refuse(net, -EINVAL, "'%s': its spec is NULL", name);
	if (ps_copy_spec(&spec, sizeof spec, sizeof spec, given, "pstk_bits", NULL, 0))
		return pstk_network_refuse(net, -EINVAL,
			"'%s': struct_size of its struct pstk_bits_spec is %" PRIu32
			", expected %zu: use PSTK_BITS() or pstk_bits_spec_init()",
			name, given->struct_size, sizeof spec);
	if (spec.threshold > UINT8_MAX)
		return pstk_network_refuse(net, -EINVAL,
			"'%s': a threshold of %" PRIu32 ": expected 0 to 255", name, spec.threshold);
	b->threshold = spec.threshold;
	return ps_volume_init(&b->volume, net, name, spec.width, spec.height, spec.depth);
}

struct pstk_actor *pstk_bits_add(
	struct pstk_network *net, const char *name, const struct pstk_bits_spec *spec)
{
	struct bits b = { .threshold = 0 };
	struct pstk_port ports[] = {
		[IN] = { .name = "in", .kind = PSTK_INPUT, .token_type = "u8", .rate = 1 },
		[OUT] = { .name = "out", .kind = PSTK_OUTPUT, .token_type = "u64", .rate = 1 },
	};

	if (read_spec(&b, net, name ? name : "", spec))
		return NULL;
	ports[IN].token_size = (size_t)b.volume.width * b.volume.height * b.volume.depth;
	ports[OUT].token_size = b.volume.size * sizeof(uint64_t);
	return pstk_network_add(net, name,
		PSTK_ACTOR_TYPE(.name = "bits", .ports = ports, .port_count = sizeof ports / sizeof *ports,
			.arg_size = sizeof b, .stateless = true, .init = init, .fire = fire,
			.kernel = &kernel),
		&b);
}
