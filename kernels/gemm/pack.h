// Packs panels of B in the order in which micro-kernels read them, transposing where B is a transpose.
#ifndef DFRUN_KERNELS_GEMM_PACK_H_
#define DFRUN_KERNELS_GEMM_PACK_H_

#include <algorithm>

#include "kernels/array/copy/transpose_square.h"
#include "kernels/gemm/matrix_view.h"
#include "kernels/gemm/simd.h"

namespace dfrun {

namespace internal {

// packed[p][j] = from[j][p] for j < rows, p < depth, both at most kLanes; packed rows are `stride` apart.
template <class T>
[[gnu::always_inline]] inline void PackSquare(const T* from, int64_t from_stride, int rows, int depth, T* packed,
                                              int64_t stride) {
  Vec<T> square[kLanes<T>];
#pragma GCC unroll 16
  for (int j = 0; j < kLanes<T>; ++j) {
    square[j] = j >= rows            ? Vec<T>{}
                : depth == kLanes<T> ? Load(from + j * from_stride)
                                     : LoadFirst(from + j * from_stride, depth);
  }
  TransposeSquare<kLanes<T>>(square);
#pragma GCC unroll 16
  for (int p = 0; p < kLanes<T>; ++p) {
    if (p < depth) Store<T>(packed + p * stride, square[p]);
  }
}

// to[j][i] = from[i][j] for i < rows, j < columns, both at most kLanes; the rows of `from` are whole vectors.
template <class T>
inline void TransposeSquareTo(const T* from, int64_t from_stride, int rows, int columns, T* to, int64_t stride) {
  Vec<T> square[kLanes<T>];
#pragma GCC unroll 16
  for (int i = 0; i < kLanes<T>; ++i) square[i] = i < rows ? Load(from + i * from_stride) : Vec<T>{};
  TransposeSquare<kLanes<T>>(square);
#pragma GCC unroll 16
  for (int j = 0; j < kLanes<T>; ++j) {
    if (j < columns) StoreFirst(to + j * stride, square[j], rows);
  }
}

}  // namespace internal

// to[j][i] = from[i][j] for i < rows, j < columns; the rows of `from` are whole vectors.
template <class T>
void TransposeTo(const T* from, int64_t from_stride, int64_t rows, int64_t columns, T* to, int64_t stride) {
  constexpr int64_t kSide = kLanes<T>;
  for (int64_t i = 0; i < rows; i += kSide) {
    for (int64_t j = 0; j < columns; j += kSide) {
      internal::TransposeSquareTo(from + i * from_stride + j, from_stride, static_cast<int>(std::min(kSide, rows - i)),
                                  static_cast<int>(std::min(kSide, columns - j)), to + j * stride + i, stride);
    }
  }
}

// packed[p][j] = b(p, j) for p < depth, j < columns, in rows of `vectors` vectors; lanes beyond `columns` are zero of a
// transpose, else anything.
template <class T>
void PackPanel(MatrixView<const T> b, int64_t depth, int64_t columns, T* packed, int vectors) {
  const int64_t stride = vectors * kLanes<T>;
  if (!b.transposed) {
    for (int64_t p = 0; p < depth; ++p) std::copy_n(b.data + p * b.stride, columns, packed + p * stride);
    return;
  }
  for (int64_t j = 0; j < columns; j += kLanes<T>) {
    const int rows = static_cast<int>(std::min<int64_t>(kLanes<T>, columns - j));
    for (int64_t p = 0; p < depth; p += kLanes<T>) {
      const int deep = static_cast<int>(std::min<int64_t>(kLanes<T>, depth - p));
      internal::PackSquare(b.data + j * b.stride + p, b.stride, rows, deep, packed + p * stride + j, stride);
    }
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PACK_H_
