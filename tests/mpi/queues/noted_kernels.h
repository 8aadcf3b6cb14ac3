// What the queue kernels of this rank really did, whatever became of their steps.
#ifndef DFRUN_TESTS_MPI_QUEUES_NOTED_KERNELS_H_
#define DFRUN_TESTS_MPI_QUEUES_NOTED_KERNELS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/framework/kernel_registry.h"

namespace dfrun::testing {

// A call of an enqueuing or dequeuing op that succeeded, and the values that it moved.
struct Note {
  std::string node;
  std::vector<int64_t> values;
};

// The program's kernels, but those of QueueEnqueue*V2 and QueueDequeue*V2 note the values of their calls that end well.
// The value of an element is its last component, an int64 scalar.
std::unique_ptr<KernelRegistry> NotedQueueKernels();

// Every Note since the last call. No step may be running.
std::vector<Note> TakeNotes();

// Beside them this file has the op Nap: it holds its thread for `us` microseconds, and then fails where attr `fails`.
inline constexpr char kPlanted[] = "planted";

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_QUEUES_NOTED_KERNELS_H_
