# SPDX-License-Identifier: MIT
#
# Headers, library, program and the CMake package Kovariant.
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

configure_package_config_file(cmake/KovariantConfig.cmake.in "${PROJECT_BINARY_DIR}/KovariantConfig.cmake"
                              INSTALL_DESTINATION "${KOV_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/KovariantConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/KovariantConfig.cmake" "${PROJECT_BINARY_DIR}/KovariantConfigVersion.cmake"
        DESTINATION "${KOV_CMAKE_DIR}")
