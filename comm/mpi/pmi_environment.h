// A check of the environment variables by which a rank's MPI calls its PMI launcher.
#ifndef DFRUN_COMM_MPI_PMI_ENVIRONMENT_H_
#define DFRUN_COMM_MPI_PMI_ENVIRONMENT_H_

#include "src/base/status.h"

namespace dfrun::comm {

// Returns a usage error if PMI_FD names no socket of this process, or PMI_PORT no host and port. Without this check, an
// MPI that cannot reach its launcher ends the process with an exit code of its own.
Status CheckPmiEnvironment();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PMI_ENVIRONMENT_H_
