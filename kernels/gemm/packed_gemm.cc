#include "kernels/gemm/packed_gemm.h"

#include "kernels/gemm/overlapped_packing.h"

namespace dfrun {

// The operands of one Run().
template <class T>
class PackedGemm<T>::Operands {
 public:
  using Part = PackedPart;
  // One operand: a view, or its rows one by one from `column` on.
  struct Operand {
    MatrixView<const T> view;
    RowTable<T> rows = nullptr;
    int64_t column = 0;
  };

  Operands(const PackedGemm& gemm, const Operand& a, const Operand& b, MatrixView<T> c)
      : g_(gemm), a_(a), b_(b), c_(c) {}

  bool has_transposed_a() const { return a_.view.transposed; }
  PackedPart First() const { return At(0, 0); }
  PackedPart After(const PackedPart& part) const {
    return part.depth.end() < g_.k_ ? At(part.rows.begin, part.depth.end()) : At(part.rows.end(), 0);
  }
  PanelPacker<T> PackerOfPanel(const PackedPart& part, Range columns, T* to, int64_t width) const {
    if (b_.rows != nullptr) {
      return {b_.rows + part.depth.begin, b_.column + columns.begin, part.depth.size, columns.size, to, width};
    }
    return {b_.view.At(part.depth.begin, columns.begin), part.depth.size, columns.size, to, width};
  }
  TilePacker<T> PackerOfTile(const PackedPart& part, Range rows, T* to) const {
    if (a_.rows != nullptr) {
      return {a_.rows + part.depth.begin, a_.column + rows.begin, rows.size, part.depth.size, to};
    }
    return {a_.view.At(rows.begin, part.depth.begin), rows.size, part.depth.size, to};
  }
  void RowsOfC(const PackedPart& /*part*/, Range rows, int64_t column, T** to) const {
    T* row = c_.data + rows.begin * c_.stride + column;
    for (int64_t i = 0; i < rows.size; ++i, row += c_.stride) to[i] = row;
  }
  static bool UsesTile(const PackedPart& /*part*/, Range /*rows*/) { return true; }
  static bool KeepsTile(const PackedPart& /*part*/, Range /*rows*/) { return false; }

 private:
  PackedPart At(int64_t row, int64_t p) const {
    const Range depth{p, std::min(g_.depth_, g_.k_ - p)};
    const Range rows{row, std::min(g_.rows_, g_.m_ - row)};
    return {rows, rows.size, depth, p > 0, depth.end() == g_.k_, /*keeps_tiles=*/false};
  }

  const PackedGemm& g_;
  const Operand a_;
  const Operand b_;
  const MatrixView<T> c_;
};

template <class T>
PackedGemm<T>::PackedGemm(int64_t m, int64_t k, int64_t n, const Epilogue<T>& epilogue)
    : epilogue_(epilogue), m_(m), k_(k), n_(n) {
  depth_ = epilogue.scales() ? k : CeilDiv(k, CeilDiv(k, kPackedDepth));
  rows_ = PackedRows<T>(m, depth_);
}

template <class T>
int64_t PackedGemm<T>::scratch_elements() const {
  return PackedSpace<T>(rows_, depth_).scratch_elements();
}

template <class T>
void PackedGemm<T>::RunParts(const Operands& operands, T* scratch) const {
  OverlappedPacking<T, Operands> policy(operands, operands.has_transposed_a(), n_, epilogue_,
                                        PackedSpace<T>(rows_, depth_), scratch);
  RunLoopNest(policy);
}

template <class T>
void PackedGemm<T>::Run(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, T* scratch) const {
  RunParts(Operands(*this, {a}, {b}, c), scratch);
}

template <class T>
void PackedGemm<T>::Run(RowTable<T> a, int64_t a_column, RowTable<T> b, int64_t b_column, MatrixView<T> c,
                        T* scratch) const {
  RunParts(Operands(*this, {{nullptr, 0, true}, a, a_column}, {{}, b, b_column}, c), scratch);
}

template void RunPackedUkernel<float>(int64_t, int, const PackedUkernelOperands<float>&);
template void RunPackedUkernel<double>(int64_t, int, const PackedUkernelOperands<double>&);
template class PackedGemm<float>;
template class PackedGemm<double>;

}  // namespace dfrun
