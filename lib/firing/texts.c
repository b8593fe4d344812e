/* SPDX-License-Identifier: MIT */
#include "lib/firing/texts.h"
#include "lib/base/memory.h"

#include <errno.h>

/* Of a network. */
struct ps_texts {
	unsigned count;         /* constant after start */
	_Atomic unsigned taken; /* may be more than there are */
	char rooms[][PS_TEXT_SIZE];
};

/* Not written: of firings without a wrong call, and of one for which there is no room. */
static char none[1] = "", lost[] = "a wrong call: the log says which";

void ps_texts_own(struct pstk_firing *firing, struct ps_firing_texts *own)
{
	firing->misuse = own->misuse;
	firing->text = own->text;
	own->misuse[0] = own->text[0] = 0;
}

int ps_texts_give(struct ps_task *t, bool of_stage)
{
	if (t->slot_count > 1 || of_stage) {
		t->texts = ps_memory_zalloc(t->slot_count, sizeof *t->texts);
		if (!t->texts)
			return -ENOMEM;
		for (unsigned i = 0; i < t->slot_count; i++)
			ps_texts_own(&t->slots[i], &t->texts[i]);
		return 0;
	}
	t->slots->misuse = none;
	t->slots->text = t->actor->text;
	return 0;
}

void ps_texts_take_back(struct ps_task *t)
{
	ps_memory_free(t->texts);
}

int ps_texts_prepare(struct pstk_network *net, unsigned threads)
{
	net->texts = ps_memory_zalloc(1, sizeof *net->texts + threads * sizeof *net->texts->rooms);
	if (!net->texts)
		return -ENOMEM;
	net->texts->count = threads;
	return 0;
}

void ps_texts_free(struct pstk_network *net)
{
	ps_memory_free(net->texts);
	net->texts = NULL;
}

void ps_texts_forget(struct pstk_firing *firing)
{
	if (firing->misuse == lost)
		firing->misuse = none;
	else if (firing->misuse[0])
		firing->misuse[0] = 0;
}

char *ps_texts_misuse(struct pstk_firing *firing)
{
	struct ps_texts *texts;
	unsigned at;

	if (firing->misuse != none)
		return firing->misuse;
	texts = firing->actor->network->texts;
	at = atomic_fetch_add(&texts->taken, 1);
	firing->misuse = at < texts->count ? texts->rooms[at] : lost;
	return at < texts->count ? firing->misuse : NULL;
}
