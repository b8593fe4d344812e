# SPDX-License-Identifier: MIT

# PENSTOCK_VECTOR: VECTOR_CFLAGS, for loops that are written for the vectoriser; unlike -O3 they hold beside the -O2 of
# the user's CFLAGS. Longer vectors than the baseline's are actors/common/wide.h's matter.
AC_DEFUN([PENSTOCK_VECTOR], [
  VECTOR_CFLAGS=
  penstock_saved_cflags=$CFLAGS
  for flag in -ftree-vectorize -fvect-cost-model=dynamic; do
    CFLAGS="$penstock_saved_cflags -Werror $flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [VECTOR_CFLAGS="$VECTOR_CFLAGS $flag"])
  done
  CFLAGS=$penstock_saved_cflags
  AC_SUBST([VECTOR_CFLAGS])
])
