#include "src/executor/capture/subgraph_copies.h"

namespace dfrun {

Status SubgraphCopies::Add(const Tensor& from, void* to) {
  if (from.num_bytes() == 0) return Status();
  Tensor readable = from;
  if (IsHostMemory(from.memory()) && (from.borrowed() || from.memory() != MemoryKind::kPinned)) {
    DF_ASSIGN(readable, from.Copy(device_.staging()));
  }
  copies_.push_back({readable.raw(), to, readable.num_bytes()});
  if (IsHostMemory(readable.memory())) kept_.push_back(std::move(readable));
  return Status();
}

}  // namespace dfrun
