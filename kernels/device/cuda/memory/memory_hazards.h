// MemoryHazards: the order that memory imposes on pieces of work. A reader waits for the writer before it; a writer
// waits for the readers and the writer before it.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_MEMORY_MEMORY_HAZARDS_H_
#define DFRUN_KERNELS_DEVICE_CUDA_MEMORY_MEMORY_HAZARDS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "src/framework/device/graph_capture.h"

namespace dfrun::cuda {

// Finds the waits. Pieces are reported in an order in which they would be right one after the other.
// Thread safety: one thread.
class MemoryHazards {
 public:
  // Appends to `before` whom `work` waits for.
  void Read(const MemoryRange& range, int work, std::vector<int>& before);
  void Write(const MemoryRange& range, int work, std::vector<int>& before);

 private:
  struct Use {
    uintptr_t end;
    int writer = -1;           // -1: none of the subgraph's
    std::vector<int> readers;  // since
  };
  // The uses by the beginning of their memory; they do not overlap.
  using Uses = std::map<uintptr_t, Use>;

  // The first of the uses that together are the range, exactly; its end.
  Uses::iterator Cover(uintptr_t begin, uintptr_t end);
  void SplitAt(uintptr_t address);

  Uses uses_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_MEMORY_MEMORY_HAZARDS_H_
