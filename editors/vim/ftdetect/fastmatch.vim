" Copyright (c) 2026 The fastmatch authors
" SPDX-License-Identifier: BSD-2-Clause
"
" Rule files of fastmatch.  Others are called *.rules, too (those of udev, for
" example): the first line that is not a comment tells.

function! s:Detect() abort
  for l:line in getline(1, 300)
    if l:line !~# '^\%(\%uFEFF\)\=\s*\%(#.*\)\=$'
      if l:line =~# '^\%(\%uFEFF\)\=\s*\%(include\|list\|map\|undecided\|repeated\|client\|ruleset\|always\|finally\|default\|hosts\=\)\%([ \t{"]\|$\)'
        " Vim takes any other *.rules for those of Snort, first.
        unlet! b:did_ftplugin b:current_syntax
        set filetype=fastmatch
      endif
      return
    endif
  endfor
endfunction

autocmd BufNewFile,BufRead *.rules call s:Detect()
