#include "kernels/math/broadcast.h"

#include <string>

#include "src/base/text.h"

namespace dfrun {
namespace {

// The size of the i-th dimension from the right, 1 beyond the first.
int64_t DimFromRight(const Shape& shape, int i) {
  return i < shape.rank() ? shape.dim(shape.rank() - 1 - i) : 1;
}

std::string ListShapes(std::initializer_list<const Shape*> shapes) {
  return Join(shapes, " and ", [](const Shape* shape) -> const Shape& { return *shape; });
}

// The size that the operands agree on in a dimension; -1 if they do not.
int64_t CommonSize(std::initializer_list<const Shape*> operands, int from_right) {
  int64_t size = 1;
  for (const Shape* s : operands) {
    const int64_t d = DimFromRight(*s, from_right);
    if (d == 1 || d == size) continue;
    if (size != 1) return -1;
    size = d;
  }
  return size;
}

// Dimensions as they are found, innermost first.
struct Merged {
  int rank = 0;
  unsigned repeats[BroadcastPlan::kMaxDims];  // bit k: operand k repeats along the dimension
};

void ReverseDims(BroadcastPlan& plan) {
  std::reverse(plan.dims, plan.dims + plan.rank);
  for (int k = 0; k < plan.operands; ++k) std::reverse(plan.strides[k], plan.strides[k] + plan.rank);
}

}  // namespace

Status PlanBroadcast(std::initializer_list<const Shape*> operands, BroadcastPlan& plan, Shape& output) {
  plan = BroadcastPlan();
  plan.operands = static_cast<int>(operands.size());
  int rank = 0;
  for (const Shape* s : operands) rank = std::max(rank, s->rank());
  int64_t sizes[Shape::kMaxRank];
  int64_t extents[BroadcastPlan::kMaxOperands] = {1, 1, 1};  // elements of each operand so far
  Merged merged;
  for (int i = 0; i < rank; ++i) {
    const int64_t size = CommonSize(operands, i);
    if (size < 0) return InvalidArgument("the shapes ", ListShapes(operands), " do not broadcast");
    sizes[rank - 1 - i] = size;
    if (__builtin_mul_overflow(plan.count, size, &plan.count))
      return InvalidArgument("the shapes ", ListShapes(operands), " broadcast to more than 2^63 elements");
    if (size == 1) continue;
    unsigned repeats = 0;
    int k = 0;
    for (const Shape* s : operands) repeats |= static_cast<unsigned>(DimFromRight(*s, i) == 1) << k++;
    if (merged.rank > 0 && merged.repeats[merged.rank - 1] == repeats) {
      plan.dims[merged.rank - 1] *= size;
    } else {
      if (merged.rank == BroadcastPlan::kMaxDims)
        return Unimplemented("broadcasting ", ListShapes(operands), " needs more than ", BroadcastPlan::kMaxDims,
                             " dimensions after merging");
      plan.dims[merged.rank] = size;
      merged.repeats[merged.rank] = repeats;
      for (k = 0; k < plan.operands; ++k) plan.strides[k][merged.rank] = (repeats >> k & 1) != 0 ? 0 : extents[k];
      ++merged.rank;
    }
    for (k = 0; k < plan.operands; ++k) extents[k] *= (repeats >> k & 1) != 0 ? 1 : size;
  }
  if (merged.rank > 0) {
    plan.rank = merged.rank;
    ReverseDims(plan);
  } else {
    for (int k = 0; k < plan.operands; ++k) plan.strides[k][0] = 1;
  }
  output = Shape(std::span<const int64_t>(sizes, static_cast<size_t>(rank)));
  return Status();
}

}  // namespace dfrun
