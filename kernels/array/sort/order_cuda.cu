#include "kernels/array/sort/order_cuda.h"

#include <algorithm>
#include <utility>

#include "kernels/array/sort/radix_order.h"
#include "kernels/device/cuda/runtime/block_scan.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "src/base/integers.h"
#include "src/framework/values/element_types.h"

namespace dfrun::cuda {
namespace {

// Elements of a thread where a block looks at them in order.
constexpr int kThreadItems = 8;
constexpr int64_t kTile = int64_t{kBlockThreads} * kThreadItems;

// Sums of tiles of counts.
DF_DEVICE_KERNEL void SumTiles(int64_t* counts, int64_t n, int64_t* tiles) {
  const int64_t first = GlobalBlockId() * kTile + int64_t{ThreadInBlock()} * kThreadItems;
  int64_t mine[kThreadItems];
  int64_t sum = 0;
  for (int i = 0; i < kThreadItems; ++i) {
    mine[i] = first + i < n ? counts[first + i] : 0;
    sum += mine[i];
  }
  const BlockSums<int64_t> sums = SumOverBlock(sum);
  int64_t before = sums.before;
  for (int i = 0; i < kThreadItems && first + i < n; ++i) {
    counts[first + i] = before;
    before += mine[i];
  }
  if (ThreadInBlock() == 0) tiles[GlobalBlockId()] = sums.all;
}

DF_DEVICE_KERNEL void AddSumsBefore(int64_t* counts, int64_t n, const int64_t* tiles) {
  const int64_t i = GlobalThreadId();
  if (i < n) counts[i] += tiles[i / kTile];
  if (i == n) counts[n] = tiles[CeilDiv(n, kTile)];
}

}  // namespace

Status SumCounts(OpContext& ctx, int64_t* counts, int64_t n) {
  if (n == 0) return EnqueueZeros(ctx, counts, sizeof(int64_t));
  const int64_t tiles = CeilDiv(n, kTile);
  if (tiles == 1) return LaunchWithBarriers(ctx, 1, &SumTiles, counts, n, counts + n);
  DF_ASSIGN(Tensor sums, ctx.AllocateTemp(DType::kInt64, Shape({tiles + 1})));
  DF_TRY(LaunchWithBarriers(ctx, tiles, &SumTiles, counts, n, sums.data<int64_t>()));
  DF_TRY(SumCounts(ctx, sums.data<int64_t>(), tiles));
  return Launch(ctx, n + 1, &AddSumsBefore, counts, n, sums.data<int64_t>());
}

namespace {

struct CountedFlags {
  int count = 0;
  DF_DEVICE_FUNCTION void Add(const bool* flags, int64_t first, int64_t n) {
    for (int i = 0; i < kThreadItems && first + i < n; ++i) count += flags[first + i] ? 1 : 0;
  }
};

// The flags of each tile that are set: how many, or where.
DF_DEVICE_KERNEL void CountSet(const bool* flags, int64_t n, int64_t* tiles) {
  CountedFlags mine;
  mine.Add(flags, GlobalBlockId() * kTile + int64_t{ThreadInBlock()} * kThreadItems, n);
  const BlockSums<int> sums = SumOverBlock(mine.count);
  if (ThreadInBlock() == 0) tiles[GlobalBlockId()] = sums.all;
}

DF_DEVICE_KERNEL void WriteSet(const bool* flags, int64_t n, const int64_t* tiles, int64_t* numbers) {
  const int64_t first = GlobalBlockId() * kTile + int64_t{ThreadInBlock()} * kThreadItems;
  CountedFlags mine;
  mine.Add(flags, first, n);
  const BlockSums<int> sums = SumOverBlock(mine.count);
  int64_t to = tiles[GlobalBlockId()] + sums.before;
  for (int i = 0; i < kThreadItems && first + i < n; ++i) {
    if (flags[first + i]) numbers[to++] = first + i;
  }
}

}  // namespace

Result<Tensor> OnHost(OpContext& ctx, const Tensor& tensor, int64_t begin, int64_t n) {
  return ctx.device().ToHostMemory(tensor.Reshaped(Shape({tensor.num_elements()})).SliceRows(begin, begin + n));
}

Result<Tensor> FindSet(OpContext& ctx, const bool* flags, int64_t n) {
  const int64_t tiles = CeilDiv(n, kTile);
  DF_ASSIGN(Tensor sums, ctx.AllocateTemp(DType::kInt64, Shape({tiles + 1})));
  DF_TRY(LaunchWithBarriers(ctx, tiles, &CountSet, flags, n, sums.data<int64_t>()));
  DF_TRY(SumCounts(ctx, sums.data<int64_t>(), tiles));
  DF_ASSIGN(const Tensor count, OnHost(ctx, sums, tiles, 1));
  DF_ASSIGN(Tensor numbers, ctx.AllocateTemp(DType::kInt64, Shape({*count.data<int64_t>()})));
  if (numbers.num_elements() == 0) return numbers;
  DF_TRY(LaunchWithBarriers(ctx, tiles, &WriteSet, flags, n, sums.data<int64_t>(), numbers.data<int64_t>()));
  return numbers;
}

namespace {

// Rows of so many keys and fewer are sorted by counting for each key those before it.
constexpr int64_t kMaxCounted = 2048;

template <class Key>
DF_DEVICE_KERNEL void OrderByCounting(const Key* keys, int64_t rows, int64_t n, int32_t* order) {
  const int64_t thread = GlobalThreadId();
  if (thread >= rows * n) return;
  const int64_t row = thread / n;
  const int64_t at = thread - row * n;
  const Key* const of_row = keys + row * n;
  const Key mine = of_row[at];
  int64_t before = 0;
  for (int64_t i = 0; i < n; ++i) before += of_row[i] < mine || (of_row[i] == mine && i < at) ? 1 : 0;
  order[row * n + before] = static_cast<int32_t>(at);
}

// Longer ones digit by digit, from the lowest on: keys of a tile go behind those of lower digits in the row, those of
// their digit in tiles before, in threads before, and of their thread before them.
constexpr int kDigitBits = 4;
constexpr int kDigits = 1 << kDigitBits;

template <class Key>
struct SortPass {
  const Key* keys;
  const int32_t* order;  // null: that of the keys
  Key* keys_to;
  int32_t* order_to;
  int64_t n;
  int64_t tiles;    // number of a row's tiles
  int64_t* counts;  // [row, digit, tile], then their sums
  int shift;

  DF_DEVICE_FUNCTION int DigitOf(Key key) const { return static_cast<int>(key >> shift) & (kDigits - 1); }
};

// The position of a thread's keys in its tile: [first, end) in all rows.
struct TileItems {
  int64_t row;
  int64_t tile;
  int64_t first;
  int64_t end;

  template <class Key>
  DF_DEVICE_FUNCTION static TileItems Of(const SortPass<Key>& pass) {
    const int64_t row = GlobalBlockId() / pass.tiles;
    const int64_t tile = GlobalBlockId() - row * pass.tiles;
    const int64_t in_row = tile * kTile + int64_t{ThreadInBlock()} * kThreadItems;
    const int64_t stop = in_row + kThreadItems < pass.n ? in_row + kThreadItems : pass.n;
    return {row, tile, row * pass.n + in_row, row * pass.n + stop};
  }
};

// starts[digit, thread] = the tile's keys that come before the thread's first of the digit. Shared by the block.
template <class Key>
DF_DEVICE_FUNCTION void CountDigits(const SortPass<Key>& pass, const TileItems& items, int* starts) {
  const int thread = ThreadInBlock();
  for (int d = 0; d < kDigits; ++d) starts[d * kBlockThreads + thread] = 0;
  for (int64_t i = items.first; i < items.end; ++i) ++starts[pass.DigitOf(pass.keys[i]) * kBlockThreads + thread];
  Barrier();
  int* const mine = starts + thread * kDigits;  // a row has as many counters as there are digits
  int sum = 0;
  for (int i = 0; i < kDigits; ++i) sum += mine[i];
  int before = SumOverBlock(sum).before;
  for (int i = 0; i < kDigits; ++i) {
    const int count = mine[i];
    mine[i] = before;
    before += count;
  }
  Barrier();
}

template <class Key>
DF_DEVICE_KERNEL void CountTileDigits(SortPass<Key> pass) {
  DF_DEVICE_SHARED(int, starts, kDigits* kBlockThreads);
  const TileItems items = TileItems::Of(pass);
  CountDigits(pass, items, starts);
  const int d = ThreadInBlock();
  if (d >= kDigits) return;
  const int64_t left = pass.n - items.tile * kTile;
  const auto in_tile = static_cast<int>(left < kTile ? left : kTile);
  const int end = d + 1 < kDigits ? starts[(d + 1) * kBlockThreads] : in_tile;
  pass.counts[(items.row * kDigits + d) * pass.tiles + items.tile] = end - starts[d * kBlockThreads];
}

template <class Key>
DF_DEVICE_KERNEL void MoveByDigit(SortPass<Key> pass) {
  DF_DEVICE_SHARED(int, starts, kDigits* kBlockThreads);
  DF_DEVICE_SHARED(int, of_digit, kDigits);
  const TileItems items = TileItems::Of(pass);
  CountDigits(pass, items, starts);
  const int thread = ThreadInBlock();
  if (thread < kDigits) of_digit[thread] = starts[thread * kBlockThreads];
  Barrier();
  for (int64_t i = items.first; i < items.end; ++i) {
    const Key key = pass.keys[i];
    const int d = pass.DigitOf(key);
    const int in_tile = starts[d * kBlockThreads + thread]++ - of_digit[d];
    const int64_t to = pass.counts[(items.row * kDigits + d) * pass.tiles + items.tile] + in_tile;
    pass.keys_to[to] = key;
    pass.order_to[to] = pass.order == nullptr ? static_cast<int32_t>(i - items.row * pass.n) : pass.order[i];
  }
}

// Two buffers of keys and positions that passes write in turn.
template <class Key>
struct SortBuffers {
  Tensor keys[2];
  Tensor order[2];
  static Result<SortBuffers> Make(OpContext& ctx, int64_t count) {
    SortBuffers made;
    for (int i = 0; i < 2; ++i) {
      const DType dtype = sizeof(Key) == 4 ? DType::kUint32 : DType::kUint64;
      DF_ASSIGN(made.keys[i], ctx.AllocateTemp(dtype, Shape({count})));
      DF_ASSIGN(made.order[i], ctx.AllocateTemp(DType::kInt32, Shape({count})));
    }
    return made;
  }
};

template <class Key>
Result<Tensor> OrderByDigits(OpContext& ctx, const Key* keys, int64_t rows, int64_t n, int bits) {
  DF_ASSIGN(SortBuffers<Key> buffers, SortBuffers<Key>::Make(ctx, rows * n));
  SortPass<Key> pass = {keys, nullptr, nullptr, nullptr, n, CeilDiv(n, kTile), nullptr, 0};
  const int64_t counts = rows * kDigits * pass.tiles;
  DF_ASSIGN(Tensor memory, ctx.AllocateTemp(DType::kInt64, Shape({counts + 1})));
  pass.counts = memory.data<int64_t>();
  int to = 0;
  for (; pass.shift == 0 || pass.shift < bits; pass.shift += kDigitBits, to = 1 - to) {
    pass.keys_to = static_cast<Key*>(buffers.keys[to].raw());
    pass.order_to = buffers.order[to].template data<int32_t>();
    DF_TRY(LaunchWithBarriers(ctx, rows * pass.tiles, &CountTileDigits<Key>, pass));
    DF_TRY(SumCounts(ctx, pass.counts, counts));
    DF_TRY(LaunchWithBarriers(ctx, rows * pass.tiles, &MoveByDigit<Key>, pass));
    pass.keys = pass.keys_to;
    pass.order = pass.order_to;
  }
  return std::move(buffers.order[1 - to]);
}

}  // namespace

template <class Key>
Result<Tensor> FindOrder(OpContext& ctx, const Key* keys, int64_t rows, int64_t n, int bits) {
  if (n > INT32_MAX) return Unimplemented("GPUs order at most ", INT32_MAX, " keys, not ", n);
  if (n > kMaxCounted) return OrderByDigits(ctx, keys, rows, n, bits);
  DF_ASSIGN(Tensor order, ctx.AllocateTemp(DType::kInt32, Shape({rows * n})));
  DF_TRY(Launch(ctx, rows * n, &OrderByCounting<Key>, keys, rows, n, order.data<int32_t>()));
  return order;
}

template Result<Tensor> FindOrder(OpContext& ctx, const uint32_t* keys, int64_t rows, int64_t n, int bits);
template Result<Tensor> FindOrder(OpContext& ctx, const uint64_t* keys, int64_t rows, int64_t n, int bits);

Result<Tensor> FindOrder(OpContext& ctx, const Tensor& keys, int64_t rows, int64_t n) {
  if (keys.dtype() == DType::kUint32) return FindOrder(ctx, keys.data<uint32_t>(), rows, n, 32);
  return FindOrder(ctx, keys.data<uint64_t>(), rows, n, 64);
}

namespace {

template <class T, class Key>
DF_DEVICE_KERNEL void WriteKeys(const T* numbers, int64_t n, bool descending, Key* keys) {
  const int64_t i = GlobalThreadId();
  if (i < n) keys[i] = OrderKey(numbers[i], descending);
}

}  // namespace

Result<Tensor> OrderKeys(OpContext& ctx, const Tensor& numbers, bool descending) {
  const int64_t n = numbers.num_elements();
  const bool is_long = DTypeSize(numbers.dtype()) == sizeof(uint64_t);
  DF_ASSIGN(Tensor keys, ctx.AllocateTemp(is_long ? DType::kUint64 : DType::kUint32, Shape({n})));
  Status status;
  VisitDType<DF_REAL>(numbers.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Key = decltype(OrderKey(T(), false));
    status = Launch(ctx, n, &WriteKeys<T, Key>, numbers.data<T>(), n, descending, keys.data<Key>());
  });
  DF_TRY(status);
  return keys;
}

}  // namespace dfrun::cuda
