#include "kernels/array/copy/transpose_tiles.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/array/copy/transpose_square.h"
#include "kernels/array/element_size.h"
#include "src/base/stream_store.h"

// Unrolls the next loop, so that the array it walks through stays in registers.
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
  using Lane = std::conditional_t<(sizeof(E) >= 8), double, std::conditional_t<sizeof(E) == 4, float, E>>;
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
// the bits of (row, column) by one; after log2(side) passes the two are exchanged.
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
// Advances the row after `loaded` is in its register: loads that are put off keep their addresses.
template <bool kForced, class P, class V>
[[gnu::always_inline]] inline void Advance(P*& row, int64_t stride, [[maybe_unused]] V& loaded) {
#ifdef __AVX512F__
  if constexpr (kForced) asm("" : "+r"(row), "+v"(loaded));
#endif
  Advance<kForced>(row, stride);
}

// Transposes a square, row by row; between() is called after each row of the source that is read. The elements kAhead
// further in those rows are prefetched into the second-level cache; 0: none.
template <int64_t kAhead, class E, class Between>
[[gnu::always_inline]] inline void TransposeSquareTo(const E* from, int64_t from_stride, E* to, int64_t to_stride,
                                                     Between&& between) {
  constexpr int kN = kSide<E>;
  constexpr int kSecondCache = 2;
  using Row = typename SquareRow<E>::Type;
  Row rows[kN];
  DF_UNROLL
  for (int i = 0; i < kN; ++i) {
    Row row;  // the rows themselves, whose addresses nothing takes, stay in registers
    std::memcpy(&row, from, sizeof(Row));
    if (kAhead > 0) __builtin_prefetch(from + kAhead, 0, kSecondCache);
    Advance<(kAhead > 0)>(from, from_stride, row);
    rows[i] = row;
    between();
  }
  if constexpr (sizeof(E) <= 2) {
    InterleaveRows<kN>(rows);
  } else {
    TransposeSquare<kN>(rows);
  }
  DF_UNROLL
  for (int i = 0; i < kN; ++i) {
    std::memcpy(to, &rows[i], sizeof(Row));
    Advance<(kAhead > 0)>(to, to_stride);
  }
}

// Squares as far as they go, then the edges. The source is walked along its rows.
template <class E>
void TransposeTile(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  constexpr int kN = kSide<E>;
  const int64_t square_rows = rows - rows % kN;
  const int64_t square_cols = cols - cols % kN;
  for (int64_t c = 0; c < square_cols; c += kN) {
    for (int64_t r = 0; r < square_rows; r += kN)
      TransposeSquareTo<0>(from + c * from_stride + r, from_stride, to + r * to_stride + c, to_stride, [] {});
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
int64_t OffsetInLine(const E* p) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % kLineBytes / sizeof(E));
}

// Writes `count` elements, whole cache lines past the caches. Returns how many of the last ones were left out because
// they do not fill a line; none where `to_the_end`.
template <class E>
int64_t StreamRun(const E* from, E* to, int64_t count, bool to_the_end) {
  const int64_t head = std::min(count, (kLine<E> - OffsetInLine(to)) % kLine<E>);
  std::copy_n(from, head, to);
  int64_t done = head;
  for (; done + kLine<E> <= count; done += kLine<E>) StreamLine(to + done, from + done);
  if (!to_the_end) return count - done;
  std::copy_n(from + done, count - done, to + done);
  return 0;
}

// Transposes long rows: a row of tiles is written a cache line at a time, and the rest that does not fill a line waits
// for the next tile.
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
      const int64_t waiting = c == 0 ? 0 : OffsetInLine(target);
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

// Transposes a strip of whole aligned lines, walked along the source's rows, each of which is prefetched four lines
// ahead. A tile of kLine<E> rows of the result waits in a buffer until the next one is read, a line written after each
// line read: where a tile is read and then written, memory turns from one to the other, and a strip takes 1.2 times as
// long on Zen 4. rows and cols are multiples of kLine<E>, cols not above kStripCols<E>.
template <class E>
void StreamStrip(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  constexpr int64_t kAhead = 4 * kLine<E>;
  constexpr int64_t kSquares = kLine<E> / kSide<E>;  // squares in a line of the source
  alignas(kLineBytes) E tiles[2][kLine<E> * kStripCols<E>];
  E* tile = tiles[0];
  const E* line = tiles[1];  // the next one that waits
  int64_t left = cols;       // columns left in the row of the result that is being written
  const auto write_line = [&] {
    StreamLine(to, line);
    line += kLine<E>;
    to += kLine<E>;
    if ((left -= kLine<E>) == 0) {
      left = cols;
      to += to_stride - cols;
    }
  };
  const auto read_tile = [&](const E* source, auto&& between) {
    for (int64_t c = 0; c < cols; c += kSide<E>, source += kSide<E> * from_stride) {
      TransposeSquareTo<kAhead>(source, from_stride, tile + c, cols, between);
      for (int64_t i = 1; i < kSquares; ++i)
        TransposeSquareTo<0>(source + i * kSide<E>, from_stride, tile + i * kSide<E> * cols + c, cols, between);
    }
    line = tile;
    tile = tile == tiles[0] ? tiles[1] : tiles[0];
  };
  read_tile(from, [] {});
  int64_t parts = 0;  // parts of a line that have been read
  for (int64_t r = kLine<E>; r < rows; r += kLine<E>) {
    read_tile(from + r, [&] {
      if (kSquares == 1 || ++parts % kSquares == 0) write_line();
    });
  }
  for (int64_t at = 0; at < kLine<E> * cols; at += kLine<E>) write_line();
}

template <class E>
void StreamStrips(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols) {
  for (int64_t c = 0; c < cols; c += kStripCols<E>)
    StreamStrip(from + c * from_stride, from_stride, to + c, to_stride, rows, std::min(kStripCols<E>, cols - c));
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
  return OffsetInLine(to) == 0 && to_stride % kLine<E> == 0 && rows % kLine<E> == 0 && cols % kLine<E> == 0;
}

template <class E>
void TransposeTiles(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t rows, int64_t cols,
                    bool stream) {
  if (stream) {
    if (IsStreamedInStrips(to, to_stride, rows, cols)) {
      StreamStrips(from, from_stride, to, to_stride, rows, cols);
    } else {
      TransposeStreaming(from, from_stride, to, to_stride, rows, cols);
    }
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
