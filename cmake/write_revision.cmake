# SPDX-License-Identifier: MIT
#
# cmake -D GIT=<program> -D SOURCE=<folder> -D HEADER=<file> -P write_revision.cmake: see KovRevision.cmake.
# A copy without .git has no revision, also where it lies in a checkout of something else; nor where there is no git.
set(revision "")
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" describe --always --dirty --abbrev=10 WORKING_DIRECTORY "${SOURCE}"
                  OUTPUT_VARIABLE revision ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(text "// Written by every build, where it has changed.\nnamespace kov::detail {\ninline constexpr const char* git_revision_text = \"${revision}\";\n}\n")
set(before "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()
