/* SPDX-License-Identifier: MIT */
/* A container that FFmpeg writes, with its usual codec. */
#include "config.h"

#include "actors/video_sink/output.h"

#include <errno.h>

#ifdef HAVE_FFMPEG

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>

#define IO_BUFFER 65536
#define THEORA_MIN_WIDTH 18
#define MPEG4_MAX_TICKS 65535 /* a second, in MPEG-4 */

struct ffmpeg {
	AVFormatContext *format;
	AVIOContext *io;
	const AVCodec *encoder;
	AVCodecContext *codec;
	AVStream *stream;
	AVPacket *packet;
	AVFrame *frame;
	struct SwsContext *scale;
	unsigned char *picture; /* one frame, grey or rgb, padded: libswscale reads whole vectors */
	int io_error;           /* the writer's, which FFmpeg may replace by one of its own */
};

/* The writer's own cause, if it was that; else what FFmpeg says. */
static int fail(struct pstk_video_output *output, int averror, const char *what)
{
	struct ffmpeg *ff = output->data;
	char cause[AV_ERROR_MAX_STRING_SIZE] = "";

	if (ff->io_error)
		return ps_output_fail(output, ff->io_error, "%s", strerror(-ff->io_error));
	if (averror == AVERROR(ENOMEM))
		return ps_output_fail(output, -ENOMEM, "out of memory");
	av_strerror(averror, cause, sizeof(cause));
	return ps_output_fail(output, -EPROTO, "%s: %s", what, cause);
}

static int write_bytes(void *data, uint8_t *bytes, int size)
{
	struct pstk_video_output *output = data;
	struct ffmpeg *ff = output->data;
	int err = ps_writer_write(&output->writer, bytes, (size_t)size);

	if (err && !ff->io_error)
		ff->io_error = err;
	return err ? err : size;
}

static int64_t seek(void *data, int64_t offset, int whence)
{
	struct pstk_video_output *output = data;
	int64_t at, end;

	if (whence != AVSEEK_SIZE)
		return ps_writer_seek(&output->writer, offset, whence & ~AVSEEK_FORCE);
	at = ps_writer_seek(&output->writer, 0, SEEK_CUR);
	end = ps_writer_seek(&output->writer, 0, SEEK_END);
	ps_writer_seek(&output->writer, at, SEEK_SET);
	return end;
}

int ps_output_check_ffmpeg(struct pstk_video_output *output, const char *path)
{
	const AVOutputFormat *format = av_guess_format(NULL, path, NULL);
	const char *ending = strrchr(path, '.');

	if (!format || format->video_codec == AV_CODEC_ID_NONE || format->flags & AVFMT_NOFILE)
		return ps_output_fail(
			output, -EINVAL, "'%.16s' is no ending of a video that can be written", ending);
	return 0;
}

static const AVCodec *choose_encoder(const AVOutputFormat *format)
{
	/* VP8 where VP9 is usual: several times as fast, and as widely read */
	static const enum AVCodecID others[] = { AV_CODEC_ID_VP8, AV_CODEC_ID_MPEG4, AV_CODEC_ID_MJPEG,
		AV_CODEC_ID_MPEG1VIDEO };
	const AVCodec *encoder = NULL;

	if (format->video_codec != AV_CODEC_ID_VP9)
		encoder = avcodec_find_encoder(format->video_codec);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !encoder; i++) {
		if (avformat_query_codec(format, others[i], FF_COMPLIANCE_NORMAL) == 1)
			encoder = avcodec_find_encoder(others[i]);
	}
	return encoder ? encoder : avcodec_find_encoder(format->video_codec);
}

static bool takes(const AVCodec *encoder, enum AVPixelFormat pixels)
{
	for (const enum AVPixelFormat *p = encoder->pix_fmts; p && *p != AV_PIX_FMT_NONE; p++) {
		if (*p == pixels)
			return true;
	}
	return !encoder->pix_fmts;
}

/* 420 is what every player shows. H.264 has it for even sizes only: odd ones get whole chroma. */
static enum AVPixelFormat choose_pixels(const struct pstk_video_output *output, const AVCodec *encoder)
{
	bool odd = output->spec.width % 2 || output->spec.height % 2;
	bool even_only = odd && (encoder->id == AV_CODEC_ID_H264 || encoder->id == AV_CODEC_ID_HEVC);

	/* full range has formats of its own, and FFmpeg takes no other for MJPEG */
	if (encoder->id == AV_CODEC_ID_MJPEG && takes(encoder, AV_PIX_FMT_YUVJ420P))
		return AV_PIX_FMT_YUVJ420P;
	if (!even_only && takes(encoder, AV_PIX_FMT_YUV420P))
		return AV_PIX_FMT_YUV420P;
	if (takes(encoder, AV_PIX_FMT_YUV444P))
		return AV_PIX_FMT_YUV444P;
	return avcodec_find_best_pix_fmt_of_list(
		encoder->pix_fmts, output->spec.overlay ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_GRAY8, 0, NULL);
}

static void set_up_codec(const struct pstk_video_output *output, struct ffmpeg *ff)
{
	AVCodecContext *codec = ff->codec;
	int num, den;

	av_reduce(&num, &den, output->spec.rate_num, output->spec.rate_den, MPEG4_MAX_TICKS);
	codec->width = (int)output->spec.width;
	codec->height = (int)output->spec.height;
	codec->time_base = (AVRational){ den, num };
	codec->framerate = (AVRational){ num, den };
	codec->pix_fmt = choose_pixels(output, ff->encoder);
	codec->color_range = ff->encoder->id == AV_CODEC_ID_MJPEG ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
	codec->colorspace = AVCOL_SPC_SMPTE170M; /* what libswscale converts to */
	codec->gop_size = 50;
	/* good quality where the encoder takes a bit rate: 2 bits a pixel and frame is plenty */
	codec->bit_rate = (int64_t)((double)output->spec.width * output->spec.height * 2 * num / den);
	codec->bit_rate = codec->bit_rate < 64000      ? 64000
	                  : codec->bit_rate > 40000000 ? 40000000
	                                               : codec->bit_rate;
	if (!strcmp(ff->encoder->name, "libx264")) {
		codec->bit_rate = 0;
		av_opt_set(codec->priv_data, "preset", "veryfast", 0);
		av_opt_set(codec->priv_data, "crf", "20", 0);
	}
	if (codec->codec_id == AV_CODEC_ID_VP8) {
		av_opt_set(codec->priv_data, "deadline", "realtime", 0);
		av_opt_set(codec->priv_data, "cpu-used", "6", 0);
	}
	if (ff->format->oformat->flags & AVFMT_GLOBALHEADER)
		codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
}

static int open_format(struct pstk_video_output *output, struct ffmpeg *ff, const char *path)
{
	unsigned char *buffer;

	if (avformat_alloc_output_context2(&ff->format, NULL, NULL, path) < 0)
		return ps_output_fail(output, -ENOMEM, "out of memory");
	buffer = av_malloc(IO_BUFFER);
	ff->io = buffer ? avio_alloc_context(buffer, IO_BUFFER, 1, output, NULL, write_bytes,
				  output->writer.regular ? seek : NULL)
	                : NULL;
	if (!ff->io) {
		av_free(buffer);
		return ps_output_fail(output, -ENOMEM, "out of memory");
	}
	ff->format->pb = ff->io;
	return 0;
}

static int open_codec(struct pstk_video_output *output, struct ffmpeg *ff)
{
	int got;

	ff->encoder = choose_encoder(ff->format->oformat);
	if (!ff->encoder)
		return ps_output_fail(
			output, -ENOTSUP, "this FFmpeg has no encoder for %s", ff->format->oformat->name);
	ff->codec = avcodec_alloc_context3(ff->encoder);
	ff->stream = avformat_new_stream(ff->format, NULL);
	ff->packet = av_packet_alloc();
	ff->frame = av_frame_alloc();
	if (!ff->codec || !ff->stream || !ff->packet || !ff->frame)
		return ps_output_fail(output, -ENOMEM, "out of memory");
	set_up_codec(output, ff);
	/* a smaller one is written, but FFmpeg can't read it */
	got = ff->encoder->id == AV_CODEC_ID_THEORA && ff->codec->width < THEORA_MIN_WIDTH ? AVERROR(EINVAL)
	                                                                                   : 0;
	if (got >= 0)
		got = avcodec_open2(ff->codec, ff->encoder, NULL);
	if (got >= 0)
		got = avcodec_parameters_from_context(ff->stream->codecpar, ff->codec);
	if (got < 0) {
		char cause[AV_ERROR_MAX_STRING_SIZE] = "";

		av_strerror(got, cause, sizeof(cause));
		return ps_output_fail(output, got == AVERROR(ENOMEM) ? -ENOMEM : -EINVAL,
			"%s does not take %ux%u at %d/%d frames per second: %s", ff->encoder->name,
			output->spec.width, output->spec.height, ff->codec->framerate.num,
			ff->codec->framerate.den, cause);
	}
	ff->stream->time_base = ff->codec->time_base;
	ff->stream->avg_frame_rate = ff->codec->framerate;
	return 0;
}

static int make_pictures(struct pstk_video_output *output, struct ffmpeg *ff)
{
	int w = ff->codec->width, h = ff->codec->height;
	enum AVPixelFormat from = output->spec.overlay ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_GRAY8;

	ff->frame->format = ff->codec->pix_fmt;
	ff->frame->width = w;
	ff->frame->height = h;
	ff->picture = av_mallocz((size_t)w * (size_t)h * (output->spec.overlay ? 3 : 1) + 64);
	ff->scale = sws_getContext(w, h, from, w, h, ff->codec->pix_fmt, SWS_BICUBIC, NULL, NULL, NULL);
	if (!ff->picture || !ff->scale || av_frame_get_buffer(ff->frame, 0) < 0)
		return ps_output_fail(output, -ENOMEM, "out of memory");
	return 0;
}

/* Sends a frame, NULL at the end, and writes the packets that come of it. */
static int encode(struct pstk_video_output *output, struct ffmpeg *ff, const AVFrame *frame)
{
	int got = avcodec_send_frame(ff->codec, frame);

	while (got >= 0) {
		got = avcodec_receive_packet(ff->codec, ff->packet);
		if (got == AVERROR(EAGAIN) || got == AVERROR_EOF)
			return 0;
		if (got < 0)
			break;
		ff->packet->stream_index = ff->stream->index;
		if (!ff->packet->duration)
			ff->packet->duration = 1;
		av_packet_rescale_ts(ff->packet, ff->codec->time_base, ff->stream->time_base);
		got = av_interleaved_write_frame(ff->format, ff->packet);
		if (ff->io_error)
			got = ff->io_error;
	}
	return fail(output, got, "cannot be encoded");
}

static int ffmpeg_write(
	struct pstk_video_output *output, const unsigned char *map, const unsigned char *frame)
{
	struct ffmpeg *ff = output->data;
	size_t n = (size_t)output->spec.width * output->spec.height;
	const uint8_t *const source[4] = { ff->picture };
	const int strides[4] = { ff->codec->width * (output->spec.overlay ? 3 : 1) };
	int got = av_frame_make_writable(ff->frame);

	if (got < 0)
		return fail(output, got, "frame");
	if (output->spec.overlay)
		ps_overlay_rgb(ff->picture, map, frame, n);
	else
		memcpy(ff->picture, map, n);
	sws_scale(ff->scale, source, strides, 0, ff->codec->height, ff->frame->data, ff->frame->linesize);
	ff->frame->pts = (int64_t)output->frames;
	return encode(output, ff, ff->frame);
}

static int ffmpeg_complete(struct pstk_video_output *output)
{
	struct ffmpeg *ff = output->data;
	int got = encode(output, ff, NULL);

	if (got)
		return got;
	got = av_write_trailer(ff->format);
	avio_flush(ff->io);
	if (got < 0 || ff->io_error || ff->io->error)
		return fail(output, got < 0 ? got : ff->io->error, "cannot be ended");
	return 0;
}

static void ffmpeg_close(struct pstk_video_output *output)
{
	struct ffmpeg *ff = output->data;

	sws_freeContext(ff->scale);
	av_free(ff->picture);
	av_frame_free(&ff->frame);
	av_packet_free(&ff->packet);
	avcodec_free_context(&ff->codec);
	if (ff->io) {
		av_freep(&ff->io->buffer);
		avio_context_free(&ff->io);
	}
	avformat_free_context(ff->format);
	free(ff);
}

int ps_output_open_ffmpeg(struct pstk_video_output *output, const char *path)
{
	static const struct ps_output_format format = {
		.write = ffmpeg_write,
		.complete = ffmpeg_complete,
		.close = ffmpeg_close,
	};
	struct ffmpeg *ff = calloc(1, sizeof(*ff));
	int err, got;

	if (!ff)
		return ps_output_fail(output, -ENOMEM, "out of memory");
	output->format = &format;
	output->data = ff;
	/* as for inputs: a program that set a level keeps it */
	if (av_log_get_level() == AV_LOG_INFO)
		av_log_set_level(AV_LOG_FATAL);
	err = open_format(output, ff, path);
	if (!err)
		err = open_codec(output, ff);
	if (!err)
		err = make_pictures(output, ff);
	if (err)
		return err;
	got = avformat_write_header(ff->format, NULL);
	return got < 0 || ff->io_error ? fail(output, got, "its header cannot be written") : 0;
}

#else

int ps_output_check_ffmpeg(struct pstk_video_output *output, const char *path)
{
	(void)path;
	return ps_output_fail(output, -ENOTSUP, "only .gray, .y4m and .png: this build has no FFmpeg");
}

int ps_output_open_ffmpeg(struct pstk_video_output *output, const char *path)
{
	return ps_output_check_ffmpeg(output, path);
}

#endif
