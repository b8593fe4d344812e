/* SPDX-License-Identifier: MIT */
#define main resample_main
int main(int argc, char **argv);
#include "apps/resample/resample.c"
#undef main

#include "apps/resample/check_run.h"

const struct main_program wav_program = { "resample", resample_main };
