# SPDX-License-Identifier: MIT

# kov_optional(<variable> <text> <found>): an option that is on where its part is found, which is asked at every configure
# until somebody sets it by hand.
function(kov_optional variable text found)
  set(value OFF)
  if(found)
    set(value ON)
  endif()
  get_property(help CACHE ${variable} PROPERTY HELPSTRING)  # another one after -D
  if(NOT DEFINED ${variable} OR (help STREQUAL text AND "${${variable}}" STREQUAL "${${variable}_FOUND}"))
    set(${variable} ${value} CACHE BOOL "${text}" FORCE)
    set(${variable}_FOUND ${value} CACHE INTERNAL "What ${variable} is because nobody set it by hand")
  else()
    option(${variable} "${text}" ${value})
    unset(${variable}_FOUND CACHE)
  endif()
endfunction()
