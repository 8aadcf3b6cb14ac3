#include "kernels/matrix/einsum_equation.h"

#include <algorithm>

namespace dfrun {
namespace {

constexpr std::string_view kArrow = "->";
constexpr std::string_view kEllipsis = "...";

Result<EinsumSubscript> ParseSubscript(std::string_view text) {
  EinsumSubscript subscript;
  const size_t at = text.find(kEllipsis);
  subscript.has_ellipsis = at != std::string_view::npos;
  subscript.before = text.substr(0, at);
  if (subscript.has_ellipsis) subscript.after = text.substr(at + kEllipsis.size());
  if ((subscript.before + subscript.after).find('.') != std::string::npos) {
    return InvalidArgument("the einsum subscript '", text, "' has periods beside one ellipsis");
  }
  return subscript;
}

std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

Status CheckOutputLabels(const EinsumEquation& equation, std::string_view text) {
  for (char label : equation.output.before + equation.output.after) {
    const bool known = std::any_of(equation.inputs.begin(), equation.inputs.end(), [&](const EinsumSubscript& input) {
      return (input.before + input.after).find(label) != std::string::npos;
    });
    if (!known)
      return InvalidArgument("no input of the einsum equation '", text, "' has its output label '", label, "'");
  }
  return Status();
}

// The size that two sizes of a label give together.
Result<int64_t> MergeSizes(EinsumLabel label, int64_t a, int64_t b) {
  if (a == b || b == PartialShape::kUnknown) return a;
  if (a == PartialShape::kUnknown) return b;
  const bool broadcasts = label < 0;
  if (broadcasts && a == 1) return b;
  if (broadcasts && b == 1) return a;
  if (broadcasts) return InvalidArgument("dimensions of sizes ", a, " and ", b, " under an ellipsis do not broadcast");
  return InvalidArgument("label '", static_cast<char>(label), "' stands for dimensions of sizes ", a, " and ", b);
}

// Merges two sizes of which one may be unknown. If the dimension broadcasts, a size of 1 leaves the other unknown.
Result<int64_t> MergeKnown(EinsumLabel label, int64_t a, int64_t b) {
  if (label < 0 && ((a == 1 && b == PartialShape::kUnknown) || (b == 1 && a == PartialShape::kUnknown))) {
    return PartialShape::kUnknown;
  }
  return MergeSizes(label, a, b);
}

}  // namespace

std::vector<EinsumLabel> EinsumSubscript::Labels(int ellipsis_rank) const {
  std::vector<EinsumLabel> labels;
  for (char c : before) labels.push_back(static_cast<unsigned char>(c));
  for (int i = has_ellipsis ? ellipsis_rank : 0; i > 0; --i) labels.push_back(-i);
  for (char c : after) labels.push_back(static_cast<unsigned char>(c));
  return labels;
}

Result<std::vector<EinsumLabel>> EinsumSubscript::LabelsOfRank(int rank) const {
  if (has_ellipsis ? rank < num_labels() : rank != num_labels()) {
    return InvalidArgument("the einsum subscript '", ToString(), "' stands for ", has_ellipsis ? "at least " : "",
                           num_labels(), " dimensions, but the operand has ", rank);
  }
  return Labels(rank - num_labels());
}

std::string EinsumSubscript::ToString() const {
  return StrCat(before, has_ellipsis ? kEllipsis : "", after);
}

Result<EinsumEquation> EinsumEquation::Parse(std::string_view text) {
  const std::vector<std::string_view> sides = Split(text, kArrow);
  if (sides.size() != 2) return InvalidArgument("the einsum equation '", text, "' needs exactly one '->'");
  EinsumEquation equation;
  for (std::string_view part : Split(sides[0], ",")) {
    DF_ASSIGN(EinsumSubscript subscript, ParseSubscript(part));
    equation.inputs.push_back(std::move(subscript));
  }
  if (equation.inputs.size() > 2) {
    return InvalidArgument("the einsum equation '", text, "' has ", equation.inputs.size(),
                           " operands, but one or two are multiplied at a time");
  }
  DF_ASSIGN(equation.output, ParseSubscript(sides[1]));
  DF_TRY(CheckOutputLabels(equation, text));
  return equation;
}

PartialShape EinsumDims::output_shape() const {
  PartialShape shape = PartialShape::Scalar();
  for (EinsumLabel label : output) shape.Append(sizes.at(label));
  return shape;
}

Result<EinsumDims> MatchEinsum(const EinsumEquation& equation, const std::vector<PartialShape>& inputs) {
  if (inputs.size() != equation.inputs.size()) {
    return InvalidArgument("the einsum equation has ", equation.inputs.size(), " operands, but there are ",
                           inputs.size(), " inputs");
  }
  EinsumDims dims;
  int ellipsis_rank = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const EinsumSubscript& subscript = equation.inputs[i];
    DF_ASSIGN(std::vector<EinsumLabel> labels, subscript.LabelsOfRank(inputs[i].rank()));
    if (subscript.has_ellipsis) ellipsis_rank = std::max(ellipsis_rank, inputs[i].rank() - subscript.num_labels());
    for (size_t d = 0; d < labels.size(); ++d) {
      const int64_t size = inputs[i].dim(static_cast<int>(d));
      const auto [entry, is_new] = dims.sizes.emplace(labels[d], size);
      if (!is_new) {
        DF_ASSIGN(entry->second, MergeKnown(labels[d], entry->second, size));
      }
    }
    dims.inputs.push_back(std::move(labels));
  }
  if (ellipsis_rank > 0 && !equation.output.has_ellipsis) {
    return InvalidArgument("an ellipsis stands for ", ellipsis_rank,
                           " dimensions of an einsum operand, but its output has none");
  }
  dims.output = equation.output.Labels(ellipsis_rank);
  return dims;
}

}  // namespace dfrun
