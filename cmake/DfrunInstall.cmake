# `find_package(dfrun)` for programs that use the library.
include(CMakePackageConfigHelpers)
install(TARGETS dfrun EXPORT dfrun-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dfrun/src FILES_MATCHING PATTERN "*.h")
install(DIRECTORY comm/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dfrun/comm FILES_MATCHING PATTERN "*.h")
# Headers at the paths that programs have included them by, which include those that moved.
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dfrun FILES_MATCHING PATTERN "*.h")
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/dfrun/configs)
install(EXPORT dfrun-targets NAMESPACE dfrun:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dfrun)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dfrun-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/dfrun-config.cmake.in ${PROJECT_BINARY_DIR}/dfrun-config.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dfrun-config.cmake ${PROJECT_BINARY_DIR}/dfrun-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dfrun)
