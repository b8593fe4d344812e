# SPDX-License-Identifier: MIT

# PENSTOCK_VECTOR: VECTOR_CFLAGS, for loops that are written for the vectoriser; unlike -O3 they hold beside the -O2 of the
# user's CFLAGS. Defines PENSTOCK_TARGET_CLONES if a function can be compiled for several instruction sets, the loader
# choosing one; not with a sanitizer, whose runtime is not ready yet when the loader chooses. After PENSTOCK_SANITIZER.
AC_DEFUN([PENSTOCK_VECTOR], [
  VECTOR_CFLAGS=
  penstock_saved_cflags=$CFLAGS
  for flag in -ftree-vectorize -fvect-cost-model=dynamic; do
    CFLAGS="$penstock_saved_cflags -Werror $flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [VECTOR_CFLAGS="$VECTOR_CFLAGS $flag"])
  done
  AC_SUBST([VECTOR_CFLAGS])
  AC_MSG_CHECKING([for functions compiled for AVX2 and for the baseline])
  penstock_clones=no
  CFLAGS="$penstock_saved_cflags -Werror"
  AS_IF([test "x$with_sanitizer" = xno], [
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
      __attribute__((target_clones("avx2", "default"))) static void twice(int *a, int n)
      { for (int i = 0; i < n; i++) a[i] *= 2; }]],
      [[int a[1] = { 0 }; twice(a, 1); return a[0];]])], [penstock_clones=yes])])
  CFLAGS=$penstock_saved_cflags
  AC_MSG_RESULT([$penstock_clones])
  AS_IF([test "x$penstock_clones" = xyes], [
    AC_DEFINE([PENSTOCK_TARGET_CLONES], [1], [Can functions be compiled with target_clones?])])
])
