// Whether all ranks of the job are on this host, by what the launcher says in the environment: before any network is
// used.
#ifndef DFRUN_COMM_BOOTSTRAP_ONE_HOST_H_
#define DFRUN_COMM_BOOTSTRAP_ONE_HOST_H_

#include <string>

namespace dfrun::comm {

// The variables that prove it, "OMPI_COMM_WORLD_LOCAL_SIZE=4 of OMPI_COMM_WORLD_SIZE"; empty where nothing does, for a
// process alone, and for ranks that are threads. It goes by variables of the launcher or of the step, never by those of
// the allocation. To be asked before MPI starts, which may change the environment.
std::string OneHostProof();

// Whether this process shares memory with the ranks that its launcher has started on this host. A container of its own
// has another /dev/shm, another IPC namespace.
enum class SharedWithLauncher { kYes, kNo, kNotSeen };
struct SharedMemory {
  SharedWithLauncher files = SharedWithLauncher::kYes;     // files in /dev/shm
  SharedWithLauncher segments = SharedWithLauncher::kYes;  // System V segments
};
SharedMemory LookAtSharedMemory();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_ONE_HOST_H_
