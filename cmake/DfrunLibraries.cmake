# The libraries that dfrun stands on. docs/DECISIONS.md says why each is here.
find_package(Threads REQUIRED)
find_package(MPI COMPONENTS C)  # of the parts that speak MPI, and of tests: the program links none
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(Protobuf REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(ZLIB REQUIRED)
find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
find_path(HWLOC_INCLUDE_DIR hwloc.h REQUIRED)
find_library(HWLOC_LIBRARY hwloc REQUIRED)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
find_path(EIGEN_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3 REQUIRED)

add_library(dfrun_libraries INTERFACE)
target_link_libraries(dfrun_libraries INTERFACE Threads::Threads protobuf::libprotobuf yaml-cpp
                      spdlog::spdlog fmt::fmt PNG::PNG JPEG::JPEG ZLIB::ZLIB ${RE2_LIBRARY})
target_include_directories(dfrun_libraries SYSTEM INTERFACE ${CLI11_INCLUDE_DIR} ${RE2_INCLUDE_DIR}
                           ${EIGEN_INCLUDE_DIR})

if(DFRUN_ONEDNN)
  # Not by find_package(dnnl): Debian's package file wants OpenCL, which is not needed here.
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  if(NOT DNNL_INCLUDE_DIR OR NOT DNNL_LIBRARY)
    message(FATAL_ERROR "oneDNN was not found: install libdnnl-dev (Debian) or configure with -DDFRUN_ONEDNN=OFF")
  endif()
  find_package(OpenMP REQUIRED)
  target_link_libraries(dfrun_libraries INTERFACE ${DNNL_LIBRARY} OpenMP::OpenMP_CXX)
  target_include_directories(dfrun_libraries SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
  target_compile_definitions(dfrun_libraries INTERFACE DFRUN_ONEDNN=1)
endif()
