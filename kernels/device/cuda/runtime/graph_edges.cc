#include "kernels/device/cuda/runtime/graph_edges.h"

#include <algorithm>
#include <functional>

namespace dfrun::cuda {
namespace {

// A bit for each two pieces of work: 32 MiB.
constexpr size_t kMaxReduced = 16384;

// The set of all pieces of work that a piece waits for, directly or through others.
class Ancestors {
 public:
  explicit Ancestors(size_t pieces) : words_((pieces + 63) / 64), bits_(pieces * words_) {}
  bool Has(size_t piece, int ancestor) const {
    return (bits_[piece * words_ + static_cast<size_t>(ancestor) / 64] >> (ancestor % 64) & 1) != 0;
  }
  // Adds `before` and its ancestors.
  void Add(size_t piece, int before) {
    uint64_t* const to = &bits_[piece * words_];
    const uint64_t* const from = &bits_[static_cast<size_t>(before) * words_];
    for (size_t i = 0; i <= static_cast<size_t>(before) / 64; ++i) to[i] |= from[i];
    to[static_cast<size_t>(before) / 64] |= uint64_t{1} << (before % 64);
  }

 private:
  const size_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace

int64_t CountEdges(const WorkEdges& edges) {
  int64_t count = 0;
  for (const std::vector<int>& before : edges) count += static_cast<int64_t>(before.size());
  return count;
}

// Edges are visited from the highest piece down, since an edge that implies another comes from a higher piece.
void ReduceEdges(WorkEdges& edges) {
  const bool reduces = edges.size() <= kMaxReduced;
  Ancestors ancestors(reduces ? edges.size() : 0);
  for (size_t piece = 0; piece < edges.size(); ++piece) {
    std::vector<int>& before = edges[piece];
    std::sort(before.begin(), before.end(), std::greater<>());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    if (!reduces) continue;
    std::erase_if(before, [&](int one) {
      if (ancestors.Has(piece, one)) return true;
      ancestors.Add(piece, one);
      return false;
    });
  }
}

}  // namespace dfrun::cuda
