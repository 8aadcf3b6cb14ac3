// Which slices of a tensor are equal.
#ifndef DFRUN_KERNELS_ARRAY_DIFFERENT_SLICES_H_
#define DFRUN_KERNELS_ARRAY_DIFFERENT_SLICES_H_

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/array/axis_copy.h"
#include "kernels/array/value_bits.h"
#include "src/framework/tensor.h"

namespace dfrun {

// The slices of a tensor along an axis, seen as [outer, n, inner]. NaN equals nothing, -0 equals 0.
template <class T>
class SlicesOfTensor {
 public:
  SlicesOfTensor(const Tensor& x, int64_t axis)
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

struct DifferentSlices {
  std::vector<int64_t> place_of;  // of each slice among the different ones
  std::vector<int64_t> firsts;    // the first of equal slices
  std::vector<int64_t> counts;
};

// By a table of places at most half full, in which those that would have one entry stand behind each other.
template <class T>
DifferentSlices FindDifferent(const SlicesOfTensor<T>& slices) {
  constexpr int64_t kNone = -1;
  const auto bits = std::max(4, static_cast<int>(std::bit_width(static_cast<uint64_t>(2 * slices.count()))));
  std::vector<int64_t> table(size_t{1} << bits, kNone);
  DifferentSlices places;
  places.place_of.reserve(static_cast<size_t>(slices.count()));
  for (int64_t s = 0; s < slices.count(); ++s) {
    size_t entry = (slices.Hash(s) * 0x9e3779b97f4a7c15U) >> (64 - bits);
    while (table[entry] != kNone && !slices.Equal(places.firsts[static_cast<size_t>(table[entry])], s)) {
      entry = (entry + 1) & (table.size() - 1);
    }
    if (table[entry] == kNone) {
      table[entry] = static_cast<int64_t>(places.firsts.size());
      places.firsts.push_back(s);
      places.counts.push_back(0);
    }
    places.place_of.push_back(table[entry]);
    ++places.counts[static_cast<size_t>(table[entry])];
  }
  return places;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_DIFFERENT_SLICES_H_
