// The loops around the micro-kernels of one thread's product, the same for every product: parts of it (a pass over some
// of k, for some rows of A and some panels of B), the panels of a part, tiles of A's rows.
#ifndef DFRUN_KERNELS_GEMM_LOOP_NEST_H_
#define DFRUN_KERNELS_GEMM_LOOP_NEST_H_

#include <cstdint>

namespace dfrun {

// No tile comes next.
inline constexpr int64_t kNoTile = -1;

// Runs the loop nest of a product. The policy decides on its parts, on what is packed and when, and on the
// micro-kernel:
//   Part: has the Range `panels`, which is empty after the last part
//   Part First(), After(const Part&)
//   int64_t BeginPanel(const Part&, const Part& next, int64_t panel): the first tile
//   int64_t RunTile(const Part&, const Part& next, int64_t panel, int64_t tile): multiplies; the tile that comes next
template <class Policy>
void RunLoopNest(Policy& policy) {
  auto part = policy.First();
  while (part.panels.size > 0) {
    const auto next = policy.After(part);
    for (int64_t panel = part.panels.begin; panel < part.panels.end(); ++panel) {
      int64_t tile = policy.BeginPanel(part, next, panel);
      while (tile != kNoTile) tile = policy.RunTile(part, next, panel, tile);
    }
    part = next;
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_LOOP_NEST_H_
