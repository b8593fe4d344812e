/* SPDX-License-Identifier: MIT */
/* A container that FFmpeg writes, with its usual codec. */
#include "config.h"

#include "actors/video_sink/output.h"

#include <errno.h>

#ifdef HAVE_FFMPEG

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>

#define IO_BUFFER 65536
#define THEORA_MIN_WIDTH 18
#define MPEG4_MAX_TICKS 65535 /* a second, in MPEG-4 */
#define UNITS_MOST 100000     /* a second, in a file; players need not take finer ones */

struct ffmpeg {
	AVFormatContext *format;
	AVIOContext *io;
	const AVCodec *encoder;
	AVCodecContext *codec;
	AVStream *stream;
	AVPacket *packet;
	AVPacket
		*held; /* with times: the last one, until it is known how long its frame lasts; empty: none */
	int64_t first, before; /* the first packet's decoding time in the file, and the last one's so far */
	bool ending;           /* what is held is the last packet */
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

/* Does each frame in the file have a time of its own? FFmpeg 5 does not say so of MP4 and its kin. */
static bool has_times(const AVOutputFormat *format)
{
	return (format->flags & AVFMT_VARIABLE_FPS && !(format->flags & AVFMT_NOTIMESTAMPS)) ||
	       av_match_name(format->name, "mov,mp4,ipod,psp,3gp,3g2,f4v,ismv");
}

/* A unit of time in which those of the input and a frame's at the rate are whole numbers; where it would be finer than
 * containers have it, a frame's, of which they take a part. */
static AVRational file_unit(const struct pstk_video_output *output, const struct ffmpeg *ff)
{
	const struct ps_times_spec *times = ps_times_spec(output->times.times);
	AVRational frame = ff->codec->time_base;
	int64_t both = times->unit_den / av_gcd(times->unit_den, frame.den) * (int64_t)frame.den;

	return both > UNITS_MOST ? frame : (AVRational){ 1, (int)both };
}

static void set_up_codec(const struct pstk_video_output *output, struct ffmpeg *ff)
{
	AVCodecContext *codec = ff->codec;
	const AVRational *rates = ff->encoder->supported_framerates;
	int num, den;

	av_reduce(&num, &den, output->spec.rate_num, output->spec.rate_den, MPEG4_MAX_TICKS);
	/* the stream's own rate is one of a few; the times are the container's */
	if (output->timed && rates) {
		const AVRational *rate = &rates[av_find_nearest_q_idx((AVRational){ num, den }, rates)];

		num = rate->num;
		den = rate->den;
	}
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
	ff->held = av_packet_alloc();
	ff->frame = av_frame_alloc();
	if (!ff->codec || !ff->stream || !ff->packet || !ff->held || !ff->frame)
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
	ff->stream->time_base = output->timed ? file_unit(output, ff) : ff->codec->time_base;
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

static AVRational input_unit(const struct pstk_video_output *output)
{
	const struct ps_times_spec *spec = ps_times_spec(output->times.times);

	return (AVRational){ (int)spec->unit_num, (int)spec->unit_den };
}

/* Are these so many frames at the rate, but for the input's rounding? */
static bool is_steady(const struct pstk_video_output *output, int64_t time, int64_t frames)
{
	const struct ffmpeg *ff = output->data;
	AVRational frame = ff->codec->time_base, unit = input_unit(output);

	return time == av_rescale_q_rnd(frames, frame, unit, AV_ROUND_DOWN) ||
	       time == av_rescale_q_rnd(frames, frame, unit, AV_ROUND_UP);
}

/* When frame n is shown, in the file's units, and for how long. Before frame 0, where decoding may begin, at the
 * rate. */
static int64_t file_time(const struct pstk_video_output *output, int64_t n, int64_t *duration)
{
	const struct ffmpeg *ff = output->data;
	AVRational frame = ff->codec->time_base, to = ff->stream->time_base, unit = input_unit(output);
	struct ps_time time;
	int64_t start = av_rescale_q(n, frame, to);

	*duration = av_rescale_q(1, frame, to);
	if (n < 0 || !ps_times_get(&output->times, (uint64_t)n, &time))
		return start;
	if (!is_steady(output, time.start, n))
		start = av_rescale_q(time.start, unit, to);
	if (!is_steady(output, time.duration, 1))
		*duration = av_rescale_q(time.start + time.duration, unit, to) - start;
	return start;
}

/* The encoder counts frames: the packet gets the times of those that it counts. Frames that come closer than the
 * container's units are one unit apart. */
static void set_times(struct pstk_video_output *output, struct ffmpeg *ff, AVPacket *packet)
{
	int64_t decoded = packet->dts == AV_NOPTS_VALUE ? packet->pts : packet->dts, duration;

	packet->dts = file_time(output, decoded, &duration);
	packet->pts = file_time(output, packet->pts, &packet->duration);
	if (decoded >= 0)
		ps_times_release(&output->times, (uint64_t)decoded);
	if (ff->before != AV_NOPTS_VALUE && packet->dts <= ff->before)
		packet->dts = ff->before + 1;
	if (packet->pts < packet->dts)
		packet->pts = packet->dts;
	if (ff->before == AV_NOPTS_VALUE)
		ff->first = packet->dts;
	ff->before = packet->dts;
}

/* The last packet to be decoded, which need not be the last one shown. MP4's track is as long as its packets are
 * decoded after each other: when that is not long enough, as frames before the first one are closer than those at the
 * end, the last one is decoded as late as it may be, and lasts to the end. */
static void reach_end(struct pstk_video_output *output, struct ffmpeg *ff, AVPacket *packet)
{
	int64_t duration, end = file_time(output, (int64_t)output->slots - 1, &duration) + duration;

	if (packet->dts + packet->duration - ff->first >= end)
		return;
	packet->dts = packet->pts;
	packet->duration = end - packet->pts;
}

static int mux(struct pstk_video_output *output, struct ffmpeg *ff, AVPacket *packet)
{
	int got;

	packet->stream_index = ff->stream->index;
	if (output->timed) {
		set_times(output, ff, packet);
		if (ff->ending)
			reach_end(output, ff, packet);
	} else {
		if (!packet->duration)
			packet->duration = 1;
		av_packet_rescale_ts(packet, ff->codec->time_base, ff->stream->time_base);
	}
	got = av_interleaved_write_frame(ff->format, packet);
	return ff->io_error ? ff->io_error : got;
}

/* Writes the packet that was held, and holds the new one. */
static int mux_held(struct pstk_video_output *output, struct ffmpeg *ff)
{
	int got = ff->held->data ? mux(output, ff, ff->held) : 0;

	av_packet_unref(ff->held);
	av_packet_move_ref(ff->held, ff->packet);
	return got;
}

/* Sends a frame, NULL at the end, and writes the packets that come of it. */
static int encode(struct pstk_video_output *output, struct ffmpeg *ff, const AVFrame *frame)
{
	int got = avcodec_send_frame(ff->codec, frame);

	while (got >= 0) {
		got = avcodec_receive_packet(ff->codec, ff->packet);
		if (got == AVERROR(EAGAIN) || got == AVERROR_EOF)
			return 0;
		if (got >= 0)
			got = output->timed ? mux_held(output, ff) : mux(output, ff, ff->packet);
	}
	return fail(output, got, "cannot be encoded");
}

static int ffmpeg_repeat(struct pstk_video_output *output)
{
	struct ffmpeg *ff = output->data;

	ff->frame->pts = (int64_t)output->slots;
	return encode(output, ff, ff->frame);
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
	return ffmpeg_repeat(output);
}

/* Pictures that move say how long each lasts when the next one comes: of the last one by an option. */
static void set_final_delay(const struct pstk_video_output *output, struct ffmpeg *ff)
{
	const AVOutputFormat *format = ff->format->oformat;
	AVRational unit = ff->stream->time_base;
	int64_t duration;

	file_time(output, (int64_t)output->slots - 1, &duration);
	if (!strcmp(format->name, "gif"))
		av_opt_set_int(ff->format->priv_data, "final_delay",
			av_rescale_q(duration, unit, (AVRational){ 1, 100 }), 0);
	if (!strcmp(format->name, "apng"))
		av_opt_set_q(ff->format->priv_data, "final_delay",
			(AVRational){ (int)(duration * unit.num), unit.den }, 0);
}

static int ffmpeg_complete(struct pstk_video_output *output)
{
	struct ffmpeg *ff = output->data;
	int got = encode(output, ff, NULL);

	if (got)
		return got;
	if (ff->held->data) {
		ff->ending = true;
		set_final_delay(output, ff);
		got = mux_held(output, ff);
	}
	if (got >= 0)
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
	av_packet_free(&ff->held);
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
		.repeat = ffmpeg_repeat,
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
		output->timed = output->times.times && has_times(ff->format->oformat);
	ff->before = AV_NOPTS_VALUE;
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
