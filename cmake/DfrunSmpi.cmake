# The program as smpirun of SimGrid opens it, lib/dfrun/dfrun_smpi.so: a library with the same main(), because smpirun calls
# main() of a library once for each simulated rank, and glibc opens no executable as one. It has the benchmarks itself,
# since a rank that is a thread cannot become another program.
if(TARGET dfrun_mpi_smpi)
  add_library(dfrun_smpi MODULE $<TARGET_OBJECTS:dfrun_jobs>)
  target_link_libraries(dfrun_smpi PRIVATE dfrun_jobs dfrun_plans dfrun_commands dfrun_benches)
  set_target_properties(dfrun_smpi PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/dfrun
                                              INSTALL_RPATH "$ORIGIN/..")
  add_dependencies(dfrun_smpi dfrun_mpi_smpi)
  add_dependencies(dfrun_program dfrun_smpi)
  install(TARGETS dfrun_smpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dfrun)
endif()
