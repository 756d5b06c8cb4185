# SPDX-License-Identifier: MIT
#
# Headers, library, program and the CMake package Kovariant, with Kokkos where it is asked for.
include(CMakePackageConfigHelpers)

set(KOV_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Kovariant")
foreach(layer core stencil algebra contractions)
  install(DIRECTORY ${layer}/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kov/${layer}" FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(TARGETS kovariant EXPORT KovariantTargets)
if(TARGET kovariant_program)
  install(TARGETS kovariant_program)
endif()
install(EXPORT KovariantTargets NAMESPACE Kovariant:: DESTINATION "${KOV_CMAKE_DIR}")

# The package finds its Kokkos where it is now, or has it beside.  The copy is complete, may be moved with everything else
# and is out of the way of other installations; its package files name no other folder, nvcc_wrapper's among them.
option(KOV_INSTALL_KOKKOS "Install a copy of Kokkos with the library; bootstrap does so with the one that it built" OFF)
set(KOV_KOKKOS_PACKAGE "${Kokkos_DIR}")
if(KOV_INSTALL_KOKKOS)
  get_filename_component(kov_kokkos_prefix "${Kokkos_DIR}/../../.." ABSOLUTE)
  file(GLOB kov_neighbours RELATIVE "${Kokkos_DIR}/.." "${Kokkos_DIR}/../*")
  if(NOT kov_neighbours STREQUAL "Kokkos" OR NOT EXISTS "${kov_kokkos_prefix}/include/Kokkos_Core.hpp")
    message(FATAL_ERROR "KOV_INSTALL_KOKKOS copies a Kokkos that has a folder to itself; the one in ${Kokkos_DIR} has not.\n"
                        "Leave the option out, or let `./bootstrap build --kokkos=pinned` build one.")
  endif()
  file(RELATIVE_PATH kov_inside "${kov_kokkos_prefix}" "${Kokkos_DIR}")
  set(kov_kokkos "${CMAKE_INSTALL_LIBDIR}/kovariant/kokkos")
  set(KOV_KOKKOS_PACKAGE "${kov_kokkos}/${kov_inside}")
  file(REMOVE_RECURSE "${PROJECT_BINARY_DIR}/kokkos_package")
  file(GLOB kov_kokkos_files RELATIVE "${Kokkos_DIR}" "${Kokkos_DIR}/*.cmake")
  foreach(name ${kov_kokkos_files})
    file(READ "${Kokkos_DIR}/${name}" kov_text)
    string(REPLACE "${kov_kokkos_prefix}" "\${CMAKE_CURRENT_LIST_DIR}/../../.." kov_text "${kov_text}")
    file(WRITE "${PROJECT_BINARY_DIR}/kokkos_package/${name}" "${kov_text}")
  endforeach()
  install(DIRECTORY "${kov_kokkos_prefix}/" DESTINATION "${kov_kokkos}" USE_SOURCE_PERMISSIONS
          REGEX "/cmake/Kokkos$" EXCLUDE)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/kokkos_package/" DESTINATION "${KOV_KOKKOS_PACKAGE}")
endif()

# Where this build was told to look for libraries, its users look as well.
string(REPLACE ":" ";" kov_environment "$ENV{CMAKE_PREFIX_PATH}")
set(KOV_PREFIX_PATH ${CMAKE_PREFIX_PATH} ${kov_environment})
configure_package_config_file(cmake/KovariantConfig.cmake.in "${PROJECT_BINARY_DIR}/KovariantConfig.cmake"
                              INSTALL_DESTINATION "${KOV_CMAKE_DIR}" PATH_VARS KOV_KOKKOS_PACKAGE NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/KovariantConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/KovariantConfig.cmake" "${PROJECT_BINARY_DIR}/KovariantConfigVersion.cmake"
              cmake/FindLibdeflate.cmake cmake/FindRandom123.cmake cmake/KovariantDependencies.cmake cmake/KovBuildType.cmake
        DESTINATION "${KOV_CMAKE_DIR}")
