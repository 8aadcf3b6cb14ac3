# dfrun_add_test_program(NAME SOURCES...)
#
# A program that stands on the library and on tests/unit/testing, linked with gtest. All of them share the precompiled
# headers of the first.
#
# dfrun_add_unit_tests(PROGRAM PREFIX)
#
# Adds the tests of a gtest program, each as one of ctest's: a crash ends one, and each has its time limit. Under a
# sanitizer, where a program takes half a second to begin, ctest runs a quarter of a program's tests at a time.
include_guard()
include(GoogleTest)

function(dfrun_add_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE dfrun_testing)
  get_property(owner GLOBAL PROPERTY DFRUN_TEST_HEADERS)
  if(owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> ${DFRUN_COMMON_HEADERS})
    set_property(GLOBAL PROPERTY DFRUN_TEST_HEADERS ${name})
  endif()
endfunction()

function(dfrun_add_unit_tests program prefix)
  if(NOT DFRUN_SANITIZE)
    gtest_discover_tests(${program} TEST_PREFIX ${prefix}/ NO_PRETTY_VALUES
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                         PROPERTIES TIMEOUT 120 LABELS unit DISCOVERY_TIMEOUT 120)
    return()
  endif()
  foreach(shard RANGE 3)
    set(name ${prefix}/${program}_${shard})
    add_test(NAME ${name} COMMAND ${program} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 LABELS unit
                                            ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
