# The transport over UCX, libdfrun_ucx.so in the folder dfrun/ beside libdfrun.so: a part that the program opens when the
# transport is asked for, so that hosts without UCX start all the same. Its sources are comm/ucx/part/*.
set(DFRUN_UCX AUTO CACHE STRING "Build the transport over UCX: ON, OFF, or AUTO, where its headers are found")

set(DFRUN_HAS_UCX FALSE)
if(NOT DFRUN_UCX STREQUAL "OFF")
  find_path(DFRUN_UCX_INCLUDE ucp/api/ucp.h)
  find_library(DFRUN_UCP_LIBRARY ucp)
  find_library(DFRUN_UCS_LIBRARY ucs)
  if(DFRUN_UCX_INCLUDE AND DFRUN_UCP_LIBRARY AND DFRUN_UCS_LIBRARY)
    set(DFRUN_HAS_UCX TRUE)
  elseif(NOT DFRUN_UCX STREQUAL "AUTO")
    message(FATAL_ERROR "UCX was not found: install libucx-dev (Debian), name its folder in CMAKE_PREFIX_PATH, or leave "
                        "out -DDFRUN_UCX=ON")
  endif()
endif()

if(DFRUN_HAS_UCX)
  file(GLOB DFRUN_UCX_SOURCES CONFIGURE_DEPENDS comm/ucx/part/*.cc)
  add_library(dfrun_ucx SHARED ${DFRUN_UCX_SOURCES})
  target_include_directories(dfrun_ucx SYSTEM PRIVATE ${DFRUN_UCX_INCLUDE})
  target_link_libraries(dfrun_ucx PRIVATE dfrun dfrun_options ${DFRUN_UCP_LIBRARY} ${DFRUN_UCS_LIBRARY} Threads::Threads)
  target_link_options(dfrun_ucx PRIVATE -Wl,-Bsymbolic)
  set_target_properties(dfrun_ucx PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/dfrun
                                             INSTALL_RPATH "$ORIGIN/..")
  add_dependencies(dfrun_program dfrun_ucx)
  install(TARGETS dfrun_ucx LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dfrun)
endif()
