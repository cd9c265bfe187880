/*-
 * Copyright (c) 2026 The fastmatch authors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds what the command needs beside itself, if it was built and is not
 * installed.  The folder of the build is the source's own, or is in it:
 *
 *	fastmatch/build/src/cli/fastmatch	the command
 *	fastmatch/lists				"lists"
 *	fastmatch/build/src/vmod/.libs		"src/vmod/.libs"
 */

#ifndef FM_BESIDE_H
#define FM_BESIDE_H

/*
 * Returns the path of a file or folder, which lives as long as the process; or
 * `installed`, if the command is installed or the file is not there.
 */
const char *fm_beside(const char *name, const char *installed);

#endif
