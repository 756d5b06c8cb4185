# SPDX-License-Identifier: MIT
#
# A consumer that names no build type is told that its kernels will be slow; the library in a subfolder is optimised all the
# same.  Configured only.
include("${CMAKE_CURRENT_LIST_DIR}/support.cmake")
set(warning "CMAKE_BUILD_TYPE is empty: code of kovariant_[a-z_]+ that uses Kovariant is compiled without optimisation")

# configure(<kind> <option>...): what CMake said is in `output`, one line, and the compilations in `commands`.
function(configure kind)
  file(REMOVE_RECURSE "${WORK}/build_type")
  run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/package/${kind}" -B "${WORK}/build_type" -G "${GENERATOR}" ${options}
      "-DKokkos_DIR=${KOKKOS_DIR}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN})
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(output "${output}" PARENT_SCOPE)
  file(STRINGS "${WORK}/build_type/compile_commands.json" commands REGEX "\"command\"")
  set(commands "${commands}" PARENT_SCOPE)
endfunction()

# of(<variable> <source>): the command that compiles this source.
function(of variable source)
  set(found ${commands})
  list(FILTER found INCLUDE REGEX "${source}")
  list(LENGTH found n)
  expect(n EQUAL 1)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

install_library("${WORK}/build_type_prefix" "-DKokkos_DIR=${KOKKOS_DIR}")
set(installed find_package "-DCMAKE_PREFIX_PATH=${WORK}/build_type_prefix" "-DKOVARIANT_BLOCKS=${BLOCKS}")
configure(${installed})
expect(output MATCHES "${warning}")
foreach(said -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O2 "-DCMAKE_CXX_FLAGS=-g -Og")
  configure(${installed} "${said}")
  expect(NOT output MATCHES "is empty")
endforeach()

set(subfolder add_subdirectory "-DKOVARIANT_SOURCE=${SOURCE}" -DKOV_MPI=${MPI} -DKOV_HDF5=${HDF5} -DKOV_UNITY=OFF)
configure(${subfolder})
expect(output MATCHES "${warning}")
of(ours "core/version[.]cpp|generated/version[.]cpp")
of(theirs "/consumer[.]cpp")
expect(ours MATCHES " -O3 ")
expect(NOT theirs MATCHES " -O")
configure(${subfolder} -DCMAKE_BUILD_TYPE=RelWithDebInfo)
expect(NOT output MATCHES "is empty")
of(ours "generated/version[.]cpp")
expect(ours MATCHES " -O2 ")

# By itself the library is optimised where nobody says how.
file(REMOVE_RECURSE "${WORK}/build_type")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build_type" -G "${GENERATOR}" ${options} "-DKokkos_DIR=${KOKKOS_DIR}"
    -DKOV_TESTS=OFF -DKOV_MPI=${MPI} -DKOV_HDF5=${HDF5})
file(STRINGS "${WORK}/build_type/CMakeCache.txt" type REGEX "^CMAKE_BUILD_TYPE:")
expect(type MATCHES "=Release$")
