// The conversion of an MPI call's result to a Status.
#ifndef DFRUN_COMM_MPI_PART_MPI_ERROR_H_
#define DFRUN_COMM_MPI_PART_MPI_ERROR_H_

#include <string_view>

#include "src/base/status.h"

namespace dfrun::comm {

// Returns OK for MPI_SUCCESS; otherwise Unavailable with "MPI could not <what>: <MPI's message>".
Status MpiStatus(int error, std::string_view what);

// Returns the class of an error: the codes of MPICH are finer than classes, those of Open MPI are classes.
int MpiErrorClass(int error);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PART_MPI_ERROR_H_
