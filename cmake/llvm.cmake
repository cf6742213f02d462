# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# libmathwright_llvm: the compiler of host code, with LLVM inside it, in a library of its own that is
# opened on first need. Without LLVM on this machine it is left out, and generated host code is
# interpreted.
#
#   MW_LLVM         AUTO (build it if LLVM 16 or later is found), ON (an error if not), OFF
#   MW_LLVM_CONFIG  the llvm-config to ask; by default the newest that is found
set(MW_LLVM AUTO CACHE STRING "Build the compiler of host code: AUTO, ON, OFF")
set_property(CACHE MW_LLVM PROPERTY STRINGS AUTO ON OFF)
set(MW_LLVM_CONFIG "" CACHE FILEPATH "llvm-config of the LLVM to build in")

# Without the optimisers, parsers and debuggers that nothing here calls.
set(mw_llvm_components orcjit nativecodegen scalaropts instcombine)

# Sets mw_llvm_<what> from an llvm-config; mw_llvm_why says why it does not serve.
function(mw_ask_llvm config)
  set(why "")
  foreach(question version includedir libdir has-rtti)
    execute_process(COMMAND ${config} --${question} OUTPUT_VARIABLE answer ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
    if(status)
      set(why "${config} does not run")
    endif()
    set(mw_llvm_${question} "${answer}" PARENT_SCOPE)
    set(${question} "${answer}")
  endforeach()
  # Fails where only the shared library is installed.
  execute_process(COMMAND ${config} --link-static --libfiles ${mw_llvm_components}
                  OUTPUT_VARIABLE files ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE status)
  separate_arguments(files UNIX_COMMAND "${files}")
  set(mw_llvm_files "${files}" PARENT_SCOPE)
  if(NOT why AND version VERSION_LESS 16)
    set(why "${config} is of LLVM ${version}")
  elseif(NOT why AND (status OR NOT EXISTS "${includedir}/llvm/ExecutionEngine/Orc/Core.h"))
    set(why "${config} has no static libraries or no headers beside it")
  endif()
  set(mw_llvm_why "${why}" PARENT_SCOPE)
endfunction()

function(mw_find_llvm)
  if(MW_LLVM_CONFIG)
    set(configs "${MW_LLVM_CONFIG}")
  else()
    file(GLOB configs /usr/lib/llvm-*/bin/llvm-config /usr/lib64/llvm*/bin/llvm-config
         /opt/llvm*/bin/llvm-config)
    list(SORT configs COMPARE NATURAL ORDER DESCENDING)
    find_program(mw_llvm_config_in_path llvm-config)
    mark_as_advanced(mw_llvm_config_in_path)
    if(mw_llvm_config_in_path)
      list(APPEND configs "${mw_llvm_config_in_path}")
    endif()
  endif()
  set(refused "no llvm-config was found")
  foreach(config IN LISTS configs)
    mw_ask_llvm(${config})
    if(NOT mw_llvm_why)
      foreach(what version includedir libdir has-rtti files)
        set(mw_llvm_${what} "${mw_llvm_${what}}" PARENT_SCOPE)
      endforeach()
      return()
    endif()
    set(refused "${mw_llvm_why}")
  endforeach()
  set(mw_llvm_version "" PARENT_SCOPE)
  set(mw_llvm_refused "${refused}" PARENT_SCOPE)
endfunction()

function(mw_llvm_library)
  set(folder ${PROJECT_SOURCE_DIR}/src/codegen/llvm)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_library(mathwright_llvm MODULE ${sources} ${PROJECT_SOURCE_DIR}/src/base/dtype.cpp)
  target_include_directories(mathwright_llvm PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                     ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(mathwright_llvm SYSTEM PRIVATE ${mw_llvm_includedir})
  # It compiles kernels of a few hundred instructions; LLVM itself is optimised already.
  target_compile_options(mathwright_llvm PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT "${mw_llvm_has-rtti}" STREQUAL "YES")
    target_compile_options(mathwright_llvm PRIVATE -fno-rtti)
  endif()
  mw_warnings(mathwright_llvm)
  # GCC's alarm about LLVM's hash tables, inlined into ours.
  target_compile_options(mathwright_llvm PRIVATE -Wno-null-dereference)
  # No symbol of this LLVM may meet another LLVM's: hidden, and bound to each other.
  target_link_options(
    mathwright_llvm PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--gc-sections -Wl,--as-needed
    -Wl,-z,defs $<$<CONFIG:Release>:-s> -Wl,--version-script=${folder}/exports.map)
  set_target_properties(mathwright_llvm PROPERTIES LINK_DEPENDS ${folder}/exports.map)
  target_link_libraries(mathwright_llvm PRIVATE ${mw_llvm_files} Threads::Threads
                                                ${CMAKE_DL_LIBS})
  # LLVM's headers are most of the compilation: read once for all files.
  set_target_properties(mathwright_llvm PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  if(MW_PYTHON)
    install(TARGETS mathwright_llvm LIBRARY DESTINATION mathwright COMPONENT python)
  endif()
  install(TARGETS mathwright_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
endfunction()

if(MW_LLVM)
  mw_find_llvm()
  if(mw_llvm_version)
    message(STATUS "host code is compiled by LLVM ${mw_llvm_version} of ${mw_llvm_libdir}")
    include(GNUInstallDirs)
    mw_llvm_library()
  elseif(MW_LLVM STREQUAL "AUTO")
    message(STATUS "host code is interpreted: ${mw_llvm_refused}. To compile it, install LLVM 16 "
                   "or later (apt install llvm-19-dev) and configure again.")
  else()
    message(FATAL_ERROR "MW_LLVM=ON: ${mw_llvm_refused}. Install LLVM 16 or later "
                        "(apt install llvm-19-dev), name another with -DMW_LLVM_CONFIG=…, or "
                        "configure with -DMW_LLVM=AUTO.")
  endif()
endif()
