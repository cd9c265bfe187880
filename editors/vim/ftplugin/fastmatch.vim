" Copyright (c) 2026 The fastmatch authors
" SPDX-License-Identifier: BSD-2-Clause
"
" Rule files of fastmatch.  gggqG formats a file, :make checks it.

if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal expandtab shiftwidth=4 softtabstop=4
setlocal formatprg=fastmatch\ fmt\ - formatoptions-=t
setlocal makeprg=fastmatch\ check\ -q\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab<'
      \ . ' shiftwidth< softtabstop< formatprg< formatoptions< makeprg<'
      \ . ' errorformat<'
