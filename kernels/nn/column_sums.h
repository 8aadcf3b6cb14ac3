// Sums down the columns of float matrices, in double: the same on any number of threads.
#ifndef DFRUN_KERNELS_NN_COLUMN_SUMS_H_
#define DFRUN_KERNELS_NN_COLUMN_SUMS_H_

#include <cstdint>

#include "src/base/integers.h"
#include "src/base/threads.h"

namespace dfrun {

// sums[j] = sum over rows r of factor(r)[j], or of factor(r)[j] * other(r)[j] where there is another.
struct ColumnSums {
  int64_t rows;
  int64_t columns;
  // Row r is at r * stride.
  const float* values;
  int64_t stride;

  // Plain sums.
  void Add(ThreadPool& pool, float* sums) const;
  // Sums of products with the rows that row(r) points to.
  template <class Row>
  void AddProducts(ThreadPool& pool, const Row& row, float* sums) const {
    ForStrips(pool, sums, [&](int64_t r, int64_t j, int64_t width, double* strip) {
      const float* a = values + r * stride + j;
      const float* b = row(r) + j;
      for (int64_t k = 0; k < width; ++k) strip[k] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    });
  }

 private:
  static constexpr int64_t kStrip = 64;  // columns whose sums stay in registers or the first cache

  template <class AddRow>
  void ForStrips(ThreadPool& pool, float* sums, const AddRow& add_row) const {
    constexpr int64_t kWorkPerBlock = 32768;  // elements: some 10 us
    const int64_t strips = CeilDiv(columns, kStrip);
    const int64_t per_block = kWorkPerBlock / (rows * kStrip + 1) + 1;
    pool.ParallelFor(strips, per_block, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) {
        const int64_t j = s * kStrip;
        const int64_t width = columns - j < kStrip ? columns - j : kStrip;
        double strip[kStrip] = {};
        for (int64_t r = 0; r < rows; ++r) add_row(r, j, width, strip);
        for (int64_t k = 0; k < width; ++k) sums[j + k] = static_cast<float>(strip[k]);
      }
    });
  }
};

inline void ColumnSums::Add(ThreadPool& pool, float* sums) const {
  ForStrips(pool, sums, [&](int64_t r, int64_t j, int64_t width, double* strip) {
    const float* a = values + r * stride + j;
    for (int64_t k = 0; k < width; ++k) strip[k] += static_cast<double>(a[k]);
  });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_COLUMN_SUMS_H_
