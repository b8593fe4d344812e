/* SPDX-License-Identifier: MIT */
/*
 * A guarded actor: it fires at a device, which may fail in the middle of a firing, and fires the same firing at its
 * next place. Nothing is lost, or there twice.
 *
 * What stands for what (lib/opencl/guard.c; the home and its counters as in move.pml):
 *
 *   cell                the home of the FIFOs to and from the actor, K windows each: the window's number + 1; 0 while
 *                       it is being written
 *   written, read       the counters. No window has an event: what is published is there
 *   feeder, sink        the neighbours, on the cores
 *   guarded             the actor's thread, or the team's member that has taken it: one firing at a time
 *   place, is_dead      where it is: device 1, then device 2, then (WITH_CORES=1) CORES; which are dead for good
 *   run_all()           a firing at a device: commands, each enqueued once the one before has ended. STATE_UP: the
 *                       state to a place that is new. UPLOAD: from home. KERNEL. DOWNLOAD: to the actor's own window.
 *                       READ_BACK: the state to the second copy. The call may fail as the command may
 *   commit()            the host's step behind them: the output home, both windows published, the copy is the state
 *   device              a place's queue. A command ends at any time, or its event says that it has failed: then it may
 *                       still do what it does, once, at any later time (late)
 *   sin, sout, dst      the device's memory: input, output, state
 *   own, copy           the host's memory that the commands of a place write: the output window, the second copy
 *   state               the state of the last published firing: how many it has seen
 *   has_state           the place's memory has the state of the last published firing
 *   failed              no place is left: the network fails
 *   freed               the network is destroyed: its memory is given back. With a dead place it is not: the home, own
 *                       and copy are left to the commands of that place
 *
 * Each firing has seen the right input and the right state, and its output is published once. A command never finds
 * memory that is given back. All get to their end: with a living place the sink has read all.
 *
 * VISITS=1: it may also be moved to the other living device between two firings. Nothing is in flight there; the old
 * place's memory no longer counts as having the state.
 *
 * Left out: commands that never end, several ports, control tokens.
 *
 * FAULT: 1 the output is downloaded home  2 the input is freed once it is uploaded  3 the output is published before
 *        the state is back  4 the state is read back over the only copy  5 all commands are enqueued at once, and the
 *        last one waited for  6 the next firing is fired, not the same  7 the same place is tried again  8 all places
 *        share one window and one copy  9 the memory that a dead place may use is given back at the end  10 an actor
 *        that comes back to a place goes on with the state of its last firing there
 */
#ifndef N
#define N 4
#endif
#ifndef K
#define K 1
#endif
#ifndef WITH_CORES
#define WITH_CORES 1
#endif
#ifndef VISITS
#define VISITS 0
#endif
#ifndef FAULT
#define FAULT 0
#endif

#define CORES 0
#define DEVICES 2
#define AT(f, w) ((f) * K + (w) % K)

#define NOTHING 0
#define STATE_UP 1
#define UPLOAD 2
#define KERNEL 3
#define DOWNLOAD 4
#define READ_BACK 5

#define PENDING 0
#define OK 1
#define FAILED 2

byte cell[2 * K];
byte written[2], read[2];

byte place = 1, firing;
byte state;
bit is_dead[DEVICES + 1], failed, freed;

/* the places' */
byte command[DEVICES + 1], number[DEVICES + 1], event[DEVICES + 1];
byte late[DEVICES + 1], late_number[DEVICES + 1];
byte failures;
byte sin[DEVICES + 1], sout[DEVICES + 1], dst[DEVICES + 1];
byte own[DEVICES + 1], copy[DEVICES + 1];
bit has_state[DEVICES + 1];

#if FAULT == 8
#define OWN(p) 0
#else
#define OWN(p) p
#endif

byte home;

/* What command c of firing n does at place p. The kernel knows nothing of n: its state says which firing it is. */
inline does(p, c, n)
{
	if
	:: c == STATE_UP -> assert(!freed); dst[p] = state
	:: c == UPLOAD -> assert(!freed); sin[p] = cell[AT(0, n)]
	:: c == KERNEL -> sout[p] = (sin[p] == dst[p] + 1 -> sin[p] : 255); dst[p] = dst[p] + 1
#if FAULT == 1
	:: c == DOWNLOAD -> cell[AT(1, n)] = sout[p]
#else
	:: c == DOWNLOAD -> assert(!freed); own[OWN(p)] = sout[p]
#endif
#if FAULT == 4
	:: c == READ_BACK -> state = dst[p]
#else
	:: c == READ_BACK -> assert(!freed); copy[OWN(p)] = dst[p]
#endif
	fi
}

proctype device(byte p)
{
end:
	do
	:: d_step {
		command[p] != NOTHING ->
		does(p, command[p], number[p]);
#if FAULT == 5
		if
		:: command[p] < READ_BACK -> command[p]++
		:: else -> event[p] = OK; command[p] = NOTHING
		fi
#else
		event[p] = OK;
		command[p] = NOTHING
#endif
	}
	/* Commands behind it are never begun, and their events never ring. */
	:: d_step {
		command[p] != NOTHING && late[p] == NOTHING && failures < DEVICES ->
		failures++;
		late[p] = command[p];
		late_number[p] = number[p];
#if FAULT == 5
		if
		:: command[p] == READ_BACK -> event[p] = FAILED
		:: else
		fi;
#else
		event[p] = FAILED;
#endif
		command[p] = NOTHING
	}
	:: d_step { late[p] != NOTHING -> does(p, late[p], late_number[p]); late[p] = NOTHING; late_number[p] = 0 }
	od
}

proctype feeder()
{
	do
	:: written[0] < N ->
		if
		:: written[0] < read[0] + K
		:: failed -> break
		fi;
		cell[AT(0, written[0])] = 0;
		d_step { cell[AT(0, written[0])] = written[0] + 1; written[0]++ }
	:: written[0] == N -> break
	od;
	home++
}

proctype sink()
{
	do
	:: read[1] < N ->
		if
		:: read[1] < written[1]
		:: failed -> break
		fi;
		assert(cell[AT(1, read[1])] == read[1] + 1);
		d_step { assert(cell[AT(1, read[1])] == read[1] + 1); read[1]++ }
	:: read[1] == N -> break
	od;
	home++
}

/* c: the first command that has not ended, READ_BACK + 1 if all have. */
inline run_all()
{
	c = (has_state[place] -> UPLOAD : STATE_UP);
	do
	:: c <= READ_BACK ->
		if
		:: failures < DEVICES -> failures++; break /* the call */
		:: d_step { command[place] = c; number[place] = firing; event[place] = PENDING }
#if FAULT == 5
			c = READ_BACK;
#endif
			event[place] != PENDING;
			if
			:: event[place] == FAILED -> break
			:: else
			fi
		fi;
#if FAULT == 2
		if
		:: c == UPLOAD -> read[0]++
		:: else
		fi;
#endif
#if FAULT == 3
		if
		:: c == DOWNLOAD -> d_step { cell[AT(1, written[1])] = own[OWN(place)]; written[1]++ }
		:: else
		fi;
#endif
		c++
	:: else -> break
	od
}

/* Between these steps nothing fails. */
inline commit()
{
#if FAULT != 1 && FAULT != 3
	cell[AT(1, firing)] = 0;
	cell[AT(1, firing)] = own[OWN(place)];
#endif
#if FAULT != 4
	state = copy[OWN(place)];
#endif
#if FAULT != 3
	written[1]++;
#endif
#if FAULT != 2
	read[0]++;
#endif
	d_step {
		has_state[place] = 1;
		firing++;
		assert(state == firing)
	}
}

proctype guarded()
{
	byte c;

	do
	:: firing == N || failed -> break
	:: else ->
		read[0] < written[0] && written[1] < read[1] + K;
#if VISITS
		/* a move that is asked for, between two firings */
		if
		:: place == 1 && !is_dead[2] ->
			atomic {
#if FAULT != 10
				has_state[1] = 0;
#endif
				place = 2
			}
		:: place == 2 && !is_dead[1] ->
			atomic {
#if FAULT != 10
				has_state[2] = 0;
#endif
				place = 1
			}
		:: 1
		fi;
#endif
		if
		:: place == CORES ->
			assert(cell[AT(0, firing)] == firing + 1 && state == firing);
			cell[AT(1, firing)] = 0;
			d_step {
				assert(cell[AT(0, firing)] == firing + 1);
				cell[AT(1, firing)] = firing + 1;
				state++;
				firing++;
				written[1]++;
				read[0]++
			}
		:: else ->
			run_all();
			if
			:: c > READ_BACK -> commit()
			:: else ->
				d_step {
#if FAULT == 6
					firing++;
					read[0]++;
#endif
					is_dead[place] = 1;
#if FAULT == 7
					has_state[place] = 0
#else
					if
					:: !is_dead[1] -> place = 1
					:: is_dead[1] && !is_dead[2] -> place = 2
					:: else -> place = CORES; failed = !WITH_CORES
					fi
#endif
				}
			fi;
			c = 0
		fi
	od;
	home++
}

init {
	atomic {
		run device(1);
		run device(2);
		run feeder();
		run guarded();
		run sink()
	}
	home == 3;
	assert(failed || firing == N && state == N && read[1] == N);
	atomic {
#if FAULT == 9
		freed = 1
#else
		freed = !is_dead[1] && !is_dead[2]
#endif
	}
}
