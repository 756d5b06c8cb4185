# SPDX-License-Identifier: MIT
#
# A consumer that names Kovariant's folder alone, where what Kovariant needs lies in folders that only its own build was
# told.  Configured only, with files that are names.
include("${CMAKE_CURRENT_LIST_DIR}/support.cmake")
set(told "${WORK}/libraries/told")
set(environment "${WORK}/libraries/environment")
file(REMOVE_RECURSE "${WORK}/libraries")
file(WRITE "${told}/include/Random123/philox.h" "")
file(WRITE "${environment}/include/libdeflate.h" "")
file(WRITE "${environment}/lib/libdeflate.a" "")
set(prefix "${WORK}/libraries/prefix")
set(ENV{CMAKE_PREFIX_PATH} "${environment}")
install_library("${prefix}" "-DKokkos_DIR=${KOKKOS_DIR}" "-DCMAKE_PREFIX_PATH=${told}")
unset(ENV{CMAKE_PREFIX_PATH})

set(tree "${WORK}/libraries/consumer")
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/package/find_package" -B "${tree}" -G "${GENERATOR}" ${options} -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DKOVARIANT_BLOCKS=${BLOCKS}")
file(READ "${tree}/compile_commands.json" commands)
expect(commands MATCHES "-isystem ${told}/include")
if(NOT SHARED)
  file(STRINGS "${tree}/CMakeCache.txt" library REGEX "^LIBDEFLATE_LIBRARY:")
  expect(library MATCHES "=${environment}/lib/libdeflate.a$")
endif()

# A consumer's own paths stay as they are, also where something that the library needs is not there.
file(WRITE "${WORK}/libraries/paths/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.22)
project(paths LANGUAGES CXX)
set(CMAKE_MODULE_PATH mine)
set(before "${CMAKE_PREFIX_PATH} ${CMAKE_MODULE_PATH}")
find_package(Kovariant QUIET)
message(STATUS "Kovariant is found: ${Kovariant_FOUND}, and paths were ${before}, and are ${CMAKE_PREFIX_PATH} ${CMAKE_MODULE_PATH}")
]])
foreach(missing none Random123)
  run("${CMAKE_COMMAND}" -S "${WORK}/libraries/paths" -B "${WORK}/libraries/paths/${missing}" -G "${GENERATOR}" ${options}
      -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_DISABLE_FIND_PACKAGE_${missing}=ON)
  string(REGEX MATCH "Kovariant is found: ([^,]*), and paths were ([^\n]*), and are ([^\n]*)" line "${output}")
  set(found "${CMAKE_MATCH_1}")
  set(before "${CMAKE_MATCH_2}")
  set(after "${CMAKE_MATCH_3}")
  expect(before MATCHES "mine$")
  expect(after STREQUAL "${before}")
  if(missing STREQUAL "none")
    expect(found)
  else()
    expect(NOT found)
  endif()
endforeach()
