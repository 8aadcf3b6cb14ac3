#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "kernels/array/copy/axis_copy.h"
#include "kernels/array/index/unique_slices.h"
#include "kernels/array/int_values.h"
#include "kernels/array/value_bits.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// The slices of a tensor along an axis, seen as [outer, n, inner]. NaN equals nothing, -0 equals 0.
template <class T>
class Slices {
 public:
  Slices(const Tensor& x, int64_t axis)
      : data_(x.data<T>()), split_(x.shape(), axis), n_(x.shape().dim(static_cast<int>(axis))) {}

  int64_t count() const { return n_; }
  int64_t outer() const { return split_.outer; }
  int64_t inner() const { return split_.inner; }
  const T* Run(int64_t o, int64_t slice) const { return data_ + (o * n_ + slice) * split_.inner; }

  size_t Hash(int64_t slice) const {
    size_t hash = 0;
    for (int64_t o = 0; o < split_.outer; ++o) {
      const T* run = Run(o, slice);
      for (int64_t i = 0; i < split_.inner; ++i)
        hash = hash * 0x9e3779b97f4a7c15U + std::hash<HashedAs<T>>()(static_cast<HashedAs<T>>(run[i]));
    }
    return hash;
  }
  bool Equal(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < split_.outer; ++o) {
      if (!std::equal(Run(o, a), Run(o, a) + split_.inner, Run(o, b))) return false;
    }
    return true;
  }

 private:
  const T* data_;
  const AxisSplit split_;
  const int64_t n_;
};

struct Positions {
  std::vector<int64_t> position_of;  // position of each slice among the different ones
  std::vector<int64_t> firsts;       // the first of equal slices
  std::vector<int64_t> counts;
};

// Finds the positions by a hash table that is at most half full. Entries that collide stand one after the other.
template <class T>
Positions FindPositions(const Slices<T>& slices) {
  constexpr int64_t kNone = -1;
  const auto bits = std::max(4, static_cast<int>(std::bit_width(static_cast<uint64_t>(2 * slices.count()))));
  std::vector<int64_t> table(size_t{1} << bits, kNone);
  Positions positions;
  positions.position_of.reserve(static_cast<size_t>(slices.count()));
  for (int64_t s = 0; s < slices.count(); ++s) {
    size_t entry = (slices.Hash(s) * 0x9e3779b97f4a7c15U) >> (64 - bits);
    while (table[entry] != kNone && !slices.Equal(positions.firsts[static_cast<size_t>(table[entry])], s)) {
      entry = (entry + 1) & (table.size() - 1);
    }
    if (table[entry] == kNone) {
      table[entry] = static_cast<int64_t>(positions.firsts.size());
      positions.firsts.push_back(s);
      positions.counts.push_back(0);
    }
    positions.position_of.push_back(table[entry]);
    ++positions.counts[static_cast<size_t>(table[entry])];
  }
  return positions;
}

template <class T>
class UniqueKernel : public UniqueBase {
 public:
  using UniqueBase::UniqueBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t axis, ReadAxis(ctx));
    Tensor* idx = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({x.shape().dim(static_cast<int>(axis))}), &idx));
    const Slices<T> slices(x, axis);
    const Positions positions = FindPositions(slices);
    const auto different = static_cast<int64_t>(positions.firsts.size());
    Shape shape = x.shape();
    shape.set_dim(static_cast<int>(axis), different);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    T* to = y->data<T>();
    for (int64_t o = 0; o < slices.outer(); ++o) {
      for (int64_t first : positions.firsts) to = std::copy_n(slices.Run(o, first), slices.inner(), to);
    }
    DF_TRY(StoreInts(positions.position_of, *idx));
    if (ctx.num_outputs() == 2) return Status();
    Tensor* counts = nullptr;
    DF_TRY(ctx.AllocateOutput(2, Shape({different}), &counts));
    return StoreInts(positions.counts, *counts);
  }
};

struct Unique {
  template <class T>
  using Kernel = UniqueKernel<ValueBits<T>>;
};

#define UNIQUE_KERNEL(op)                                                                                          \
  CPU_KERNEL(op, Unique, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, \
             int32_t, int64_t, bool, std::string)
UNIQUE_KERNEL("Unique");
UNIQUE_KERNEL("UniqueV2");
UNIQUE_KERNEL("UniqueWithCounts");
UNIQUE_KERNEL("UniqueWithCountsV2");
#undef UNIQUE_KERNEL

}  // namespace
}  // namespace dfrun
