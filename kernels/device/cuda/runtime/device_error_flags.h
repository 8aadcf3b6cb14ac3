// Error flags by which a kernel that runs on a GPU refuses a value (a division by zero, an index out of range): it
// writes to a word of host memory, which is read when a step ends.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_DEVICE_ERROR_FLAGS_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_DEVICE_ERROR_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/base/status.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

// The error flags of one GPU.
// Thread safety: all methods from any thread.
class DeviceErrorFlags {
 public:
  // Words come from `host`, memory that the GPU reaches.
  explicit DeviceErrorFlags(Allocator& host) : host_(host) {}

  // A word that is 0 until a kernel writes to it; null where there is no memory. `text` names the refused value and the
  // node.
  int32_t* Add(std::string text) EXCLUDES(mu_);
  void Remove(int32_t* word) EXCLUDES(mu_);
  // The first refusal since the last call, in the order of Add().
  Status Take() EXCLUDES(mu_);

 private:
  struct Entry {
    volatile int32_t* word;
    std::string text;
  };

  Allocator& host_;
  Mutex mu_;
  std::vector<Entry> entries_ GUARDED_BY(mu_);
  std::vector<int32_t*> free_ GUARDED_BY(mu_);
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_DEVICE_ERROR_FLAGS_H_
