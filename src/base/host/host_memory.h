#ifndef DFRUN_SRC_BASE_HOST_HOST_MEMORY_H_
#define DFRUN_SRC_BASE_HOST_HOST_MEMORY_H_

#include <cstdint>

namespace dfrun {

struct HostMemory {
  int64_t left_bytes;   // memory that this process may still take
  int64_t total_bytes;  // all memory, of which `left_bytes` are a part
};

// Returns the least of the amounts that the process's limit of address space, its cgroups and the host leave. Reads
// files of /proc and /sys, some 50 us; a file that cannot be read bounds nothing.
// Thread safety: any thread.
HostMemory LookAtHostMemory();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_HOST_HOST_MEMORY_H_
