# Copyright (c) 2026 The fastmatch authors
# SPDX-License-Identifier: BSD-2-Clause
#
# FM_VARNISH: what is needed of Varnish Cache, or of Vinyl Cache, the project that
# was called Varnish Cache until 9.0.  configure asks pkg-config for it when it
# runs, and needs no varnish.m4 or vinyl.m4 when it is made: one tarball is for
# both.
#
# In which they differ is found out here, for src/vmod/compat.h and
# src/vmod/Makefile.am, and by a try where there can be one.
AC_DEFUN([FM_VARNISH], [
	AC_REQUIRE([PKG_PROG_PKG_CONFIG])
	AC_REQUIRE([AC_PROG_CC])
	AC_ARG_WITH([vcache],
	    [AS_HELP_STRING([--with-vcache=varnish|vinyl],
		[build for this one (where both are installed: vinyl)])])
	fm_packages="libvarnishapi-dev (Debian), varnish-dev (Varnish Software) or varnish-devel (Fedora)"
	fm_vinyl="libvinylapi-dev (Debian) or vinyl-cache (Arch)"
	AS_CASE([$with_vcache],
	    [''], [PKG_CHECK_EXISTS([vinylapi], [fm_api=vinylapi],
		[fm_api=varnishapi
		PKG_CHECK_EXISTS([varnishapi], [],
		    [fm_packages="$fm_packages, or for Vinyl Cache $fm_vinyl"])])],
	    [varnish], [fm_api=varnishapi],
	    [vinyl], [fm_api=vinylapi],
	    [AC_MSG_ERROR([--with-vcache takes varnish or vinyl, not '$with_vcache'])])
	fm_least=7.1.0
	fm_daemons="varnishd vinyld"
	fm_vtests="varnishtest vtest vinyltest"
	AS_IF([test $fm_api = vinylapi],
	    [fm_least=9.0.0
	    fm_packages=$fm_vinyl
	    fm_daemons="vinyld varnishd"
	    fm_vtests="vinyltest vtest varnishtest"])
	PKG_CHECK_MODULES([VARNISHAPI], [$fm_api >= $fm_least], [], [
		AS_IF([test -z "$PKG_CONFIG"],
		    [AC_MSG_ERROR([pkg-config was not found: install pkgconf])])
		fm_old=`$PKG_CONFIG --modversion $fm_api 2>&AS_MESSAGE_LOG_FD`
		AS_IF([test -n "$fm_old"],
		    [AC_MSG_ERROR([fastmatch needs $fm_api $fm_least or later, and $fm_old is installed: install a newer $fm_packages])])
		AC_MSG_ERROR([pkg-config knows no $fm_api: install $fm_packages])
	])
	FM_VARNISH_VAR([VMODTOOL], [vmodtool])
	FM_VARNISH_VAR([VSCTOOL], [vsctool])
	FM_VARNISH_VAR([VARNISHAPI_VMODDIR], [vmoddir])
	fm_bindir=`$PKG_CONFIG --variable=bindir $fm_api`
	fm_sbindir=`$PKG_CONFIG --variable=sbindir $fm_api`
	fm_libdir=`$PKG_CONFIG --variable=libdir $fm_api`
	AC_SUBST([VARNISH_TEST_PATH], [$fm_sbindir:$fm_bindir])
	# From 9.1 on vtest has the commands of Varnish in an extension.
	fm_vtestext=`$PKG_CONFIG --variable=vtestext $fm_api`
	AS_IF([test -n "$fm_vtestext"], [fm_vtests="vtest $fm_vtests"])
	AC_PATH_PROGS([VTEST], [$fm_vtests], [varnishtest],
	    [$VARNISH_TEST_PATH$PATH_SEPARATOR$PATH])
	AS_CASE([$fm_vtestext:$VTEST],
	    [?*:*/vtest], [VTEST="$VTEST -E$fm_vtestext"])
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
	    [AC_MSG_ERROR([cache/cache.h of $fm_api is not there: install $fm_packages])])
	# The header of what is varnishd's own was called after it until 9.0.
	fm_own=no
	AC_CHECK_HEADERS(
	    [cache/cache_int.h cache/cache_vinyld.h cache/cache_varnishd.h],
	    [fm_own=yes; break])
	AS_IF([test $fm_own = no],
	    [AC_MSG_ERROR([$fm_api has neither cache/cache_int.h nor cache_vinyld.h nor cache_varnishd.h: install $fm_packages])])
	# For `builtin;` of the rules, see src/run/builtin.h. That it checks the
	# URL has come with updates, also of 7.7, which has 21: the stricter one
	# counts. All else its text says; where there is none, unknown methods are
	# refused from 8.0 on, which has 22, and QUERY is one.
	FM_VRT_BEFORE([22], [fm_builtin_501=0], [fm_builtin_501=1])
	FM_VRT_BEFORE([21], [fm_builtin_url=0], [fm_builtin_url=1])
	# Content-Range is unset from 7.6 on, which has 20; the ttl of what is
	# uncacheable is a parameter from 8.0 on.
	FM_VRT_BEFORE([20], [fm_builtin_content_range=0],
	    [fm_builtin_content_range=1])
	FM_VRT_BEFORE([22], [fm_builtin_param_ttl=0], [fm_builtin_param_ttl=1])
	AC_PATH_PROGS([VARNISHD], [$fm_daemons], [varnishd],
	    [$fm_sbindir$PATH_SEPARATOR$PATH])
	AC_MSG_CHECKING([what builtin.vcl does])
	fm_builtin_query=0
	fm_builtin_range=0
	AS_IF(["$VARNISHD" -x builtin >conftest.vcl 2>&AS_MESSAGE_LOG_FD],
	    [AS_IF([grep vcl_req_url conftest.vcl >/dev/null],
		[fm_builtin_url=1])
	    AS_IF([grep 'synth(501)' conftest.vcl >/dev/null],
		[fm_builtin_501=1], [fm_builtin_501=0])
	    AS_IF([grep '"QUERY"' conftest.vcl >/dev/null],
		[fm_builtin_query=1])
	    AS_IF([grep 'unset beresp.http.Content-Range' \
		conftest.vcl >/dev/null],
		[fm_builtin_content_range=1], [fm_builtin_content_range=0])
	    AS_IF([grep 'param.uncacheable_ttl' conftest.vcl >/dev/null],
		[fm_builtin_param_ttl=1], [fm_builtin_param_ttl=0])
	    # The subs that builtin.vcl calls before: 1 for none, 6 for all.
	    fm_builtin_range=`$AWK '
		/call vcl_req_url;/ { n = 1 }
		/call vcl_req_host;/ { n = 2 }
		/call vcl_req_method;/ { n = 3 }
		/call vcl_req_authorization;/ { n = 4 }
		/call vcl_req_cookie;/ { n = 5 }
		/call vcl_req_range;/ { range = n + 1; exit }
		END { print range + 0 }' conftest.vcl`],
	    [fm_builtin_url=1])
	# The last line of the page that vcl_synth makes.
	fm_builtin_server=`$SED -n \
	    '/^sub vcl_builtin_synth/,/^}/s|.*<p>\(V@<:@A-Za-z @:>@*\)</p>.*|\1|p' \
	    conftest.vcl`
	AS_IF([test -z "$fm_builtin_server"],
	    [AS_IF([test $fm_api = vinylapi],
		[fm_builtin_server="Vinyl Cache server"],
		[fm_builtin_server="Varnish cache server"])])
	rm -f conftest.vcl
	AC_MSG_RESULT([checks URLs: $fm_builtin_url, unknown methods get 501: $fm_builtin_501, QUERY is known: $fm_builtin_query, unsets Range: $fm_builtin_range, Content-Range: $fm_builtin_content_range, uncacheable_ttl: $fm_builtin_param_ttl])
	FM_BUILTIN
	# Until 7.2 a VXID was a number.
	AC_CHECK_DECLS([NO_VXID], [], [], [[#include "cache/cache.h"]])
	# Until 7.6 it was a parameter alone.
	AC_CHECK_MEMBERS([struct busyobj.max_retries], [], [],
	    [[#include "cache/cache.h"]])
	# Where varnishd ends TLS, a session has it here.
	AC_CHECK_MEMBERS([struct sess.tls], [], [], [[#include "cache/cache.h"]])
	# With this VCL says `bereq.retry_connect = false`.
	AC_CHECK_DECLS([retry_disabled], [], [], [[#include "cache/cache.h"]])
	# Until 8.0 it was always 120 s.
	AC_CHECK_DECLS([VRT_r_param_uncacheable_ttl], [], [],
	    [[#include "cache/cache.h"
	    #include "vrt_obj.h"]])
	CPPFLAGS=$fm_cppflags

	AC_MSG_CHECKING([whether vmodtool knows \$Restrict])
	AS_IF([grep RestrictStanza "$VMODTOOL" >/dev/null],
	    [fm_restrict=yes], [fm_restrict=no])
	AC_MSG_RESULT([$fm_restrict])

	# vsctool says nothing about directives that it doesn't know.
	AC_MSG_CHECKING([what vsctool calls its directives])
	AS_IF([grep vinyl_vsc_begin "$VSCTOOL" >/dev/null],
	    [VSC_PREFIX=vinyl], [VSC_PREFIX=varnish])
	AC_MSG_RESULT([${VSC_PREFIX}_vsc])
	AC_SUBST([VSC_PREFIX])
])

# FM_NO_VARNISH: the command alone has the `builtin;` of Varnish 8.0 and 9.0.
AC_DEFUN([FM_NO_VARNISH], [
	fm_api=none
	fm_builtin_url=1
	fm_builtin_501=1
	fm_builtin_query=0
	fm_builtin_range=0
	fm_builtin_content_range=1
	fm_builtin_param_ttl=1
	fm_builtin_server="Varnish cache server"
	FM_BUILTIN
])

# FM_BUILTIN: what builtin.vcl does, for src/run/builtin.c.
AC_DEFUN([FM_BUILTIN], [
	AC_DEFINE_UNQUOTED([BUILTIN_URL], [$fm_builtin_url],
	    [Whether builtin.vcl checks the URL.])
	AC_DEFINE_UNQUOTED([BUILTIN_501], [$fm_builtin_501],
	    [Whether builtin.vcl refuses unknown methods.])
	AC_DEFINE_UNQUOTED([BUILTIN_SERVER], ["$fm_builtin_server"],
	    [How the page of vcl_synth in builtin.vcl signs.])
	AC_DEFINE_UNQUOTED([BUILTIN_QUERY], [$fm_builtin_query],
	    [Whether builtin.vcl knows QUERY.])
	AC_DEFINE_UNQUOTED([BUILTIN_RANGE], [$fm_builtin_range],
	    [Before which step builtin.vcl unsets Range, from 1; 0: never.])
	AC_DEFINE_UNQUOTED([BUILTIN_CONTENT_RANGE], [$fm_builtin_content_range],
	    [Whether builtin.vcl unsets Content-Range.])
	AC_DEFINE_UNQUOTED([BUILTIN_PARAM_TTL], [$fm_builtin_param_ttl],
	    [Whether builtin.vcl knows the parameter uncacheable_ttl.])
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
