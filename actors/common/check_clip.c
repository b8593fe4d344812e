/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "actors/common/check_clip.h"

#ifdef HAVE_FFMPEG

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned char clip_grey(unsigned n)
{
	return (unsigned char)(30 + 20 * (n % 10));
}

struct clip clip_irregular(const char *name, int unit)
{
	struct clip clip = { .name = name, .count = 40, .unit = unit };
	struct test_rng rng = { 11 };
	int64_t ms = 0;

	for (unsigned n = 0; n < 40; n++) {
		clip.stamps[n] = ms * unit / 1000;
		ms += (int64_t)test_between(&rng, 20, 170);
	}
	/* the mean is 95 ms: stretched or shrunk, so that the last frame lasts 50 ms up to 3.68 s */
	for (unsigned n = 0; n < 40; n++)
		clip.stamps[n] = clip.stamps[n] * 3630 * unit / 1000 / clip.stamps[39];
	clip.end = (int64_t)3680 * unit / 1000;
	return clip;
}

#define MUST(call) ck_assert_int_ge(call, 0)

static AVCodecContext *open_encoder(bool mpeg2)
{
	const AVCodec *encoder = avcodec_find_encoder(mpeg2 ? AV_CODEC_ID_MPEG2VIDEO : AV_CODEC_ID_MJPEG);
	AVCodecContext *codec = avcodec_alloc_context3(encoder);

	codec->width = CLIP_WIDTH;
	codec->height = CLIP_HEIGHT;
	codec->time_base = (AVRational){ 1, 25 };
	codec->pix_fmt = mpeg2 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUVJ420P;
	codec->bit_rate = 4000000;
	if (mpeg2) /* else a packet comes a frame later */
		codec->flags |= AV_CODEC_FLAG_LOW_DELAY;
	MUST(avcodec_open2(codec, encoder, NULL));
	return codec;
}

/* Encoders count frames; the container gets the stamps. */
static void write_frame(
	AVFormatContext *format, AVCodecContext *codec, const struct clip *clip, unsigned n, AVPacket *packet)
{
	int64_t end = n + 1 < clip->count ? clip->stamps[n + 1] : clip->end;
	AVFrame *frame = av_frame_alloc();

	frame->format = codec->pix_fmt;
	frame->width = CLIP_WIDTH;
	frame->height = CLIP_HEIGHT;
	MUST(av_frame_get_buffer(frame, 0));
	memset(frame->data[0], clip_grey(n), (size_t)frame->linesize[0] * CLIP_HEIGHT);
	memset(frame->data[1], 128, (size_t)frame->linesize[1] * CLIP_HEIGHT / 2);
	memset(frame->data[2], 128, (size_t)frame->linesize[2] * CLIP_HEIGHT / 2);
	frame->pts = n;
	MUST(avcodec_send_frame(codec, frame));
	av_frame_free(&frame);
	MUST(avcodec_receive_packet(codec, packet));
	packet->pts = packet->dts = clip->stamps[n];
	packet->duration = end - clip->stamps[n];
	packet->stream_index = 0;
	av_packet_rescale_ts(packet, (AVRational){ 1, clip->unit }, format->streams[0]->time_base);
	MUST(av_interleaved_write_frame(format, packet));
}

/* 16 bits, 8 kHz, one channel: all of it in one packet. */
static void add_audio(AVFormatContext *format)
{
	AVCodecParameters *audio = avformat_new_stream(format, NULL)->codecpar;

	audio->codec_type = AVMEDIA_TYPE_AUDIO;
	audio->codec_id = AV_CODEC_ID_PCM_S16LE;
	audio->sample_rate = 8000;
	audio->bits_per_coded_sample = 16;
	audio->block_align = 2;
	audio->bit_rate = 128000;
	av_channel_layout_default(&audio->ch_layout, 1);
	audio->format = AV_SAMPLE_FMT_S16;
}

static void write_audio(AVFormatContext *format, const struct clip *clip, AVPacket *packet)
{
	int64_t samples = clip->end * 8000 / clip->unit;

	MUST(av_new_packet(packet, (int)samples * 2));
	memset(packet->data, 0, (size_t)samples * 2);
	packet->pts = packet->dts = 0;
	packet->duration = samples;
	packet->stream_index = 1;
	av_packet_rescale_ts(packet, (AVRational){ 1, 8000 }, format->streams[1]->time_base);
	MUST(av_interleaved_write_frame(format, packet));
}

void clip_write(const struct clip *clip)
{
	AVCodecContext *codec = open_encoder(strstr(clip->name, ".ts"));
	AVPacket *packet = av_packet_alloc();
	AVFormatContext *format;
	AVStream *stream;

	av_log_set_level(AV_LOG_FATAL);
	MUST(avformat_alloc_output_context2(&format, NULL, NULL, clip->name));
	stream = avformat_new_stream(format, NULL);
	MUST(avcodec_parameters_from_context(stream->codecpar, codec));
	stream->time_base = (AVRational){ 1, clip->unit };
	if (clip->audio)
		add_audio(format);
	MUST(avio_open(&format->pb, clip->name, AVIO_FLAG_WRITE));
	MUST(avformat_write_header(format, NULL));
	if (clip->audio)
		write_audio(format, clip, packet);
	for (unsigned n = 0; n < clip->count; n++)
		write_frame(format, codec, clip, n, packet);
	MUST(av_write_trailer(format));
	avio_closep(&format->pb);
	avformat_free_context(format);
	avcodec_free_context(&codec);
	av_packet_free(&packet);
}

static int earlier(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct clip_times clip_read(const char *name)
{
	struct clip_times times = { 0 };
	AVPacket *packet = av_packet_alloc();
	AVFormatContext *format = NULL;
	const AVStream *stream;
	int video;

	MUST(avformat_open_input(&format, name, NULL, NULL));
	MUST(avformat_find_stream_info(format, NULL));
	video = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
	MUST(video);
	stream = format->streams[video];
	while (av_read_frame(format, packet) >= 0) {
		if (packet->stream_index == video) {
			ck_assert_uint_lt(times.count, CLIP_MOST);
			ck_assert_int_ne(packet->pts, AV_NOPTS_VALUE);
			times.starts[times.count++] = (double)packet->pts * av_q2d(stream->time_base);
		}
		av_packet_unref(packet);
	}
	qsort(times.starts, times.count, sizeof(double), earlier);
	if (format->duration_estimation_method == AVFMT_DURATION_FROM_STREAM)
		times.end = stream->duration > 0
		                    ? times.starts[0] + (double)stream->duration * av_q2d(stream->time_base)
		                    : (double)format->duration / AV_TIME_BASE;
	av_packet_free(&packet);
	avformat_close_input(&format);
	return times;
}

void clip_expect(const char *name, const struct clip_times *expected, double tolerance)
{
	struct clip_times got = clip_read(name);

	ck_assert_msg(got.count == expected->count, "%s: %u frames instead of %u", name, got.count,
		expected->count);
	for (unsigned n = 0; n < got.count; n++) {
		double start = got.starts[n] - got.starts[0],
		       wanted = expected->starts[n] - expected->starts[0];

		ck_assert_msg(fabs(start - wanted) <= tolerance,
			"%s: frame %u starts at %.6f instead of %.6f", name, n, start, wanted);
	}
	/* headers say it in thousandths */
	if (got.end > 0 && expected->end > 0)
		ck_assert_msg(fabs(got.end - got.starts[0] - (expected->end - expected->starts[0])) <=
				      (tolerance > 0.001 ? tolerance : 0.001) + 1e-9,
			"%s: ends at %.6f instead of %.6f", name, got.end - got.starts[0],
			expected->end - expected->starts[0]);
}

#endif
