#include "kernels/parsing/example_features.h"

#include <algorithm>

namespace dfrun {
namespace {

DType DTypeOfFeature(const proto::Feature& feature) {
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList:
      return DType::kString;
    case proto::Feature::kFloatList:
      return DType::kFloat;
    case proto::Feature::kInt64List:
      return DType::kInt64;
    case proto::Feature::KIND_NOT_SET:
      break;
  }
  return DType::kInvalid;
}

// Copies elements [from, from + n) of one tensor to another of its dtype.
void CopyRange(const Tensor& from, int64_t begin, int64_t n, Tensor& to, int64_t at) {
  VisitDType<float, int64_t, std::string>(from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::copy_n(from.data<T>() + begin, n, to.data<T>() + at);
  });
}

Result<std::vector<FeatureValues>> FindAll(const std::string& key, DType dtype,
                                           std::span<const proto::Example> examples) {
  std::vector<FeatureValues> all;
  for (size_t i = 0; i < examples.size(); ++i) {
    Result<FeatureValues> values = FeatureValues::Find(examples[i], key, dtype);
    if (!values.ok()) return values.status().Annotate(StrCat("example ", i));
    all.push_back(*values);
  }
  return all;
}

int64_t Total(const std::vector<FeatureValues>& all) {
  int64_t total = 0;
  for (const FeatureValues& values : all) total += values.size();
  return total;
}

// All values, one example's after the other's.
Result<Tensor> Joined(const std::vector<FeatureValues>& all, DType dtype, Allocator& allocator) {
  DF_ASSIGN(Tensor values, Tensor::Allocate(allocator, dtype, Shape({Total(all)})));
  int64_t at = 0;
  for (const FeatureValues& part : all) {
    part.CopyTo(values, at);
    at += part.size();
  }
  return values;
}

}  // namespace

Result<FeatureValues> FeatureValues::Find(const proto::Example& example, const std::string& key, DType dtype) {
  const auto& features = example.features().feature();
  const auto at = features.find(key);
  FeatureValues values;
  if (at == features.end() || at->second.kind_case() == proto::Feature::KIND_NOT_SET) return values;
  if (DTypeOfFeature(at->second) != dtype) {
    return InvalidArgument("the feature '", key, "' is ", DTypeOfFeature(at->second), ", but ", dtype, " is expected");
  }
  values.feature_ = &at->second;
  return values;
}

int64_t FeatureValues::size() const {
  if (feature_ == nullptr) return 0;
  return feature_->bytes_list().value_size() + feature_->float_list().value_size() +
         feature_->int64_list().value_size();
}

void FeatureValues::CopyTo(Tensor& to, int64_t at) const {
  if (feature_ == nullptr) return;
  const auto copy = [&](const auto& list, auto* elements) { std::copy(list.begin(), list.end(), elements + at); };
  switch (to.dtype()) {
    case DType::kString:
      return copy(feature_->bytes_list().value(), to.data<std::string>());
    case DType::kFloat:
      return copy(feature_->float_list().value(), to.data<float>());
    default:
      return copy(feature_->int64_list().value(), to.data<int64_t>());
  }
}

Result<int64_t> DenseFeature::Stride() const {
  if (!shape.known_rank()) return InvalidArgument("the shape of the dense feature '", key, "' is unknown");
  std::vector<int64_t> dims = shape.dims();
  if (IsVariable()) dims.erase(dims.begin());
  DF_ASSIGN(const Shape row, PartialShape(dims).ToShape());
  if (IsVariable() && row.num_elements() == 0) {
    return InvalidArgument("a row of the dense feature '", key, "' of shape ", shape, " is empty");
  }
  return row.num_elements();
}

Status CheckFallback(const DenseFeature& feature, const Tensor& fallback) {
  if (feature.IsVariable()) {
    if (fallback.num_elements() == 1) return Status();
    return InvalidArgument("the dense feature '", feature.key, "' of shape ", feature.shape,
                           " is padded with one element, but its default has shape ", fallback.shape());
  }
  if (fallback.num_elements() == 0 || feature.shape.IsCompatibleWith(fallback.shape())) return Status();
  return InvalidArgument("the dense feature '", feature.key, "' has shape ", feature.shape, ", but its default has ",
                         fallback.shape());
}

Result<Tensor> DenseValues(const DenseFeature& feature, const Tensor& fallback,
                           std::span<const proto::Example> examples, const Shape& batch, Allocator& allocator) {
  DF_ASSIGN(const int64_t stride, feature.Stride());
  DF_TRY(CheckFallback(feature, fallback));
  DF_ASSIGN(const std::vector<FeatureValues> all, FindAll(feature.key, feature.dtype, examples));
  int64_t rows = feature.IsVariable() ? 0 : 1;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_default = !all[i].present() && (feature.IsVariable() || fallback.num_elements() > 0);
    const bool fits = feature.IsVariable() ? all[i].size() % stride == 0 : all[i].present() && all[i].size() == stride;
    if (!is_default && !fits) {
      return InvalidArgument("the feature '", feature.key, "' of example ", i,
                             all[i].present() ? StrCat(" has ", all[i].size(), " values") : " is required but missing",
                             "; its shape is ", feature.shape);
    }
    if (feature.IsVariable()) rows = std::max(rows, all[i].size() / stride);
  }
  std::vector<int64_t> dims(batch.dims().begin(), batch.dims().end());
  dims.insert(dims.end(), feature.shape.dims().begin(), feature.shape.dims().end());
  if (feature.IsVariable()) dims[static_cast<size_t>(batch.rank())] = rows;
  DF_ASSIGN(const Shape shape, Shape::Create(dims));
  DF_ASSIGN(Tensor values, Tensor::Allocate(allocator, feature.dtype, shape));
  const int64_t each = rows * stride;
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) * each;
    all[i].CopyTo(values, at);
    if (feature.IsVariable()) {
      for (int64_t e = all[i].size(); e < each; ++e) CopyRange(fallback, 0, 1, values, at + e);
    } else if (!all[i].present()) {
      CopyRange(fallback, 0, each, values, at);
    }
  }
  return values;
}

Result<SparseValues> ReadSparse(const std::string& key, DType dtype, std::span<const proto::Example> examples,
                                const Shape& batch, Allocator& allocator) {
  DF_ASSIGN(const std::vector<FeatureValues> all, FindAll(key, dtype, examples));
  SparseValues sparse;
  DF_ASSIGN(sparse.values, Joined(all, dtype, allocator));
  const int64_t rank = batch.rank() + 1;
  DF_ASSIGN(sparse.indices, Tensor::Allocate(allocator, DType::kInt64, Shape({Total(all), rank})));
  DF_ASSIGN(sparse.shape, Tensor::Allocate(allocator, DType::kInt64, Shape({rank})));
  auto* index = sparse.indices.data<int64_t>();
  int64_t longest = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    for (int64_t e = 0; e < all[i].size(); ++e) {
      if (rank == 2) *index++ = static_cast<int64_t>(i);
      *index++ = e;
    }
    longest = std::max(longest, all[i].size());
  }
  sparse.shape.data<int64_t>()[rank - 1] = longest;
  if (rank == 2) sparse.shape.data<int64_t>()[0] = static_cast<int64_t>(examples.size());
  return sparse;
}

Result<RaggedValues> ReadRagged(const std::string& key, DType dtype, DType split_dtype,
                                std::span<const proto::Example> examples, const Shape& batch, Allocator& allocator) {
  DF_ASSIGN(const std::vector<FeatureValues> all, FindAll(key, dtype, examples));
  RaggedValues ragged;
  DF_ASSIGN(ragged.values, Joined(all, dtype, allocator));
  const int64_t splits = batch.rank() == 0 ? 0 : static_cast<int64_t>(all.size()) + 1;
  DF_ASSIGN(ragged.row_splits, Tensor::Allocate(allocator, split_dtype, Shape({splits})));
  VisitDType<int32_t, int64_t>(split_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    int64_t at = 0;
    for (int64_t i = 0; i < splits; ++i) {
      ragged.row_splits.template data<T>()[i] = static_cast<T>(at);
      if (i + 1 < splits) at += all[static_cast<size_t>(i)].size();
    }
  });
  return ragged;
}

}  // namespace dfrun
