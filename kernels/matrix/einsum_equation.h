// TensorFlow's einsum equations: "ab,bc->ac", "...ii->...i". Every character but '.', ',' and the arrow is a label.
#ifndef DFRUN_KERNELS_MATRIX_EINSUM_EQUATION_H_
#define DFRUN_KERNELS_MATRIX_EINSUM_EQUATION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/values/shape.h"

namespace dfrun {

// A label's character, or below 0 a dimension that an ellipsis stands for: -1 is its last.
using EinsumLabel = int;

struct EinsumSubscript {
  std::string before;  // labels before the ellipsis, or all
  std::string after;
  bool has_ellipsis = false;

  int num_labels() const { return static_cast<int>(before.size() + after.size()); }
  // One label a dimension, of a tensor whose ellipsis stands for `ellipsis_rank` dimensions.
  std::vector<EinsumLabel> Labels(int ellipsis_rank) const;
  // The labels for an operand of this rank; InvalidArgument where the rank does not fit.
  Result<std::vector<EinsumLabel>> LabelsOfRank(int rank) const;
  std::string ToString() const;
};

struct EinsumEquation {
  std::vector<EinsumSubscript> inputs;  // one or two
  EinsumSubscript output;

  // InvalidArgument where `text` is no equation or has an output label that no input has.
  static Result<EinsumEquation> Parse(std::string_view text);
};

// The labels of the operands' dimensions and of the output's, and every label's size. Dimensions of ellipses broadcast,
// the others are equal wherever their label stands.
struct EinsumDims {
  std::vector<std::vector<EinsumLabel>> inputs;
  std::vector<EinsumLabel> output;
  std::map<EinsumLabel, int64_t> sizes;  // PartialShape::kUnknown where unknown

  PartialShape output_shape() const;
};

// Matches the equation with operands of known rank. InvalidArgument where they do not fit.
Result<EinsumDims> MatchEinsum(const EinsumEquation& equation, const std::vector<PartialShape>& inputs);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_EINSUM_EQUATION_H_
