#include "src/job/fetched_arrays.h"

#include <algorithm>
#include <utility>

#include "src/base/text.h"

namespace dfrun {

FetchedArrays::FetchedArrays(std::vector<std::string> names, std::vector<FetchRows> rows, const StepCounts& counts,
                             ArrayStore& store, std::function<void(const std::string&)> say)
    : names_(std::move(names)), rows_(std::move(rows)), counts_(counts), store_(store), say_(std::move(say)) {
  rows_.resize(names_.size(), counts.samples > 0 ? FetchRows::kUnknown : FetchRows::kOther);
}

FetchRows FetchedArrays::Decide(size_t fetch, const Tensor& value, int64_t samples) const {
  if (rows_[fetch] != FetchRows::kUnknown) return rows_[fetch];
  const bool has_rows = value.shape().rank() > 0 && value.shape()[0] == samples;
  if (has_rows && HasSteps()) {
    say_(StrCat("'", names_[fetch], "' has as many rows as its first batch has samples (", samples,
                "), which the graph does not say before: they are taken for one row a sample"));
  }
  return has_rows ? FetchRows::kSamples : FetchRows::kOther;
}

Result<Shape> FetchedArrays::WholeShape(FetchRows rows, const Shape& first) const {
  std::vector<int64_t> sizes;
  if (counts_.passes > 1) sizes.push_back(counts_.passes);
  if (rows == FetchRows::kSamples) {
    sizes.push_back(counts_.samples);
  } else if (counts_.steps > 1) {
    sizes.push_back(counts_.steps);
  }
  const size_t skipped = rows == FetchRows::kSamples ? 1 : 0;
  sizes.insert(sizes.end(), first.dims().begin() + static_cast<int64_t>(skipped), first.dims().end());
  return Shape::Create(sizes);
}

Status FetchedArrays::Begin(std::span<const Tensor> values, int64_t samples) {
  std::vector<ArrayInfo> arrays;
  for (size_t i = 0; i < values.size(); ++i) {
    rows_[i] = Decide(i, values[i], samples);
    Result<Shape> shape = WholeShape(rows_[i], values[i].shape());
    if (!shape.ok()) return shape.status().Annotate(StrCat("what is fetched of '", names_[i], "'"));
    if (HasSteps() && rows_[i] != FetchRows::kSamples) {
      say_(StrCat("'", names_[i], "' has no row for each sample: its values of the ", counts_.steps,
                  " batches are stacked, ", values[i].dtype(), *shape));
    }
    arrays.push_back({names_[i], values[i].dtype(), *std::move(shape)});
    first_.push_back(values[i].shape());
  }
  return store_.Begin(arrays);
}

Status FetchedArrays::CheckAlike(size_t fetch, const Shape& shape, int64_t samples) const {
  const bool has_rows = rows_[fetch] == FetchRows::kSamples;
  Shape wanted = first_[fetch];
  if (has_rows) wanted.set_dim(0, samples);
  if (shape == wanted) return Status();
  if (counts_.samples == 0) {
    return InvalidArgument("'", names_[fetch], "' has the shape ", shape, " in step ", added_, " and ", wanted,
                           " in the first: steps of different shapes cannot be stacked");
  }
  return Error(Code::kBadSpec, "'", names_[fetch], "' has the shape ", shape, " in batch ", added_ % counts_.steps,
               ", of ", samples, " samples, where ", wanted, " is wanted after the first's ", first_[fetch],
               ": batches of different shapes cannot be ", has_rows ? "put behind each other" : "stacked",
               "; give the input `batch: all`, or its tensors sizes that are the same in all batches");
}

Status FetchedArrays::Add(std::span<const Tensor> values, int64_t samples) {
  if (added_ == 0) DF_TRY(Begin(values, samples));
  for (size_t i = 0; i < values.size(); ++i) {
    DF_TRY(CheckAlike(i, values[i].shape(), samples));
    DF_TRY(store_.Append(i, values[i]));
  }
  ++added_;
  return Status();
}

}  // namespace dfrun
