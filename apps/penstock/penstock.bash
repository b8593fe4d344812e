# SPDX-License-Identifier: MIT
# Completion of the command penstock for bash. Commands, options and actor types come from the command itself.

# _penstock_names WHAT OPTION VALUE: the names that the graph file on the line has, each with a =, from what the command
# says of a name that no file has.
_penstock_names()
{
	local file

	for file in "${COMP_WORDS[@]}"; do
		if [[ $file == *.y*ml && -r $file ]]; then
			penstock check "$file" "$2" "$3" 2>&1 >/dev/null |
				sed -n "s/^penstock: the graph has no $1 ' *': it has \(.*\)/\1/p" | tr ',' '\n' |
				sed -n 's/^ *\([^ .].*\)/\1=/p'
			return
		fi
	done
}

_penstock()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(penstock --help | sed -n 's/^  \([a-z]*\) .*  .*/\1/p')
			--help --version" -- "$word")
		return
	fi
	case $before in
	--overlap | --merge) mapfile -t COMPREPLY < <(compgen -W "on off" -- "$word") && return ;;
	--format) mapfile -t COMPREPLY < <(compgen -W "$([ "$command" != plan ] || echo text) dot svg json yaml" -- "$word") && return ;;
	--team) mapfile -t COMPREPLY < <(compgen -W "auto 0 1 2 4 8" -- "$word") && return ;;
	--set | --vary | --device | --move)
		mapfile -t COMPREPLY < <(compgen -W "$(if [ "$before" = --device ] || [ "$before" = --move ]; then
			_penstock_names actor --device ' =cores' | if [ "$command$before" = run--move ]; then tr = @; else cat; fi
		else
			_penstock_names parameter --set =
		fi)" -- "$word")
		compopt -o nospace 2>/dev/null
		return
		;;
	-e | --chain | --rate | --frames | --host | --teams | --devices | --rounds | --seconds | --migration | --times | \
		--iterations | --at) return ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(penstock "$command" --help 2>/dev/null |
			grep -o -e '^  --[a-z-]*' -e ', --[a-z-]* ' | tr -d ' ,' | sort -u)" -- "$word")
	elif [ "$command" = actors ] && [ "$before" != --plugin ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(penstock actors 2>/dev/null | sed -n 's/^  \([^ ]*\).*/\1/p')" -- "$word")
	elif [ "$command" != devices ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		compopt -o filenames 2>/dev/null
	fi
}
complete -F _penstock penstock
