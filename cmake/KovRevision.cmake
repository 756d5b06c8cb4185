# SPDX-License-Identifier: MIT
#
# kov_git_revision(<target> <header>): before a source of the target is compiled, in every build, <header> defines
# kov::detail::git_revision_text, what `git describe --dirty` says of the current project's folder.  The header is written
# only where that has changed.
set(KOV_WRITE_REVISION "${CMAKE_CURRENT_LIST_DIR}/write_revision.cmake")

function(kov_git_revision target header)
  find_package(Git QUIET)
  add_custom_target(${target}_revision BYPRODUCTS "${header}"
    COMMAND "${CMAKE_COMMAND}" -D "GIT=${GIT_EXECUTABLE}" -D "SOURCE=${PROJECT_SOURCE_DIR}" -D "HEADER=${header}"
            -P "${KOV_WRITE_REVISION}"
    COMMENT "Asking git for the revision" VERBATIM)
  add_dependencies(${target} ${target}_revision)
endfunction()
