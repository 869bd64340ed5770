#compdef watchword
# zsh completion for watchword: hands the words of the line to `watchword complete` and shows what it answers.
_watchword() {
  local -a lines found
  local line
  lines=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "$lines[1]" == ':files' ]]; then
    _files
    return
  fi
  for line in "${(@)lines}"; do
    [[ -n "$line" ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  _describe watchword found
}
if [[ "${funcstack[1]}" == _watchword ]]; then _watchword "$@"; else compdef _watchword watchword; fi
