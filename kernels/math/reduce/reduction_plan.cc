#include "kernels/math/reduce/reduction_plan.h"

#include <algorithm>
#include <vector>

#include "src/framework/op/inference.h"

namespace dfrun {
namespace {

template <class Index>
Status MarkAxes(const Tensor& axes, int rank, std::vector<bool>& marked) {
  for (Index axis : axes.values<Index>()) {
    DF_ASSIGN(const int64_t at, CanonicalAxis(axis, rank));
    if (marked[at]) return InvalidArgument("the axes ", axes.ToString(), " name dimension ", at, " twice");
    marked[at] = true;
  }
  return Status();
}

// A stretch of neighbouring dimensions that are all kept or all reduced.
struct Stretch {
  bool reduced;
  int64_t size;
  int64_t stride;
};

// Innermost first.
struct Stretches {
  static constexpr int kMax = 2 * StridedLoops::kMaxDims;
  int count = 0;
  Stretch list[kMax];
};

// False if there are more than Stretches holds.
bool MergeDims(const Shape& input, const std::vector<bool>& is_reduced, Stretches& out) {
  int64_t stride = 1;
  for (int d = input.rank() - 1; d >= 0; --d) {
    const int64_t size = input.dim(d);
    if (size == 1) continue;
    if (out.count > 0 && out.list[out.count - 1].reduced == is_reduced[d]) {
      out.list[out.count - 1].size *= size;
    } else if (out.count == Stretches::kMax) {
      return false;
    } else {
      out.list[out.count++] = {is_reduced[d], size, stride};
    }
    stride *= size;
  }
  return true;
}

void ReverseLoops(StridedLoops& loops) {
  std::reverse(loops.dims, loops.dims + loops.rank);
  std::reverse(loops.strides, loops.strides + loops.rank);
}

Shape OutputShape(const Shape& input, const std::vector<bool>& is_reduced, bool keep_dims) {
  int64_t dims[Shape::kMaxRank];
  size_t rank = 0;
  for (int d = 0; d < input.rank(); ++d) {
    if (!is_reduced[d]) {
      dims[rank++] = input.dim(d);
    } else if (keep_dims) {
      dims[rank++] = 1;
    }
  }
  return Shape(std::span<const int64_t>(dims, rank));
}

}  // namespace

Result<std::vector<bool>> ReadReductionAxes(const Tensor& axes, int rank) {
  if (axes.shape().rank() > 1) return InvalidArgument("the axes have shape ", axes.shape(), ", but must be a vector");
  std::vector<bool> marked(static_cast<size_t>(rank));
  DF_TRY(axes.dtype() == DType::kInt64 ? MarkAxes<int64_t>(axes, rank, marked) : MarkAxes<int32_t>(axes, rank, marked));
  return marked;
}

Status PlanReduction(const Shape& input, const std::vector<bool>& is_reduced, bool keep_dims, ReductionPlan& plan,
                     Shape& output) {
  plan = ReductionPlan();
  output = OutputShape(input, is_reduced, keep_dims);
  Stretches stretches;
  if (!MergeDims(input, is_reduced, stretches)) {
    return Unimplemented("a reduction of ", input, " whose axes alternate more than ", Stretches::kMax, " times");
  }
  for (int i = 0; i < stretches.count; ++i) {
    const Stretch& s = stretches.list[i];
    if (i == 0) {
      plan.row_is_reduced = s.reduced;
      plan.row = s.size;
      continue;
    }
    StridedLoops& loops = s.reduced ? plan.reduced : plan.kept;
    loops.dims[loops.rank] = s.size;
    loops.strides[loops.rank] = s.stride;
    loops.count *= s.size;
    ++loops.rank;
  }
  ReverseLoops(plan.kept);
  ReverseLoops(plan.reduced);
  return Status();
}

}  // namespace dfrun
