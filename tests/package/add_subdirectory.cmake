# SPDX-License-Identifier: MIT
#
# A consumer that has the source as a subfolder.  The library is compiled once more; its objects are kept for next time.
include("${CMAKE_CURRENT_LIST_DIR}/support.cmake")
set(tree "${WORK}/add_subdirectory")
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/package/add_subdirectory" -B "${tree}" -G "${GENERATOR}" ${options}
    "-DKokkos_DIR=${KOKKOS_DIR}" -DCMAKE_BUILD_TYPE=${BUILD_TYPE} "-DKOVARIANT_SOURCE=${SOURCE}" -DKOV_MPI=${MPI}
    -DKOV_HDF5=${HDF5} -DCMAKE_CXX_FLAGS_DEBUG=-O1)
run("${CMAKE_COMMAND}" --build "${tree}" --parallel)
run("${tree}/consumer")
