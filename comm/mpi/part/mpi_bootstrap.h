// The bootstrap over MPI.
#ifndef DFRUN_COMM_MPI_PART_MPI_BOOTSTRAP_H_
#define DFRUN_COMM_MPI_PART_MPI_BOOTSTRAP_H_

#include <memory>

#include "comm/bootstrap/bootstrap.h"

namespace dfrun::comm {

// Initialises MPI; called once per process. `threads` is the number of threads that will communicate or compute.
// FailedPrecondition if this MPI does not allow them; Unavailable if it fails.
Result<std::unique_ptr<Bootstrap>> StartMpi(int threads);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PART_MPI_BOOTSTRAP_H_
