# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes a table for C of the counters and gauges in fastmatch.vsc.in: the name,
# the type, and the line that says what it is.

BEGIN {
	print "/* Made from fastmatch.vsc.in. */"
	print ""
	print "#define FM_VSC(X) \\"
}

/^\.\. .*_vsc:: / { name = $3 }
/^\t:type:/ { type = $2 }
/^\t:oneliner:/ && name != "" {
	sub(/^\t:oneliner:[ \t]*/, "")
	printf "\tX(%s, %s, \"%s\") \\\n", name, type, $0
}

END { print "\t/* no more */" }
