// MPI's own blocking calls, for benchmarks.
#ifndef DFRUN_COMM_MPI_PART_RAW_MPI_H_
#define DFRUN_COMM_MPI_PART_RAW_MPI_H_

#include <memory>

#include "comm/bootstrap/raw_network.h"

namespace dfrun::comm {

// Returns the calls on a communicator of their own, whose errors end the job. Collective; MPI must be initialised.
std::unique_ptr<RawNetwork> NewRawMpi();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PART_RAW_MPI_H_
