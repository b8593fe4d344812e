/* SPDX-License-Identifier: MIT */
/* What all objects have in common: references, what becomes of released ones, queries. */
#include "tests/fake_cl/fake.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = { "device", "context", "queue", "buffer", "SVM allocation", "program",
	"kernel", "event", "map" };

void fake_init(void *object, enum fake_cl_kind kind, bool owned)
{
	struct fake_object *o = object;

	o->dispatch = &fake_dispatch;
	o->kind = kind;
	o->refs = owned;
	fake.live[kind] += owned;
}

bool fake_valid(const void *object, enum fake_cl_kind kind)
{
	const struct fake_object *o = object;

	if (!o)
		return false;
	if (o->dispatch != &fake_dispatch || o->kind != kind) {
		fake_violation("something that is no %s is used as one", kinds[kind]);
		return false;
	}
	if (!o->refs)
		fake_violation("a %s is used that has been released", kinds[kind]);
	return o->refs;
}

cl_int fake_retain(void *object, enum fake_cl_kind kind, cl_int invalid)
{
	struct fake_object *o = object;

	if (!fake_valid(o, kind))
		return invalid;
	o->refs++;
	return CL_SUCCESS;
}

/* Keeps it, not for ever, but long enough: a caller that uses it too late is told so. */
static void bury(struct fake_object *o)
{
	free(fake.graves[fake.grave]);
	fake.graves[fake.grave] = o;
	fake.grave = (fake.grave + 1) % FAKE_GRAVES;
}

static void destroy(struct fake_object *o)
{
	void *object = o;

	o->holds++; /* what is called meanwhile must not do this again */
	switch (o->kind) {
	case FAKE_CL_SUB_DEVICE: {
		cl_device_id device = object;

		fake_drop(device->parent);
		break;
	}
	case FAKE_CL_CONTEXT:
		fake_context_destroy(object);
		break;
	case FAKE_CL_QUEUE:
		fake_queue_destroy(object);
		break;
	case FAKE_CL_BUFFER:
	case FAKE_CL_SVM:
		fake_memory_destroy(object);
		break;
	case FAKE_CL_PROGRAM:
		fake_program_destroy(object);
		break;
	case FAKE_CL_KERNEL:
		fake_kernel_destroy(object);
		break;
	case FAKE_CL_EVENT:
		fake_event_destroy(object);
		break;
	case FAKE_CL_MAP:
	case FAKE_CL_KIND_COUNT:
		break;
	}
	bury(o);
}

cl_int fake_release(void *object, enum fake_cl_kind kind, cl_int invalid)
{
	struct fake_object *o = object;

	if (!fake_valid(o, kind))
		return invalid;
	if (--o->refs)
		return CL_SUCCESS;
	fake.live[kind]--;
	if (kind == FAKE_CL_QUEUE)
		fake_queue_close(object);
	else if (!o->holds)
		destroy(o);
	return CL_SUCCESS;
}

void fake_hold(void *object)
{
	struct fake_object *o = object;

	if (o)
		o->holds++;
}

void fake_drop(void *object)
{
	struct fake_object *o = object;

	if (o && !--o->holds && !o->refs)
		destroy(o);
}

cl_int fake_info(const void *from, size_t bytes, size_t size, void *value, size_t *size_ret)
{
	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value && bytes)
		memcpy(value, from, bytes);
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}
