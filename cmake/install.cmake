# SPDX-FileCopyrightText: The Mathwright authors
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down for C++ users: headers, library, CMake package, pkg-config file.
# Everything here is component "cpp"; a wheel takes component "python" only.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(mw_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mathwright)

install(
  TARGETS mathwright
  EXPORT mathwright-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp NAMELINK_COMPONENT cpp
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/mathwright
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT cpp
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "*.def")
install(
  EXPORT mathwright-targets
  NAMESPACE mathwright::
  DESTINATION ${mw_cmake_dir}
  COMPONENT cpp)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/mathwright-config.cmake.in
  ${PROJECT_BINARY_DIR}/mathwright-config.cmake INSTALL_DESTINATION ${mw_cmake_dir})
# Before 1.0 a new minor version may break the interface.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/mathwright-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/mathwright-config.cmake
        ${PROJECT_BINARY_DIR}/mathwright-config-version.cmake
  DESTINATION ${mw_cmake_dir}
  COMPONENT cpp)

# A static library brings its own needs; a shared one has them inside.
if(BUILD_SHARED_LIBS)
  set(mw_pc_libs "")
  set(mw_pc_libs_private "-pthread -ldl")
else()
  set(mw_pc_libs " -pthread -ldl")
  set(mw_pc_libs_private "")
endif()
# The prefix is found from where the file lies, so an installed tree can be moved.
file(RELATIVE_PATH mw_pc_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${PROJECT_SOURCE_DIR}/cmake/mathwright.pc.in ${PROJECT_BINARY_DIR}/mathwright.pc
               @ONLY)
install(
  FILES ${PROJECT_BINARY_DIR}/mathwright.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT cpp)
install(
  FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT cpp)
