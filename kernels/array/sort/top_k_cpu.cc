#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/array/sort/radix_order.h"
#include "kernels/array/sort/top_k.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

constexpr int64_t kBlock = 16384;  // entries that a thread looks through at a time

// The positions of a row in the order of a TopK: larger first, then those further left; NaN after everything. Total.
template <class T>
struct Before {
  const T* row;
  bool operator()(int32_t a, int32_t b) const {
    const T x = row[a];
    const T y = row[b];
    if (x > y) return true;
    if (y > x) return false;
    const bool x_is_nan = x != x;
    const bool y_is_nan = y != y;
    return x_is_nan == y_is_nan ? a < b : y_is_nan;
  }
};

// The first of the largest elements, side by side; of nothing but NaN the first.
template <class T>
int32_t Largest(const T* row, int32_t n) {
  constexpr int32_t kLanes = 128 / sizeof(T);
  T lanes[kLanes];
  const auto first = std::find_if(row, row + n, [](T x) { return x == x; });
  if (first == row + n) return 0;
  std::fill_n(lanes, kLanes, *first);
  int32_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int32_t l = 0; l < kLanes; ++l) lanes[l] = row[i + l] > lanes[l] ? row[i + l] : lanes[l];
  }
  for (; i < n; ++i) lanes[0] = row[i] > lanes[0] ? row[i] : lanes[0];
  T largest = lanes[0];
  for (T lane : lanes) largest = lane > largest ? lane : largest;
  return static_cast<int32_t>(std::find(first, row + n, largest) - row);
}

template <class T>
void TopPositions(const T* row, int32_t n, int32_t k, bool sorted, RadixOrder<T>& radix,
                  std::vector<int32_t>& positions) {
  constexpr int32_t kFewOf = 16;  // so many times fewer than all are found faster one by one
  const Before<T> before{row};
  positions.clear();
  if (k == 0) return;
  if (k == 1) {
    positions.push_back(Largest(row, n));
  } else if (n >= kMinRadixValues && (k == n || (sorted && k > n / kFewOf))) {
    positions.resize(static_cast<size_t>(n));
    radix.Find(row, n, /*descending=*/true, positions.data());
  } else if (k == n) {
    for (int32_t i = 0; i < n; ++i) positions.push_back(i);
    std::sort(positions.begin(), positions.end(), before);
  } else {
    positions.resize(static_cast<size_t>(k) + 1);
    SelectPositions(before, n, k, positions.data());
    positions.pop_back();
    if (sorted) std::sort(positions.begin(), positions.end(), before);
  }
}

struct TopK {
  template <class T>
  class Kernel : public TopKBase {
   public:
    using TopKBase::TopKBase;
    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const int64_t k, ReadK(ctx));
      Shape shape = x.shape();
      const int64_t n = shape.dim(shape.rank() - 1);
      shape.set_dim(shape.rank() - 1, k);
      Tensor* values = nullptr;
      Tensor* indices = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &values));
      DF_TRY(ctx.AllocateOutput(1, shape, &indices));
      if (shape.num_elements() == 0) return Status();
      VisitDType<int16_t, int32_t, int64_t>(indices->dtype(), [&](auto tag) {
        using Index = typename decltype(tag)::type;
        const int64_t rows = shape.num_elements() / k;
        ctx.pool().ParallelFor(rows, std::max<int64_t>(1, kBlock / n), [&](int64_t begin, int64_t end) {
          std::vector<int32_t> positions;
          RadixOrder<T> radix;
          for (int64_t r = begin; r < end; ++r) {
            const T* row = x.data<T>() + r * n;
            TopPositions(row, static_cast<int32_t>(n), static_cast<int32_t>(k), sorted_, radix, positions);
            for (int64_t i = 0; i < k; ++i) {
              values->data<T>()[r * k + i] = row[positions[i]];
              indices->data<Index>()[r * k + i] = static_cast<Index>(positions[i]);
            }
          }
        });
      });
      return Status();
    }
  };
};

CPU_KERNEL("TopK", TopK, DF_REAL);
CPU_KERNEL("TopKV2", TopK, DF_REAL);

}  // namespace
}  // namespace dfrun
