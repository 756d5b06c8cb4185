# SPDX-License-Identifier: MIT
#
# Installed with the package.  Kernels are templates that the caller's own files instantiate: without optimisation they
# are 400 to 1000 times slower, and nothing in a result shows it.

# kovariant_check_build_type(<variable>): sets <variable> to true, and warns once, where the caller's code would be compiled
# without optimisation because nobody said how.  Debug is somebody's word, and so is an -O among the flags.
function(kovariant_check_build_type result)
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several OR CMAKE_BUILD_TYPE OR "${CMAKE_CXX_FLAGS}" MATCHES "(^| )-O")
    set(${result} FALSE PARENT_SCOPE)
    return()
  endif()
  set(${result} TRUE PARENT_SCOPE)
  get_property(warned GLOBAL PROPERTY KOVARIANT_WARNED_OF_BUILD_TYPE)
  if(NOT warned)
    set_property(GLOBAL PROPERTY KOVARIANT_WARNED_OF_BUILD_TYPE TRUE)
    message(WARNING "CMAKE_BUILD_TYPE is empty: code of ${CMAKE_PROJECT_NAME} that uses Kovariant is compiled without "
                    "optimisation, and its kernels are 400 to 1000 times slower.\n"
                    "Configure with -DCMAKE_BUILD_TYPE=Release.")
  endif()
endfunction()
