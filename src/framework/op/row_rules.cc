#include "src/framework/op/row_rules.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/status.h"

namespace dfrun {
namespace {

bool HasFirst(const PartialShape& shape) {
  return shape.known_rank() && shape.rank() > 0 && shape.dim(0) >= 0;
}

// Whether a value that is the same for every batch meets all rows of `out` alike.
bool IsBroadcastOverRows(const PartialShape& shape, const PartialShape& out) {
  return shape.known_rank() && (shape.rank() < out.rank() || shape.dim(0) == 1);
}

SampleRows OfElements(const RowContext& c, int output) {
  const PartialShape& out = c.output_shape(output);
  if (!HasFirst(out)) return SampleRows::Mixed();
  int64_t per_sample = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const SampleRows rows = c.rows(i);
    const PartialShape& in = c.input_shape(i);
    if (rows.is_none() && IsBroadcastOverRows(in, out)) continue;
    const bool is_along = rows.is_rows() && HasFirst(in) && in.rank() == out.rank() && in.dim(0) == out.dim(0);
    if (!is_along || (per_sample != 0 && per_sample != rows.per_sample)) return SampleRows::Mixed();
    per_sample = rows.per_sample;
  }
  return per_sample == 0 ? SampleRows::Mixed() : SampleRows::Rows(per_sample);
}

SampleRows OfInputs(const RowContext& c, const std::vector<int>& inputs) {
  const std::optional<int64_t> per_sample = CommonRows(c, inputs);
  return per_sample ? SampleRows::Rows(*per_sample) : SampleRows::Mixed();
}

// An axis of a tensor of this rank, counted from its first dimension.
int64_t FromFirst(int64_t axis, int rank) {
  return axis < 0 ? axis + rank : axis;
}

}  // namespace

std::optional<int64_t> CommonRows(const RowContext& c, const std::vector<int>& inputs) {
  std::optional<int64_t> common;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const SampleRows rows = c.rows(i);
    if (std::find(inputs.begin(), inputs.end(), i) == inputs.end()) {
      if (!rows.is_none()) return std::nullopt;
      continue;
    }
    if (!rows.is_rows() || !HasFirst(c.input_shape(i)) || (common && *common != rows.per_sample)) return std::nullopt;
    common = rows.per_sample;
  }
  return common;
}

RowFn RowsOfElements() {
  return &OfElements;
}

RowFn RowsOfInputs(std::vector<int> inputs) {
  return [inputs = std::move(inputs)](const RowContext& c, int) {
    if (!inputs.empty()) return OfInputs(c, inputs);
    std::vector<int> all(static_cast<size_t>(c.num_inputs()));
    std::iota(all.begin(), all.end(), 0);
    return OfInputs(c, all);
  };
}

RowFn RowsOfRank(int least) {
  return [least](const RowContext& c, int) {
    const PartialShape& in = c.input_shape(0);
    return in.known_rank() && in.rank() >= least ? OfInputs(c, {0}) : SampleRows::Mixed();
  };
}

RowFn RowsOfSameElements() {
  return [](const RowContext& c, int output) {
    const PartialShape& out = c.output_shape(output);
    if (!c.rows(0).is_rows() || !HasFirst(out) || c.samples() <= 0) return SampleRows::Mixed();
    for (int i = 1; i < c.num_inputs(); ++i) {
      const SampleRows::Kind kind = c.rows(i).kind;
      if (kind != SampleRows::Kind::kNone && kind != SampleRows::Kind::kBatchSize) return SampleRows::Mixed();
    }
    // The elements of a sample lie together, so they are whole rows where the rows are a multiple of the samples.
    const bool is_multiple = out.dim(0) > 0 && out.dim(0) % c.samples() == 0;
    return is_multiple ? SampleRows::Rows(out.dim(0) / c.samples()) : SampleRows::Mixed();
  };
}

RowFn RowsUnlessAxis(int axes, std::vector<int> fixed) {
  return [axes, fixed = std::move(fixed)](const RowContext& c, int) {
    const int at = axes < 0 ? axes + c.num_inputs() : axes;
    std::vector<int> inputs;
    for (int i = 0; i < c.num_inputs(); ++i) {
      if (i != at && std::find(fixed.begin(), fixed.end(), i) == fixed.end()) inputs.push_back(i);
    }
    const PartialShape& in = c.input_shape(inputs.front());
    const MaybeConstant value = c.value(at);
    if (!in.known_rank() || !value) return SampleRows::Mixed();
    const bool keeps = std::all_of(value->elements.begin(), value->elements.end(),
                                   [&](const auto& axis) { return axis && FromFirst(*axis, in.rank()) > 0; });
    return keeps ? OfInputs(c, inputs) : SampleRows::Mixed();
  };
}

RowFn RowsUnlessAxisOfAttr(std::string attr, bool of_output, std::vector<int> inputs) {
  return [attr = std::move(attr), of_output, inputs = std::move(inputs)](const RowContext& c, int output) {
    const PartialShape& shape = of_output ? c.output_shape(output) : c.input_shape(0);
    const Result<int64_t> axis = c.attrs().Get<int64_t>(attr);
    if (!shape.known_rank() || !axis.ok() || FromFirst(*axis, shape.rank()) <= 0) return SampleRows::Mixed();
    return RowsOfInputs(inputs)(c, output);
  };
}

RowFn RowsIfSameLength() {
  return [](const RowContext& c, int output) {
    const PartialShape& in = c.input_shape(0);
    const PartialShape& out = c.output_shape(output);
    return HasFirst(in) && HasFirst(out) && in.dim(0) == out.dim(0) ? OfInputs(c, {0}) : SampleRows::Mixed();
  };
}

RowFn RowsOfShape() {
  return [](const RowContext& c, int) {
    const SampleRows::Kind kind = c.rows(0).kind;
    const bool is_known = kind == SampleRows::Kind::kRows || kind == SampleRows::Kind::kBatchSize;
    return is_known && c.input_shape(0).IsFullyDefined() ? SampleRows::BatchSize() : SampleRows::Mixed();
  };
}

}  // namespace dfrun
