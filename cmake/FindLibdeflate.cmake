# SPDX-License-Identifier: MIT
#
# The target Libdeflate::libdeflate, also for users of an installed static library: Debian 12 leaves libdeflate's own CMake
# files out.
find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h)
find_library(LIBDEFLATE_LIBRARY deflate)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libdeflate REQUIRED_VARS LIBDEFLATE_LIBRARY LIBDEFLATE_INCLUDE_DIR)
if(Libdeflate_FOUND AND NOT TARGET Libdeflate::libdeflate)
  add_library(Libdeflate::libdeflate UNKNOWN IMPORTED)
  set_target_properties(Libdeflate::libdeflate PROPERTIES IMPORTED_LOCATION "${LIBDEFLATE_LIBRARY}")
  # A folder that compilers search anyway is not named again: -isystem /usr/include breaks #include_next.
  if(NOT LIBDEFLATE_INCLUDE_DIR STREQUAL "/usr/include")
    set_target_properties(Libdeflate::libdeflate PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${LIBDEFLATE_INCLUDE_DIR}")
  endif()
endif()
