# SPDX-License-Identifier: MIT
#
# The library target `kovariant` (alias Kovariant::kovariant).  The layers add their sources to it.

add_library(kovariant)
add_library(Kovariant::kovariant ALIAS kovariant)
set_target_properties(kovariant PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                           POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
target_compile_features(kovariant PUBLIC cxx_std_20)

# Includes are written from the project root name: "kov/core/field/field.hpp".  Links to the source folders make them
# resolve in the build tree exactly as they do installed.
foreach(layer core stencil algebra contractions)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include/kov")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${layer}" "${PROJECT_BINARY_DIR}/include/kov/${layer}" SYMBOLIC)
endforeach()
target_include_directories(kovariant PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

target_link_libraries(kovariant PUBLIC Kokkos::kokkos Random123::Random123
                                PRIVATE Libdeflate::libdeflate pugixml::pugixml spdlog::spdlog
                                ${CMAKE_DL_LIBS}  # a BLAS is loaded when it is asked for
                                $<BUILD_INTERFACE:Eigen3::Eigen>)  # nothing of it is left in the library
if(KOV_MPI)
  target_link_libraries(kovariant PRIVATE MPI::MPI_C)
endif()
if(KOV_HDF5)
  target_link_libraries(kovariant PRIVATE hdf5::hdf5)
  target_compile_definitions(kovariant PRIVATE KOV_WITH_HDF5)
endif()

# Users' kernels inline ours, so the options that make those fast are theirs as well.  GCC: the limit lets the small
# loops over spin and color unroll completely (6-15 % of a hop); for some processors GCC would fuse products and sums in
# registers of 32 bytes and less in some loops and not in others, which then had other bits.  Clang: fuse as GCC does.
# Behind nvcc_wrapper CMake sees the host compiler's id; the wrapper hands the option on to it.
target_compile_options(kovariant PUBLIC
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=max-completely-peeled-insns=400>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=avoid-fma-max-bits=0>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang,IntelLLVM>:-ffp-contract=fast>)
# GCC copies packs in pieces of 16 bytes unless it is told that whole registers are as fast; what then reads the whole
# waits for the pieces (a HYP step in double with AVX2 took 2.6 times as long).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT "CUDA" IN_LIST kov_devices)
  foreach(option -mmove-max=512 -mstore-max=512)
    target_compile_options(kovariant PUBLIC
      $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>>:${option}>)
  endforeach()
endif()
# A Kokkos built for no particular processor brings no SIMD flags; packs need them.
set(kov_native OFF)
if(NOT Kokkos_ARCH AND NOT "CUDA" IN_LIST kov_devices)
  set(kov_native ON)
endif()
option(KOV_NATIVE "Compile for this machine's processor; on where Kokkos does not bring its flags" ${kov_native})
if(KOV_NATIVE)
  target_compile_options(kovariant PUBLIC $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-march=native>)
endif()
if("CUDA" IN_LIST kov_devices)  # std::array and other constexpr functions of the standard library in kernels
  target_compile_options(kovariant PUBLIC $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--expt-relaxed-constexpr>)
endif()

# What the compiler takes 6 % more time for; the presets for work on the code have it, and .ci/run.
option(KOV_WARNINGS "Compile with -Wall -Wextra; the environment variable KOV_WARNINGS is the default" "$ENV{KOV_WARNINGS}")

# Warnings and sanitizers of everything built here; not for users of the installed library.
add_library(kov_build_flags INTERFACE)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # position-independent, yet free to inline
  target_compile_options(kov_build_flags INTERFACE -fno-semantic-interposition)
  # Collects its garbage less often: 6 % less time to compile, for 1.3 instead of 0.8 GB.
  target_compile_options(kov_build_flags INTERFACE --param=ggc-min-heapsize=1000000)
endif()
if(KOV_WARNINGS AND NOT "CUDA" IN_LIST kov_devices)  # nvcc's generated host code warns about itself
  target_compile_options(kov_build_flags INTERFACE -Wall -Wextra)
  # GCC 12 sees overlapping copies in std::string's own operator+ (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
     AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(kov_build_flags INTERFACE -Wno-restrict)
  endif()
endif()
if(KOV_SANITIZE)
  target_compile_options(kov_build_flags INTERFACE -fsanitize=${KOV_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(kov_build_flags INTERFACE -fsanitize=${KOV_SANITIZE})
endif()
target_link_libraries(kovariant PRIVATE $<BUILD_INTERFACE:kov_build_flags>)

# Most of the time to compile goes into reading Kokkos and the standard library: once for all sources, as nvcc cannot, and
# once for several sources, which saves a third with GCC and two thirds with nvcc.  Unnamed namespaces of several sources
# are then one: tests/layers looks for names there that hide those of headers.  Long sources stay by themselves unless
# KOV_UNITY_LONG is on.  The preset `debug` does neither, which shows where an include was forgotten; so does work
# on few files at a time.
set(kov_precompile ON)
if("CUDA" IN_LIST kov_devices)
  set(kov_precompile OFF)
endif()
option(KOV_PRECOMPILE "Precompile the headers of Kokkos, of the standard library and of fields" ${kov_precompile})
option(KOV_UNITY "Compile several sources as one" ON)
option(KOV_UNITY_LONG "With KOV_UNITY, compile long sources together too: less work, in pieces of a minute and more" OFF)
set(kov_precompiled_headers <Kokkos_Core.hpp> <algorithm> <array> <complex> <filesystem> <functional> <map> <memory>
    <random> <span> <sstream> <string> <vector>)
# Tests leave these out: GCC 12 crashes over some errors in code that uses templates from a precompiled header.
set(kov_precompiled_fields <kov/core/vectors/reduce.hpp> <kov/stencil/launch/run_stencil.hpp>)
if(KOV_PRECOMPILE)
  target_precompile_headers(kovariant PRIVATE ${kov_precompiled_headers} ${kov_precompiled_fields})
endif()

set(CMAKE_UNITY_BUILD ${KOV_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
set_target_properties(kovariant PROPERTIES UNITY_BUILD ${KOV_UNITY} UNITY_BUILD_BATCH_SIZE 9)

# kov_long_sources(a.cpp b.cpp ...): sources of the library that take long to compile, each by itself.
function(kov_long_sources)
  if(NOT KOV_UNITY_LONG)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY kovariant PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# kov_long_sources_of_gpus(a.cpp b.cpp ...): those that take long with nvcc alone.
function(kov_long_sources_of_gpus)
  if("CUDA" IN_LIST kov_devices)
    kov_long_sources(${ARGN})
  endif()
endfunction()

# kov_host_sources(<target> a.cpp b.cpp ...): files without Kokkos in them, which a CUDA build hands to the host compiler
# alone.  nvcc cannot read {fmt} and toml++ as C++20, and is several times slower on everything else.  CMake compiles sources
# with options of their own one by one, so that with KOV_UNITY the sources that include several of them are written here.
function(kov_host_sources target)
  if(NOT "CUDA" IN_LIST kov_devices)
    return()
  endif()
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS --host-only)
  if(NOT KOV_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(together "")
  foreach(source ${ARGN})
    get_filename_component(path "${source}" ABSOLUTE)
    get_source_file_property(definitions "${source}" TARGET_DIRECTORY ${target} COMPILE_DEFINITIONS)
    get_source_file_property(by_itself "${source}" TARGET_DIRECTORY ${target} SKIP_UNITY_BUILD_INCLUSION)
    if((source IN_LIST sources OR path IN_LIST sources) AND NOT definitions AND NOT by_itself)
      list(APPEND together "${path}")
      set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
    endif()
  endforeach()
  list(LENGTH together n)
  foreach(first RANGE 0 ${n} 12)
    if(first LESS n)
      list(SUBLIST together ${first} 12 some)
      list(TRANSFORM some PREPEND "#include \"")
      list(TRANSFORM some APPEND "\"\n")
      list(JOIN some "" text)
      set(file "${PROJECT_BINARY_DIR}/generated/${target}_host_${first}.cpp")
      file(CONFIGURE OUTPUT "${file}" CONTENT "${text}")
      target_sources(${target} PRIVATE "${file}")
      set_source_files_properties("${file}" TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS --host-only)
    endif()
  endforeach()
endfunction()

# kov_eigen_sources(<target> a.cpp ...): host sources that include Eigen, each compiled by itself.  GCC 12 takes registers
# that its own AVX-512 headers leave undefined for variables without a value (GCC bug 105593).
function(kov_eigen_sources target)
  set(options "")
  if("CUDA" IN_LIST kov_devices)
    list(APPEND options --host-only)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND options -Wno-maybe-uninitialized -Wno-uninitialized -Wno-array-bounds)
  endif()
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${options}"
                              SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# What `kov::version()` returns: the release and, in a git checkout, the revision that is compiled.
set(kov_has_mpi false)
if(KOV_MPI)
  set(kov_has_mpi true)
endif()
configure_file("${PROJECT_SOURCE_DIR}/core/base/version.cpp.in" "${PROJECT_BINARY_DIR}/generated/version.cpp" @ONLY)
target_sources(kovariant PRIVATE "${PROJECT_BINARY_DIR}/generated/version.cpp")
set_source_files_properties("${PROJECT_BINARY_DIR}/generated/version.cpp" TARGET_DIRECTORY kovariant PROPERTIES
                            SKIP_UNITY_BUILD_INCLUSION ON)
include(KovRevision)
kov_git_revision(kovariant "${PROJECT_BINARY_DIR}/generated/revision.hpp")
