# bash completion for watchword: hands the words of the line to `watchword complete` and shows what it answers.
# Needs no package bash-completion, and works in the bash 3.2 of macOS. bash splits words at `:` and `=`: what stands
# before the last of them in the word is not completed again.
_watchword() {
  local line="${COMP_LINE:0:COMP_POINT}" typed prefix found
  local -a words
  read -r -a words <<<"$line"
  case "$line" in *[[:space:]]) words+=('') ;; esac
  typed="${words[${#words[@]} - 1]}"
  prefix="${typed%"${typed##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\t' read -r found _; do
    if [ "$found" = ':files' ]; then
      while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "${typed#"$prefix"}")
      compopt -o filenames 2>/dev/null
    elif [ -n "$found" ]; then
      COMPREPLY+=("${found#"$prefix"}")
    fi
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _watchword watchword
