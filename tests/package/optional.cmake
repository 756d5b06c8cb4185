# SPDX-License-Identifier: MIT
#
# Optional parts are on where they are found, which every configure asks again; what is set by hand stays.  Configured only,
# with a cairo that is a name.
include("${CMAKE_CURRENT_LIST_DIR}/support.cmake")
set(tree "${WORK}/optional")
set(there "-DKOV_CAIRO_LIBRARY=${WORK}/libcairo.so" "-DKOV_CAIRO_INCLUDE_DIR=${WORK}")
set(absent -DKOV_CAIRO_LIBRARY=OFF)

# pdf(<value> <option>...): KOV_PDF in the same folder, configured with these options.
function(pdf value)
  run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${tree}" -G "${GENERATOR}" ${options} "-DKokkos_DIR=${KOKKOS_DIR}" -DKOV_TESTS=OFF
      -DKOV_MPI=OFF -DKOV_HDF5=OFF ${ARGN})
  file(STRINGS "${tree}/CMakeCache.txt" cached REGEX "^KOV_PDF:")
  expect(cached STREQUAL "KOV_PDF:BOOL=${value}")
  expect(output MATCHES "program ON, PDF ${value}")
endfunction()

file(REMOVE_RECURSE "${tree}")
pdf(OFF ${absent})
pdf(ON ${there})
pdf(OFF ${absent})
pdf(OFF ${absent} -DKOV_PDF=OFF)
pdf(OFF ${there})
pdf(ON ${there} -DKOV_PDF=ON)
execute_process(COMMAND "${CMAKE_COMMAND}" ${absent} "${tree}" RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
expect(NOT status EQUAL 0)
expect(said MATCHES "cairo [(]option KOV_PDF[)] not found")

# MPI and HDF5 likewise, where they are.
foreach(part MPI HDF5)
  if(NOT ${part})
    message("NOT TESTED: this build has no ${part}")
    continue()
  endif()
  file(REMOVE_RECURSE "${tree}")
  foreach(step "OFF;-DCMAKE_DISABLE_FIND_PACKAGE_${part}=ON" "ON;-DCMAKE_DISABLE_FIND_PACKAGE_${part}=OFF" "OFF;-DKOV_${part}=OFF" "OFF"
          "ON;-DKOV_${part}=ON")
    list(POP_FRONT step value)
    run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${tree}" -G "${GENERATOR}" ${options} "-DKokkos_DIR=${KOKKOS_DIR}" -DKOV_TESTS=OFF
        -DKOV_APPS=OFF ${step})
    file(STRINGS "${tree}/CMakeCache.txt" cached REGEX "^KOV_${part}:")
    expect(cached STREQUAL "KOV_${part}:BOOL=${value}")
    expect(output MATCHES "${part} ${value}")
  endforeach()
  execute_process(COMMAND "${CMAKE_COMMAND}" -DCMAKE_DISABLE_FIND_PACKAGE_${part}=ON "${tree}" RESULT_VARIABLE status
                  ERROR_VARIABLE said OUTPUT_QUIET)
  expect(NOT status EQUAL 0)
  expect(said MATCHES "${part} [^(]*[(]option KOV_${part}[)] not found")
endforeach()

# Without a program nothing is said of its pictures.
file(REMOVE_RECURSE "${tree}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${tree}" -G "${GENERATOR}" ${options} "-DKokkos_DIR=${KOKKOS_DIR}" -DKOV_TESTS=OFF
    -DKOV_APPS=OFF)
expect(output MATCHES "program OFF, tests OFF")
