# SPDX-License-Identifier: MIT
#
# cmake -D KIND=find_package|add_subdirectory ... -P check.cmake: configures, builds and runs one consumer project.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "this failed (${status}): ${command}")
  endif()
endfunction()

set(tree "${WORK}/${KIND}")
set(options "-DKokkos_DIR=${KOKKOS_DIR}" "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
if(KIND STREQUAL "find_package")
  file(REMOVE_RECURSE "${WORK}/prefix" "${tree}")
  run("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${WORK}/prefix")
  list(APPEND options "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
  if(SANITIZE)  # an instrumented library wants an instrumented program
    list(APPEND options "-DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE}")
  endif()
else()  # the library is compiled once more; its objects are kept for the next time
  list(APPEND options "-DKOVARIANT_SOURCE=${SOURCE}" -DKOV_MPI=${MPI} -DKOV_HDF5=${HDF5}
       -DCMAKE_CXX_FLAGS_DEBUG=-O0)
endif()
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/package/${KIND}" -B "${tree}" -G "${GENERATOR}" ${options})
run("${CMAKE_COMMAND}" --build "${tree}" --parallel)
run("${tree}/consumer")
