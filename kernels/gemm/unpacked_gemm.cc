#include "kernels/gemm/unpacked_gemm.h"

#include "kernels/gemm/column_panels.h"
#include "kernels/gemm/loop_nest.h"
#include "kernels/gemm/pack.h"
#include "kernels/gemm/prepacked_gemm.h"
#include "kernels/gemm/ukernel.h"

namespace dfrun {
namespace {

enum class BSource {
  kInPlace,    // rows of B are read where they lie
  kPacked,     // each panel is packed before it is multiplied
  kPrepacked,  // all panels are
};

// Vectors of a panel of B that stays in the first-level cache; a packed one has no more.
constexpr int64_t kPanelVectors = kUnpackedDepth * kMaxVectors;

// B is packed where reading its rows in place costs more: rows far apart, and enough rows of A to pay for the copy.
template <class T>
BSource SourceOf(int64_t m, MatrixView<const T> b) {
  const bool has_near_rows = b.stride * static_cast<int64_t>(sizeof(T)) <= kFarBytes;
  return b.transposed || (m >= kRowsWorthPacking && !has_near_rows) ? BSource::kPacked : BSource::kInPlace;
}

// The greatest width of a panel, in vectors. A panel that does not stay in the cache is better narrow if it is copied,
// or if C has no more rows than a narrow block.
int MaxPanelVectors(int64_t m, int64_t depth, BSource source) {
  const bool stays = depth * kMaxVectorsAtHand <= kPanelVectors;
  const bool is_one_block = m <= MaxRows(kMaxVectors) && m > MaxRows(kMaxVectorsAtHand);
  return stays || !(source == BSource::kPacked || is_one_block) ? kMaxVectorsAtHand : kMaxVectors;
}

// The policy of the loop nest. Passes over k are the outer loop but for a transposed B, whose columns are rows of
// memory, which are read from end to end.
template <class T>
class UnpackedPolicy {
 public:
  struct Part {
    Range panels;
    Range depth;
  };

  // packed: scratch memory of a panel.
  UnpackedPolicy(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                 const Epilogue<T>& epilogue, T* packed)
      : UnpackedPolicy(m, k, a, b, c, epilogue, SourceOf(m, b), std::min(k, kUnpackedDepth), packed,
                       ColumnPanels<T>(n, MaxPanelVectors(m, std::min(k, kUnpackedDepth), SourceOf(m, b)))) {}
  // B is prepacked.
  UnpackedPolicy(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, const T* packed_b, Range panels,
                 MatrixView<T> c, const Epilogue<T>& epilogue)
      : UnpackedPolicy(m, k, a, {packed_b, 0, false}, c, epilogue, BSource::kPrepacked, k, nullptr,
                       ColumnPanels<T>(n)) {
    part_panels_ = panels.size;
    first_panel_ = panels.begin;
    end_panel_ = panels.end();
  }

  Part First() const { return At(first_panel_, 0); }
  Part After(const Part& part) const {
    return part.depth.end() < k_ ? At(part.panels.begin, part.depth.end()) : At(part.panels.end(), 0);
  }

  int64_t BeginPanel(const Part& part, const Part& /*next*/, int64_t i) {
    const ColumnPanel panel = panels_.At(i);
    o_.depth = part.depth.size;
    o_.last_columns = LastColumns<T>(panel);
    o_.continues = part.depth.begin > 0;
    o_.epilogue = part.depth.end() == k_ ? epilogue_.At(0, panel.column) : Epilogue<T>{};
    o_.c_stride = c_.stride;
    const RowsOfB rows = FindB(part, panel);
    ukernels_ = a_.transposed ? UkernelsFor<T, true>(rows, panel.vectors) : UkernelsFor<T, false>(rows, panel.vectors);
    column_ = panel.column;
    tiles_ = EvenRanges(m_, CeilDiv<int64_t>(m_, MaxRows(panel.vectors)));
    return 0;
  }
  int64_t RunTile(const Part& part, const Part& /*next*/, int64_t /*panel*/, int64_t tile) {
    const Range rows = tiles_.At(tile);
    o_.a = a_.At(rows.begin, part.depth.begin).data;
    o_.c = c_.data + rows.begin * c_.stride + column_;
    ukernels_[rows.size - 1](o_);
    o_.epilogue.features.data += rows.size * o_.epilogue.features.stride;
    return tile + 1 < tiles_.count() ? tile + 1 : kNoTile;
  }

 private:
  UnpackedPolicy(int64_t m, int64_t k, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                 const Epilogue<T>& epilogue, BSource source, int64_t depth, T* packed, const ColumnPanels<T>& panels)
      : m_(m),
        k_(k),
        a_(a),
        b_(b),
        c_(c),
        epilogue_(epilogue),
        source_(source),
        depth_(depth),
        packed_(packed),
        panels_(panels),
        part_panels_(b.transposed ? 1 : panels.count()),
        end_panel_(panels.count()) {
    o_.a_stride = a.stride;
  }

  Part At(int64_t panel, int64_t p) const {
    return {{panel, std::min(part_panels_, end_panel_ - panel)}, {p, std::min(depth_, k_ - p)}};
  }

  RowsOfB FindB(const Part& part, const ColumnPanel& panel) {
    if (source_ == BSource::kPrepacked) {
      o_.b = b_.data + k_ * panel.column;
      return RowsOfB::kPacked;
    }
    const MatrixView<const T> b = b_.At(part.depth.begin, panel.column);
    o_.b = b.data;
    o_.b_stride = b.stride;
    if (source_ == BSource::kInPlace) return o_.last_columns == kLanes<T> ? RowsOfB::kInPlace : RowsOfB::kEdge;
    PackPanel(b, part.depth.size, panel.columns, packed_, panel.vectors);
    o_.b = packed_;
    o_.b_stride = panel.vectors * kLanes<T>;
    return RowsOfB::kPacked;
  }

  const int64_t m_;
  const int64_t k_;
  const MatrixView<const T> a_;
  const MatrixView<const T> b_;
  const MatrixView<T> c_;
  const Epilogue<T>& epilogue_;
  const BSource source_;
  const int64_t depth_;  // elements of k in a pass
  T* const packed_;
  const ColumnPanels<T> panels_;
  int64_t part_panels_;
  int64_t first_panel_ = 0;
  int64_t end_panel_;
  // The state of the panel that is multiplied:
  UkernelOperands<T> o_{};
  UkernelTable<T> ukernels_ = nullptr;
  int64_t column_ = 0;
  EvenRanges tiles_{0, 1};
};

// C of fewer columns than a vector has lanes, but many rows, as its transpose: a transposed A is then read in whole
// vectors, as it lies.
template <class T>
void TransposedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                    const Epilogue<T>& epilogue) {
  constexpr int64_t kRowsAtATime = 16 * kLanes<T>;
  T block[kLanes<T> * kRowsAtATime];
  for (int64_t row = 0; row < m; row += kRowsAtATime) {
    const int64_t rows = std::min(kRowsAtATime, m - row);
    UnpackedGemm<T>(n, k, rows, {b.data, b.stride, !b.transposed}, {a.At(row, 0).data, a.stride, false},
                    {block, kRowsAtATime, false});
    TransposeTo(block, kRowsAtATime, n, rows, c.At(row, 0).data, c.stride);
  }
  FinishInMemory(epilogue, c, m, n);
}

}  // namespace

template <class T>
void UnpackedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                  const Epilogue<T>& epilogue) {
  if (m == 0 || n == 0) return;
  if (a.transposed && n < kLanes<T> && m >= kVectorsWorthTransposing * kLanes<T> && !epilogue.scales()) {
    return TransposedGemm<T>(m, k, n, a, b, c, epilogue);
  }
  alignas(64) T packed[kPanelVectors * kLanes<T>];
  UnpackedPolicy<T> policy(m, k, n, a, b, c, epilogue, packed);
  RunLoopNest(policy);
}

template <class T>
void PrepackedGemm(int64_t m, int64_t k, int64_t n, MatrixView<const T> a, const T* packed_b, Range panels,
                   MatrixView<T> c, const Epilogue<T>& epilogue) {
  if (m == 0) return;
  UnpackedPolicy<T> policy(m, k, n, a, packed_b, panels, c, epilogue);
  RunLoopNest(policy);
}

template void UnpackedGemm(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                           MatrixView<float>, const Epilogue<float>&);
template void UnpackedGemm(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                           MatrixView<double>, const Epilogue<double>&);
template void UnpackedGemm(int64_t, int64_t, int64_t, MatrixView<const int32_t>, MatrixView<const int32_t>,
                           MatrixView<int32_t>, const Epilogue<int32_t>&);
template void UnpackedGemm(int64_t, int64_t, int64_t, MatrixView<const int64_t>, MatrixView<const int64_t>,
                           MatrixView<int64_t>, const Epilogue<int64_t>&);
template void PrepackedGemm(int64_t, int64_t, int64_t, MatrixView<const float>, const float*, Range, MatrixView<float>,
                            const Epilogue<float>&);
template void PrepackedGemm(int64_t, int64_t, int64_t, MatrixView<const double>, const double*, Range,
                            MatrixView<double>, const Epilogue<double>&);

}  // namespace dfrun
