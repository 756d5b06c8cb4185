# SPDX-License-Identifier: MIT
#
# kov_add_test(<name> SOURCES a.cpp b.cpp [RANKS 1 2] [THOROUGH 4] [LATTICES] [LABELS fast] [LIBRARIES ...]
#              [ONE_THREAD] [TIMEOUT seconds])
#
# One GoogleTest executable; one ctest entry per number of ranks: <name>.1, <name>.2, ...  Entries above one rank exist
# in MPI builds only; several ranks get a thread each.  Threads and ranks that wait leave the processor to the others soon.
#
# Programs run beside each other, so nothing is bound: each would take the first core for its first thread, and those of one
# thread (tests/apps) would leave the other cores idle.  Unbound threads must not look for long before they sleep: with 100
# looks (GOMP_SPINCOUNT) a part of test_stencil took 5 s on a busy machine, with 10 000 20 to 27 s; with bound threads 18 s.
#
# THOROUGH are numbers of ranks too, whose entries are thorough: what takes long and says little that the others do not
# say.  `ctest -C Thorough` runs them with the others, `ctest -C Thorough -L thorough` alone.  add_test(NAME e
# ${KOV_THOROUGH} ...) makes any entry thorough, with the label thorough; kov_thorough_target(<target>) says that only such
# entries need a target, which is then built by the target thorough_tests and not by all.
#
# <name>.1 has two threads.  ONE_THREAD is for what works through kernels that other programs test: on small lattices a second
# thread that waits for the first takes as much time of a processor again.  <name>.1.rest, which is thorough, has two threads
# then, and all the tests, with LATTICES on the rest of the lattices.
#
# LATTICES is for what runs on tests/support/lattices.hpp: RANKS take some of these lattices, every extent and order but the
# largest once, and <name>.1.rest and so on, which are thorough, the rest.
#
# LABELS data is for what reads published data: only such entries are told by KOV_TEST_DATA where it is, and each has a
# twin <name>.1.no_data with a folder that is not there; <name>.1.some_data has one with oracles and no configurations.
# Twins run with `ctest -C WithoutData -L without_data`, and in GoogleTest executables only what reads published data:
# tests that have "Published" in their names.
#
# PROCESSORS counts quarters of a processor, because programs that are called again and again (tests/apps) mostly wait for
# MPI to start or to end: `ctest --parallel 8` is right for two processors.  GoogleTest executables come first, two of
# them at once; one on two ranks leaves room for a program beside it.

# kov_add_decompositions(<name> SOURCES a.cpp b.cpp): a test program that prints checksums (tests/support/bits.hpp).  Its
# entry with one rank is <name>.1; in the entry <name> a script runs it on 1 to 8 ranks and 1 to 4 threads and compares.

set(KOV_THOROUGH CONFIGURATIONS Thorough)
add_custom_target(thorough_tests)
function(kov_thorough_target target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(thorough_tests ${target})
endfunction()

set(KOV_LAUNCHER "")  # in front of "-n 2 PROGRAM", as one word for a variable of the environment
if(KOV_MPI)
  execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE kov_mpiexec_version ERROR_QUIET)
  set(KOV_MPIEXEC_FLAGS "")
  if(kov_mpiexec_version MATCHES "Open MPI|OpenRTE|PRRTE")
    set(KOV_MPIEXEC_FLAGS --oversubscribe --bind-to none)
  endif()
  list(JOIN KOV_MPIEXEC_FLAGS " " KOV_LAUNCHER)
  set(KOV_LAUNCHER "${MPIEXEC_EXECUTABLE} ${KOV_LAUNCHER}")
endif()
set(KOV_RUN_ENVIRONMENT KOV_TEST_DATA= OMP_PROC_BIND=false GOMP_SPINCOUNT=100)
set(KOV_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_mpi_yield_when_idle=1)
if(KOV_SANITIZE)  # MPI and HDF5 keep memory until the process ends; memory that is not there is an exception of ours
  list(APPEND KOV_RUN_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0:protect_shadow_gap=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1)
endif()

# kov_data_entries(<entry> TWINS no_data [some_data] COMMAND ... [ENVIRONMENT ...]): gives an entry that has the label data
# its folder, and adds the twins, with more variables in their environment.  Call it when the entry has all its other
# properties.
if(EXISTS "${KOV_TEST_DATA}/oracles")
  file(COPY "${KOV_TEST_DATA}/oracles" DESTINATION "${PROJECT_BINARY_DIR}/tests/some_data")
endif()
function(kov_data_entries entry)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TWINS;COMMAND;ENVIRONMENT")
  get_test_property(${entry} ENVIRONMENT environment)
  list(REMOVE_ITEM environment KOV_TEST_DATA=)
  set_tests_properties(${entry} PROPERTIES ENVIRONMENT "${environment};KOV_TEST_DATA=${KOV_TEST_DATA}")
  foreach(twin ${arg_TWINS})
    add_test(NAME ${entry}.${twin} CONFIGURATIONS WithoutData COMMAND ${arg_COMMAND})
    set(of_twin ${environment} ${arg_ENVIRONMENT} "KOV_TEST_DATA=${PROJECT_BINARY_DIR}/tests/${twin}")
    set_tests_properties(${entry}.${twin} PROPERTIES LABELS without_data ENVIRONMENT "${of_twin}")
    foreach(property WORKING_DIRECTORY PROCESSORS TIMEOUT RUN_SERIAL)
      get_test_property(${entry} ${property} value)
      if(value)
        set_tests_properties(${entry}.${twin} PROPERTIES ${property} "${value}")
      endif()
    endforeach()
  endforeach()
endfunction()

function(kov_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LATTICES;ONE_THREAD" "TIMEOUT" "SOURCES;RANKS;THOROUGH;LABELS;LIBRARIES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "kov_add_test(${name}): no SOURCES")
  endif()
  if(NOT arg_RANKS AND NOT arg_THOROUGH)
    set(arg_RANKS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")  # "tests/reference/laplacian.hpp"
  target_link_libraries(${name} PRIVATE kov_test_support kov_build_flags ${arg_LIBRARIES})
  if(KOV_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM kov_test_support)
  endif()
  foreach(ranks ${arg_RANKS} ${arg_THOROUGH})
    if(ranks EQUAL 1)
      set(command ${name})
      set(twins no_data some_data)
      set(processors 4)
      set(environment OMP_NUM_THREADS=2)
      set(environment_of_rest ${environment})
      set(two_threads_in_rest ${arg_ONE_THREAD})
      if(arg_ONE_THREAD)
        set(environment OMP_NUM_THREADS=1)
      endif()
    elseif(KOV_MPI)
      set(command "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${KOV_MPIEXEC_FLAGS} $<TARGET_FILE:${name}>)
      set(twins no_data)
      math(EXPR processors "4 * ${ranks} - 1")
      set(environment OMP_NUM_THREADS=1)
      set(environment_of_rest ${environment})
      set(two_threads_in_rest FALSE)
    else()
      continue()
    endif()
    set(configurations "")
    set(labels ${arg_LABELS})
    if((arg_LATTICES OR two_threads_in_rest) AND NOT ranks IN_LIST arg_THOROUGH)
      if(arg_LATTICES)
        list(APPEND environment KOV_TEST_LATTICES=some)
        list(APPEND environment_of_rest KOV_TEST_LATTICES=rest)
      endif()
      if(NOT two_threads_in_rest)
        list(APPEND environment_of_rest GTEST_FILTER=Lattices/*:All/*)
      endif()
      add_test(NAME ${name}.${ranks}.rest ${KOV_THOROUGH} COMMAND ${command})
      set_tests_properties(${name}.${ranks}.rest PROPERTIES
        ENVIRONMENT "${KOV_RUN_ENVIRONMENT};${KOV_MPI_ENVIRONMENT};${environment_of_rest}"
        LABELS thorough PROCESSORS ${processors} COST 100 TIMEOUT ${arg_TIMEOUT})
    endif()
    if(ranks IN_LIST arg_THOROUGH)
      set(configurations ${KOV_THOROUGH})
      list(APPEND labels thorough)
    endif()
    add_test(NAME ${name}.${ranks} ${configurations} COMMAND ${command})
    set_tests_properties(${name}.${ranks} PROPERTIES
      ENVIRONMENT "${KOV_RUN_ENVIRONMENT};${KOV_MPI_ENVIRONMENT};${environment}"
      LABELS "${labels}" PROCESSORS ${processors} COST 100 TIMEOUT ${arg_TIMEOUT})
    if("data" IN_LIST arg_LABELS)
      kov_data_entries(${name}.${ranks} TWINS ${twins} COMMAND ${command} ENVIRONMENT "GTEST_FILTER=*Published*")
    endif()
  endforeach()
endfunction()

function(kov_add_decompositions name)
  kov_add_test(${name} ${ARGN} THOROUGH 1 LABELS bits)
  kov_thorough_target(${name})
  set(mpiexec "")
  if(KOV_MPI)
    set(mpiexec "${MPIEXEC_EXECUTABLE}" ${KOV_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG})
  endif()
  add_test(NAME ${name} ${KOV_THOROUGH}
           COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/support/decompositions.py"
                   $<TARGET_FILE:${name}> ${mpiexec})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${KOV_RUN_ENVIRONMENT};${KOV_MPI_ENVIRONMENT}"
    LABELS "bits;thorough" PROCESSORS 8 TIMEOUT 900)
endfunction()
