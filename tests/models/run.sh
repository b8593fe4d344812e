#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the Spin models of this folder: run.sh few|small|large [PATTERN]. Works in the current folder, one folder a
# search. run.sh list few|small|large [PATTERN] prints the lines. Few: the first of each model, and a fault of it.
#
# Each line of a list says what must come out: `holds` (no error, the search complete), `assert` or `stuck` (a planted
# fault: pan must find a violated assertion, or processes that can't get to their end). SPIN, CC, JOBS and MEMLIM (MB a
# search) may be set. PATTERN: only the lines that match this extended regular expression.
set -u
models=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
: "${SPIN:=spin}" "${CC:=cc}" "${JOBS:=$(nproc 2>/dev/null || echo 1)}"
list_only=no
[ "${1-}" != list ] || { list_only=yes && shift; }
case ${1-} in
few | small) optimise=-O0 && : "${MEMLIM:=1024}" ;; # most of the time goes into the compiler
large) optimise=-O2 && : "${MEMLIM:=6144}" ;;
*)
	echo "usage: run.sh [list] few|small|large [PATTERN]" >&2
	exit 2
	;;
esac

# What finds a fault quickly; in the large list, and one of each model in the small one.
faults()
{
	cat <<END
assert fifo -DFAULT=1 -DKMIN=2
assert fifo -DFAULT=2 -DKMIN=2
assert fifo -DFAULT=3 -DKMIN=2 -DRMIN=2 -DDMIN=1 -DDMAX=1
assert fifo -DFAULT=4 -DKMIN=2 -DRMIN=3 -DRMAX=3 -DDMIN=2 -DDMAX=2
stuck fifo -DFAULT=5 -DKMIN=2 -DRMAX=1 -DDMAX=0
stuck fifo -DFAULT=7 -DKMIN=2 -DRMAX=1 -DDMAX=0
assert fifo -DFAULT=6
assert broadcast -DFAULT=1 -DKMIN=2
assert broadcast -DFAULT=2 -DKMIN=2
assert broadcast -DFAULT=3 -DKMIN=2
assert broadcast -DFAULT=4 -DKMIN=2
assert bundle -DFAULT=1
assert bundle -DFAULT=2
assert bundle -DFAULT=3
assert bundle -DFAULT=4
assert bundle -DFAULT=5 -DLAST=4
assert control -DFAULT=1
assert control -DFAULT=1 -DMEMBERS=3 -DN=3
assert control -DFAULT=4 -DMEMBERS=3 -DBACK=1 -DS1=2 -DR=2 -DD2=2 -DN=3
assert control -DFAULT=2 -DSTREAMS=1 -DN=3
assert control -DFAULT=3 -DSTREAMS=1 -DN=3 -DKAPPA=1
stuck end -DFAULT=1 -DNET=4 -DBLOCKS=2
stuck end -DFAULT=2 -DNET=1 -DUSER=0
stuck end -DFAULT=3 -DNET=4 -DBLOCKS=2
stuck end -DFAULT=4 -DNET=4 -DBLOCKS=3
stuck end -DFAULT=5 -DNET=1 -DBLOCKS=1
assert detector -DFAULT=1 -DNET=2 -DFIRINGS=1
assert detector -DFAULT=2 -DNET=2
assert detector -DFAULT=3 -DNET=3 -DFIRINGS=1
assert detector -DFAULT=4 -DNET=5 -DFIRINGS=1
assert detector -DFAULT=5 -DNET=2
assert detector -DFAULT=6 -DNET=5 -DFIRINGS=1
assert detector -DFAULT=7 -DNET=5 -DFIRINGS=1
assert detector -DFAULT=8 -DNET=5 -DFIRINGS=1
stuck team -DFAULT=1 -DN=1
stuck team -DFAULT=2 -DN=1 -DP1=2
stuck team -DFAULT=3 -DT=1 -DP0=9
stuck team -DFAULT=4 -DT=1 -DP0=9
stuck team -DFAULT=5 -DN=1 -DP1=2
stuck team -DFAULT=6
stuck team -DFAULT=9 -DN=1 -DB=1 -DP0=9 -DBLOCKS=1 -DEARLY=2
stuck team -DFAULT=11 -DN=1
stuck team -DFAULT=16 -DT=1 -DNET=2 -DP1=9 -DBLOCKS=1
stuck judge -DFAULT=1
stuck judge -DFAULT=1 -DP=2
stuck judge -DFAULT=2
stuck judge -DFAULT=3 -DP=2
stuck judge -DFAULT=4 -DNET=3 -DOWN=1 -DT=1
stuck judge -DFAULT=5 -DNET=2 -DN=1
stuck judge -DFAULT=6 -DNET=4 -DN=1 -DT=1
stuck order -DFAULT=1
stuck order -DFAULT=2
assert order -DFAULT=3
assert order -DFAULT=4
stuck wake -DFAULT=1 -DHALF=1 -DTIMEOUT=0
stuck wake -DFAULT=2 -DHALF=1 -DTIMEOUT=0
stuck wake -DFAULT=4 -DAWAY=1
stuck wake -DFAULT=5 -DRING=1
stuck wake -DFAULT=6 -DAWAY=1
assert way -DFAULT=1
assert way -DFAULT=2
assert way -DFAULT=3 -DHOPS=2 -DQUICK=1
stuck way -DFAULT=4 -DHOPS=2 -DQUICK=1
stuck way -DFAULT=5 -DHOPS=2 -DQUICK=1
stuck way -DFAULT=7 -DHOPS=2 -DQUICK=1
stuck way -DFAULT=8 -DHOPS=2 -DQUICK=1 -DTEAM=1 -DN=2
assert way -DFAULT=10 -DHOPS=2 -DN=3 -DEARLY=1
assert way -DFAULT=11
assert way -DFAULT=13
assert branch -DFAULT=1 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0
assert branch -DFAULT=3 -DQUICK=1 -DDOWN=0 -DHOPS=2 -DBY0=0 -DBY1=1
stuck branch -DFAULT=5 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=1
stuck branch -DFAULT=6 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=1
stuck branch -DFAULT=7 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=1
assert branch -DFAULT=8 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=1
assert branch -DFAULT=9 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=1
assert branch -DFAULT=10 -DQUICK=1 -DHOPS=2 -DBY0=1 -DBY1=0 -DEARLY=1
assert branch -DFAULT=11 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0
stuck branch -DFAULT=12 -DQUICK=1 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0
stuck merged -DFAULT=1
assert merged -DFAULT=3
assert merged -DFAULT=4 -DE=1
assert merged -DFAULT=5
stuck merged -DFAULT=6 -DN0=1
stuck merged -DFAULT=7 -DKIND1=2
assert merged -DFAULT=8 -DKIND1=2
assert merged -DFAULT=9 -DREADERS=2 -DE=1 -DN0=1 -DN1=1
stuck merged -DFAULT=15 -DM=3 -DN1=1 -DCORES=1
stuck remote -DFAULT=7 -DEARLY=1 -DK=1 -DN=2
stuck remote -DFAULT=9 -DK=1 -DN=2
stuck remote -DFAULT=10 -DEARLY=1 -DK=1 -DN=2
stuck remote -DFAULT=14 -DK=1 -DN=2
assert remote -DFAULT=4 -DK=1 -DN=2
assert remote -DFAULT=1 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=2 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=3 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=6 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=8 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=11 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=12 -DEARLY=1 -DK=1 -DN=2
assert remote -DFAULT=13 -DEARLY=1 -DK=1 -DN=2
assert still -DFAULT=1 -DN0=1 -DN1=1
assert still -DFAULT=2 -DN1=1
assert still -DFAULT=5 -DN1=1
assert still -DFAULT=6 -DD=0
stuck still -DFAULT=7 -DBALK=1 -DD=0
assert still -DFAULT=8 -DLOSE=2 -DN1=3
assert still -DFAULT=10 -DN0=1 -DN1=1
assert abort -DFAULT=1
assert abort -DFAULT=2
assert abort -DFAULT=3
stuck abort -DFAULT=4
assert abort -DFAULT=5
assert move -DFAULT=1 -DSTATE=1 -DMOVES=1
assert move -DFAULT=2 -DSTATE=1 -DMOVES=1
assert move -DFAULT=3 -DK=2 -DMOVES=1
assert move -DFAULT=4 -DMOVES=1
assert move -DFAULT=5 -DMOVES=1
assert move -DFAULT=6 -DA1=2 -DD1=1 -DSDEV=2 -DK=2 -DN=4 -DMOVES=1
assert move -DFAULT=7 -DA0=2 -DD0=1 -DFDEV=2 -DK=2 -DMOVES=1
stuck move -DFAULT=8 -DSTATE=1 -DASK=1 -DMOVES=1
stuck move -DFAULT=9 -DNET=4 -DMOVES=1
stuck move -DFAULT=10 -DASK=1 -DMOVES=1
stuck move -DFAULT=11 -DMOVES=1
stuck move -DFAULT=12 -DNET=3 -DD0=3 -DMOVES=1
stuck move -DFAULT=12 -DNET=4 -DD0=1 -DMOVES=1
stuck move -DFAULT=13 -DMOVES=1
stuck move -DFAULT=14 -DASK=1 -DMOVES=1
stuck move -DFAULT=15 -DASK=1 -DMOVES=1
assert move -DFAULT=16 -DMOVES=1
stuck move -DFAULT=17 -DASK=1 -DMOVES=1
assert move -DFAULT=18 -DB1=2 -DN=4 -DMOVES=1
assert move -DFAULT=18 -DA0=2 -DB0=1 -DD1=1 -DN=4 -DMOVES=1
assert move -DFAULT=19 -DSIDE=2 -DSTART=0 -DK=2 -DMOVES=1
stuck move -DFAULT=20 -DSIDE=2 -DSTART=0 -DK=2 -DASK=1 -DMOVES=1
assert move -DFAULT=21 -DK=2 -DMOVES=1
assert move -DFAULT=22 -DK=2 -DMOVES=1
assert move -DFAULT=23 -DEARLY=1 -DMOVES=1
assert move -DFAULT=24 -DEARLY=1 -DSDEV=1 -DMOVES=1
assert copies -DFAULT=1
assert copies -DFAULT=2 -DK1=2
assert guard -DFAULT=1
assert guard -DFAULT=2
assert guard -DFAULT=3
assert guard -DFAULT=4
stuck guard -DFAULT=5
assert guard -DFAULT=6
assert guard -DFAULT=7
assert guard -DFAULT=8
assert guard -DFAULT=9
assert guard -DFAULT=10 -DVISITS=1
assert move_hosts -DFAULT=1
assert move_hosts -DFAULT=2 -DMOVES=3
assert move_hosts -DFAULT=3
assert move_hosts -DFAULT=4
assert move_hosts -DFAULT=5 -DABORT=1
stuck move_hosts -DFAULT=6 -DABORT=1
stuck move_hosts -DFAULT=7 -DABORT=1
assert move_hosts -DFAULT=8
assert loop -DFAULT=2 -DHELPERS=1
assert loop -DFAULT=1 -DHELPERS=1
stuck loop -DFAULT=3 -DMEET=1 -DHELPERS=1 -DLOOPS=1
stuck loop -DFAULT=4 -DMEET=1 -DHELPERS=1
stuck loop -DFAULT=5 -DHELPERS=1 -DLOOPS=1
assert loop -DFAULT=6
stuck loop -DFAULT=7 -DHELPERS=1
stuck loop -DFAULT=8 -DHELPERS=1
stuck loop -DFAULT=9 -DCALLERS=2 -DLOOPS=1 -DHELPERS=1
stuck loop -DFAULT=10 -DMEET=1 -DAWAY=1 -DLOOPS=1 -DPARTS=3
stuck loop -DFAULT=11 -DLOOPS=1
assert loop -DFAULT=12 -DHELPERS=1
assert setting -DFAULT=1 -DN=2 -DASKS=1
assert setting -DFAULT=2 -DN=2
stuck setting -DFAULT=3 -DMEET=1 -DT0=1 -DT1=2 -DASKS=1
stuck setting -DFAULT=4 -DWAITS=1 -DN=2 -DASKS=1
assert setting -DFAULT=5 -DASKS=1
stuck setting -DFAULT=6 -DMEET=1 -DT1=2 -DASKS=1
stuck setting -DFAULT=7 -DASKS=1
stuck setting -DFAULT=8 -DMEET=1 -DT0=1 -DT1=2 -DASKS=1
stuck setting -DFAULT=9 -DASKS=1
stuck setting -DFAULT=10 -DASKS=1
assert setting -DFAULT=11 -DWAITS=1 -DASKS=1
assert setting -DFAULT=12
stuck setting -DFAULT=13 -DDONE=1 -DN=2 -DASKS=0
assert handing -DFAULT=1 -DMEMBERS=1 -DN=2 -DM0=0 -DT1=1
assert handing -DFAULT=2 -DMEMBERS=1 -DN=2 -DQUICK=1
stuck handing -DFAULT=3 -DMEMBERS=1 -DN=2 -DM0=0 -DT1=1
stuck handing -DFAULT=4 -DMEMBERS=1 -DN=2 -DT0=0
stuck handing -DFAULT=5 -DMEMBERS=1 -DN=2
stuck handing -DFAULT=6 -DMEMBERS=1 -DN=2 -DM0=0
stuck handing -DFAULT=7 -DMEMBERS=1 -DN=2
stuck handing -DFAULT=8 -DMEMBERS=1 -DN=2 -DM0=0
stuck handing -DFAULT=9 -DMEMBERS=1 -DN=2 -DM0=0
stuck handing -DFAULT=10 -DN=2 -DM0=0 -DASKS=0
assert handing -DFAULT=11 -DMEMBERS=1 -DN=2 -DM0=0 -DASKS=0
stuck handing -DFAULT=12 -DMEMBERS=1 -DN=2 -DM0=0 -DASKS=0
stuck handing -DFAULT=13 -DMEMBERS=1 -DN=2 -DM0=0 -DASKS=0
stuck handing -DFAULT=14 -DMEMBERS=1 -DQUICK=1 -DMEET=1 -DM0=0 -DT0=1
assert handing -DFAULT=15 -DMEMBERS=1 -DN=2 -DQUICK=1 -DM0=0
assert handing -DFAULT=16 -DMEMBERS=1 -DN=2
stuck handing -DFAULT=17 -DCARRIERS=1 -DN=2 -DDONE=1 -DASKS=0
assert handing -DFAULT=18 -DCARRIERS=1 -DN=2 -DT0=1 -DASKS=0
assert handing -DFAULT=19 -DCARRIERS=1 -DN=2 -DT0=1 -DASKS=0
assert handing -DFAULT=20 -DN=2 -DASKS=0
stuck handing -DFAULT=21 -DCARRIERS=1 -DN=2 -DT0=1 -DT1=1 -DWAITS=1
END
}

# The rest of what can be wrong with a team, only in the large list: the compiler takes a second for each.
team_faults()
{
	cat <<END
stuck team -DFAULT=7 -DN=1
stuck team -DFAULT=8 -DN=1 -DP0=9 -DBLOCKS=1 -DEARLY=2
stuck team -DFAULT=10 -DN=1 -DP0=9 -DBLOCKS=1 -DEARLY=2
stuck team -DFAULT=12 -DN=1
stuck team -DFAULT=13 -DN=1 -DP1=2
stuck team -DFAULT=14 -DT=3 -DP1=2
stuck team -DFAULT=15 -DN=1 -DP0=9 -DBLOCKS=1 -DEARLY=2
stuck team -DFAULT=17 -DN=1
stuck team -DFAULT=18 -DN=1
stuck team -DFAULT=19 -DN=1 -DLEAVES=1
stuck order -DFAULT=5
stuck order -DFAULT=6
stuck order -DFAULT=7
assert order -DFAULT=8
stuck order -DFAULT=9
stuck order -DFAULT=10
assert order -DFAULT=11 -DDYNAMIC=1
stuck order -DFAULT=12 -DSTOP=1
stuck order -DFAULT=13
stuck order -DFAULT=14
assert order -DFAULT=15 -DKNOWN=1
stuck wake -DFAULT=3 -DHALF=1 -DTIMEOUT=0
stuck wake -DFAULT=7 -DAWAY=1
stuck wake -DFAULT=8 -DAWAY=1
stuck wake -DFAULT=8 -DAWAY=2 -DN=4
stuck wake -DFAULT=9
assert way -DFAULT=1 -DWDEV=0
stuck way -DFAULT=6 -DHOPS=2 -DQUICK=1
assert way -DFAULT=9 -DPARTLY=1 -DK=2
assert way -DFAULT=9 -DPARTLY=1 -DK=2 -DWDEV=0
assert way -DFAULT=11 -DWDEV=0
stuck way -DFAULT=12 -DHOPS=2 -DQUICK=1 -DEARLY=1
stuck way -DFAULT=13 -DHOPS=2 -DQUICK=1
stuck way -DFAULT=14 -DHOPS=2 -DQUICK=1
stuck way -DFAULT=15 -DHOPS=2 -DQUICK=1
assert way -DFAULT=16
assert branch -DFAULT=2 -DQUICK=1
stuck branch -DFAULT=4 -DQUICK=1
stuck merged -DFAULT=2
stuck merged -DFAULT=2 -DKIND1=2
stuck merged -DFAULT=6 -DE=1
assert merged -DFAULT=9 -DE=1
assert merged -DFAULT=9 -DKIND0=1 -DE=1 -DN0=1 -DN1=1
assert merged -DFAULT=9 -DKIND0=2 -DE=1 -DN0=1 -DN1=1
stuck merged -DFAULT=10 -DTEAM=1
stuck merged -DFAULT=11 -DE=1
assert merged -DFAULT=12 -DE=1
assert merged -DFAULT=13
assert merged -DFAULT=14 -DKIND0=1 -DMOVER=1 -DE=1
stuck merged -DFAULT=15 -DM=3 -DN1=1 -DQUICK=1
stuck merged -DFAULT=1 -DCORES=1
stuck merged -DFAULT=2 -DCORES=1
assert merged -DFAULT=3 -DCORES=1
assert merged -DFAULT=4 -DCORES=1 -DE=1
assert merged -DFAULT=5 -DCORES=1
stuck merged -DFAULT=6 -DCORES=1 -DN0=1
assert remote -DFAULT=5 -DEARLY=1 -DK=1 -DN=2
assert still -DFAULT=3 -DLOSE=2 -DN1=3
assert still -DFAULT=4 -DD=0
assert still -DFAULT=9 -DN1=1
stuck merged -DFAULT=11 -DCORES=1 -DE=1
END
}

small()
{
	cat <<END
holds fifo -DRMIN=2 -DDMAX=1 -DKMIN=2
holds fifo -DRMAX=1 -DDMAX=2 -DKMAX=1
holds broadcast
holds bundle
holds control -DN=3
holds control -DN=2 -DMEMBERS=3 -DR=2 -DD2=1
holds control -DN=2 -DMEMBERS=3 -DBACK=1 -DS1=2 -DD2=1
holds control -DSTREAMS=1 -DN=3 -DKAPPA=1
holds control -DSTREAMS=1 -DN=3 -DKAPPA=1 -DK=1 -DR=2 -DD0=3
holds control -DSTREAMS=1 -DN=3 -DKEEP=1
holds control -DSTREAMS=1 -DN=3 -DKAPPA=1 -DKAHN=1
holds control -DSTREAMS=1 -DN=3 -DKAPPA=1 -DKAHN=2
holds end -DNET=1 -DBLOCKS=1
holds end -DNET=4 -DBLOCKS=2
holds end -DNET=4 -DBLOCKS=3
holds detector -DNET=2
holds detector -DNET=5 -DFIRINGS=1
holds team -DN=1 -DP1=2
holds team -DT=1 -DP0=9
holds team -DT=1 -DNET=2 -DP1=9 -DBLOCKS=1
holds judge
holds judge -DP=2
holds judge -DNET=3 -DOWN=1
holds judge -DNET=4 -DN=1 -DT=1
holds order
holds wake -DAWAY=1
holds wake -DRING=1
holds way -DEARLY=1 -DPARTLY=1
holds way -DK=2 -DEARLY=1 -DPARTLY=1 -DHOLD=2
holds way -DWDEV=0 -DEARLY=1 -DPARTLY=1 -DD=1
holds way -DWDEV=0 -DK=2 -DHOLD=2
holds way -DHOPS=2 -DN=2 -DQUICK=1 -DPARTLY=1
holds branch -DQUICK=1 -DN=2 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=1
holds branch -DQUICK=1 -DN=2 -DDOWN=0 -DHOPS=2 -DBY0=0 -DBY1=1
holds merged -DE=1 -DN1=1
holds merged -DN0=1 -DTEAM=1
holds merged -DKIND0=1 -DN1=1
holds merged -DKIND1=2 -DE=2 -DN0=1 -DN1=1 -DQUICK=1
holds merged -DREADERS=2 -DE=1 -DN0=1 -DN1=1 -DQUICK=1
holds merged -DCORES=1 -DE=1 -DN1=1
holds remote -DK=1 -DN=2
holds remote -DK=1 -DN=2 -DPARTLY=1
holds still -DD=0
holds still -DLOSE=1
holds still -DN0=1 -DN1=1
holds abort -DFAILS=0
holds abort -DFAILS=1
holds move -DMOVES=1
holds move -DSTATE=1 -DASK=2
holds move -DNET=2 -DD0=1 -DSTATE=1 -DMOVES=1
holds move -DNET=3 -DD0=3 -DMOVES=1
holds move -DNET=4 -DN=2 -DASK=1 -DMOVES=1
holds move -DA0=2 -DA1=2 -DD0=1 -DD1=1 -DFDEV=2 -DSDEV=2 -DMOVES=1
holds move -DA0=2 -DB0=1 -DB1=2 -DN=4 -DMOVES=1 -DSERIAL=1
holds move -DSIDE=2 -DSTART=0 -DASK=1 -DK=2 -DMOVES=1
holds move -DEARLY=1 -DN=2 -DMOVES=1
holds copies -DN=3
holds guard -DN=3
holds guard -DN=3 -DWITH_CORES=0
holds move_hosts -DMOVES=3
holds move_hosts -DABORT=1
holds loop -DHELPERS=1 -DAWAY=1
holds loop -DMEET=1 -DAWAY=2 -DLOOPS=1
holds loop -DMEET=1 -DAWAY=1 -DLOOPS=1
holds loop -DCALLERS=2 -DLOOPS=1 -DHELPERS=1
holds setting -DN=2 -DASKS=1 -DWAITS=1
holds setting -DASKS=1 -DMEET=1 -DT0=1 -DT1=2
holds setting -DN=2 -DASKS=1 -DDONE=0
holds setting -DN=1 -DASKS=1 -DABORT=1
holds handing -DMEMBERS=1 -DCARRIERS=1 -DN=2 -DT0=1 -DT1=1 -DWAITS=1
holds handing -DMEMBERS=1 -DCARRIERS=1 -DN=2 -DT0=1 -DT1=1 -DDONE=0
holds handing -DMEMBERS=1 -DN=2 -DQUICK=1 -DT0=1
holds handing -DMEMBERS=1 -DCARRIERS=1 -DN=1 -DQUICK=1 -DT0=1 -DT1=1 -DABORT=1
holds handing -DCARRIERS=1 -DN=2 -DT0=1 -DT1=1 -DQUICK=1
holds handing -DN=2 -DQUICK=1 -DMEET=1 -DASKS=0
END
}

# Faults of the FIFO at each rate, at delays of each kind.
fifo_faults()
{
	for r in 1 2 3 4; do
		for d in 0 1 $((r + 1)) $((2 * r)) $((3 * r + 2)); do
			at="-DRMIN=$r -DRMAX=$r -DDMIN=$d -DDMAX=$d -DKMIN=2"
			echo "assert fifo -DFAULT=1 $at"
			echo "assert fifo -DFAULT=2 $at"
			[ $((d % r)) -eq 0 ] || echo "assert fifo -DFAULT=3 $at"
			[ $((d % r)) -lt 2 ] || echo "assert fifo -DFAULT=4 $at"
			echo "stuck fifo -DFAULT=5 $at"
			echo "stuck fifo -DFAULT=7 $at"
			echo "stuck fifo -DFAULT=8 $at"
			[ $((d % r)) -ne 0 ] || echo "assert fifo -DFAULT=6 $at"
		done
	done
}

large()
{
	for r in 1 2 3 4; do
		echo "holds fifo -DRMIN=$r -DRMAX=$r -DKMAX=3"
		echo "holds broadcast -DRMIN=$r -DRMAX=$r -DKMAX=3"
		echo "holds broadcast -DRMIN=$r -DRMAX=$r -DKMIN=2 -DREADERS=3 -DTHIRD=$((r % 2))"
	done
	fifo_faults
	for kappa in 1 2 3; do
		for depth in 1 2; do
			for d in 0 1 3; do
				echo "holds control -DSTREAMS=1 -DN=5 -DKAPPA=$kappa -DK=$depth -DR=2 -DD0=$d"
			done
			for how in -DKAHN=1 -DKAHN=2 -DKEEP=1 "-DKEEP=1 -DKAHN=1"; do
				echo "holds control -DSTREAMS=1 -DN=4 -DKAPPA=$kappa -DK=$depth $how"
			done
		done
	done
	for s in 1 2 3; do
		echo "holds control -DMEMBERS=3 -DR=3 -DD0=2 -DD1=4 -DS1=$s"
		echo "holds control -DMEMBERS=3 -DBACK=1 -DR=3 -DD2=4 -DK=1 -DS1=$s"
		echo "holds control -DVALUES=3 -DS0=$((s + 1)) -DN=4 -DKAPPA=1"
	done
	cat <<END
holds end -DNET=1 -DBLOCKS=2
holds end -DNET=1 -DBLOCKS=3
holds end -DNET=1 -DUSER=0
holds end -DNET=1 -DUSER=1 -DFAILS=0
holds end -DNET=1 -DUSER=2 -DFAILS=0 -DFIRINGS=1
holds end -DNET=1 -DUSER=3 -DFIRINGS=1
holds end -DNET=2 -DFIRINGS=1 -DUSER=0
holds end -DNET=2 -DUSER=1 -DFAILS=0
holds end -DNET=2 -DUSER=2 -DFIRINGS=1
holds end -DNET=3 -DBLOCKS=1
holds end -DNET=3 -DUSER=0 -DFIRINGS=1 -DFAILS=0
holds detector -DNET=2 -DFIRINGS=3
holds detector -DNET=2 -DFIRINGS=3 -DK=2 -DD=1
holds detector -DNET=3 -DFIRINGS=1
holds detector -DNET=3 -DFIRINGS=1 -DD=1
holds detector -DNET=4 -DFIRINGS=1
holds detector -DNET=4 -DFIRINGS=1 -DD=1
holds detector -DNET=5 -DFIRINGS=2 -DD=1
holds detector -DNET=6 -DFIRINGS=1
holds team -DN=3
holds team -DB=3
holds team -DTORN=1
holds team -DN=1 -DLEAVES=1
holds team -DLEAVES=1
holds team -DP1=2 -DTORN=1
holds team -DP1=2 -DP2=1
holds team -DP0=9
holds team -DP1=9
holds team -DP2=9
holds team -DN=1 -DP0=9 -DONE=1
holds team -DN=1 -DP0=9 -DP2=2
holds team -DN=1 -DP0=9 -DBLOCKS=1 -DEARLY=2
holds team -DNET=2
holds team -DN=1 -DNET=2 -DP1=9 -DBLOCKS=1
holds team -DN=1 -DNET=2 -DP1=9 -DBLOCKS=1 -DP2=2
holds team -DNET=3 -DEARLY=1
holds team -DNET=3 -DP2=1 -DK=2
holds team -DN=1 -DNET=3 -DP1=9
holds team -DNET=4 -DEARLY=1
holds team -DNET=4 -DP1=2
holds team -DT=3 -DN=1
holds team -DT=3 -DN=1 -DP1=2
holds judge -DD=1 -DP=2
holds judge -DD=1
holds judge -DOWN=1
holds judge -DD=1 -DC=2 -DN=3 -DP=2
holds judge -DNET=2 -DP=2
holds judge -DNET=2
holds judge -DNET=2 -DD=1 -DN=1
holds judge -DNET=2 -DOWN=1 -DP=1 -DN=1
holds judge -DNET=3
holds judge -DNET=3 -DD=1
holds judge -DNET=3 -DD=1 -DP=1 -DN=1
holds judge -DNET=3 -DD=1 -DOWN=1 -DN=1
holds judge -DNET=4 -DN=1
holds judge -DT=3 -DP=1
holds order -DSTOP=1 -DB=3
holds order -DSTOP=1 -DC=3
holds order -DDYNAMIC=1
holds order -DKNOWN=1 -DSTOP=1
holds order -DKNOWN=1 -DT=3
holds order -DT=3
holds order -DT=3 -DC=3 -DN=4
holds wake -DB=3 -DHALF=1 -DTIMEOUT=0 -DAWAY=1
holds wake -DTIMEOUT=0
holds wake -DTIMEOUT=0 -DRING=1
holds wake -DK=4 -DN=9
holds wake -DK=4 -DN=9 -DAWAY=2
holds wake -DK=3 -DN=5 -DAWAY=1
holds wake -DACTORS=3
holds wake -DACTORS=3 -DN=4 -DRING=1
holds wake -DACTORS=3 -DN=4 -DAWAY=2
holds way -DK=2 -DN=7 -DEARLY=1 -DPARTLY=1 -DHOLD=2 -DD=1
holds way -DK=3 -DN=7 -DEARLY=1 -DPARTLY=1 -DHOLD=3
holds way -DK=1 -DKR=3 -DN=7 -DEARLY=1
holds way -DWDEV=0 -DK=2 -DN=7 -DEARLY=1 -DPARTLY=1 -DHOLD=2 -DD=1
holds way -DWDEV=0 -DK=3 -DN=7 -DEARLY=1 -DPARTLY=1 -DHOLD=3
holds way -DWDEV=0 -DK=2 -DKR=1 -DN=6 -DD=2
holds way -DHOPS=2 -DN=3 -DPARTLY=1
holds way -DHOPS=2 -DN=3 -DEARLY=1
holds way -DHOPS=2 -DN=2 -DEARLY=1 -DTEAM=3 -DD=1
holds way -DHOPS=2 -DN=3 -DTEAM=3 -DQUICK=1
holds way -DHOPS=2 -DN=4 -DQUICK=1
holds way -DHOPS=2 -DK=2 -DN=3 -DQUICK=1 -DEARLY=1
holds branch -DN=2 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DEARLY=3
holds branch -DN=3 -DDOWN=0 -DHOPS=1 -DBY0=0 -DBY1=0 -DK=2 -DQUICK=1
holds branch -DN=3 -DHOPS=1 -DBY0=0 -DBY1=0 -DK=2 -DEARLY=1
holds branch -DN=3 -DHOPS=1 -DBY0=0 -DBY1=0 -DQUICK=1 -DEARLY=3
holds branch -DN=3 -DDOWN=0 -DHOPS=2 -DBY0=0 -DBY1=1 -DQUICK=1 -DEARLY=3
holds branch -DN=2 -DHOPS=2 -DBY0=1 -DBY1=0 -DQUICK=1 -DEARLY=1
holds branch -DN=2 -DHOPS=3 -DQUICK=1
holds merged -DE=3 -DN0=1
holds merged -DE=3 -DQUICK=1
holds merged -DK=2 -DN0=3 -DN1=3 -DQUICK=1
holds merged -DE=3 -DN0=1 -DTEAM=1
holds merged -DKIND0=1 -DE=1
holds merged -DKIND0=1 -DE=1 -DQUICK=1 -DMOVER=1
holds merged -DKIND1=1 -DE=3 -DQUICK=1
holds merged -DKIND0=2 -DE=1
holds merged -DKIND1=2 -DE=2
holds merged -DKIND1=2 -DK=2 -DN0=3 -DN1=3 -DQUICK=1
holds merged -DREADERS=2 -DE=7 -DN0=1 -DN1=1 -DQUICK=1
holds merged -DREADERS=2 -DE=1 -DN1=1 -DQUICK=1
holds merged -DM=3 -DN0=1 -DN1=1 -DN2=1 -DQUICK=1
holds merged -DCORES=1 -DE=3
holds merged -DCORES=1 -DE=3 -DN0=1 -DTEAM=1
holds merged -DCORES=1 -DREADERS=2 -DE=7 -DN0=1
holds merged -DCORES=1 -DK=2 -DN0=3 -DN1=3 -DE=1
holds merged -DCORES=1 -DM=3 -DN0=1 -DN1=1
holds remote
holds remote -DPARTLY=1
holds remote -DK=1 -DN=2 -DEARLY=1 -DCONTROLS=2
holds remote -DEARLY=1 -DN=2 -DPARTLY=1
holds remote -DEARLY=1 -DPARTLY=1 -DCONTROLS=2
holds still
holds still -DD=0 -DBALK=1
holds still -DLOSE=2 -DN1=3
holds move
holds move -DSTATE=1
holds move -DSTATE=1 -DASK=1 -DMOVES=3
holds move -DSTATE=1 -DFDEV=1 -DSDEV=1 -DSTART=0
holds move -DSTATE=1 -DABORT=1 -DMOVES=1
holds move -DK=2 -DKS=2 -DN=4 -DMOVES=1
holds move -DNET=2 -DD0=2 -DK=2 -DN=4
holds move -DNET=2 -DD0=3 -DA0=2 -DK=2 -DSTATE=1
holds move -DNET=3 -DD0=3 -DN=4 -DSTATE=1
holds move -DNET=3 -DD0=3 -DA0=2 -DD1=1 -DA1=2 -DK=2
holds move -DNET=4 -DMOVES=1
holds move -DNET=4 -DD0=1 -DSTATE=1 -DMOVES=1 -DSERIAL=1
holds move -DNET=4 -DN=2 -DSTATE=1 -DASK=1 -DABORT=1
holds move -DA0=2 -DA1=2 -DD0=1 -DD1=1 -DK=2 -DN=4 -DFDEV=2 -DSDEV=2 -DMOVES=1
holds move -DA0=2 -DA1=2 -DD0=1 -DD1=1 -DK=2 -DN=4 -DFDEV=2 -DSDEV=2 -DONE=1 -DMOVES=1
holds move -DA0=2 -DB0=1 -DB1=2 -DD0=1 -DN=4
holds move -DB0=2 -DA1=2 -DB1=1 -DD1=1 -DN=2
holds move -DSIDE=2 -DK=2
holds move -DEARLY=1 -DSDEV=1 -DSTATE=1 -DMOVES=1
holds move -DEARLY=1 -DK=2 -DMOVES=1
holds copies
holds copies -DK1=2
holds copies -DK1=3 -DK2=1 -DN=5
holds guard -DK=2
holds guard -DK=2 -DVISITS=1
holds guard -DWITH_CORES=0 -DVISITS=1
holds move_hosts -DN=5 -DK=2 -DMOVES=5 -DABORT=1
holds move_hosts -DHOSTS=3 -DABORT=1 -DMOVES=3
holds move_hosts -DHOSTS=3 -DK=2 -DN=4 -DMOVES=4
holds loop -DAWAY=3
holds loop -DMEET=1 -DAWAY=1
holds loop -DMEET=1 -DAWAY=1 -DLOOPS=1 -DPARTS=3
holds loop -DMEET=1 -DSEATS=2 -DPARTS=3
holds loop -DCALLERS=2 -DHELPERS=1 -DAWAY=1
holds loop -DCALLERS=2 -DLOOPS=1
holds setting
holds setting -DWAITS=1 -DT0=1 -DT1=2
holds setting -DMEET=1
holds setting -DABORT=1 -DASKS=1
holds setting -DDONE=1
holds setting -DPHASE=1 -DASKS=1
holds setting -DPHASE=2 -DASKS=1 -DMEET=1 -DN=4
holds setting -DCARRIERS=3 -DN=2 -DASKS=1 -DT0=3
holds setting -DCARRIERS=3 -DN=2 -DASKS=1 -DT0=1 -DT1=3 -DMEET=1
holds handing -DMEMBERS=1 -DN=2
holds handing -DMEMBERS=1 -DN=1 -DQUICK=1 -DT1=1 -DABORT=1
holds handing -DCARRIERS=1 -DN=2 -DT0=1 -DT1=1
holds handing -DMEMBERS=1 -DN=2 -DQUICK=1 -DM0=0 -DM1=1
holds handing -DMEMBERS=1 -DN=2 -DQUICK=1 -DM0=0 -DT1=1 -DMEET=1
holds handing -DMEMBERS=1 -DCARRIERS=1 -DN=1 -DT0=1 -DT1=1 -DABORT=1
holds handing -DN=2 -DASKS=0
END
	team_faults
}

# search NUMBER EXPECTED MODEL PARAMETER..: leaves its line in the file NUMBER.result
search()
{
	number=$1 expected=$2 model=$3
	shift 3
	rm -rf -- "$number" && mkdir -- "$number" && cp -- "$models/$model.pml" "$number" && cd -- "$number" || return 1
	options=${*:+" $*"} verdict=broken
	set -- -m200000
	# control and detector look for themselves at how all processes wait
	case $model in control | detector) set -- "$@" -E ;; esac
	# shellcheck disable=SC2086 # a list of words
	if "$SPIN" -a $options "$model.pml" >log 2>&1 &&
		"$CC" "$optimise" -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 "-DMEMLIM=$MEMLIM" \
			-o pan pan.c >>log 2>&1; then
		./pan "$@" >>log 2>&1
		if ! grep -q 'errors: [0-9]' log ||
			grep -qE 'max search depth too small|out of memory|memory limit|aborting|not completed' log &&
			! grep -q 'errors: [1-9]' log; then
			verdict=incomplete
		elif grep -q 'errors: 0$' log; then
			verdict=holds
		elif grep -q 'invalid end state (at' log; then
			verdict=stuck
		elif grep -q 'assertion violated .*(at' log; then
			verdict=assert
		fi
	fi
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' log)
	seconds=$(sed -n 's/^pan: elapsed time \([0-9.e+]*\) seconds.*/\1/p' log)
	memory=$(sed -n 's/^ *\([0-9.]*\).*total actual memory usage.*/\1/p' log)
	word=ok
	[ "$verdict" = "$expected" ] || word="FAILED, is $verdict"
	printf '%s: %s %s%s [%s states, %s s, %s MB]\n' "$word" "$expected" "$model" "$options" \
		"${states:-?}" "${seconds:-?}" "${memory:-?}"
	if [ "$word" != ok ]; then
		tail -n 30 log | sed 's/^/    /'
	elif [ "$verdict" = holds ]; then
		# an end that is not reached is no news: the processes that empty store buffers have none
		sed -n "/\"-end-\"/d; s/^\t$model\.pml:\([0-9]*\), state .*/$model.pml:\1/p" log | sort -u >unreached
		rm -f pan pan.*
	fi
	cd ..
}

# Of the small list compilers take most of the time: a fault of each model is enough to see that it finds some.
first_of_each() { awk '!seen[$2]++'; }
lines()
{
	{
		case $1 in
		few) small | first_of_each && faults | first_of_each ;;
		small) small && faults | first_of_each ;;
		large) large && faults ;;
		esac
	} | grep -E -e "${2:-.}"
}
if [ $list_only = yes ]; then
	lines "$@"
	exit
fi
list=$PWD/models.list
lines "$@" >"$list" || exit 2
rm -rf ./*.result ./*/unreached
worker=0
while [ "$worker" -lt "$JOBS" ]; do
	(
		number=0
		while read -r line; do
			number=$((number + 1))
			[ $((number % JOBS)) -eq "$worker" ] || continue
			# shellcheck disable=SC2086
			search $number $line >$number.result 2>&1 </dev/null || echo "FAILED: $line" >>$number.result
		done <"$list"
	) &
	worker=$((worker + 1))
done
wait

number=0 bad=0
while read -r line; do
	number=$((number + 1))
	cat $number.result 2>/dev/null || echo "FAILED: $line left no result"
	grep -q '^ok: ' $number.result 2>/dev/null || bad=$((bad + 1))
done <"$list"
# Lines that no search of their model that holds has reached, or not in each of their places.
for model in fifo broadcast control end detector team judge order wake way branch merged remote still abort \
	move copies guard move_hosts loop setting handing; do
	runs=$(grep -cE "^holds $model( |\$)" "$list")
	[ "$runs" -eq 0 ] || cat ./*/unreached 2>/dev/null | grep "^$model\.pml:" | sort | uniq -c |
		awk -v runs="$runs" '$1 == runs { print "    reached by no search: " $2 }'
done
echo "models: $number searches, $bad not as expected"
[ "$number" -gt 0 ] && [ "$bad" -eq 0 ]
