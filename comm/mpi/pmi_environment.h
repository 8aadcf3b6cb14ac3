// What a PMI launcher has put into the environment, by which its ranks' MPI calls it.
#ifndef DFRUN_COMM_MPI_PMI_ENVIRONMENT_H_
#define DFRUN_COMM_MPI_PMI_ENVIRONMENT_H_

#include "src/base/status.h"

namespace dfrun::comm {

// MPI ends a process whose launcher it cannot reach, with a code of its own. Usage where PMI_FD names no socket of this
// process, or PMI_PORT no host and port.
Status CheckPmiEnvironment();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PMI_ENVIRONMENT_H_
