// Rows of A without most of their zeros, as the output of Relu and its gradient have many: in tiles of some rows, of
// which each lists the columns in which not all its rows are zero. Rows are read where they lie.
#ifndef DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_TILES_H_
#define DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_TILES_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "kernels/matrix/even_ranges.h"
#include "kernels/matrix/matrix_view.h"
#include "kernels/matrix/operand_copy.h"
#include "kernels/matrix/panel_pack.h"
#include "kernels/matrix/simd.h"
#include "src/base/integers.h"

namespace dfrun {

// The block of C of such a tile: fewer rows than of other products, since they have more columns in which all are zero,
// and more vectors, so that the units that multiply are as busy.
inline constexpr int kSparseVectors = kVectorRegisters >= 32 ? 4 : 2;
inline constexpr int kSparseTileRows = (kVectorRegisters - kSparseVectors - 1) / kSparseVectors;

namespace internal {

// A bit for each lane that is not zero; NaN is not.
template <class T>
uint32_t NonzeroLanes(Vec<T> v) {
  uint32_t lanes = 0;
  for (int i = 0; i < kLanes<T>; ++i) lanes |= static_cast<uint32_t>(v[i] != T{0}) << i;
  return lanes;
}

// Appends the numbers of these 16 bits, the lowest of which is `first`. Up to 16 numbers behind may be overwritten.
inline uint16_t* ListBits(uint32_t bits, int64_t first, uint16_t* to) {
#if defined(__AVX512F__)
  const __m512i numbers = _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                           _mm512_set1_epi32(static_cast<int>(first)));
  const __m512i listed = _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), numbers);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(listed));
#else
  uint16_t* at = to;
  for (uint32_t left = bits; left != 0; left &= left - 1) *at++ = static_cast<uint16_t>(first + std::countr_zero(left));
#endif
  return to + std::popcount(bits);
}

#if defined(__AVX512F__)
template <>
inline uint32_t NonzeroLanes<float>(Vec<float> v) {
  return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NEQ_UQ);
}
template <>
inline uint32_t NonzeroLanes<double>(Vec<double> v) {
  return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}
#endif

}  // namespace internal

// Some columns of some rows of A at a time. T: float, double. Thread safety: as an int.
template <class T>
class BlockSparseTiles {
 public:
  // Columns are numbered by 16 bits.
  static constexpr int64_t kMostDepth = 1 << 15;

  struct Tile {
    const T* const* rows;     // where each begins
    const uint16_t* numbers;  // of the rows, of those that Fill() was given
    int64_t row_count;        // at most kSparseTileRows
    const uint16_t* columns;  // that are kept, ascending; kColumnsBeyond of any number follow
    int64_t kept;             // how many
  };
  static constexpr int64_t kColumnsBeyond = 32;

  // For at most so many rows and columns; k <= kMostDepth, m < 2^16. Scratch memory of elements().
  BlockSparseTiles(int64_t m, int64_t k, bool transposed)
      : most_rows_(m),
        stride_(RoundUp<int64_t>(k, kLanes<T>) + kLanes<T>),
        list_stride_(k + kColumnsBeyond),
        most_words_(CeilDiv<int64_t>(k, kWordBits)),
        most_tiles_(CeilDiv<int64_t>(m, kSparseTileRows)),
        transposed_(transposed) {}
  int64_t elements() const {
    const int64_t words = (most_words_ + 1) * most_rows_ + most_tiles_;
    const int64_t numbers = list_stride_ * most_tiles_ + 2 * most_rows_;
    return (transposed_ ? most_rows_ * stride_ : 0) + CeilDiv<int64_t>(words * 8 + numbers * 2, sizeof(T));
  }
  void UseScratch(T* scratch) {
    ordered_ = scratch;
    if (transposed_) scratch += most_rows_ * stride_;
    masks_ = reinterpret_cast<uint64_t*>(scratch);
    kept_ = reinterpret_cast<int64_t*>(masks_ + most_rows_ * most_words_);
    rows_ = reinterpret_cast<const T**>(kept_ + most_tiles_);
    columns_ = reinterpret_cast<uint16_t*>(rows_ + most_rows_);
    order_ = columns_ + most_tiles_ * list_stride_;
    other_order_ = order_ + most_rows_;
  }

  // may_reorder: rows may be put together that have as many zeros, where more can be left out so.
  void Fill(MatrixView<const T> a, int64_t rows, int64_t depth, bool may_reorder) {
    tiles_ = EvenRanges(rows, CeilDiv<int64_t>(rows, kSparseTileRows));
    words_ = CeilDiv(depth, kWordBits);
    if (transposed_) a = InOrder(a, rows, depth);
    for (int64_t i = 0; i < rows; ++i) MaskRow(a.data + i * a.stride, depth, masks_ + i * words_);
    for (int64_t i = 0; i < rows; ++i) order_[i] = static_cast<uint16_t>(i);
    all_kept_ = CountKept(order_);
    if (may_reorder) {
      OrderByCount(rows);
      const int64_t kept = CountKept(other_order_);
      if (kept < all_kept_) {
        all_kept_ = kept;
        std::swap(order_, other_order_);
      }
    }
    for (int64_t i = 0; i < rows; ++i) rows_[i] = a.data + order_[i] * a.stride;
    for (int64_t i = 0; i < tiles_.count(); ++i) ListColumns(i);
  }

  int64_t count() const { return tiles_.count(); }
  // Columns that are kept, of all tiles together.
  int64_t all_kept() const { return all_kept_; }
  Tile At(int64_t i) const {
    const Range rows = tiles_.At(i);
    return {rows_ + rows.begin, order_ + rows.begin, rows.size, columns_ + i * list_stride_, kept_[i]};
  }

 private:
  static constexpr int64_t kWordBits = 64;

  // The transpose of the memory, row by row.
  MatrixView<const T> InOrder(MatrixView<const T> a, int64_t rows, int64_t depth) {
    constexpr int64_t kSide = kLanes<T>;
    for (int64_t p = 0; p < depth; p += kSide) {
      for (int64_t i = 0; i < rows; i += kSide) {
        internal::PackSquare(a.data + p * a.stride + i, a.stride, static_cast<int>(std::min(kSide, depth - p)),
                             static_cast<int>(std::min(kSide, rows - i)), ordered_ + i * stride_ + p, stride_);
      }
    }
    return {ordered_, stride_, false};
  }

  static void MaskRow(const T* row, int64_t depth, uint64_t* mask) {
    int64_t p = 0;
    for (; p + kWordBits <= depth; p += kWordBits) {
      uint64_t word = 0;
#pragma GCC unroll 16
      for (int q = 0; q < kWordBits; q += kLanes<T>) {
        word |= uint64_t{internal::NonzeroLanes<T>(Load(row + p + q))} << q;
      }
      *mask++ = word;
    }
    if (p == depth) return;
    uint64_t word = 0;
    for (int64_t q = 0; q < depth - p; q += kLanes<T>) {
      const auto lanes = static_cast<int>(std::min<int64_t>(kLanes<T>, depth - p - q));
      word |= uint64_t{internal::NonzeroLanes<T>(LoadFirst(row + p + q, lanes))} << q;
    }
    *mask = word;
  }

  uint64_t WordOf(Range rows, const uint16_t* order, int64_t word) const {
    uint64_t any = 0;
    for (int64_t i = rows.begin; i < rows.end(); ++i) any |= masks_[order[i] * words_ + word];
    return any;
  }
  int64_t CountKept(const uint16_t* order) const {
    int64_t kept = 0;
    for (int64_t i = 0; i < tiles_.count(); ++i) {
      const Range rows = tiles_.At(i);
      for (int64_t w = 0; w < words_; ++w) kept += std::popcount(WordOf(rows, order, w));
    }
    return kept;
  }

  // In other_order_: by the number of elements that are not zero, or its first eight bits.
  void OrderByCount(int64_t rows) {
    constexpr int kBucketBits = 8;
    constexpr int64_t kBuckets = int64_t{1} << kBucketBits;
    int64_t begin[kBuckets + 1] = {};
    const int bits = std::bit_width(static_cast<uint64_t>(words_ * kWordBits));
    const auto bucket = [&, shift = std::max(0, bits - kBucketBits)](int64_t i) {
      int64_t count = 0;
      for (int64_t w = 0; w < words_; ++w) count += std::popcount(masks_[i * words_ + w]);
      return count >> shift;
    };
    for (int64_t i = 0; i < rows; ++i) ++begin[bucket(i) + 1];
    for (int64_t i = 0; i < kBuckets; ++i) begin[i + 1] += begin[i];
    for (int64_t i = 0; i < rows; ++i) other_order_[begin[bucket(i)]++] = static_cast<uint16_t>(i);
  }

  void ListColumns(int64_t tile) {
    const Range rows = tiles_.At(tile);
    uint16_t* const first = columns_ + tile * list_stride_;
    uint16_t* next = first;
    for (int64_t w = 0; w < words_; ++w) {
      const uint64_t word = WordOf(rows, order_, w);
      for (int q = 0; q < kWordBits; q += kListed) {
        next = internal::ListBits(static_cast<uint32_t>(word >> q) & 0xFFFF, w * kWordBits + q, next);
      }
    }
    kept_[tile] = next - first;
    std::fill_n(next, kColumnsBeyond, uint16_t{0});
  }

  static constexpr int kListed = 16;  // bits at a time

  int64_t most_rows_;
  int64_t stride_;       // of rows in order
  int64_t list_stride_;  // of tiles' columns
  int64_t most_words_;
  int64_t most_tiles_;
  bool transposed_;
  int64_t words_ = 0;  // of a row's mask
  EvenRanges tiles_{0, 1};
  int64_t all_kept_ = 0;
  // In scratch memory:
  T* ordered_ = nullptr;
  uint64_t* masks_ = nullptr;  // of each row
  int64_t* kept_ = nullptr;
  const T** rows_ = nullptr;  // in order
  uint16_t* columns_ = nullptr;
  uint16_t* order_ = nullptr;
  uint16_t* other_order_ = nullptr;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BLOCK_SPARSE_TILES_H_
