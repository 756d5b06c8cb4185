# SPDX-License-Identifier: MIT
#
# What the scripts of this folder share.  tests/package/CMakeLists.txt defines their variables.
unset(ENV{Kokkos_ROOT})
unset(ENV{CXXFLAGS})
set(options "-DCMAKE_CXX_COMPILER=${CXX}")

# run(<command>...): stops where it fails; what it printed is in `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out ECHO_OUTPUT_VARIABLE
                  ECHO_ERROR_VARIABLE)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "this failed (${status}): ${command}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

# expect(<condition>...): stops where it is false.
function(expect)
  if(NOT (${ARGN}))
    list(JOIN ARGN " " condition)
    message(FATAL_ERROR "this is not so: ${condition}")
  endif()
endfunction()

# install_library(<prefix> <option>...): the library that was built, installed from a folder that these options configure.
# It is built with what they name, or with a copy of it.
function(install_library prefix)
  set(tree "${prefix}-build")
  file(REMOVE_RECURSE "${prefix}" "${tree}")
  run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${tree}" -G "${GENERATOR}" ${options} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DKOV_APPS=OFF
      -DKOV_TESTS=OFF -DKOV_MPI=${MPI} -DKOV_HDF5=${HDF5} -DBUILD_SHARED_LIBS=${SHARED} -DKOV_NATIVE=${NATIVE}
      "-DCMAKE_INSTALL_LIBDIR=${LIBDIR}" ${ARGN})
  file(GLOB built "${BINARY}/libkovariant.*")
  file(COPY ${built} DESTINATION "${tree}")
  run("${CMAKE_COMMAND}" --install "${tree}" --prefix "${prefix}")
  file(REMOVE_RECURSE "${tree}")
endfunction()
