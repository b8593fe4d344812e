/* SPDX-License-Identifier: MIT */
/*
 * What the kernels that copy tokens have in common. A token is so many bytes; it goes by words where it is a whole
 * number of them, for then windows begin at words.
 *
 * The groups share rows out, the work-items of a group take turns in its share: any work size gives the right result.
 */
#define INLINE static inline __attribute__((always_inline))
#define COPY_UNITS(name, unit)                                                                                  \
	INLINE void name(__global unit *to, size_t to_row, __global const unit *from, size_t from_row,          \
		size_t width, size_t rows)                                                                      \
	{                                                                                                       \
		size_t share = (rows + get_num_groups(0) - 1) / get_num_groups(0);                              \
		size_t begin = get_group_id(0) * share, end = min(begin + share, rows);                         \
                                                                                                                \
		for (size_t row = begin + get_local_id(0); row < end; row += get_local_size(0))                 \
			for (size_t i = 0; i < width; i++)                                                      \
				to[row * to_row + i] = from[row * from_row + i];                                \
	}
COPY_UNITS(copy_bytes, uchar)
COPY_UNITS(copy_words, uint)

/* Copies rows of `width` tokens, which lie so many tokens apart. */
INLINE void copy_rows(__global uchar *to, size_t to_row, __global const uchar *from, size_t from_row, size_t width,
	size_t rows, size_t token)
{
	__global const uint *from_words = (__global const uint *)from;
	__global uint *to_words = (__global uint *)to;
	size_t words = token / sizeof(uint);

	if (token % sizeof(uint))
		copy_bytes(to, to_row * token, from, from_row * token, width * token, rows);
	else if (words == 1) /* the compiler knows skip's loop then */
		copy_words(to_words, to_row, from_words, from_row, width, rows);
	else
		copy_words(to_words, to_row * words, from_words, from_row * words, width * words, rows);
}
