# SPDX-License-Identifier: MIT
# Completion of the command penstock for bash. Commands, options and actor types come from the command itself.

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
	--format) mapfile -t COMPREPLY < <(compgen -W "dot svg json yaml" -- "$word") && return ;;
	--team) mapfile -t COMPREPLY < <(compgen -W "auto 0 1 2 4 8" -- "$word") && return ;;
	-e | --chain | --set | --rate | --frames | --device | --vary | --teams | --devices | --rounds | --seconds) return ;;
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
