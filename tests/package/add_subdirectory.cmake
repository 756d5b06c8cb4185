# SPDX-License-Identifier: MIT
#
# A consumer that has the source as a subfolder.  The library is made once more; what the same command has compiled for the
# build that is tested is taken from there.
include("${CMAKE_CURRENT_LIST_DIR}/support.cmake")
set(tree "${WORK}/add_subdirectory")
file(REMOVE_RECURSE "${tree}")
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${PYTHON};-B;${CMAKE_CURRENT_LIST_DIR}/compiled_before.py;${BINARY};${tree}/kovariant")
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/package/add_subdirectory" -B "${tree}" -G "${GENERATOR}" ${options}
    "-DKokkos_DIR=${KOKKOS_DIR}" -DCMAKE_BUILD_TYPE=${BUILD_TYPE} "-DKOVARIANT_SOURCE=${SOURCE}" -DKOV_MPI=${MPI}
    -DKOV_HDF5=${HDF5} -DCMAKE_CXX_FLAGS_DEBUG=-O1)
run("${CMAKE_COMMAND}" --build "${tree}" --parallel)
string(REGEX MATCHALL "compiled before:" copied "${output}")
list(LENGTH copied copied)
message("${copied} objects of the library were compiled before")
run("${tree}/consumer")
