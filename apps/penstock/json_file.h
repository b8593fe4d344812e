/* SPDX-License-Identifier: MIT */
/* JSON file: reads one, and says what of it is wrong: the file, where in it, the key, and what is wanted. For builds
 * with jansson. What returns a status returns 0, or what to exit with, said then. */
#ifndef PENSTOCK_COMMAND_JSON_FILE_H
#define PENSTOCK_COMMAND_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>

/* An object of a file. */
struct json_object {
	const char *file; /* its name, for messages */
	unsigned number;  /* of the object in a list, from 1; 0: it is the whole file */
	json_t *json;
};

/* Reads a file; "-": stdin. The caller drops *root. */
int json_file_read(const char *path, json_t **root);

/* The name of a file, for messages. */
const char *json_file_name(const char *path);

/* "FILE: ..", "FILE, entry N: ..". Returns EXIT_USAGE. */
int json_file_wrong(const struct json_object *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "KEY is VALUE; WANTED is wanted", or that it is missing (NULL). key: what has the value, for a message. Returns
 * EXIT_USAGE. */
int json_file_wrong_value(
	const struct json_object *, const char *key, const json_t *value, const char *wanted);

/* Is it an object, with no other keys than these, up to NULL? */
int json_file_check_keys(const struct json_object *, const char *const *keys);

/* "KEY has COUNT entries; WANTED is wanted". Returns EXIT_USAGE. */
int json_file_wrong_count(
	const struct json_object *, const char *key, const json_t *list, const char *wanted);

/* A number that has no fraction, from low to high. */
int json_file_integer(
	const struct json_object *, const char *key, unsigned low, unsigned high, unsigned *value);

/* A number from low to high, of what the words say. */
int json_file_number(const struct json_object *, const char *key, const char *words, double low, double high,
	double *value);

/* A list of `count` numbers, of what the words say; a new array, NULL: the key is not there, which is right. */
int json_file_numbers(
	const struct json_object *, const char *key, const char *words, unsigned count, double **values);

#endif
