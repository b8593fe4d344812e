# SPDX-License-Identifier: MIT

# PENSTOCK_FOLDERS: refuses folders whose names make and libtool cannot take, and an installation among the sources or
# into the build. It stands before AM_INIT_AUTOMAKE, which refuses some names without saying why. A folder inside is
# fine: distcheck's is one.
AC_DEFUN([PENSTOCK_FOLDERS], [
  penstock_source=`cd "$srcdir" && pwd`
  penstock_build=`pwd`
  penstock_real_source=`cd "$srcdir" && pwd -P`
  penstock_real_build=`pwd -P`
  AS_IF([test "x$penstock_real_source" = "x$penstock_real_build"],
    [AC_MSG_ERROR([this is the source folder: a build in it would keep any other folder from being configured.
Make a folder for the build and run configure there: mkdir build && cd build && ../configure])])
  AS_CASE(["$penstock_source"], [*[[[:space:]]]*],
    [AC_MSG_ERROR([the source folder has a space in its name, which make and libtool take for its end:
'$penstock_source'.
Move it, or reach it by a symbolic link without a space.])])
  AS_CASE(["$penstock_build"], [*[[[:space:]]]*],
    [AC_MSG_ERROR([the build folder has a space in its name, which make and libtool take for its end:
'$penstock_build'.
Run configure in another one.])])
  for penstock_name in prefix exec_prefix bindir libdir includedir datarootdir datadir docdir mandir; do
    eval "penstock_folder=\$$penstock_name"
    penstock_option=--`AS_ECHO(["$penstock_name"]) | sed 's/_/-/'`
    AS_CASE(["$penstock_folder"],
      [*[[[:space:]]]*],
        [AC_MSG_ERROR([$penstock_option has a space in it, which make and libtool take for its end: '$penstock_folder'.
Give another folder.])])
    AS_CASE([$penstock_name], [*prefix], [], [continue])
    penstock_real=`cd "$penstock_folder" 2>/dev/null && pwd -P`
    AS_IF([test "x$penstock_real" = "x$penstock_real_source"],
      [AC_MSG_ERROR([$penstock_option=$penstock_folder is the source folder: make install
would put bin, include, lib and share among the sources.
Give another folder, such as $penstock_option=$HOME/.local])])
    AS_IF([test "x$penstock_real" = "x$penstock_real_build"],
      [AC_MSG_ERROR([$penstock_option=$penstock_folder is the build folder: make install
would put bin, include, lib and share into the build.
Give another folder, such as $penstock_option=$HOME/.local])])
  done
])

# PENSTOCK_C11: the compiler must do C11 with atomics.
AC_DEFUN([PENSTOCK_C11], [
  AC_MSG_CHECKING([for C11 with atomics])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
    #include <stdatomic.h>
    #if __STDC_VERSION__ < 201112L
    #error no C11
    #endif
    static _Thread_local int t; static _Atomic unsigned long long a;]],
    [[atomic_fetch_add(&a, 1); _Static_assert(sizeof(int) >= 4, "int"); return t;]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([a C11 compiler with <stdatomic.h> is needed: gcc >= 5 or clang >= 3.6])])
])

# PENSTOCK_WARNINGS: WARN_CFLAGS, the flags that this compiler knows; --enable-werror makes them errors.
AC_DEFUN([PENSTOCK_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings are errors])], [], [enable_werror=no])
  WARN_CFLAGS=
  penstock_saved_cflags=$CFLAGS
  for flag in -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
      -Wwrite-strings -Wpointer-arith -Wvla -Wundef -Wformat=2 -Wno-missing-field-initializers; do
    CFLAGS="$penstock_saved_cflags -Werror $flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [WARN_CFLAGS="$WARN_CFLAGS $flag"])
  done
  CFLAGS=$penstock_saved_cflags
  AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
  AC_SUBST([WARN_CFLAGS])
])

# PENSTOCK_SANITIZER: --with-sanitizer=thread or address (with undefined and leak).
AC_DEFUN([PENSTOCK_SANITIZER], [
  AC_ARG_WITH([sanitizer], [AS_HELP_STRING([--with-sanitizer=thread|address],
    [build everything for ThreadSanitizer, or for AddressSanitizer and UndefinedBehaviorSanitizer])],
    [], [with_sanitizer=no])
  SANITIZER_FLAGS=
  AS_CASE([$with_sanitizer],
    [no], [],
    [thread], [SANITIZER_FLAGS="-fsanitize=thread -fno-omit-frame-pointer -g"],
    [address], [SANITIZER_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
	SANITIZER_FLAGS="$SANITIZER_FLAGS -fno-omit-frame-pointer -g"],
    [AC_MSG_ERROR([--with-sanitizer takes thread or address, not '$with_sanitizer'])])
  AC_SUBST([SANITIZER_FLAGS])
  AM_CONDITIONAL([SANITIZED], [test "x$with_sanitizer" != xno])
])

# PENSTOCK_VERSION_SCRIPT: does the linker take --version-script?
AC_DEFUN([PENSTOCK_VERSION_SCRIPT], [
  AC_MSG_CHECKING([whether the linker takes --version-script])
  penstock_saved_ldflags=$LDFLAGS
  echo '{ global: pstk_*; local: *; };' > conftest.map
  LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script,conftest.map"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[int pstk_x(void); int pstk_x(void) { return 0; }]])],
    [have_version_script=yes], [have_version_script=no])
  LDFLAGS=$penstock_saved_ldflags
  rm -f conftest.map
  AC_MSG_RESULT([$have_version_script])
  AM_CONDITIONAL([HAVE_VERSION_SCRIPT], [test "x$have_version_script" = xyes])
])

# PENSTOCK_THREADS: POSIX threads with the extensions that the library uses.
AC_DEFUN([PENSTOCK_THREADS], [
  penstock_saved_libs=$LIBS
  AC_SEARCH_LIBS([pthread_setaffinity_np], [pthread],
    [penstock_threads=yes],
    [AC_MSG_ERROR([POSIX threads with pthread_setaffinity_np are needed (Linux with glibc or musl)])])
  PTHREAD_LIBS=$LIBS
  LIBS=$penstock_saved_libs
  AC_SUBST([PTHREAD_LIBS])
])

# PENSTOCK_OPENCL: --without-opencl, or headers and an ICD loader. HAVE_OPENCL.
AC_DEFUN([PENSTOCK_OPENCL], [
  AC_ARG_WITH([opencl],
    [AS_HELP_STRING([--without-opencl], [actors run on the cores only (default: OpenCL is needed)])],
    [], [with_opencl=yes])
  AS_IF([test "x$with_opencl" = xno],
    [OPENCL_LIBS= OPENCL_CFLAGS=
    penstock_opencl="no, by --without-opencl: actors run on the cores only"],
    [PENSTOCK_FIND_OPENCL
    AC_DEFINE([HAVE_OPENCL], [1], [Can actors run on OpenCL devices?])])
  AM_CONDITIONAL([HAVE_OPENCL], [test "x$with_opencl" != xno])
  AC_SUBST([with_opencl])
  AC_SUBST([OPENCL_LIBS])
  AC_SUBST([OPENCL_CFLAGS])
])

AC_DEFUN([PENSTOCK_FIND_OPENCL], [
  PKG_CHECK_MODULES([OPENCL], [OpenCL], [penstock_opencl="yes (ICD loader `$PKG_CONFIG --modversion OpenCL`)"], [
    AC_CHECK_LIB([OpenCL], [clGetPlatformIDs], [OPENCL_LIBS=-lOpenCL penstock_opencl=yes],
      [AC_MSG_ERROR([an OpenCL ICD loader is needed; on Debian: apt-get install ocl-icd-opencl-dev.
Without devices: --without-opencl])])])
  penstock_saved_cppflags=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $OPENCL_CFLAGS -DCL_TARGET_OPENCL_VERSION=300"
  AC_CHECK_HEADER([CL/cl.h], [],
    [AC_MSG_ERROR([the OpenCL headers are needed; on Debian: apt-get install opencl-headers])])
  CPPFLAGS=$penstock_saved_cppflags
])

# PENSTOCK_OPTIONAL(NAME, MODULES, FOR, OPTION): --with-OPTION=yes|no|auto; NAME_CFLAGS, NAME_LIBS, HAVE_NAME,
# have_name.
AC_DEFUN([PENSTOCK_OPTIONAL], [
  AC_ARG_WITH([$4], [AS_HELP_STRING([--with-$4], [use $4 for $3 (default: if found)])], [],
    [AS_TR_SH([with_$4])=auto])
  m4_tolower([have_$1])=no
  AS_IF([test "x$AS_TR_SH([with_$4])" != xno], [
    PKG_CHECK_MODULES([$1], [$2], [
      m4_tolower([have_$1])=yes
      AC_DEFINE([HAVE_$1], [1], [Is there $4 (for $3)?])
    ], [AS_IF([test "x$AS_TR_SH([with_$4])" = xyes], [AC_MSG_ERROR([--with-$4 was given but $2 was not found])])])
  ])
  AM_CONDITIONAL([HAVE_$1], [test "x$m4_tolower([have_$1])" = xyes])
])

# PENSTOCK_OPENMP: tasks with depend clauses, for benchmarks against them: OPENMP_CFLAGS, HAVE_OPENMP, have_openmp.
AC_DEFUN([PENSTOCK_OPENMP], [
  AC_OPENMP
  have_openmp=no
  penstock_saved_cflags=$CFLAGS
  CFLAGS="$CFLAGS $OPENMP_CFLAGS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <omp.h>
    #if _OPENMP < 201307
    #error no tasks with depend clauses
    #endif]],
    [[int x = omp_get_max_threads();
    #pragma omp task depend(inout : x)
    x++;]])], [AS_IF([test "x$OPENMP_CFLAGS" != x], [have_openmp=yes])])
  CFLAGS=$penstock_saved_cflags
  AM_CONDITIONAL([HAVE_OPENMP], [test "x$have_openmp" = xyes])
])

# PENSTOCK_LIQUID: liquid-dsp, which has no file for pkg-config, for benchmarks against it: LIQUID_LIBS, HAVE_LIQUID,
# have_liquid.
AC_DEFUN([PENSTOCK_LIQUID], [
  AC_ARG_WITH([liquid],
    [AS_HELP_STRING([--with-liquid], [use liquid-dsp for benchmarks against it (default: if found)])], [],
    [with_liquid=auto])
  have_liquid=no
  AS_IF([test "x$with_liquid" != xno], [
    AC_CHECK_HEADER([liquid/liquid.h], [AC_CHECK_LIB([liquid], [rresamp_crcf_create], [have_liquid=yes], [], [-lm])])
    AS_IF([test "x$with_liquid$have_liquid" = xyesno],
      [AC_MSG_ERROR([--with-liquid was given but liquid-dsp 1.4 or newer was not found])])
  ])
  AC_SUBST([LIQUID_LIBS], [-lliquid])
  AM_CONDITIONAL([HAVE_LIQUID], [test "x$have_liquid" = xyes])
])

# PENSTOCK_SYSTEM_HEADERS(NAME): NAME_SYSTEM_CFLAGS is NAME_CFLAGS for headers whose warnings are not ours.
AC_DEFUN([PENSTOCK_SYSTEM_HEADERS], [
  $1_SYSTEM_CFLAGS=`AS_ECHO(["$$1_CFLAGS"]) | $SED 's/\(^\| \)-I/\1-isystem /g'`
  AC_SUBST([$1_SYSTEM_CFLAGS])
])
