// WorkRecorder: what takes the work of kernels that are called for a recording, in the stead of a stream.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_WORK_RECORDER_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_WORK_RECORDER_H_

#include <cuda_runtime_api.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/base/status.h"
#include "src/base/threads.h"

namespace dfrun::cuda {

// The value of an argument of a function of the GPU.
struct FunctionArg {
  const void* value;
  size_t bytes;
};
struct FunctionGrid {
  int64_t blocks;
  int threads;  // threads of a block
};

// Thread safety: one thread.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;
  // The word without which (0) the node that is recorded must write nothing; null: there is none.
  virtual const int32_t* gate() const = 0;
  // Each adds a piece of work of the node whose kernel is called. Pieces run in the order in which they are added.
  virtual void AddFunction(const void* entry, FunctionGrid grid, std::span<const FunctionArg> args) = 0;
  virtual void AddCopy(const void* from, void* to, size_t bytes) = 0;
  virtual void AddFill(void* to, int value, size_t bytes) = 0;
  virtual Status AddLibraryCall(size_t workspace_bytes, FunctionRef<Status(cudaStream_t)> call) = 0;
  // Reports that the node's work cannot be recorded: "it ...". Returns the error.
  virtual Status Refuse(std::string_view why) = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_WORK_RECORDER_H_
