/* SPDX-License-Identifier: MIT */
/* The program, run inside of the test. */
#ifndef SCENE_RECOGNITION_CHECK_RUN_H
#define SCENE_RECOGNITION_CHECK_RUN_H

#include "apps/common/check_main.h"

extern const struct main_program scene_program;

/* What it says on stderr, and its exit status. */
static inline int scene_run(char *err, size_t size, const char *const *arguments)
{
	return main_run(&scene_program, arguments, NULL, err, size);
}
#define SCENE_RUN(err, ...) scene_run(err, sizeof(err), (const char *const[]){ __VA_ARGS__, NULL })

#endif
