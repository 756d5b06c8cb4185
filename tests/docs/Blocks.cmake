# SPDX-License-Identifier: MIT
#
# KOV_DOCS_BLOCKS: the folder of code that README and docs show, which tests include.  Written anew when one of them changes.
set(KOV_DOCS_BLOCKS "${PROJECT_BINARY_DIR}/tests/docs/blocks")
file(GLOB kov_docs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/*.md" "${PROJECT_SOURCE_DIR}/docs/*.md")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kov_docs} docs/blocks.py)
execute_process(COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/blocks.py" "${KOV_DOCS_BLOCKS}" ${kov_docs}
                RESULT_VARIABLE kov_status)
if(kov_status)
  message(FATAL_ERROR "tests/docs/blocks.py cannot read the code in README.md and docs: see above")
endif()
