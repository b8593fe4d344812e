/* SPDX-License-Identifier: MIT */
/* Track: where features are in the next frame. Behind tracking.cl. */

struct patch {
	size_t at;    /* its first pixel */
	float4 share; /* weights of four pixels */
};

/* Does it lie in a picture of that size? */
static inline bool place_patch(struct patch *p, uint2 size, float2 at, float window)
{
	float2 first = at - window, whole = floor(first), part = first - whole;

	if (!(first.x >= 0 && first.y >= 0 && at.x + window + 1 < size.x && at.y + window + 1 < size.y))
		return false;
	p->at = (size_t)whole.y * size.x + (size_t)whole.x;
	p->share = (float4)((1 - part.x) * (1 - part.y), part.x * (1 - part.y), (1 - part.x) * part.y,
		part.x * part.y);
	return true;
}

static inline float at_patch(__global const float *p, size_t w, float4 share)
{
	return share.x * p[0] + share.y * p[1] + share.z * p[w] + share.w * p[w + 1];
}

static inline floats at_patches(__global const float *p, size_t w, float4 share)
{
	return share.x * LOAD(p) + share.y * LOAD(p + 1) + share.z * LOAD(p + w) + share.w * LOAD(p + w + 1);
}

static inline float sum_of(floats v)
{
	float lanes[V], sum = 0;

	STORE(v, lanes);
	for (uint k = 0; k < V; k++)
		sum += lanes[k];
	return sum;
}

/* The sum of all work-items' values, to each of them. */
static inline float4 add_up(__local float4 *room, float4 own)
{
	float4 sum = 0;

	room[MEMBER] = own;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < MEMBERS; i++)
		sum += room[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	return sum;
}

/* Cuts the patch out of the first picture and both gradients of the second one. Returns sums gx^2, gx gy, gy^2. */
static inline float4 cut(__global float *patches, __global const float *picture, __global const float *across,
	__global const float *along, const struct patch *p, size_t w, size_t side)
{
	size_t size = side * side, whole = side / V * V;
	floats xx = 0, xy = 0, yy = 0;
	float4 rest = 0;

	for (size_t y = MEMBER; y < side; y += MEMBERS) {
		size_t from = p->at + y * w;
		__global float *to = patches + y * side;

		for (size_t x = 0; x < whole; x += V) {
			floats gx = at_patches(across + from + x, w, p->share),
			       gy = at_patches(along + from + x, w, p->share);

			STORE(at_patches(picture + from + x, w, p->share), to + x);
			STORE(gx, to + size + x);
			STORE(gy, to + 2 * size + x);
			xx += gx * gx;
			xy += gx * gy;
			yy += gy * gy;
		}
		for (size_t x = whole; x < side; x++) {
			float gx = at_patch(across + from + x, w, p->share),
			      gy = at_patch(along + from + x, w, p->share);

			to[x] = at_patch(picture + from + x, w, p->share);
			to[size + x] = gx;
			to[2 * size + x] = gy;
			rest += (float4)(gx * gx, gx * gy, gy * gy, 0);
		}
	}
	return rest + (float4)(sum_of(xx), sum_of(xy), sum_of(yy), 0);
}

/* Sums (I - J) gx, (I - J) gy. */
static inline float4 compare(__global const float *patches, __global const float *picture, const struct patch *p,
	size_t w, size_t side)
{
	size_t size = side * side, whole = side / V * V;
	floats across = 0, along = 0;
	float4 rest = 0;

	for (size_t y = MEMBER; y < side; y += MEMBERS) {
		__global const float *from = picture + p->at + y * w, *own = patches + y * side;

		for (size_t x = 0; x < whole; x += V) {
			floats less = LOAD(own + x) - at_patches(from + x, w, p->share);

			across += less * LOAD(own + size + x);
			along += less * LOAD(own + 2 * size + x);
		}
		for (size_t x = whole; x < side; x++) {
			float less = own[x] - at_patch(from + x, w, p->share);

			rest += (float4)(less * own[size + x], less * own[2 * size + x], 0, 0);
		}
	}
	return rest + (float4)(sum_of(across), sum_of(along), 0, 0);
}

/* All arguments but the patches: alike in all work-items of the group. Is it still there? *d becomes better. */
static inline bool improve(__local float4 *room, __global float *patches, __global const float *first,
	__global const float *second, uint2 frame, uint level, uint window, uint rounds, float2 at, float2 *d)
{
	uint2 size = size_at(frame, level);
	__global const float *picture = second + part_at(frame, level, PICTURE);
	size_t side = 2 * window;
	struct patch p;
	float4 g;
	float det;
	bool there = place_patch(&p, size, at, window), more;

	if (!there)
		return false;
	g = add_up(room, cut(patches, first + part_at(frame, level, PICTURE), second + part_at(frame, level, ACROSS),
				 second + part_at(frame, level, ALONG), &p, size.x, side));
	det = g.x * g.z - g.y * g.y;
	there = det / (g.x + g.z + 1e-5f) >= 0.03f;
	more = there;
	for (uint round = 0; round < rounds && more; round++) {
		there = place_patch(&p, size, at + *d, window);
		more = there;
		if (there) {
			float4 b = add_up(room, compare(patches, picture, &p, size.x, side));
			float2 step = (float2)(g.z * b.x - g.y * b.y, g.x * b.y - g.y * b.x) / det;

			*d += step;
			more = !(step.x * step.x + step.y * step.y < 0.03f);
		}
	}
	return there;
}

/* How many features are to be followed: of frames of two sizes none. */
static inline uint count_of(__global const float *features, uint2 size, uint2 other, uint most)
{
	uint count = ((__global const uint *)features)[2];

	return size.x != other.x || size.y != other.y || size.x == 0 || count > most ? 0 : count;
}

/* A group does each so many-th feature. patches: for each group 3 patches of the largest window. Lost ones get -1. */
__kernel void follow(__global const float *in, __global const float *features, __global float *out,
	__global float *patches, uint width, uint height, uint token, uint next, uint number, uint found_floats,
	uint most, uint given_window, uint given_rounds, uint largest_window)
{
	__local float4 room[GROUP_MOST];
	__global const float *first = in + token * levels_floats(width, height),
			     *second = in + next * levels_floats(width, height),
			     *from = features + number * found_floats;
	__global float *to = out + number * found_floats,
		       *own = patches + get_group_id(0) * 12 * (size_t)largest_window * largest_window;
	uint2 size = size_of(first, width, height), other = size_of(second, width, height);
	uint window = window_of(given_window, size.x), rounds = rounds_of(given_rounds, size.x);
	uint count = count_of(from, size, other, most);

	for (uint i = get_group_id(0); i < count; i += get_num_groups(0)) {
		float4 feature = vload4(i, from + HEAD_FLOATS);
		float2 d = 0;
		bool there = improve(room, own, first + HEAD_FLOATS, second + HEAD_FLOATS, size, 1, window, rounds,
			feature.xy / 2, &d);

		d *= 2;
		if (there)
			there = improve(room, own, first + HEAD_FLOATS, second + HEAD_FLOATS, size, 0, window, rounds,
				feature.xy, &d);
		if (MEMBER == 0)
			vstore4(there ? (float4)(feature.xy, feature.xy + d) : (float4)(-1), i, to + HEAD_FLOATS);
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}

/* One work-item. Writes the head, and drops what was lost. */
__kernel void keep(__global const float *in, __global const float *features, __global float *out, uint width,
	uint height, uint token, uint next, uint number, uint found_floats, uint most, uint given_window)
{
	__global const float *first = in + token * levels_floats(width, height),
			     *second = in + next * levels_floats(width, height),
			     *from = features + number * found_floats;
	__global float *to = out + number * found_floats;
	uint2 size = size_of(first, width, height), other = size_of(second, width, height);
	uint count = count_of(from, size, other, most), kept = 0;

	for (uint i = 0; i < count; i++) {
		float4 track = vload4(i, to + HEAD_FLOATS);

		if (track.x >= 0)
			vstore4(track, kept++, to + HEAD_FLOATS);
	}
	write_found(to, other, kept, window_of(given_window, size.x));
}
