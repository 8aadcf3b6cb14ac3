#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

struct Hit {
  int32_t row;
  int64_t position;
};

class AccidentalHitsKernel final : public Kernel {
 public:
  explicit AccidentalHitsKernel(KernelSetup& setup) : num_true_(setup.attr<int64_t>("num_true")) {}

  Status Compute(OpContext& ctx) const {
    const Shape& classes = ctx.input(0).shape();
    if (classes.rank() != 2 || classes[1] != num_true_) {
      return InvalidArgument("true_classes has shape ", classes, ", but must have ", num_true_, " columns");
    }
    if (ctx.input(1).shape().rank() != 1) {
      return InvalidArgument("sampled_candidates has shape ", ctx.input(1).shape(), ", but must be a vector");
    }
    const std::vector<Hit> hits = FindHits(ctx.input(0), ctx.input(1));
    const Shape shape({static_cast<int64_t>(hits.size())});
    Tensor* rows = nullptr;
    Tensor* positions = nullptr;
    Tensor* weights = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &rows));
    DF_TRY(ctx.AllocateOutput(1, shape, &positions));
    DF_TRY(ctx.AllocateOutput(2, shape, &weights));
    for (size_t i = 0; i < hits.size(); ++i) {
      rows->data<int32_t>()[i] = hits[i].row;
      positions->data<int64_t>()[i] = hits[i].position;
    }
    std::fill_n(weights->data<float>(), hits.size(), std::numeric_limits<float>::lowest());
    return Status();
  }

 private:
  // Finds the hits in the order of the true classes. A candidate that occurs several times counts at its last position.
  std::vector<Hit> FindHits(const Tensor& classes, const Tensor& candidates) const {
    std::vector<std::pair<int64_t, int64_t>> positions;
    for (int64_t i = 0; i < candidates.num_elements(); ++i) positions.emplace_back(candidates.data<int64_t>()[i], i);
    std::sort(positions.begin(), positions.end());
    std::vector<Hit> hits;
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const int64_t c = classes.data<int64_t>()[i];
      const auto after = std::upper_bound(positions.begin(), positions.end(), std::pair(c, INT64_MAX));
      if (after == positions.begin() || std::prev(after)->first != c) continue;
      hits.push_back({static_cast<int32_t>(i / num_true_), std::prev(after)->second});
    }
    return hits;
  }

  const int64_t num_true_;
};

CPU_KERNEL_ANY("ComputeAccidentalHits", AccidentalHitsKernel);

}  // namespace
}  // namespace dfrun
