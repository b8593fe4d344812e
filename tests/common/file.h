/* SPDX-License-Identifier: MIT */
/* Files of a test, in a folder of their own. */
#ifndef PENSTOCK_TESTS_FILE_H
#define PENSTOCK_TESTS_FILE_H

/* Writes text to a file of this name, in a folder that is made at the first call; its path, valid until
 * test_files_remove(), which is for the test's end. */
const char *test_file(const char *name, const char *text);
void test_files_remove(void);

#endif
