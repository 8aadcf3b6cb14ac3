#include "kernels/matrix/bf16_gemm.h"

#include "kernels/matrix/bf16_pairs.h"
#include "kernels/matrix/bf16_part.h"
#include "kernels/matrix/bf16_tiles.h"

#ifdef DFRUN_BF16
#include <atomic>

namespace dfrun {
namespace {

// Multiplications worth a thread of their own, where it has to be woken, and where it looks for work: 3 us by pairs.
constexpr int64_t kThreadWork = int64_t{4} << 20;
constexpr int64_t kReadyWork = int64_t{1} << 17;

// A side of C in parts of whole panels, of about the same size.
struct Parts {
  Parts(int64_t lanes_in_all, int64_t most_lanes, int64_t parts_at_least)
      : lanes(lanes_in_all),
        panels(CeilDiv(lanes, kPanelLanes)),
        count(std::min(panels, std::max(parts_at_least, CeilDiv(lanes, most_lanes)))) {}
  int64_t Begin(int64_t i) const { return std::min(lanes, i * panels / count * kPanelLanes); }
  int64_t Size(int64_t i) const { return Begin(i + 1) - Begin(i); }
  int64_t lanes;
  int64_t panels;
  int64_t count;
};

template <class Unit>
class Bfloat16Gemm final : public Gemm<bfloat16> {
 public:
  explicit Bfloat16Gemm(const GemmShape& shape) : s_(shape) {}

  Status Run(const bfloat16* a, const bfloat16* b, bfloat16* c, ThreadPool& pool, Allocator& allocator) const override {
    const LaneView rows{Bits(a), s_.transpose_a ? s_.m : s_.k, !s_.transpose_a, s_.m, s_.k};
    const LaneView columns{Bits(b), s_.transpose_b ? s_.k : s_.n, s_.transpose_b, s_.n, s_.k};
    // By columns where that can be: each thread then copies its own part of B, and A may be read as it lies.
    const int64_t woken = std::min<int64_t>(s_.work() / kThreadWork, pool.num_threads());
    const int64_t ready = std::min<int64_t>(s_.work() / kReadyWork, pool.ready_threads());
    const int64_t wanted = std::max<int64_t>({1, woken, ready});
    const Parts across(s_.n, Unit::kPartShape.side, wanted);
    const Parts down(s_.m, Unit::kPartShape.side, wanted / across.count);
    std::atomic<bool> failed{false};
    pool.RunBlocks(down.count * across.count, [&](int64_t i) {
      const int64_t row = down.Begin(i / across.count);
      const int64_t column = across.Begin(i % across.count);
      PartOfProduct<Unit> part(rows.Part(row, down.Size(i / across.count), 0, s_.k),
                               columns.Part(column, across.Size(i % across.count), 0, s_.k), c + row * s_.n + column,
                               s_.n);
      if (!part.Run(allocator)) failed.store(true, std::memory_order_relaxed);
    });
    if (!failed.load(std::memory_order_relaxed)) return Status();
    return Error(Code::kResourceExhausted, "no memory for copies of the operands of a matrix product");
  }

 private:
  static const uint16_t* Bits(const bfloat16* values) { return reinterpret_cast<const uint16_t*>(values); }

  const GemmShape s_;
};

template <class Unit>
std::shared_ptr<const Gemm<bfloat16>> MakeOn(const GemmShape& shape) {
  return Unit::IsThere() ? std::make_shared<Bfloat16Gemm<Unit>>(shape) : nullptr;
}

}  // namespace

std::shared_ptr<const Gemm<bfloat16>> MakeBfloat16Gemm(const GemmShape& shape, Bfloat16Unit unit) {
  if (unit == Bfloat16Unit::kPairs) return MakeOn<PairUnit>(shape);
#ifdef DFRUN_AMX
  return MakeOn<TileUnit>(shape);
#else
  return nullptr;
#endif
}

#else
namespace dfrun {

std::shared_ptr<const Gemm<bfloat16>> MakeBfloat16Gemm(const GemmShape&, Bfloat16Unit) {
  return nullptr;
}

#endif  // DFRUN_BF16

}  // namespace dfrun
