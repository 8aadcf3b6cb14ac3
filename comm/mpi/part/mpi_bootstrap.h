// The bootstrap over MPI.
#ifndef DFRUN_COMM_MPI_PART_MPI_BOOTSTRAP_H_
#define DFRUN_COMM_MPI_PART_MPI_BOOTSTRAP_H_

#include <memory>
#include <string>

#include "comm/bootstrap/bootstrap.h"

namespace dfrun::comm {

// Initialises MPI, once a process. `threads`: how many will communicate or compute. FailedPrecondition where this MPI
// does not allow them; Unavailable where it fails, with `remedy`.
Result<std::unique_ptr<Bootstrap>> StartMpi(int threads, const std::string& remedy);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PART_MPI_BOOTSTRAP_H_
