/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "apps/common/measured.h"
#include "apps/common/app.h"
#include "apps/common/report.h"
#include "apps/common/whole.h"

#ifdef HAVE_JANSSON
#include "apps/common/measurements_json.h"
#endif
#include <penstock/pipeline.h>

#include <errno.h>
#include <string.h>

#define OPTION "--save-measurements"

/* Of NAME=FILE: the length of the name; 0: there is none. A path may have a = behind a slash. */
static size_t name_length(const struct measured *m)
{
	return m->path == m->text ? 0 : (size_t)(m->path - m->text) - 1;
}

int measured_take(struct measured *m, const char *text)
{
	size_t length = strcspn(text, "/=");

	if (m->path)
		return app_fail(EXIT_USAGE, OPTION " is given twice: '%s' and '%s'", m->text, text);
	m->text = text;
	m->path = length && text[length] == '=' ? text + length + 1 : text;
	if (!*m->path)
		return app_fail(EXIT_USAGE, OPTION " %s: expected FILE.json or NAME=FILE.json", text);
	return report_missing() ? app_fail(EXIT_USAGE, OPTION ": %s", report_missing()) : 0;
}

static const struct pstk_pipeline *find(const struct measured *m, const struct pstk_network *network)
{
	size_t length = name_length(m);
	const struct pstk_pipeline *p;

	for (unsigned n = 0; (p = pstk_network_pipeline(network, n)); n++) {
		const char *name = pstk_actor_name(pstk_pipeline_actor(p));

		if (!length || (strlen(name) == length && !strncmp(name, m->text, length)))
			return p;
	}
	return NULL;
}

int measured_open(struct measured *m, const struct pstk_network *network)
{
	if (!m->path)
		return 0;
	if (!pstk_network_pipeline(network, 0))
		return app_fail(EXIT_USAGE, OPTION " %s: the network has no pipeline", m->text);
	if (!find(m, network))
		return app_fail(EXIT_USAGE, OPTION " %s: the network has no pipeline '%.*s', but '%s'",
			m->text, (int)name_length(m), m->text,
			pstk_actor_name(pstk_pipeline_actor(pstk_network_pipeline(network, 0))));
	return whole_open(&m->file, m->path);
}

#ifdef HAVE_JANSSON
static int write_report(
	struct measured *m, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	const char *name = pstk_actor_name(pstk_pipeline_actor(p));
	int err = r->has_measurements ? measurements_json_write(&r->measurements, name, whole_file(m->file))
	                              : -EINVAL;

	if (err == -EINVAL)
		return app_fail(EXIT_FAILED,
			OPTION
			" %s: pipeline '%s' has measured nothing: it was told its configuration, or has "
			"only one, or had too few items",
			m->text, name);
	return err == -ENOMEM ? app_out_of_memory() : 0; /* else the stream knows */
}
#else
/* measured_take() refuses it in such a build. */
static int write_report(
	struct measured *m, const struct pstk_pipeline *p, const struct pstk_pipeline_report *r)
{
	(void)m, (void)p, (void)r;
	return EXIT_FAILED;
}
#endif

int measured_write(struct measured *m, const struct pstk_network *network)
{
	const struct pstk_pipeline *p = m->file ? find(m, network) : NULL;
	struct pstk_pipeline_report *r = pstk_pipeline_get_report(p);
	int status;

	if (!m->file)
		return 0;
	status = r ? write_report(m, p, r) : app_out_of_memory();
	pstk_pipeline_free_report(r);
	if (status)
		measured_drop(m);
	else
		status = whole_complete(m->file);
	m->file = NULL;
	return status;
}

void measured_drop(struct measured *m)
{
	if (m->file)
		whole_drop(m->file);
	m->file = NULL;
}
