/* SPDX-License-Identifier: MIT */
#define main scene_main
int main(int argc, char **argv);
#include "apps/scene_recognition/scene_recognition.c"
#undef main

#include "apps/scene_recognition/check_run.h"

const struct main_program scene_program = { "scene_recognition", scene_main };
