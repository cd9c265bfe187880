/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The messages of the parser.  The manual page's list of syntax errors is made
 * from this file: each message has a paragraph before it that says what it
 * means and what to do.
 */

#ifndef FM_MESSAGES_PARSE_H
#define FM_MESSAGES_PARSE_H

/*--------------------------------------------------------------------
 * Lists and maps of networks
 */

/*
 * A list or a map has either networks, in lines of `in`, or texts.  In a map of
 * networks the smallest network with the address counts, not the first line.
 */
#define FM_MSG_MIXED							\
	"a list or map has either lines of 'in' or lines of other "	\
	"modes: make two"

/*
 * A line of networks is `in NETWORK... -> VALUE;`.  Addresses that are in none
 * of the networks have the value of `default`.
 */
#define FM_MSG_MAP_NETWORKS						\
	"'in' stands alone in a line of a map, without 'not' and 'and'"

/*--------------------------------------------------------------------
 * Words and strings
 */

/*
 * A string ends on the line on which it starts.  The place is that of its
 * first quote.
 */
#define FM_MSG_STRING_OPEN						\
	"a string without its closing '\"' on the same line"

/*
 * A quote is directly before or after a word or another string: a string is
 * not joined to its neighbours.  Inside a string a quote is written \".
 */
#define FM_MSG_STRING_ADJACENT						\
	"a blank is missing at the '\"': inside a string it is written '\\\"'"

/* `{ "a", "b" }`: words are separated by blanks. */
#define FM_MSG_STRING_COMMA						\
	"words are separated by blanks, not by commas"

/* `set X="y"`: here `X=` is a word.  Write `set X = "y"`. */
#define FM_MSG_EQUALS_BLANK						\
	"'=' needs a blank before and after it"

/* Strings are in double quotes. */
#define FM_MSG_SINGLE_QUOTE						\
	"a single quote: write \"...\", with double quotes"

/*
 * A [ outside of a string.  An IPv6 address, or a regex, with brackets is
 * in quotes.
 */
#define FM_MSG_BRACKET							\
	"'[' needs quotes: write \"%.*s\""

/* ${...} is replaced in strings only. */
#define FM_MSG_DOLLAR							\
	"'${' needs quotes: write \"...${...}...\""

/* The file is not a text file, or was damaged; nothing else is said of it. */
#define FM_MSG_NUL							\
	"a NUL byte: this is not a text file"

/* The file begins with `vcl 4.1;`, or its name ends in .vcl. */
#define FM_MSG_VCL							\
	"this is VCL, not rules: 'fastmatch check --vcl VCL RULES' "	\
	"checks both, 'fastmatch import VCL' makes rules of it"

/*
 * The file is called .csv, or its first line has a comma in its first word.  It
 * has no rules, but maps, lists and hosts may come from it.
 */
#define FM_MSG_CSV							\
	"this is CSV, not rules: 'map NAME is from \"FILE.csv\";' and "	\
	"'hosts from \"FILE.csv\";' read it"

/*
 * No rule file begins with the first word of this one: most likely the path of
 * another kind of file was given.  None of its text is shown.
 */
#define FM_MSG_NO_RULES							\
	"this is not a rule file: it begins with none of include, list, " \
	"map, ruleset, always, finally, undecided, repeated, client, scheme, " \
	"host, hosts and default"

/* Control bytes, except NUL and newline, are allowed in strings. */
#define FM_MSG_CONTROL							\
	"a control byte (0x%02x) outside of a string"

/* No word and no string may be longer. */
#define FM_MSG_WORD_LONG						\
	"more than %u bytes in a word or string: divide it"

/*
 * A -> between a pattern and its value has a blank on either side; without
 * them it would be a part of the word.
 */
#define FM_MSG_ARROW_BLANKS						\
	"'->' needs blanks around it"

/*--------------------------------------------------------------------
 * Unexpected words
 */

/*
 * This word or mark can't be here.  The message names what can, and often the
 * word that was probably meant.  "A word" is any word that means nothing at
 * this place, or a string.  An operand (also a value, or the name of a list)
 * needs quotes if it is one of the words of tests: and, or, not, in, use, else,
 * present, nocase, is, begins, ends, contains, like.
 */
#define FM_MSG_UNEXPECTED						\
	"unexpected %.*s, expected %s"

/*
 * The statement before has no semicolon.  The place is where it is missing.
 * (In a list of names a line that starts like a statement is taken for one: a
 * name that starts a line, is a word such as "set" and has other names after
 * it, needs quotes.)
 */
#define FM_MSG_SEMICOLON						\
	"missing ';' after %.*s"

/*
 * Warning: in a list of words that ends in a semicolon a line starts with a
 * word that also starts a statement.  If a ';' was forgotten before it, the
 * whole statement was taken as words; if not, quote the word.
 */
#define FM_MSG_KEYWORD_LINE						\
	"'%s' is taken as one of the words before it: is a ';' missing? " \
	"Else quote it"

/*
 * Warning: all words after a mode are its operands, `below` too.  For another
 * test, write `or` and the subject again; as an operand, put `below` into
 * quotes.
 */
#define FM_MSG_MODE_OPERAND						\
	"'%s' is taken as one of the operands: write 'or' and the subject " \
	"before it, or quote it"

/*
 * `cookie not present` has no name of a cookie.  One that is called "not" is
 * written in quotes.  Any cookie is `header Cookie not present`.
 */
#define FM_MSG_NAME_MISSING						\
	"a name is missing: write '%s NAME not present'"

/*--------------------------------------------------------------------
 * Words of other languages
 */

/*
 * A word or an operator of VCL or another language.  As an operand an operator
 * needs quotes.
 */
#define FM_MSG_FOREIGN							\
	"'%s' is not known here: write '%s'"

/*--------------------------------------------------------------------
 * Braces
 */

/*
 * A block has no }.  The place is that of its {; the message names the word
 * that was found where the } should be.  A list, a map, a host and any other
 * item stands outside of all blocks.
 */
#define FM_MSG_BLOCK_OPEN						\
	"this block has no '}': found %s on line %u instead"

/* A } that closes nothing. */
#define FM_MSG_STRAY_CLOSE						\
	"unexpected '}': no block is open here"

/*
 * A { inside a list or a map.  Either it is one too many, or the list's own }
 * is missing.
 */
#define FM_MSG_LIST_BRACE						\
	"unexpected '{' in the block of line %u: is its '}' missing?"

/*--------------------------------------------------------------------
 * Items
 */

/*
 * There is one always, one finally, one default, one undecided and one repeated
 * in all the files together; the place of the first one is named.
 */
#define FM_MSG_TWICE							\
	"a second '%s': the first is at %s"

/* A map's default is its last line, and there is one. */
#define FM_MSG_DEFAULT_LAST						\
	"a map's 'default' is its last line: it is on line %u"

/*--------------------------------------------------------------------
 * Values
 */

/*
 * There is no such variable, or the } of the ${...} is missing.  The place is
 * that of the $.
 */
#define FM_MSG_PART_UNKNOWN						\
	"unknown '%.*s': %sthere are ${url} ${path} ${query} "		\
	"${?query} ${host} ${domain} ${method} ${client} ${port} "	\
	"${ruleset} ${wild} ${header.NAME} ${cookie.NAME} "		\
	"${query.NAME} ${1} to ${9}%s"

/* The body of an answer is sent as it is written. */
#define FM_MSG_ANSWER_VALUE						\
	"a body has no ${} in it: it is the same for every client"

/*--------------------------------------------------------------------
 * Files
 */

/* Only a list that comes with fastmatch says itself how it matches. */
#define FM_MSG_FROM_MODE						\
	"say before 'from' how the lines of the file match: 'is', "	\
	"'begins', 'ends', 'contains', 'like', '~' or 'in'"

/* `from shipped` takes the name of a list, not of a file. */
#define FM_MSG_SHIPPED_NAME						\
	"this is not the name of a list that comes with fastmatch, as " \
	"\"tracking-parameters\": 'fastmatch lists' shows them"

/*
 * No list of this name comes with fastmatch; or the folder is another one than
 * is meant, which `--lists` names.  Where there are only X.map and X.rules, a
 * `list` can't have it; `include` takes X.rules.
 */
#define FM_MSG_SHIPPED_NONE						\
	"can't read '%s': there is no such file; 'fastmatch lists' shows " \
	"them: NAME.list for a list, NAME.map for a map, NAME.rules for " \
	"include"

/*
 * The module takes the lists that are installed, and no others: those of a
 * clone, or of `--lists`, are the command's only.
 */
#define FM_MSG_SHIPPED_INSTALLED					\
	"can't read '%s': there is no such file, and the module takes "	\
	"installed lists only: install it there, or name the file by "	\
	"its path, without 'shipped'"

/*
 * The list lies in the folder of `--lists`, and its comment has no `# Mode:`,
 * or none that rules know.
 */
#define FM_MSG_SHIPPED_MODE						\
	"'%s' does not say how its entries match: write a line "	\
	"'# Mode: like' into the comment at its top"

/* include and from need the name of a file. */
#define FM_MSG_FILE_EMPTY						\
	"an empty file name"

/*
 * A file includes itself, or one that includes it; or two includes name the
 * same file (maybe by way of a link, or of a glob): its hosts would be there
 * twice.
 */
#define FM_MSG_INCLUDE_TWICE						\
	"'%s' is read already: see %s"

/*
 * Files of include and of answer are confined to the folder of the first file
 * and those below it, so that the author of an included file can't read other
 * files through varnishd.
 * Only the first file includes from elsewhere, and says so by a path that
 * begins with a slash.
 */
#define FM_MSG_INCLUDE_OUTSIDE						\
	"'%s' is outside of the folder of the first file: only the " \
	"first file may include it, by a path that begins with '/'"

/*
 * A symbolic link, or a path of `..`, leads from a file of include, of hosts
 * from, or of an included answer out of the folder of the first file.  The
 * message names the file that would have been read.  Links inside of that
 * folder are followed.  A path of the first file that leads outside as it is
 * written may be a link.
 */
#define FM_MSG_FILE_OUTSIDE						\
	"'%s' leads to '%s', outside of the folder of the first file: "	\
	"put a copy there, or let the first file name that path"

/* The path is that of a file outside, and no link. */
#define FM_MSG_FILE_LIES						\
	"'%s' lies outside of the folder of the first file: put a copy " \
	"there, or let the first file name that path"

/* The name of an open file is looked up in /proc, which has to be there. */
#define FM_MSG_FILE_LOST						\
	"can't see where '%s' leads: see that there is a /proc"

/*
 * A list or a map may lie anywhere.  Its lines are not shown if an included
 * file names it, or a symbolic link leads to it: whoever reads the messages can
 * perhaps not read that file.
 */
#define FM_MSG_HIDDEN							\
	"something is wrong here; the text is not shown, as the file is " \
	"outside of the folder of the first file"

/*
 * The author of an include could read a secret file through the messages about
 * that file.  Correct the first item of this file: then the others are shown.
 */
#define FM_MSG_DOUBTED							\
	"something is wrong here; no text of an included file is shown " \
	"before one of its items is right"

/* Includes inside each other. */
#define FM_MSG_INCLUDE_DEEP						\
	"includes more than %u deep: include it from a file further up"

/* Files of include and of from, each as often as it is named. */
#define FM_MSG_FILES_MANY						\
	"more than %u files of 'include' and 'from': put several into one"

/*
 * The rule file and all files that it names count; one named twice counts
 * twice.
 */
#define FM_MSG_FILES_LARGE						\
	"can't read '%s': all files together would have more than %u MB: " \
	"use fewer or smaller ones"

/* The folder of a glob exists, but can't be read. */
#define FM_MSG_GLOB							\
	"can't read a folder of '%s': %s"

/*
 * The glob is longer than a path can be, or has too many folders after a
 * wildcard.
 */
#define FM_MSG_GLOB_LONG						\
	"a glob of more than %u bytes, or with more than %u folders "	\
	"after its first wildcard: write them out"

/* The entries of all globs count together; the message comes once. */
#define FM_MSG_GLOB_MANY						\
	"with this one the globs of 'include' look at more than %u "	\
	"entries of folders: use fewer, and wildcards in the last part only"

/* A rule file may not be larger; there may be several. */
#define FM_MSG_TEXT_LONG						\
	"can't read: it has more than %u MB: divide it, and use 'include'"

/*
 * A line of a map's file has a pattern, an arrow and a value, with blanks
 * around the arrow.
 */
#define FM_MSG_LINE_MAP							\
	"this is not a line of a map: write \"pattern -> value\""

/* A line of hosts from has two words: a host, and the name of a ruleset. */
#define FM_MSG_LINE_HOST						\
	"this is not a line of hosts: write \"host ruleset\""

/* The file has lines of CSV, and nothing after the first of them is read. */
#define FM_MSG_LINE_CSV							\
	"this is CSV: give the file a name that ends in .csv"

/*
 * A column that has a quote or a comma in it is in quotes, and its quotes are
 * doubled.  A column has no line break.
 */
#define FM_MSG_CSV_QUOTES						\
	"the quotes of a column don't fit: write \"say \"\"hi\"\"\", " \
	"and close them in the same line"

/* Columns after the second may be empty.  The file has no line of headings. */
#define FM_MSG_CSV_MAP							\
	"a line of CSV for a map has two columns and a comma: pattern,value"

/* As for a map: columns after the second may be empty. */
#define FM_MSG_CSV_HOST							\
	"a line of CSV for hosts has two columns and a comma: host,ruleset"

/* `from,to` in the first line: every line is an entry. */
#define FM_MSG_CSV_HEADING						\
	"this is a line of headings: remove it, or put a '#' in front of it"

/*--------------------------------------------------------------------
 * Limits
 */

/*
 * Whens inside each other; each else when is inside the one before it.  A map
 * or a list often says the same.
 */
#define FM_MSG_NESTING							\
	"whens more than %u inside each other (an 'else when' is inside " \
	"too): use a map or a list"

/* Parentheses and nots inside each other; a when in a when is an `and`. */
#define FM_MSG_CONDITION						\
	"parentheses and nots more than %u inside each other: divide the " \
	"condition among several whens"

/* Tests of one condition.  A list takes any number of patterns. */
#define FM_MSG_TESTS							\
	"more than %u tests in one condition: use a list"

/* Statements of all files together; those of a ruleset count once. */
#define FM_MSG_STATEMENTS						\
	"more than %u statements: let hosts that have the same ones use a " \
	"ruleset"

/* Operands of one list, map or test. */
#define FM_MSG_OPERANDS							\
	"more than %u operands: divide them among several lists or maps"

/* Host patterns, those from files too. */
#define FM_MSG_HOSTS							\
	"more than %u host patterns: use '*.NAME' for all hosts of a domain"

/*--------------------------------------------------------------------
 * Blocks of phases
 */

/*
 * `key { }`, `response { }` and the like stand in `always`, a host, a ruleset,
 * `default` or `finally`, beside the statements for requests.  They run later
 * than these, so a `when` for requests can't lead to them: ask again inside.
 */
#define FM_MSG_PHASE_WITHIN						\
	"'%s { }' can't be in '%s': put it after that, and test inside of it"

#endif
