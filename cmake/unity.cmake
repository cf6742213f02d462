# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# mw_unity(target): the files of each folder under src become one translation unit, since most of a file's
# compilation is reading the same headers. Files with flags of their own stay alone (CMake sees to it), and
# so do those that reuse a name which another file of their folder keeps to itself.
set(mw_not_in_unity
    base/env.cpp
    codegen/device_text.cpp
    codegen/ir_check.cpp
    codegen/lower.cpp
    codegen/math_pow.cpp
    ops/fft/impl_native.cpp
    ops/fft/many.cpp
    ops/matmul/impl_panels.cpp
    ops/matmul/problem.cpp
    ops/matmul/problem_epilog.cpp
    ops/matmul/reference_fused.cpp
    runtime/copy_kernels.cpp
    runtime/host_pool.cpp)

function(mw_unity target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" group)
    # The tables of the vendors are small; together they are one unit.
    string(REGEX REPLACE "^vendor_.*" vendor group "${group}")
    if(path IN_LIST mw_not_in_unity)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
