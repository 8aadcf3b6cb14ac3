// Turns the result of an MPI call into a Status.
#ifndef DFRUN_COMM_MPI_PART_MPI_ERROR_H_
#define DFRUN_COMM_MPI_PART_MPI_ERROR_H_

#include <string_view>

#include "src/base/status.h"

namespace dfrun::comm {

// OK for MPI_SUCCESS; else Unavailable with "MPI could not <what>: <MPI's message>".
Status MpiStatus(int error, std::string_view what);

// The class of an error: MPICH's codes say more than that, Open MPI's are classes.
int MpiErrorClass(int error);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PART_MPI_ERROR_H_
