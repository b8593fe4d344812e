/* SPDX-License-Identifier: MIT */
/* Whatever FFmpeg reads: its best video stream, decoded in the reading thread, as grey frames. */
#include "config.h"

#include "actors/video_source/input.h"

#include <errno.h>

#ifdef HAVE_FFMPEG

#include <inttypes.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define IO_BUFFER 65536
#define SECONDS_MOST 1e9 /* no header that makes sense says more */

/* FFmpeg 6 has renamed it */
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
#define FRAME_DURATION duration
#else
#define FRAME_DURATION pkt_duration
#endif

struct ffmpeg {
	AVFormatContext *format;
	AVIOContext *io; /* what has no name of its own is read through */
	AVCodecContext *codec;
	AVStream *stream;
	AVPacket *packet;
	AVFrame *frame;
	struct SwsContext *scale;
	unsigned char *out; /* padded rows: libswscale writes whole vectors */
	int stride;
	int width, height, pixels; /* of the first frame; all others are the same */
	int full_range;
	int64_t packets;   /* demuxed so far */
	int64_t end;       /* of the last one of them, in the stream's time base */
	bool drained, cut; /* no more packets; the last one was damaged */
};

/* Says FFmpeg's cause; what FFmpeg calls invalid is no system error. */
static int fail(struct pstk_video_input *input, int averror, const char *what)
{
	char cause[AV_ERROR_MAX_STRING_SIZE] = "";
	int err = averror == AVERROR(ENOMEM) ? -ENOMEM : -EPROTO;

	av_strerror(averror, cause, sizeof(cause));
	return ps_input_fail(input, err, "%s: %s", what, cause);
}

static int interrupted(void *data)
{
	return atomic_load(&((struct pstk_video_input *)data)->reader.stopped);
}

static int read_bytes(void *data, uint8_t *to, int size)
{
	ssize_t got = ps_reader_some(&((struct pstk_video_input *)data)->reader, to, (size_t)size);

	return got > 0 ? (int)got : got == 0 ? AVERROR_EOF : (int)got;
}

static int64_t seek(void *data, int64_t offset, int whence)
{
	struct ps_reader *reader = &((struct pstk_video_input *)data)->reader;

	if (whence == AVSEEK_SIZE)
		return ps_reader_size(reader);
	return ps_reader_seek(reader, offset, whence & ~AVSEEK_FORCE);
}

static int make_io(struct pstk_video_input *input, struct ffmpeg *ff)
{
	unsigned char *buffer = av_malloc(IO_BUFFER);

	ff->io = buffer ? avio_alloc_context(buffer, IO_BUFFER, 0, input, read_bytes, NULL,
				  input->reader.regular ? seek : NULL)
	                : NULL;
	if (!ff->io) {
		av_free(buffer);
		return ps_input_fail(input, -ENOMEM, "out of memory");
	}
	ff->format->pb = ff->io;
	/* FFmpeg sets this itself when it opens; what fails before must not make it free our context */
	ff->format->flags |= AVFMT_FLAG_CUSTOM_IO;
	return 0;
}

static int without_index(struct pstk_video_input *input)
{
	return ps_input_fail(input, -ENODATA,
		"is cut off before its index, without which none of its frames can be found: copy or record "
		"it "
		"again");
}

/* A file that is there is opened by FFmpeg, since some formats look at the ending: "file:" and "none" take a colon and
 * a percent sign in its name for what they are. URLs and numbered pictures are FFmpeg's own names. Pipes and stdin are
 * read here. */
static int open_name(struct pstk_video_input *input, struct ffmpeg *ff, const char *path)
{
	bool file = input->reader.fd >= 0 && input->reader.regular && strcmp(path, "-") != 0;
	size_t size = strlen(path) + sizeof("file:");
	char *name = malloc(size);
	AVDictionary *options = NULL;
	int got = name ? 0 : AVERROR(ENOMEM);

	if (file && got >= 0)
		got = av_dict_set(&options, "pattern_type", "none", 0);
	if (got >= 0) {
		snprintf(name, size, "%s%s", file ? "file:" : "", ff->io ? "" : path);
		got = avformat_open_input(&ff->format, name, NULL, &options);
	}
	av_dict_free(&options);
	free(name);
	if (got >= 0)
		return 0;
	if (got == AVERROR(ENOENT) && strchr(path, '%'))
		return ps_input_fail(input, -EPROTO,
			"there is no such picture with a number from 0 to 4, as the first one's is");
	if (got != AVERROR_INVALIDDATA)
		return fail(input, got, "cannot be opened");
	if (input->reader.fd >= 0 && ps_reader_lacks_index(&input->reader))
		return without_index(input);
	return ps_input_fail(input, -EINVAL, "is not a video");
}

static int open_format(struct pstk_video_input *input, struct ffmpeg *ff, const char *path)
{
	int err = 0, got;

	ff->format = avformat_alloc_context();
	if (!ff->format)
		return ps_input_fail(input, -ENOMEM, "out of memory");
	ff->format->interrupt_callback = (AVIOInterruptCB){ interrupted, input };
	if (input->reader.fd >= 0 && (!input->reader.regular || !strcmp(path, "-")))
		err = make_io(input, ff);
	if (!err)
		err = open_name(input, ff, path);
	if (err)
		return err;
	got = avformat_find_stream_info(ff->format, NULL);
	return got < 0 ? fail(input, got, "has no readable streams") : 0;
}

static int open_codec(struct pstk_video_input *input, struct ffmpeg *ff)
{
	const AVCodec *decoder = NULL;
	int index = av_find_best_stream(ff->format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
	int got;

	if (index == AVERROR_DECODER_NOT_FOUND)
		return ps_input_fail(input, -ENOTSUP, "this FFmpeg has no decoder for its video");
	if (index < 0)
		return ps_input_fail(input, -EINVAL, "is not a video: no video stream");
	ff->stream = ff->format->streams[index];
	for (unsigned i = 0; i < ff->format->nb_streams; i++) {
		AVStream *stream = ff->format->streams[i];

		stream->discard = (int)i == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
		input->audio_streams += stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
	}
	ff->codec = avcodec_alloc_context3(decoder);
	ff->packet = av_packet_alloc();
	ff->frame = av_frame_alloc();
	if (!ff->codec || !ff->packet || !ff->frame)
		return ps_input_fail(input, -ENOMEM, "out of memory");
	got = avcodec_parameters_to_context(ff->codec, ff->stream->codecpar);
	if (got < 0)
		return fail(input, got, "has wrong parameters");
	/* The network has its threads; a decoder's own would take their cores unseen. */
	ff->codec->thread_count = 1;
	ff->codec->pkt_timebase = ff->stream->time_base;
	/* a JPEG that was cut off is else grey where it ends, and nothing says so */
	if (ff->codec->codec_id == AV_CODEC_ID_MJPEG)
		ff->codec->err_recognition |= AV_EF_EXPLODE;
	got = avcodec_open2(ff->codec, decoder, NULL);
	return got < 0 ? fail(input, got, "its decoder does not open") : 0;
}

/* Of irregular times FFmpeg may make a rate that has a place for each, which is the number of units in a second, or one
 * that is far above the mean: no frame rate. Then it is a usual one that has room for the frames, as far as that is
 * known. */
static AVRational usual_rate(AVRational rate, AVRational mean, AVRational unit)
{
	static const int usual[] = { 25, 30, 50, 60, 120, 240, 480, 960 };
	const AVRational most = { 120, 1 }, one = { 60, 1 };
	bool known = mean.num > 0 && mean.den > 0;

	if (av_cmp_q(rate, most) <= 0)
		return rate;
	if (!known)
		return av_cmp_q(rate, av_inv_q(unit)) ? rate : one;
	if (av_cmp_q(rate, av_mul_q(mean, (AVRational){ 2, 1 })) <= 0)
		return rate;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (av_cmp_q(mean, (AVRational){ usual[i], 1 }) <= 0)
			return (AVRational){ usual[i], 1 };
	return (AVRational){ (mean.num - 1) / mean.den + 1, 1 };
}

static void set_rate(struct pstk_video_input *input, const struct ffmpeg *ff)
{
	AVRational rate = av_guess_frame_rate(ff->format, ff->stream, NULL);

	rate = usual_rate(rate, ff->stream->avg_frame_rate, ff->stream->time_base);
	if (rate.num > 0 && rate.den > 0) {
		input->info.rate_num = (uint32_t)rate.num;
		input->info.rate_den = (uint32_t)rate.den;
	}
}

/* Matroska's tag for the stream: where it ends, in seconds; 0: there is none. */
static double tagged_end(const struct ffmpeg *ff)
{
	const AVDictionaryEntry *tag = av_dict_get(ff->stream->metadata, "DURATION", NULL, 0);
	int hours, minutes;
	double seconds;

	if (tag && sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) == 3)
		return hours * 3600.0 + minutes * 60.0 + seconds;
	return 0;
}

/* Each frame has a time of its own, whatever rate the header speaks of. */
static int make_times(struct pstk_video_input *input, const struct ffmpeg *ff)
{
	AVRational unit = ff->stream->time_base,
		   frame = { (int)input->info.rate_den, (int)input->info.rate_num };
	int64_t period = av_rescale_q(1, frame, unit);
	struct ps_times_spec spec = { .unit_num = (uint32_t)unit.num,
		.unit_den = (uint32_t)unit.den,
		.period = period < 1 ? 1 : period,
		.jumps = ff->format->iformat->flags & AVFMT_TS_DISCONT };

	input->times = ps_times_create(&spec);
	return input->times ? 0 : ps_input_fail(input, -ENOMEM, "out of memory");
}

static int put_time(struct pstk_video_input *input, const struct ffmpeg *ff)
{
	int64_t stamp = ff->frame->best_effort_timestamp, duration = ff->frame->FRAME_DURATION;
	int err = ps_times_put(input->times, stamp == AV_NOPTS_VALUE ? PS_NO_STAMP : stamp, duration);

	return err ? ps_input_fail(input, err, "out of memory") : 0;
}

/* The last frame lasts until the stream ends by the header, in which all containers but a few say that: of a packet it
 * is how long the next one is to be decoded after it, if it is anything. */
static void end_times(struct pstk_video_input *input, const struct ffmpeg *ff)
{
	const AVStream *stream = ff->stream;
	double seconds = tagged_end(ff);

	if (seconds > 0 && seconds < SECONDS_MOST)
		ps_times_end(input->times, (int64_t)(seconds / av_q2d(stream->time_base) + 0.5));
	else if (ff->format->duration_estimation_method != AVFMT_DURATION_FROM_STREAM)
		return;
	else if (stream->duration > 0)
		ps_times_end(input->times,
			stream->duration + (stream->start_time == AV_NOPTS_VALUE ? 0 : stream->start_time));
	else if (ff->format->nb_streams == 1 && ff->format->duration > 0)
		ps_times_end(
			input->times, av_rescale_q(ff->format->duration, AV_TIME_BASE_Q, stream->time_base));
}

static bool decode_damaged(const AVFrame *frame)
{
	return frame->decode_error_flags || frame->flags & AV_FRAME_FLAG_CORRUPT;
}

/* Where the stream ends by the header, in seconds; 0: it doesn't say. Of a whole file's duration, which may be that of
 * its sound, the one of its only stream is taken. */
static double header_end(const struct ffmpeg *ff)
{
	double tagged = tagged_end(ff);

	if (tagged > 0)
		return tagged;
	if (ff->format->nb_streams == 1 && ff->format->duration > 0 &&
		ff->format->duration_estimation_method == AVFMT_DURATION_FROM_STREAM)
		return (double)ff->format->duration / AV_TIME_BASE;
	return 0;
}

/* The end of the packets: was the file cut off? Its own structure says so best, if it has one: AVI's header counts
 * empty chunks too, which are no frames, and MP4's those that its edit list leaves out. Else frames and time in the
 * header. */
static int check_whole(struct pstk_video_input *input, const struct ffmpeg *ff)
{
	double end = header_end(ff), here = (double)ff->end * av_q2d(ff->stream->time_base);
	/* rounding, a last frame that is held */
	double slack = 3.0 * input->info.rate_den / input->info.rate_num;
	const char *name = ff->format->iformat->name;
	bool jpeg = ff->codec->codec_id == AV_CODEC_ID_MJPEG &&
	            (!strcmp(name, "image2") || !strcmp(name, "jpeg_pipe"));
	enum ps_cut cut = ps_reader_cut(&input->reader, jpeg ? "mjpeg" : name);
	int64_t count = ff->stream->nb_frames;
	uint64_t packets = (uint64_t)ff->packets;

	if (ff->cut)
		return ps_input_truncated(input, packets, "these", " or damaged after %" PRIu64 " frame%s",
			packets, ps_plural(packets));
	if (cut == PS_CUT_NO || (count && ff->packets >= count))
		return 0;
	if (count)
		return ps_input_truncated(input, packets, "these",
			": %" PRIu64 " of the %" PRId64 " frames in its header", packets, count);
	if (here + (slack > 0.25 ? slack : 0.25) < end)
		return ps_input_truncated(
			input, packets, "these", ": %.1f of the %.1f s in its header", here, end);
	if (cut == PS_CUT_YES)
		return ps_input_truncated(input, packets, "these",
			": its end is missing after %" PRIu64 " frame%s", packets, ps_plural(packets));
	return 0;
}

static void count_packet(struct ffmpeg *ff)
{
	int64_t time = ff->packet->pts == AV_NOPTS_VALUE ? ff->packet->dts : ff->packet->pts;

	ff->packets++;
	if (time != AV_NOPTS_VALUE && time + ff->packet->duration > ff->end)
		ff->end = time + ff->packet->duration;
}

/* Gives the decoder one more packet, or tells it that there are no more. */
static int feed(struct pstk_video_input *input, struct ffmpeg *ff)
{
	int got;

	do {
		av_packet_unref(ff->packet);
		got = av_read_frame(ff->format, ff->packet);
		/* to the decoder an empty packet would be the end */
	} while (got >= 0 && (ff->packet->stream_index != ff->stream->index || !ff->packet->size));
	if (got < 0 && got != AVERROR_EOF)
		return fail(input, got, "cannot be read");
	/* what was cut off in the middle is no packet; what came before can still be had */
	ff->cut = got == 0 && ff->packet->flags & AV_PKT_FLAG_CORRUPT;
	ff->drained = got == AVERROR_EOF || ff->cut;
	if (!ff->drained)
		count_packet(ff);
	got = avcodec_send_packet(ff->codec, ff->drained ? NULL : ff->packet);
	return got < 0 && got != AVERROR_EOF ? fail(input, got, "cannot be decoded") : 0;
}

/* 1: ff->frame is the next one; 0: the end. */
static int next_frame(struct pstk_video_input *input, struct ffmpeg *ff)
{
	for (;;) {
		int got = avcodec_receive_frame(ff->codec, ff->frame);

		/* only now, so that --frames can have all that are there */
		if (got == AVERROR_EOF || (got == AVERROR(EAGAIN) && ff->drained))
			return check_whole(input, ff);
		if (got == 0 && decode_damaged(ff->frame))
			return ps_input_fail(input, -EPROTO, "frame %" PRIu64 " is damaged", input->frames);
		if (got == 0)
			return 1;
		if (got != AVERROR(EAGAIN))
			return fail(input, got, "cannot be decoded");
		got = feed(input, ff);
		if (got)
			return got;
	}
}

/* The first frame says size and pixel format; containers' headers are sometimes wrong. */
static int make_scale(
	struct pstk_video_input *input, struct ffmpeg *ff, const struct pstk_video_input_spec *spec)
{
	const int *coefficients = sws_getCoefficients(SWS_CS_DEFAULT);
	int w, h, *table, *inverse, from_range, to_range, brightness, contrast, saturation;

	ff->width = ff->frame->width;
	ff->height = ff->frame->height;
	ff->pixels = ff->frame->format;
	ff->full_range = ff->frame->color_range == AVCOL_RANGE_JPEG;
	w = spec->width ? (int)spec->width : ff->width;
	h = spec->height ? (int)spec->height : ff->height;
	if (w < 1 || h < 1 || w > (int)PS_VIDEO_MAX_SIDE || h > (int)PS_VIDEO_MAX_SIDE)
		return ps_input_fail(input, -EINVAL, "wrong frame size %dx%d", w, h);
	ff->stride = (w + 127) & ~63;
	ff->out = av_malloc((size_t)ff->stride * (size_t)h);
	ff->scale = sws_getContext(ff->width, ff->height, (enum AVPixelFormat)ff->pixels, w, h,
		AV_PIX_FMT_GRAY8, SWS_BICUBIC, NULL, NULL, NULL);
	if (!ff->out || !ff->scale)
		return ps_input_fail(input, -ENOTSUP, "cannot be turned into grey from %s",
			av_get_pix_fmt_name((enum AVPixelFormat)ff->pixels));
	/* yuvj formats are full range by their name, which libswscale knows; others say it frame by frame */
	if (ff->full_range && sws_getColorspaceDetails(ff->scale, &inverse, &from_range, &table, &to_range,
				      &brightness, &contrast, &saturation) >= 0)
		sws_setColorspaceDetails(
			ff->scale, coefficients, 1, coefficients, to_range, brightness, contrast, saturation);
	input->width = (uint32_t)w;
	input->height = (uint32_t)h;
	return 0;
}

static int check_same(struct pstk_video_input *input, const struct ffmpeg *ff)
{
	if (ff->frame->width != ff->width || ff->frame->height != ff->height)
		return ps_input_fail(input, -EPROTO,
			"the frame size changes from %dx%d to %dx%d in frame %" PRIu64, ff->width, ff->height,
			ff->frame->width, ff->frame->height, input->frames);
	if (ff->frame->format != ff->pixels || (ff->frame->color_range == AVCOL_RANGE_JPEG) != ff->full_range)
		return ps_input_fail(
			input, -EPROTO, "the pixel format changes in frame %" PRIu64, input->frames);
	return 0;
}

static int ffmpeg_read(struct pstk_video_input *input, unsigned char *frame)
{
	struct ffmpeg *ff = input->data;
	uint8_t *const target[4] = { ff->out };
	const int strides[4] = { ff->stride };
	size_t width = input->width;
	int got = 1;

	/* the first frame was decoded when the input was opened */
	if (input->frames)
		got = next_frame(input, ff);
	if (got == 0)
		end_times(input, ff);
	if (got != 1)
		return got;
	got = check_same(input, ff);
	if (!got)
		got = put_time(input, ff);
	if (got)
		return got;
	sws_scale(ff->scale, (const uint8_t *const *)ff->frame->data, ff->frame->linesize, 0, ff->height,
		target, strides);
	for (size_t y = 0; y < input->height; y++)
		memcpy(frame + y * width, ff->out + y * (size_t)ff->stride, width);
	return 1;
}

static void ffmpeg_close(struct pstk_video_input *input)
{
	struct ffmpeg *ff = input->data;

	sws_freeContext(ff->scale);
	av_free(ff->out);
	av_frame_free(&ff->frame);
	av_packet_free(&ff->packet);
	avcodec_free_context(&ff->codec);
	avformat_close_input(&ff->format);
	if (ff->io) {
		av_freep(&ff->io->buffer);
		avio_context_free(&ff->io);
	}
	free(ff);
}

static int open_stream(
	struct pstk_video_input *input, struct ffmpeg *ff, const struct pstk_video_input_spec *spec)
{
	int err;

	/* FFmpeg's remarks would mix with the program's own; a program that set a level keeps it */
	if (av_log_get_level() == AV_LOG_INFO)
		av_log_set_level(AV_LOG_FATAL);
	err = open_format(input, ff, spec->path);
	if (!err)
		err = open_codec(input, ff);
	if (err)
		return err;
	set_rate(input, ff);
	err = make_times(input, ff);
	if (err)
		return err;
	err = next_frame(input, ff);
	if (err == 0)
		err = ps_input_fail(input, -ENODATA, "has no frames");
	return err < 0 ? err : make_scale(input, ff, spec);
}

int ps_input_open_ffmpeg(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	static const struct ps_input_format format = { .read = ffmpeg_read, .close = ffmpeg_close };
	struct ffmpeg *ff = calloc(1, sizeof(*ff));
	int err;

	if (!ff)
		return ps_input_fail(input, -ENOMEM, "out of memory");
	input->format = &format;
	input->data = ff;
	err = open_stream(input, ff, spec);
	/* with a part of its index FFmpeg may come as far as the first frame */
	if (err && err != -ENOMEM && input->reader.regular && ps_reader_lacks_index(&input->reader))
		err = without_index(input);
	return err;
}

#else

int ps_input_open_ffmpeg(struct pstk_video_input *input, const struct pstk_video_input_spec *spec)
{
	(void)spec;
	return ps_input_fail(input, -ENOTSUP, "is neither .gray nor Y4M, and this build has no FFmpeg");
}

#endif
