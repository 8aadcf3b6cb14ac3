# dfrun_add_mpi_test(NAME RANKS SECONDS COMMAND...): a CTest that runs COMMAND under mpirun, with the label mpi.
# Ranks of one host need no network, and none of them listens on it.
find_program(MPIRUN NAMES ${MPIEXEC_EXECUTABLE} mpirun REQUIRED)

function(dfrun_add_mpi_test name ranks seconds)
  add_test(NAME ${name} COMMAND ${MPIRUN} --oversubscribe -np ${ranks} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT ${seconds} PROCESSORS 2
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_btl=self,vader;OMPI_MCA_oob_tcp_if_include=lo")
endfunction()
