/* SPDX-License-Identifier: MIT */
/* Crash: says which actor a fault happened in. */
#include "lib/firing/crash.h"
#include "lib/base/memory.h"
#include "lib/firing/firing_error.h"
#include "lib/model/actor.h"

#include <errno.h>
#include <unistd.h>

enum { STACK = 64 * 1024 };

static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
enum { FAULTS = sizeof fault_signals / sizeof *fault_signals };

/* Changed by install and restore, under their caller's lock; read by the handler. */
static struct sigaction former[FAULTS];

/* Written at once: threads may die side by side. */
struct line {
	char text[1024];
	size_t used;
};

static void add(struct line *line, const char *text)
{
	while (*text && line->used < sizeof line->text)
		line->text[line->used++] = *text++;
}

/* Async-signal-safe. */
static void say_fault(const struct pstk_actor *a, int number)
{
	const char *misuse = ps_firing_misused(a);
	struct line line;
	ssize_t ignored;

	line.used = 0;
	add(&line, "penstock: actor '");
	add(&line, a->name);
	add(&line, "' (");
	add(&line, a->type.name);
	add(&line, ") dies of ");
	add(&line, number == SIGSEGV  ? "SIGSEGV, an access to memory that is not its own"
		   : number == SIGBUS ? "SIGBUS, an access to memory that is not there"
		   : number == SIGFPE ? "SIGFPE, an impossible division"
		   : number == SIGILL ? "SIGILL, an illegal instruction"
				      : "SIGABRT, an abort or a failed assertion");
	add(&line, *misuse ? ", after a wrong call: " : "");
	add(&line, misuse);
	add(&line, "\n");
	ignored = write(STDERR_FILENO, line.text, line.used);
	(void)ignored;
}

/* Async-signal-safe. Says which actor it was and lets the signal do what it did before. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (ps_actor_current)
		say_fault(ps_actor_current, number);
	for (unsigned i = 0; i < FAULTS; i++)
		if (fault_signals[i] == number)
			sigaction(number, &former[i], NULL);
	/* a fault happens again at once, with its own address for the former handler; what was sent is sent again */
	if (info->si_code <= 0 || number == SIGABRT)
		raise(number); /* blocked until the handler returns */
}

void ps_crash_remove_faults(sigset_t *set)
{
	for (unsigned i = 0; i < FAULTS; i++)
		sigdelset(set, fault_signals[i]);
}

void ps_crash_install(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_ONSTACK | SA_SIGINFO };

	sigemptyset(&fault.sa_mask);
	for (unsigned i = 0; i < FAULTS; i++)
		sigaction(fault_signals[i], &fault, &former[i]);
}

void ps_crash_restore(void)
{
	for (unsigned i = 0; i < FAULTS; i++)
		sigaction(fault_signals[i], &former[i], NULL);
}

int ps_crash_prepare(struct pstk_network *net, void **stack)
{
	if (!net->handles_signals)
		return 0;
	*stack = ps_memory_zalloc(1, STACK);
	return *stack ? 0 : -ENOMEM;
}

void ps_crash_thread_begin(void *stack)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = STACK };

	if (stack)
		sigaltstack(&alternate, NULL);
}

void ps_crash_thread_end(void *stack)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	if (stack)
		sigaltstack(&none, NULL);
}
