# SPDX-License-Identifier: MIT
#
# The target Random123::Random123, also for users of an installed library: kov/core/site/random.hpp includes it, and it has no
# CMake files of its own.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123 REQUIRED_VARS RANDOM123_INCLUDE_DIR)
if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  # A folder that compilers search anyway is not named again: -isystem /usr/include breaks #include_next.
  if(NOT RANDOM123_INCLUDE_DIR STREQUAL "/usr/include")
    set_target_properties(Random123::Random123 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${RANDOM123_INCLUDE_DIR}")
  endif()
endif()
