# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# The warnings every target of ours is built with.
function(mw_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                      -Woverloaded-virtual -Wnull-dereference $<$<BOOL:${MW_WERROR}>:-Werror>)
  # False alarms of GCC 12 at -O2, where a std::string is moved through a std::variant, and with
  # sanitizers about std::optional.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(
      ${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overread
                        -Wno-stringop-overflow -Wno-restrict)
  endif()
endfunction()
