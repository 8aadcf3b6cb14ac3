// Ranks as threads of one process.
#ifndef DFRUN_COMM_SELF_IN_PROCESS_H_
#define DFRUN_COMM_SELF_IN_PROCESS_H_

#include <memory>
#include <vector>

#include "src/framework/communicator.h"

namespace dfrun::comm {

// The communicators of `ranks` connected ranks, by rank. Each is used by threads of its own.
std::vector<std::unique_ptr<Communicator>> ConnectInProcess(int ranks);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_SELF_IN_PROCESS_H_
