# Compiler options of every target of this project.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
# A path that CMake would rewrite at installation ends with an empty element: the loader then looks for each library in
# the current directory, in some twenty folders of it, first.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")

# gold links in a quarter of the time of the default linker.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold DFRUN_HAS_GOLD)
if(DFRUN_HAS_GOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT "$CACHE{CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld=")
  add_link_options(-fuse-ld=gold)
endif()

# The build is the same with ccache and without: precompiled headers are used in both, which ccache has to be told.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

option(DFRUN_WERROR "Treat the compiler's warnings as errors" OFF)

add_library(dfrun_options INTERFACE)
target_compile_options(dfrun_options INTERFACE
  -march=${DFRUN_MARCH} -Wall -Wextra -Wpedantic $<$<BOOL:${DFRUN_WERROR}>:-Werror> -fno-semantic-interposition -fno-math-errno -fno-trapping-math
  -ffp-contract=off)
target_compile_definitions(dfrun_options INTERFACE DFRUN_MARCH="${DFRUN_MARCH}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees uninitialised reads in std::optional and overlapping copies in std::string (its bug 105651) that are not
  # there; clang and valgrind still look for real ones.
  target_compile_options(dfrun_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # An `omp simd` loop is instantiated for types that do not vectorise too: no reason to warn.
  target_compile_options(dfrun_options INTERFACE -Wthread-safety -Wno-pass-failed)
endif()
if(DFRUN_SANITIZE)
  add_compile_options(-fsanitize=${DFRUN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DFRUN_SANITIZE})
  if(DFRUN_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # protobuf's headers lay out their maps otherwise under this macro than the system's library was compiled with.
    add_compile_options(-U__SANITIZE_THREAD__)
  endif()
endif()

# Headers that most sources include are compiled once, which takes 0.7 s from each. Not with other compilers, which so
# see whether each source includes what it uses.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
else()
  # Of std::string in a precompiled header g++ 12 gives warnings, false ones, that it holds back in the header itself.
  target_compile_options(dfrun_options INTERFACE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  if(CCACHE)
    target_compile_options(dfrun_options INTERFACE -fpch-preprocess)  # without it ccache keeps nothing
  endif()
endif()
set(DFRUN_COMMON_HEADERS <algorithm> <atomic> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory> <optional>
    <string> <unordered_map> <utility> <vector>
    ${PROJECT_SOURCE_DIR}/src/framework/kernel/kernel.h ${PROJECT_SOURCE_DIR}/src/framework/op/op.h)
