// The connection of ranks that are threads of one process.
#ifndef DFRUN_COMM_IN_PROCESS_IN_PROCESS_H_
#define DFRUN_COMM_IN_PROCESS_IN_PROCESS_H_

#include <memory>
#include <vector>

#include "src/framework/communication/communicator.h"

namespace dfrun::comm {

// Returns the communicators of `ranks` connected ranks, by rank. Each is for the threads of its rank.
std::vector<std::unique_ptr<Communicator>> ConnectInProcess(int ranks);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_IN_PROCESS_IN_PROCESS_H_
