#include "kernels/math/elementwise.h"

#include "kernels/math/stream_store.h"

namespace dfrun {

namespace {

template <class Fetch>
void CopyLines(void* to, const void* from, size_t bytes, Fetch&& fetch) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const size_t head = std::min(bytes, -reinterpret_cast<uintptr_t>(target) % 64);
  std::memcpy(target, source, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    alignas(64) std::byte line[64];
    fetch(at);
    std::memcpy(line, source + at, 64);
    StreamLine(target + at, line);
  }
  std::memcpy(target + at, source + at, bytes - at);
}

}  // namespace

void StreamCopy(void* to, const void* from, size_t bytes) {
  CopyLines(to, from, bytes, [](size_t) {});
}

void StreamCopyBefore(const void* next, void* to, const void* from, size_t bytes) {
  CopyLines(to, from, bytes, [next](size_t at) { __builtin_prefetch(static_cast<const std::byte*>(next) + at); });
}

bool IsPlaced(const KernelSetup& setup) {
  const NodeInfo& node = setup.node();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].is_ref || !setup.input_shape(static_cast<int>(i)).IsFullyDefined()) return false;
  }
  return setup.output_is_placed(0);
}

}  // namespace dfrun
