# SPDX-License-Identifier: MIT
#
# cmake -D GIT=<program> -D SOURCE=<folder> -D HEADER=<file> -P write_revision.cmake: see KovRevision.cmake.
# A copy without .git has no revision, also where it lies in a checkout of something else; nor where there is no git.
#
# The environment may name another repository: git hooks set GIT_DIR.  And a build must not take git's index.lock from
# whoever commits at the same time: `git describe --dirty` always does, `git status` can be told not to.
foreach(variable GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY)
  unset(ENV{${variable}})
endforeach()
set(revision "")
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" describe --always --abbrev=10 WORKING_DIRECTORY "${SOURCE}"
                  OUTPUT_VARIABLE revision ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND "${GIT}" --no-optional-locks status --porcelain --untracked-files=no
                  WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET)
  if(revision AND changes)
    string(APPEND revision "-dirty")
  endif()
endif()
set(text "// Written by every build, where it has changed.\nnamespace kov::detail {\ninline constexpr const char* git_revision_text = \"${revision}\";\n}\n")
set(before "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()
