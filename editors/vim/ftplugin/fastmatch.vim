" Copyright (c) 2026 The fastmatch authors
" SPDX-License-Identifier: BSD-2-Clause
"
" Rule files of fastmatch.  gq formats the file, :make checks it.

if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal expandtab shiftwidth=4 softtabstop=4
setlocal formatexpr=FastmatchFormat() formatoptions-=t
setlocal makeprg=fastmatch\ check\ -q\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab<'
      \ . ' shiftwidth< softtabstop< formatexpr< formatoptions< makeprg<'
      \ . ' errorformat<'

" Formats the whole file: a part of one is not valid rules.  A file with a mistake
" stays as it is.  A comment that grows while it is typed is Vim's own affair.
function! FastmatchFormat() abort
  if mode() =~# '[iR]'
    return 1
  endif
  let l:text = systemlist('fastmatch fmt -', getline(1, '$'))
  if v:shell_error
    echo join(l:text, "\n")
  elseif l:text != getline(1, '$')
    let l:view = winsaveview()
    call setline(1, l:text)
    silent execute len(l:text) + 1 . ',$delete _'
    call winrestview(l:view)
  endif
endfunction
