# fish completion for watchword: hands the words of the line to `watchword complete` and shows what it answers.
function __watchword_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l found ($words[1] complete -- $words[2..-1] "$typed" 2>/dev/null)
    if test "$found[1]" = ':files'
        __fish_complete_path "$typed"
    else
        printf '%s\n' $found
    end
end
complete -c watchword -f -a '(__watchword_complete)'
