# SPDX-License-Identifier: MIT
#
# A consumer of an installation that was moved after its Kokkos went away: the library is installed from a build with a copy
# of Kokkos, and the copy is removed.
include("${CMAKE_CURRENT_LIST_DIR}/support.cmake")
set(prefix "${WORK}/moved")
file(REMOVE_RECURSE "${prefix}")
file(GLOB neighbours RELATIVE "${KOKKOS_DIR}/.." "${KOKKOS_DIR}/../*")
if(neighbours STREQUAL "Kokkos")
  get_filename_component(kokkos "${KOKKOS_DIR}/../../.." ABSOLUTE)
  get_filename_component(name "${kokkos}" NAME)
  file(RELATIVE_PATH inside "${kokkos}" "${KOKKOS_DIR}")
  set(cache "${WORK}/cache")
  file(REMOVE_RECURSE "${cache}")
  file(COPY "${kokkos}" DESTINATION "${cache}")
  file(GLOB package "${cache}/${name}/${inside}/*.cmake")
  foreach(file ${package})
    file(READ "${file}" text)
    string(REPLACE "${kokkos}" "${cache}/${name}" text "${text}")
    file(WRITE "${file}" "${text}")
  endforeach()
  set(copy "-DKokkos_DIR=${cache}/${name}/${inside}")
  install_library("${WORK}/with_kokkos" ${copy} -DKOV_INSTALL_KOKKOS=ON)
  install_library("${WORK}/without_kokkos" ${copy} -DKOV_INSTALL_KOKKOS=OFF)
  file(REMOVE_RECURSE "${cache}")
  file(RENAME "${WORK}/with_kokkos" "${prefix}")
  file(GLOB_RECURSE texts "${prefix}/*.cmake")
  foreach(file ${texts})
    file(READ "${file}" text)
    foreach(elsewhere "${WORK}" "${kokkos}")
      string(FIND "${text}" "${elsewhere}" at)
      expect(at EQUAL -1)
    endforeach()
    # Libraries are found where the consumer is built.
    expect(NOT text MATCHES "INTERFACE_LINK_LIBRARIES \"[^\"]*/lib[a-z]+[.](so|a)")
  endforeach()
  string(REPLACE "${kokkos}" "${prefix}/${LIBDIR}/kovariant/kokkos" CXX "${CXX}")  # nvcc_wrapper comes with Kokkos
else()
  message("NOT TESTED: Kokkos in ${KOKKOS_DIR} has no folder to itself that could be copied and removed")
  install_library("${prefix}" "-DKokkos_DIR=${KOKKOS_DIR}")
endif()

set(consumer "${CMAKE_COMMAND}" -S "${SOURCE}/tests/package/find_package" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}"
    -DCMAKE_BUILD_TYPE=${BUILD_TYPE} "-DKOVARIANT_BLOCKS=${BLOCKS}" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
if(SANITIZE)  # an instrumented library wants an instrumented program
  list(APPEND consumer "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
endif()
set(tree "${WORK}/find_package")
file(REMOVE_RECURSE "${tree}")
run(${consumer} -B "${tree}" "-DCMAKE_PREFIX_PATH=${prefix}")
expect(NOT output MATCHES "CMAKE_BUILD_TYPE is empty")
run("${CMAKE_COMMAND}" --build "${tree}" --parallel)
run("${tree}/yours")

# The folder that the library is built in is no package, and says so.
execute_process(COMMAND ${consumer} -B "${WORK}/of_build_folder" "-DKovariant_DIR=${BINARY}" RESULT_VARIABLE status
                OUTPUT_QUIET ERROR_VARIABLE said)
string(REGEX REPLACE "[ \n]+" " " said "${said}")
expect(NOT status EQUAL 0)
expect(said MATCHES "is the folder that it is built in, which is no package. Install it, cmake --install ")

# Where nothing was installed beside, and nothing else is there, the message says what to do.
if(EXISTS "${WORK}/without_kokkos")
  execute_process(COMMAND ${consumer} -B "${WORK}/without_kokkos/consumer" "-DCMAKE_PREFIX_PATH=${WORK}/without_kokkos"
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  expect(NOT status EQUAL 0)
  expect(said MATCHES "it was built with Kokkos .*KOV_INSTALL_KOKKOS=ON")
  # With an installation that brings its own, the same folder of the consumer is configured without more ado.
  run(${consumer} -B "${WORK}/without_kokkos/consumer" "-DCMAKE_PREFIX_PATH=${prefix}" "-DKovariant_DIR=${prefix}/${LIBDIR}/cmake/Kovariant")
endif()

# All that was built can be installed, the program with it.
run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${WORK}/prefix")
if(EXISTS "${BINARY}/kovariant")
  run("${WORK}/prefix/bin/kovariant" --version)
endif()
