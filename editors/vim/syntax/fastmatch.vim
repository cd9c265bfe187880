" Copyright (c) 2026 The fastmatch authors
" SPDX-License-Identifier: BSD-2-Clause
"
" Rule files of fastmatch, in the tokens of its own parser: a word goes on to a
" blank, a quote, a `;` or a bracket, so there are no parts of words here.

if exists('b:current_syntax')
  finish
endif

syntax case match
syntax sync minlines=1

" What stands below goes before what stands above.
syntax match fastmatchWord +[^[:space:]"(){};]\++
syntax match fastmatchNumber +\d\+\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchItem +\%(include\|list\|map\|undecided\|repeated\|client\|scheme\|ruleset\|always\|finally\|default\|host\|hosts\)\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchStatement +\%(use\|query\|cookie\|set\|unset\|normalize\|rewrite\|backend\|log\|call\|ban\|ttl\|grace\|keep\|uncacheable\|esi\|gzip\|gunzip\|set-cookie\|vary\|cache-control\|browser\|cache-status\|no-vary-search\|prefer\|synth\|redirect\|answer\|retry\|pass\|pipe\|hash\|purge\|fail\|abandon\|deliver\|stop\|builtin\)\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchConditional +\%(else\|key\|fetch\|response\|delivery\|when\)\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchTest +\%(and\|or\|not\|in\|present\|nocase\|is\|begins\|ends\|contains\|like\|below\|any\|every\|over\|under\)\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchSubject +\%(url\|path\|clean\|method\|agent\|header\|request\|status\|type\|size\|cache\|restarts\)\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchOption +\%(first\|all\|from\|shipped\|ignore\|drop\|add\|sort\|unique\|to\|trust\|at\|least\|most\|stale\|for\|tls\|proxy\)\ze\%([[:space:]"(){};]\|$\)+
syntax match fastmatchOperator +\%([!=]=\|!\~\|[<>]=\?\)\ze[[:space:]"]\|[=~]\|->+
syntax match fastmatchComment +#.*+ contains=@Spell
syntax match fastmatchString +"\%([^"\\]\|\\.\)*"+ contains=fastmatchVariable
syntax match fastmatchVariable +\${[^}"]*}+ contained

highlight default link fastmatchNumber Number
highlight default link fastmatchItem Structure
highlight default link fastmatchStatement Statement
highlight default link fastmatchConditional Conditional
highlight default link fastmatchTest Operator
highlight default link fastmatchSubject Identifier
highlight default link fastmatchOption Keyword
highlight default link fastmatchOperator Operator
highlight default link fastmatchComment Comment
highlight default link fastmatchString String
highlight default link fastmatchVariable Special

let b:current_syntax = 'fastmatch'
