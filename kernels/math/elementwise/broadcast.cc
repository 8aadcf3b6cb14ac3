#include "kernels/math/elementwise/broadcast.h"

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

// The shape that the operands broadcast to, of `count` elements.
Status BroadcastShape(std::initializer_list<const Shape*> operands, Shape& output, int64_t& count) {
  int rank = 0;
  for (const Shape* s : operands) rank = std::max(rank, s->rank());
  int64_t sizes[Shape::kMaxRank];
  count = 1;
  for (int i = 0; i < rank; ++i) {
    const int64_t size = CommonSize(operands, i);
    if (size < 0) return InvalidArgument("the shapes ", ListShapes(operands), " do not broadcast");
    sizes[rank - 1 - i] = size;
    if (__builtin_mul_overflow(count, size, &count))
      return InvalidArgument("the shapes ", ListShapes(operands), " broadcast to more than 2^63 elements");
  }
  output = Shape(std::span<const int64_t>(sizes, static_cast<size_t>(rank)));
  return Status();
}

// The operands that repeat along a dimension: bit k for operand k.
unsigned Repeats(std::initializer_list<const Shape*> operands, int from_right) {
  unsigned repeats = 0;
  unsigned bit = 1;
  for (const Shape* s : operands) {
    if (DimFromRight(*s, from_right) == 1) repeats |= bit;
    bit <<= 1;
  }
  return repeats;
}

// Collects dimensions, innermost first, into those of a plan: neighbours along which the same operands repeat are one.
class DimMerger {
 public:
  explicit DimMerger(BroadcastPlan& plan) : plan_(plan) { plan_.rank = 0; }

  // False if the plan would need more than kMaxDims.
  bool Add(int64_t size, unsigned repeats) {
    if (plan_.rank > 0 && repeats_ == repeats) {
      plan_.dims[plan_.rank - 1] *= size;
    } else if (plan_.rank == BroadcastPlan::kMaxDims) {
      return false;
    } else {
      plan_.dims[plan_.rank] = size;
      for (int k = 0; k < plan_.operands; ++k) plan_.strides[k][plan_.rank] = Repeats(repeats, k) ? 0 : extents_[k];
      ++plan_.rank;
      repeats_ = repeats;
    }
    for (int k = 0; k < plan_.operands; ++k) extents_[k] *= Repeats(repeats, k) ? 1 : size;
    return true;
  }

  void Finish() {
    if (plan_.rank == 0) {  // one element
      plan_.rank = 1;
      for (int k = 0; k < plan_.operands; ++k) plan_.strides[k][0] = 1;
    }
    std::reverse(plan_.dims, plan_.dims + plan_.rank);
    for (int k = 0; k < plan_.operands; ++k) std::reverse(plan_.strides[k], plan_.strides[k] + plan_.rank);
  }

 private:
  static bool Repeats(unsigned repeats, int k) { return (repeats >> k & 1) != 0; }

  BroadcastPlan& plan_;
  unsigned repeats_ = 0;                                      // along the last dimension
  int64_t extents_[BroadcastPlan::kMaxOperands] = {1, 1, 1};  // elements of each operand so far
};

}  // namespace

Status PlanBroadcast(std::initializer_list<const Shape*> operands, BroadcastPlan& plan, Shape& output) {
  plan = BroadcastPlan();
  DF_TRY(BroadcastShape(operands, output, plan.count));
  plan.operands = static_cast<int>(operands.size());
  DimMerger merger(plan);
  for (int i = 0; i < output.rank(); ++i) {
    const int64_t size = output[output.rank() - 1 - i];
    if (size != 1 && !merger.Add(size, Repeats(operands, i))) {
      return Unimplemented("broadcasting ", ListShapes(operands), " needs more than ", BroadcastPlan::kMaxDims,
                           " dimensions after merging");
    }
  }
  merger.Finish();
  return Status();
}

}  // namespace dfrun
