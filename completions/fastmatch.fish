# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
#
# The program itself says what may stand there (src/cli/complete.c).

function __fastmatch_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # What stands after --html= is a word of its own.
    set -l before (string match -r -- '^--[^=]*=' "$current")
    or set before ''
    set -l begun (string replace -- "$before" '' "$current")
    set -l found
    # Fish's own way with ~ and with blanks in names.
    set -l files (complete -C "'' $begun")
    for line in ($words[1] --help=complete $words[2..] "$current" 2>/dev/null)
        switch $line
            case ':files *'
                set -l ending (string split -f 2 ' ' -- $line)
                set -a found (string match -r -- "^.*(?:\\.$ending|/)\$" $files)
            case ':files'
                set -a found $files
            case ':folders'
                set -a found (string match -- '*/' $files)
            case ':*'
            case '*'
                set -a found $line
        end
    end
    printf '%s\n' $before$found
end

complete -c fastmatch -f -a '(__fastmatch_complete)'
