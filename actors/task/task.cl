/* SPDX-License-Identifier: MIT */
/*
 * task on a device: one work-item. task.c writes the kernel behind it: check() of each input, number() of each output,
 * spin(). state: struct ps_task_fault, then a struct ps_task_port a port.
 */
enum { FAULT_PORT, FAULT_TOKEN, FAULT_EXPECTED, FAULT_FOUND, FAULT_LENGTH };
enum { PORT_SIZE, PORT_RATE, PORT_DELAY, PORT_HISTORY, PORT_LENGTH };

__global const ulong *port_of(__global const ulong *state, uint port)
{
	return state + FAULT_LENGTH + PORT_LENGTH * port;
}

void check(__global const uchar *window, uint port, uint valid, ulong firing, __global ulong *state)
{
	__global const ulong *p = port_of(state, port);

	for (uint i = 0; window && i < valid; i++) {
		ulong token = firing * p[PORT_RATE] + i;
		ulong expected = token < p[PORT_DELAY] ? 0 : token - p[PORT_DELAY] + 1;
		ulong found = as_ulong(vload8(0, window + (p[PORT_HISTORY] + i) * p[PORT_SIZE]));

		if (found == expected || state[FAULT_PORT])
			continue;
		state[FAULT_PORT] = port + 1;
		state[FAULT_TOKEN] = token;
		state[FAULT_EXPECTED] = expected;
		state[FAULT_FOUND] = found;
	}
}

void number(__global uchar *window, uint port, ulong firing, __global const ulong *state)
{
	__global const ulong *p = port_of(state, port);

	for (ulong i = 0; window && i < p[PORT_RATE]; i++)
		vstore8(as_uchar8(firing * p[PORT_RATE] + i + 1), 0, window + i * p[PORT_SIZE]);
}

/* Each round needs the one before. The result, never 0, is used, or a compiler would leave the loop out. */
ulong spin(ulong loops)
{
	ulong x = loops | 1;

	for (ulong i = 0; i < loops; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* To find out how long a loop takes. */
__kernel void task_spin(__global ulong *out, ulong loops)
{
	*out = spin(loops);
}
