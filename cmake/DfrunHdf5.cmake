# HDF5, libdfrun_hdf5.so in the folder dfrun/ beside libdfrun.so: a part that the program opens when a file is written, and
# its helper when one is read. Debian's HDF5 brings thirty libraries along. Its sources are src/hdf5/*.
file(GLOB DFRUN_HDF5_SOURCES CONFIGURE_DEPENDS src/hdf5/*.cc)
add_library(dfrun_hdf5 SHARED ${DFRUN_HDF5_SOURCES})
target_link_libraries(dfrun_hdf5 PUBLIC dfrun ${HDF5_C_LIBRARIES} PRIVATE dfrun_options dfrun_libraries)
target_include_directories(dfrun_hdf5 SYSTEM PUBLIC ${HDF5_C_INCLUDE_DIRS})
target_precompile_headers(dfrun_hdf5 PRIVATE ${DFRUN_COMMON_HEADERS})
target_link_options(dfrun_hdf5 PRIVATE -Wl,-Bsymbolic)
set_target_properties(dfrun_hdf5 PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/dfrun
                                            INSTALL_RPATH "$ORIGIN/..")
add_dependencies(dfrun_program dfrun_hdf5)
install(TARGETS dfrun_hdf5 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dfrun)
