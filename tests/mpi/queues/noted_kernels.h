// Kernels that note what the queue ops of this rank really did, whatever became of their steps.
#ifndef DFRUN_TESTS_MPI_QUEUES_NOTED_KERNELS_H_
#define DFRUN_TESTS_MPI_QUEUES_NOTED_KERNELS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/framework/kernel/kernel_registry.h"

namespace dfrun::testing {

// A call of an enqueuing or dequeuing op that succeeded, and the values that it moved.
struct Note {
  std::string node;
  std::vector<int64_t> values;
};

// Returns the program's kernels, with those of QueueEnqueue*V2 and QueueDequeue*V2 replaced by kernels that note the
// values of their successful calls. The value of an element is its last component, an int64 scalar.
std::unique_ptr<KernelRegistry> NotedQueueKernels();

// Returns every Note since the last call. No step may be running.
std::vector<Note> TakeNotes();

// Message of the error of the op Nap, which this file defines: it holds its thread for `us` microseconds, and then
// fails if attr `fails` is true.
inline constexpr char kPlanted[] = "planted";

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_QUEUES_NOTED_KERNELS_H_
