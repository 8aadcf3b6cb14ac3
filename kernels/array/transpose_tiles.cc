#include "kernels/array/transpose_tiles.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/array/element_size.h"
#include "kernels/array/transpose_square.h"
#include "src/base/stream_store.h"

// The next loop is unrolled: what it walks through stays in registers.
#ifdef __clang__
#define DF_UNROLL _Pragma("unroll")
#else
#define DF_UNROLL _Pragma("GCC unroll 16")
#endif

namespace dfrun {
namespace {

constexpr int64_t kLineBytes = 64;
// Rows of a result up to this size are put together before they are written.
constexpr int64_t kShortRowBytes = 1024;

template <class E>
constexpr int64_t kLine = kLineBytes / static_cast<int64_t>(sizeof(E));
// Columns of a tile: four cache lines of a row of the result.
template <class E>
constexpr int64_t kTileCols = 4 * kLine<E>;
// Side of the squares that are transposed in registers.
template <class E>
constexpr int kSide = sizeof(E) <= 2 ? 16 : static_cast<int>(kLine<E>);

// Floating-point lanes, for which there are more instructions that permute.
template <class E>
struct SquareRow {
  using Lane = std::conditional_t<sizeof(E) == 8, double, std::conditional_t<sizeof(E) == 4, float, E>>;
  typedef Lane Type __attribute__((vector_size(kSide<E> * sizeof(E))));  // NOLINT: `using` takes no such attribute
};

// The first halves of a and b, or their second halves, element by element in turn. By reference, since vectors are no
// values to pass where registers are shorter.
template <bool kSecond, class V, int... kIndex>
[[gnu::always_inline]] inline void Interleave(const V& a, const V& b, V& to, std::integer_sequence<int, kIndex...>) {
  constexpr int kCount = sizeof...(kIndex);
  constexpr int kBegin = kSecond ? kCount / 2 : 0;
  to = __builtin_shufflevector(a, b, ((kIndex % 2) * kCount + kBegin + kIndex / 2)...);
}

// A square of elements of 1 or 2 bytes, for which this takes 0.85 to 0.93 of TransposeSquare's time. Each pass rotates
// the bits of (row, column) by one; after log2(side) passes the two have changed places.
template <int kN, class Row>
[[gnu::always_inline]] inline void InterleaveRows(Row* rows) {
  constexpr std::make_integer_sequence<int, kN> kAll;
  Row next[kN];
  DF_UNROLL
  for (int pass = 1; pass < kN; pass *= 2) {
    DF_UNROLL
    for (int i = 0; i < kN / 2; ++i) {
      Interleave<false>(rows[i], rows[i + kN / 2], next[2 * i], kAll);
      Interleave<true>(rows[i], rows[i + kN / 2], next[2 * i + 1], kAll);
    }
    DF_UNROLL
    for (int i = 0; i < kN; ++i) rows[i] = next[i];
  }
}

// The next row's address. Where it is forced to be a sum, compilers do not keep a product for each of 32 rows, for
// which there are not enough registers: 1.25 times the speed where memory is waited for, 0.95 where it is not.
template <bool kForced, class P>
[[gnu::always_inline]] inline void Advance(P*& row, int64_t stride) {
  row += stride;
  if constexpr (kForced) asm("" : "+r"(row));
}
// The same after `loaded` is in its register: loads that are put off keep their addresses.
template <bool kForced, class P, class V>
[[gnu::always_inline]] inline void Advance(P*& row, int64_t stride, [[maybe_unused]] V& loaded) {
#ifdef __AVX512F__
  if constexpr (kForced) asm("" : "+r"(row), "+v"(loaded));
#endif
  Advance<kForced>(row, stride);
}

// A square, row by row to put(to, its elements), where `to` is one row further each time. What is kAhead elements
// further in the source's rows is asked for in the second-level cache; 0: nothing is.
template <int64_t kAhead, class E, class Put>
[[gnu::always_inline]] inline void TransposeSquareTo(const E* from, int64_t from_stride, E* to, int64_t to_stride,
                                                     Put&& put) {
  constexpr int kN = kSide<E>;
  constexpr int kSecondCache = 2;
  if constexpr (std::is_same_v<E, Bytes16>) {
    for (int r = 0; r < kN; ++r, to += to_stride) {
      Bytes16 row[kN];
      for (int c = 0; c < kN; ++c) row[c] = from[r + c * from_stride];
      put(to, row);
    }
  } else {
    using Row = typename SquareRow<E>::Type;
    Row rows[kN];
    DF_UNROLL
    for (int i = 0; i < kN; ++i) {
      std::memcpy(&rows[i], from, sizeof(Row));
      if (kAhead > 0) __builtin_prefetch(from + kAhead, 0, kSecondCache);
      Advance<(kAhead > 0)>(from, from_stride, rows[i]);
    }
    if constexpr (sizeof(E) <= 2) {
      InterleaveRows<kN>(rows);
    } else {
      TransposeSquare<kN>(rows);
    }
    DF_UNROLL
    for (int i = 0; i < kN; ++i) {
      put(to, &rows[i]);
      Advance<(kAhead > 0)>(to, to_stride);
    }
  }
}

template <class E>
void StoreSquare(const E* from, int64_t from_stride, E* to, int64_t to_stride) {
  TransposeSquareTo<0>(from, from_stride, to, to_stride,
                       [](E* row, const void* elements) { std::memcpy(row, elements, kSide<E> * sizeof(E)); });
}

// Squares as far as they go, then the edges. The source is walked along its rows.
template <class E>
void TransposeTile(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  constexpr int kN = kSide<E>;
  const int64_t square_rows = rows - rows % kN;
  const int64_t square_cols = cols - cols % kN;
  for (int64_t c = 0; c < square_cols; c += kN) {
    for (int64_t r = 0; r < square_rows; r += kN)
      StoreSquare(from + c * from_stride + r, from_stride, to + r * to_stride + c, to_stride);
    for (int64_t r = square_rows; r < rows; ++r) {
      for (int64_t i = c; i < c + kN; ++i) to[r * to_stride + i] = from[r + i * from_stride];
    }
  }
  for (int64_t c = square_cols; c < cols; ++c) {
    for (int64_t r = 0; r < rows; ++r) to[r * to_stride + c] = from[r + c * from_stride];
  }
}

// Elements from the beginning of the cache line in which `p` lies.
template <class E>
int64_t PlaceInLine(const E* p) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % kLineBytes / sizeof(E));
}

// Writes `count` elements, whole cache lines past the caches. Returns how many of the last ones were left out because
// they do not fill a line; none where `to_the_end`.
template <class E>
int64_t StreamRun(const E* from, E* to, int64_t count, bool to_the_end) {
  const int64_t head = std::min(count, (kLine<E> - PlaceInLine(to)) % kLine<E>);
  std::copy_n(from, head, to);
  int64_t done = head;
  for (; done + kLine<E> <= count; done += kLine<E>) StreamLine(to + done, from + done);
  if (!to_the_end) return count - done;
  std::copy_n(from + done, count - done, to + done);
  return 0;
}

// Long rows: a row of tiles is written a cache line at a time, and what does not fill a line waits for the next tile.
template <class E>
void StreamLongRows(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  // A row holds up to a line of waiting elements, then those of the tile.
  constexpr int64_t kStride = kTileCols<E> + 2 * kLine<E>;
  alignas(kLineBytes) E buffer[kTransposeRows<E> * kStride];
  E* tile = buffer + kLine<E>;
  for (int64_t c = 0; c < cols; c += kTileCols<E>) {
    const int64_t width = std::min(kTileCols<E>, cols - c);
    TransposeTile(from + c * from_stride, from_stride, tile, kStride, rows, width);
    for (int64_t r = 0; r < rows; ++r) {
      E* row = tile + r * kStride;
      E* target = to + r * to_stride + c;
      const int64_t waiting = c == 0 ? 0 : PlaceInLine(target);
      const int64_t left = StreamRun(row - waiting, target - waiting, width + waiting, c + width == cols);
      std::memmove(row - left, row + width - left, static_cast<size_t>(left) * sizeof(E));
    }
  }
}

// Short rows that follow one another: as many of them as fill a buffer are written as one.
template <class E>
void StreamShortRows(const E* from, int64_t from_stride, E* to, int64_t rows, int64_t cols) {
  constexpr int64_t kCapacity = kShortRowBytes * 128 / static_cast<int64_t>(sizeof(E));
  alignas(kLineBytes) E buffer[kCapacity];
  const int64_t band = kCapacity / cols;
  for (int64_t r = 0; r < rows; r += band) {
    const int64_t height = std::min(band, rows - r);
    TransposeTile(from + r, from_stride, buffer, cols, height, cols);
    StreamRun(buffer, to + r * cols, height * cols, true);
  }
}

// Where a square's rows are lines.
template <class E>
constexpr bool kHasStrips = kSide<E> == kLine<E>;

// kSquares squares beside each other: all lines of a row of the result are written at once, those before the last from
// a buffer. What memory is given line by line of 16 rows, which lie far apart, takes it 1.2 times as long.
template <int64_t kAhead, int kSquares, class E>
void StreamSquares(const E* from, int64_t from_stride, E* to, int64_t to_stride) {
  constexpr int64_t kBuffered = (kSquares - 1) * kLine<E>;
  alignas(kLineBytes) E buffer[kSide<E> * std::max(kBuffered, kLine<E>)];
  for (int64_t at = 0; at < kBuffered; at += kLine<E>) {
    TransposeSquareTo<kAhead>(from, from_stride, buffer + at, kBuffered,
                              [](E* line, const void* elements) { std::memcpy(line, elements, kLineBytes); });
    from += kSide<E> * from_stride;
  }
  const E* before = buffer;
  TransposeSquareTo<kAhead>(from, from_stride, to, to_stride, [&](E* row, const void* elements) {
    for (int64_t at = 0; at < kBuffered; at += kLine<E>) StreamLine(row + at, before + at);
    StreamLine(row + kBuffered, elements);
    before += kBuffered;
  });
}

// Strips of whole aligned lines, walked along the source's rows, each of which is asked for four lines ahead. All
// counts are multiples of the squares'.
template <class E>
void StreamStrips(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  constexpr int64_t kAhead = 4 * kLine<E>;
  constexpr int kTogether = sizeof(E) == 4 ? 3 : 2;  // squares: 3 take floats 0.9 of the time on Zen 4, doubles more
  constexpr int64_t kTogetherCols = kTogether * kSide<E>;
  for (int64_t c = 0; c < cols; c += kStripCols<E>) {
    const int64_t end = std::min(c + kStripCols<E>, cols);
    for (int64_t r = 0; r < rows; r += kSide<E>) {
      const E* source = from + c * from_stride + r;
      E* target = to + r * to_stride + c;
      int64_t left = end - c;
      for (; left >= kTogetherCols; left -= kTogetherCols) {
        StreamSquares<kAhead, kTogether>(source, from_stride, target, to_stride);
        source += kTogetherCols * from_stride;
        target += kTogetherCols;
      }
      for (; left > 0; left -= kSide<E>) {
        StreamSquares<kAhead, 1>(source, from_stride, target, to_stride);
        source += kSide<E> * from_stride;
        target += kSide<E>;
      }
    }
  }
}

template <class E>
void TransposeStreaming(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  if (to_stride == cols && cols * static_cast<int64_t>(sizeof(E)) <= kShortRowBytes)
    return StreamShortRows(from, from_stride, to, rows, cols);
  for (int64_t r = 0; r < rows; r += kTransposeRows<E>) {
    StreamLongRows(from + r, from_stride, to + r * to_stride, to_stride, std::min(kTransposeRows<E>, rows - r), cols);
  }
}

}  // namespace

template <class E>
bool IsStreamedInStrips(const E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  return kHasStrips<E> && PlaceInLine(to) == 0 && to_stride % kLine<E> == 0 && rows % kSide<E> == 0 &&
         cols % kSide<E> == 0;
}

template <class E>
void TransposeTiles(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols,
                    bool stream) {
  if (stream) {
    if constexpr (kHasStrips<E>) {
      if (IsStreamedInStrips(to, to_stride, rows, cols)) {
        StreamStrips(from, from_stride, to, to_stride, rows, cols);
        return StreamFence();
      }
    }
    TransposeStreaming(from, from_stride, to, to_stride, rows, cols);
    return StreamFence();
  }
  for (int64_t r = 0; r < rows; r += kTransposeRows<E>) {
    for (int64_t c = 0; c < cols; c += kTileCols<E>) {
      TransposeTile(from + r + c * from_stride, from_stride, to + r * to_stride + c, to_stride,
                    std::min(kTransposeRows<E>, rows - r), std::min(kTileCols<E>, cols - c));
    }
  }
}

#define INSTANTIATE(E)                                                                     \
  template void TransposeTiles<E>(const E*, int64_t, E*, int64_t, int64_t, int64_t, bool); \
  template bool IsStreamedInStrips<E>(const E*, int64_t, int64_t, int64_t)
INSTANTIATE(uint8_t);
INSTANTIATE(uint16_t);
INSTANTIATE(uint32_t);
INSTANTIATE(uint64_t);
INSTANTIATE(Bytes16);
#undef INSTANTIATE

}  // namespace dfrun
