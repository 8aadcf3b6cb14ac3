# Unity batches: sources of one folder and one target are compiled some at a time, because the headers that each of them
# includes take longer to compile than most sources do.
#
# dfrun_unity(TARGET SIZE PATTERN)   sources of TARGET whose path below the project matches PATTERN are compiled SIZE at
#                                    a time; the others, and those with options of their own, are compiled alone.
#
# DFRUN_UNITY=OFF compiles every source alone, so that a source that lacks an include is seen: the clang build does so.
option(DFRUN_UNITY "Compile several small sources of one folder at a time" ON)

function(dfrun_unity target size pattern)
  if(NOT DFRUN_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^/")  # not other libraries' objects
  foreach(source ${sources})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    if(NOT name MATCHES "${pattern}")
      continue()
    endif()
    get_filename_component(folder ${name} DIRECTORY)
    math(EXPR position "${positions_in_${folder}} + 0")
    math(EXPR positions_in_${folder} "${position} + 1")
    math(EXPR batch "${position} / ${size}")
    string(REPLACE "/" "_" group ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
