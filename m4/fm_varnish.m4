# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
#
# FM_VARNISH: what is needed of Varnish Cache, or of Vinyl Cache, as which it
# goes on from 9 on.  Asked of pkg-config when configure runs, and not of
# varnish.m4 or vinyl.m4 when configure is made: one tarball is for both.
#
# In which they differ is found out here, for src/vmod/compat.h and
# src/vmod/Makefile.am, and by a try where there can be one.
AC_DEFUN([FM_VARNISH], [
	AC_REQUIRE([PKG_PROG_PKG_CONFIG])
	AC_REQUIRE([AC_PROG_CC])
	PKG_CHECK_EXISTS([vinylapi], [fm_api="vinylapi >= 9.0.0"],
	    [fm_api="varnishapi >= 7.1.0"])
	PKG_CHECK_MODULES([VARNISHAPI], [$fm_api])
	fm_api=${fm_api%% *}
	FM_VARNISH_VAR([VMODTOOL], [vmodtool])
	FM_VARNISH_VAR([VSCTOOL], [vsctool])
	FM_VARNISH_VAR([VARNISHAPI_VMODDIR], [vmoddir])
	fm_bindir=`$PKG_CONFIG --variable=bindir $fm_api`
	fm_sbindir=`$PKG_CONFIG --variable=sbindir $fm_api`
	fm_libdir=`$PKG_CONFIG --variable=libdir $fm_api`
	AC_SUBST([VARNISH_TEST_PATH], [$fm_sbindir:$fm_bindir])
	AC_SUBST([VARNISH_LIBRARY_PATH],
	    [$fm_libdir:`dirname "$VARNISHAPI_VMODDIR"`])

	# The module goes where varnishd looks, but for a prefix of somebody's own:
	# then it goes below that, as everything else does.
	AS_CASE([$prefix:$libdir],
	    [NONE:'${exec_prefix}/lib' | /usr/local:'${exec_prefix}/lib'],
	    [vmoddir=$VARNISHAPI_VMODDIR],
	    [vmoddir=`$PKG_CONFIG --define-variable=libdir="$libdir" \
		--variable=vmoddir $fm_api`])
	AC_SUBST([vmoddir])
	AC_SUBST([VMOD_LDFLAGS],
	    ["-module -export-dynamic -avoid-version -shared"])

	fm_cppflags=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $VARNISHAPI_CFLAGS"
	AC_CHECK_HEADER([cache/cache.h], [],
	    [AC_MSG_ERROR([the headers of $fm_api are not all there])])
	# The header of what is varnishd's own is called after it.
	fm_daemon=no
	AC_CHECK_HEADERS([cache/cache_vinyld.h cache/cache_varnishd.h],
	    [fm_daemon=yes])
	AS_IF([test $fm_daemon = no],
	    [AC_MSG_ERROR([the headers of $fm_api have no parameters])])
	# For `builtin;` of the rules, see src/rules/builtin.h. From 8.0 on, which
	# has 22, builtin.vcl refuses unknown methods. That it checks the URL has
	# come with updates, also of 7.7, which has 21: the stricter one counts.
	FM_VRT_BEFORE([22], [fm_builtin_501=0], [fm_builtin_501=1])
	FM_VRT_BEFORE([21], [fm_builtin_url=0], [fm_builtin_url=1])
	AC_PATH_PROGS([VARNISHD], [varnishd vinyld], [varnishd],
	    [$fm_sbindir$PATH_SEPARATOR$PATH])
	AC_MSG_CHECKING([what builtin.vcl does])
	AS_IF(["$VARNISHD" -x builtin >conftest.vcl 2>&AS_MESSAGE_LOG_FD],
	    [AS_IF([grep vcl_req_url conftest.vcl >/dev/null],
		[fm_builtin_url=1])],
	    [fm_builtin_url=1])
	rm -f conftest.vcl
	AC_MSG_RESULT([checks URLs: $fm_builtin_url, unknown methods get 501: $fm_builtin_501])
	AC_DEFINE_UNQUOTED([BUILTIN_URL], [$fm_builtin_url],
	    [Whether builtin.vcl checks the URL.])
	AC_DEFINE_UNQUOTED([BUILTIN_501], [$fm_builtin_501],
	    [Whether builtin.vcl refuses unknown methods.])
	# Until 7.2 a VXID was a number.
	AC_CHECK_DECLS([NO_VXID], [], [], [[#include "cache/cache.h"]])
	CPPFLAGS=$fm_cppflags

	AC_MSG_CHECKING([whether vmodtool knows \$Restrict])
	AS_IF([grep RestrictStanza "$VMODTOOL" >/dev/null],
	    [fm_restrict=yes], [fm_restrict=no])
	AC_MSG_RESULT([$fm_restrict])
	AM_CONDITIONAL([VMODTOOL_RESTRICT], [test "$fm_restrict" = yes])

	# vsctool says nothing about directives that it doesn't know.
	AC_MSG_CHECKING([what vsctool calls its directives])
	AS_IF([grep vinyl_vsc_begin "$VSCTOOL" >/dev/null],
	    [VSC_PREFIX=vinyl], [VSC_PREFIX=varnish])
	AC_MSG_RESULT([${VSC_PREFIX}_vsc])
	AC_SUBST([VSC_PREFIX])
])

# FM_VARNISH_VAR(NAME, VARIABLE): which must be there.
AC_DEFUN([FM_VARNISH_VAR], [
	AC_ARG_VAR([$1], [$2 of varnishapi or vinylapi, instead of pkg-config's])
	AS_IF([test -z "$[]$1"],
	    [$1=`$PKG_CONFIG --variable=$2 $fm_api`])
	AS_IF([test -z "$[]$1"],
	    [AC_MSG_ERROR([pkg-config knows no $2 of $fm_api])])
])

# FM_VRT_BEFORE(NUMBER, YES, NO): whether the VRT is an older one. NO runs, too,
# where that can't be found out.
AC_DEFUN([FM_VRT_BEFORE], [
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "cache/cache.h"
#if VRT_MAJOR_VERSION >= $1
#  error "another one"
#endif
	    ]])], [$2], [$3])
])
