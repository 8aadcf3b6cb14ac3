#include "kernels/array/move/strided_slice_plan.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace dfrun {
namespace {

bool Has(int64_t mask, size_t i) {
  return i < 63 && (mask >> i & 1) != 0;
}

// One index, x[i], along a dimension of `size`; null: not known.
Result<SlicedDim> PlanIndex(const int64_t* index, int64_t stride, int64_t size, size_t at) {
  if (size == PartialShape::kUnknown) return SlicedDim{index == nullptr ? 0 : *index, 1, 1};
  if (stride <= 0) return InvalidArgument("entry ", at, " is a single index and needs a positive stride, not ", stride);
  if (index == nullptr) return SlicedDim{0, 1, 1};
  if (*index < -size || *index >= size)
    return InvalidArgument("slice index ", *index, " of entry ", at, " is out of range for a dimension of ", size);
  return SlicedDim{*index < 0 ? *index + size : *index, 1, 1};
}

// begin:end:stride along a dimension of `size`; a bound of null is not known.
SlicedDim PlanStretch(const int64_t* begin, bool from_start, const int64_t* end, bool to_end, int64_t stride,
                      int64_t size) {
  const bool known = (from_start || begin != nullptr) && (to_end || end != nullptr);
  if (size == PartialShape::kUnknown || !known) return {0, stride, PartialShape::kUnknown};
  const int64_t low = stride > 0 ? 0 : -1;  // the indices that a bound may have
  const int64_t high = stride > 0 ? size : size - 1;
  auto clamp = [&](int64_t bound) { return std::clamp(bound < 0 ? bound + size : bound, low, high); };
  const int64_t first = from_start ? (stride > 0 ? low : high) : clamp(*begin);
  const int64_t last = to_end ? (stride > 0 ? high : low) : clamp(*end);
  const int64_t distance = last - first;
  if (distance == 0 || (distance < 0) != (stride < 0)) return {first, stride, 0};
  return {first, stride, distance / stride + (distance % stride != 0 ? 1 : 0)};
}

const int64_t* At(const std::vector<int64_t>* bounds, size_t i) {
  return bounds == nullptr ? nullptr : &(*bounds)[i];
}

// Dimensions of the input that the entries other than the ellipsis index.
int CountIndexed(size_t entries, const StridedSliceMasks& masks) {
  int indexed = 0;
  for (size_t i = 0; i < entries; ++i) indexed += !Has(masks.ellipsis, i) && !Has(masks.new_axis, i) ? 1 : 0;
  return indexed;
}

// Puts a plan together, dimension by dimension of the input.
class Planner {
 public:
  explicit Planner(const PartialShape& input) : input_(input) { plan_.output = PartialShape::Scalar(); }

  void AddNewAxis() { plan_.output.Append(1); }

  void TakeWhole(int dims) {
    for (int k = 0; k < dims; ++k) Keep({0, 1, NextSize()});
  }

  Status TakeIndex(const int64_t* index, int64_t stride, size_t at) {
    DF_ASSIGN(const SlicedDim dim, PlanIndex(index, stride, NextSize(), at));
    plan_.dims.push_back(dim);
    return Status();
  }

  void TakeStretch(const int64_t* begin, bool from_start, const int64_t* end, bool to_end, int64_t stride) {
    Keep(PlanStretch(begin, from_start, end, to_end, stride, NextSize()));
  }

  StridedSlicePlan Finish() { return std::move(plan_); }

 private:
  int64_t NextSize() const { return input_.dim(static_cast<int>(plan_.dims.size())); }

  void Keep(SlicedDim dim) {
    plan_.dims.push_back(dim);
    plan_.output.Append(dim.count);
  }

  const PartialShape& input_;
  StridedSlicePlan plan_;
};

}  // namespace

Result<StridedSliceMasks> StridedSliceMasks::Read(const AttrMap& attrs) {
  StridedSliceMasks masks;
  DF_ASSIGN(masks.begin, attrs.Get<int64_t>("begin_mask"));
  DF_ASSIGN(masks.end, attrs.Get<int64_t>("end_mask"));
  DF_ASSIGN(masks.ellipsis, attrs.Get<int64_t>("ellipsis_mask"));
  DF_ASSIGN(masks.new_axis, attrs.Get<int64_t>("new_axis_mask"));
  DF_ASSIGN(masks.shrink_axis, attrs.Get<int64_t>("shrink_axis_mask"));
  if (std::popcount(static_cast<uint64_t>(masks.ellipsis)) > 1)
    return InvalidArgument("StridedSlice may have one ellipsis, but ellipsis_mask is ", masks.ellipsis);
  return masks;
}

Result<StridedSlicePlan> PlanStridedSlice(const PartialShape& input, const std::vector<int64_t>* begin,
                                          const std::vector<int64_t>* end, const std::vector<int64_t>& strides,
                                          const StridedSliceMasks& masks) {
  const size_t entries = strides.size();
  const size_t begins = begin == nullptr ? entries : begin->size();
  const size_t ends = end == nullptr ? entries : end->size();
  if (begins != entries || ends != entries || entries > 32)
    return InvalidArgument("StridedSlice with ", begins, " begins, ", ends, " ends and ", entries,
                           " strides; there must be as many of each, at most 32");
  const int indexed = CountIndexed(entries, masks);
  if (indexed > input.rank())
    return InvalidArgument("StridedSlice indexes ", indexed, " dimensions of ", input, ", which has ", input.rank());
  const int rest = input.rank() - indexed;  // dimensions of the ellipsis; without one, they are at the end
  bool rest_is_taken = false;
  Planner planner(input);
  for (size_t i = 0; i < entries; ++i) {
    if (Has(masks.ellipsis, i)) {
      planner.TakeWhole(rest);
      rest_is_taken = true;
    } else if (Has(masks.new_axis, i)) {
      planner.AddNewAxis();
    } else if (strides[i] == 0) {
      return InvalidArgument("strides[", i, "] must be non-zero");
    } else if (Has(masks.shrink_axis, i)) {
      DF_TRY(planner.TakeIndex(At(begin, i), strides[i], i));
    } else {
      planner.TakeStretch(At(begin, i), Has(masks.begin, i), At(end, i), Has(masks.end, i), strides[i]);
    }
  }
  if (!rest_is_taken) planner.TakeWhole(rest);
  return planner.Finish();
}

}  // namespace dfrun
