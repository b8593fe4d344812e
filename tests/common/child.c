/* SPDX-License-Identifier: MIT */
#include "tests/common/child.h"
#include "tests/common/common.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

int child_to_parent;

void child_say(char byte)
{
	CHILD_NEEDS(write(child_to_parent, &byte, 1) == 1);
}

void child_start(struct child *child, void (*body)(void))
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	child->pid = fork();
	ck_assert_int_ge(child->pid, 0);
	if (child->pid == 0) {
		close(ends[0]);
		child_to_parent = ends[1];
		signal(SIGINT, SIG_DFL); /* not libcheck's */
		signal(SIGTERM, SIG_DFL);
		test_guard("a child", test_seed());
		body();
		exit(CHILD_FINE); /* not _exit(): leaks count */
	}
	close(ends[1]);
	child->from = ends[0];
}

void child_await(const struct child *child, char expected)
{
	char byte = '\0';

	ck_assert_int_eq(read(child->from, &byte, 1), 1);
	ck_assert_int_eq(byte, expected);
}

int child_status(const struct child *child)
{
	int status;

	ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
	close(child->from);
	return status;
}

void child_exits(const struct child *child, int expected)
{
	int status = child_status(child);

	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == expected,
		"child ended with status 0x%x, not exit %d", (unsigned)status, expected);
}

void child_read(const struct child *child, char *text, size_t room)
{
	size_t used = 0;
	ssize_t got;

	while ((got = read(child->from, text + used, room - 1 - used)) > 0)
		used += (size_t)got;
	text[used] = '\0';
}
