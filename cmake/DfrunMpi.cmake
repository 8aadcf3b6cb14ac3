# The parts of the program that speak MPI, lib/dfrun/libdfrun_mpi_<abi>.so: comm/mpi/part compiled with the mpi.h of each
# binary interface (ABI) that is found. None of them is linked with a library of MPI: the program opens one before them
# (comm/mpi/mpi_part.cc), whose names they then use, whatever its file is called.
#
# An mpi.h is recognised by what it defines; DFRUN_MPI_{OMPI,MPICH,ABI,SMPI}_INCLUDE say where others are.
set(mpi_folders ${MPI_C_INCLUDE_DIRS} /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include
    /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich /usr/include/openmpi-x86_64 /usr/include/mpich-x86_64)

function(dfrun_defines result folder pattern)
  file(STRINGS ${folder}/mpi.h found REGEX "define ${pattern}")
  if(NOT found)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
function(dfrun_is_ompi result folder)
  dfrun_defines(${result} ${folder} "OPEN_MPI 1")
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()
function(dfrun_is_mpich result folder)
  dfrun_defines(${result} ${folder} "MPICH_VERSION")
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()

find_path(DFRUN_MPI_OMPI_INCLUDE mpi.h HINTS ${mpi_folders} VALIDATOR dfrun_is_ompi)
find_path(DFRUN_MPI_MPICH_INCLUDE mpi.h HINTS ${mpi_folders} VALIDATOR dfrun_is_mpich)
find_path(DFRUN_MPI_ABI_INCLUDE mpi_abi.h HINTS ${mpi_folders} ${DFRUN_MPI_MPICH_INCLUDE}
          ${PROJECT_BINARY_DIR}/mpi/mpich/include)  # where scripts/test --all puts that of the package index
find_path(DFRUN_MPI_SMPI_INCLUDE smpi_main.h PATH_SUFFIXES smpi)

file(GLOB DFRUN_MPI_SOURCES CONFIGURE_DEPENDS comm/mpi/part/*.cc)
set(DFRUN_MPI_PARTS)
foreach(abi OMPI MPICH ABI SMPI)
  if(NOT DFRUN_MPI_${abi}_INCLUDE)
    continue()
  endif()
  string(TOLOWER ${abi} name)
  add_library(dfrun_mpi_${name} MODULE ${DFRUN_MPI_SOURCES})
  list(APPEND DFRUN_MPI_PARTS dfrun_mpi_${name})
  target_include_directories(dfrun_mpi_${name} SYSTEM BEFORE PRIVATE ${DFRUN_MPI_${abi}_INCLUDE})
  target_link_libraries(dfrun_mpi_${name} PRIVATE dfrun dfrun_options fmt::fmt)
  # Its classes have the names of other parts'.
  target_link_options(dfrun_mpi_${name} PRIVATE -Wl,-Bsymbolic)
  # MPI is used through its C interface: its C++ classes would only be something more to link.
  target_compile_definitions(dfrun_mpi_${name} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  set_target_properties(dfrun_mpi_${name} PROPERTIES
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/dfrun
                        INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS dfrun_mpi_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dfrun)
  message(STATUS "MPI: a part for the ABI ${name}, ${DFRUN_MPI_${abi}_INCLUDE}")
endforeach()
if(TARGET dfrun_mpi_abi)
  target_compile_definitions(dfrun_mpi_abi PRIVATE MPI_ABI)  # as mpicc_abi of MPICH 5 has it
endif()
if(TARGET dfrun_mpi_smpi)  # whose mpi.h would replace malloc() and free() too
  target_compile_definitions(dfrun_mpi_smpi PRIVATE DFRUN_SMPI SMPI_NO_OVERRIDE_MALLOC)
endif()
if(NOT DFRUN_MPI_PARTS)
  message(FATAL_ERROR "no mpi.h was found: install an MPI (libopenmpi-dev on Debian)")
endif()
# What runs on several ranks needs them.
foreach(part ${DFRUN_MPI_PARTS})
  add_dependencies(dfrun_program ${part})
endforeach()
