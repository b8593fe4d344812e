/* SPDX-License-Identifier: MIT */
/* Devices by their selectors. */
#include "config.h"

#include "apps/common/devices.h"
#include "apps/common/app.h"
#include "apps/common/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What the library says where there are none is no list: it goes to stderr. */
int devices_list(void)
{
	int count = pstk_devices(NULL, 0),
	    err = count < 0 ? count : pstk_devices_print(count ? stdout : stderr);

	if (ferror(stdout) | fflush(stdout))
		return arguments_stdout_failed();
	if (err)
		return app_fail(EXIT_FAILED, "--devices: %s", strerror(-err));
	return count ? EXIT_DONE : EXIT_DEVICE;
}

int devices_status(int err)
{
	return err == -EINVAL ? EXIT_USAGE : err == -ENODEV || err == -ENOTUNIQ ? EXIT_DEVICE : EXIT_FAILED;
}

int devices_find(const char *const *selectors, unsigned count)
{
	struct pstk_device_info info;
	char text[512];
	int status = 0;

	for (unsigned i = 0; i < count; i++) {
		const char *selector = selectors[i];
		bool again = !selector;
		int err;

		for (unsigned k = 0; k < i && !again; k++)
			again = selectors[k] && !strcmp(selector, selectors[k]);
		if (again)
			continue;
		err = pstk_device_find(selector, &info, text, sizeof(text));
		if (err)
			app_fail(EXIT_DEVICE, "--device: %s", text);
		if (!status && err)
			status = devices_status(err);
	}
	return status;
}
