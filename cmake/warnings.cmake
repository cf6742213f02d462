# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# The warnings every target of ours is built with.
function(mw_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
                      -Woverloaded-virtual -Wnull-dereference $<$<BOOL:${MW_WERROR}>:-Werror>)
endfunction()
