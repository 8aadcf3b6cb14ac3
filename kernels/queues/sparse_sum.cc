#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/array/index/add_element.h"
#include "kernels/queues/gradient_sum.h"
#include "kernels/state/packed_tensors.h"

namespace dfrun {
namespace {

// Slices in the order of their indices, each with how many gradients had it. The gradients' own indices are taken to be
// in order too, as TensorFlow does.
class SparseSum final : public GradientSum {
 public:
  explicit SparseSum(const AccumulatorType& type) : type_(type) {}

  Status Add(OpContext& ctx, const Gradient& gradient) override {
    DF_TRY(CheckSlices(gradient));
    DF_TRY(CheckWholeShape(gradient));
    DF_TRY(CheckIndices(*gradient.indices));
    DF_TRY(CheckSliceShape(gradient.values.shape()));
    return Merge(ctx, gradient);
  }

  Status Give(OpContext& ctx, int32_t count) override {
    if (count > 0) DivideByCounts();
    const Shape& shape = values_.shape();
    Tensor whole(DType::kInt64, Shape({shape.rank()}));
    int64_t* const sizes = whole.data<int64_t>();
    std::copy(shape.dims().begin(), shape.dims().end(), sizes);
    sizes[0] = type_.shape.rank() > 0 ? type_.shape.dim(0) : PartialShape::kUnknown;
    ctx.SetOutput(0, Tensor::Vector<int64_t>(indices_));
    ctx.SetOutput(1, std::move(values_));
    ctx.SetOutput(2, std::move(whole));
    return Status();
  }

  Status Save(Allocator& allocator, std::vector<Tensor>& parts) const override {
    const Tensor* const values = &values_;
    DF_TRY(PackTensors({&values, has_value_ ? size_t{1} : 0}, type_.dtype, allocator, parts));
    parts.push_back(Tensor::Vector<int64_t>(indices_));
    parts.push_back(Tensor::Vector<int32_t>(counts_));
    return Status();
  }

  Status Restore(std::span<const Tensor> parts, Allocator& allocator) override {
    DF_ASSIGN(std::vector<Tensor> values, UnpackTensors(parts[0], parts[1], allocator));
    const auto indices = parts[2].values<int64_t>();
    const auto counts = parts[3].values<int32_t>();
    const bool has_value = !values.empty();
    const bool has_rows = has_value && values[0].shape().rank() > 0;
    const int64_t rows = has_rows ? values[0].shape().dim(0) : 0;
    if (values.size() > 1 || has_rows != has_value || parts[2].num_elements() != rows ||
        parts[3].num_elements() != rows || std::any_of(counts.begin(), counts.end(), [](int32_t n) { return n < 1; })) {
      return Error(Code::kDataLoss, "the saved slices, their indices and their counts do not belong together");
    }
    has_value_ = has_value;
    if (has_value_) values_ = std::move(values[0]);
    indices_.assign(indices.begin(), indices.end());
    counts_.assign(counts.begin(), counts.end());
    return Status();
  }

 private:
  // A slice of the sum: where it comes from, -1 for not from there.
  struct Source {
    int64_t before;
    int64_t gradient;
  };

  static Status CheckSlices(const Gradient& gradient) {
    const Shape& indices = gradient.indices->shape();
    const Shape& values = gradient.values.shape();
    if (indices.rank() != 1) return InvalidArgument("Input indices should be vector but received shape: ", indices);
    if (values.rank() == 0) return InvalidArgument("Values cannot be 0-dimensional.");
    if (values.dim(0) == indices.dim(0)) return Status();
    return InvalidArgument("Expected ", indices.dim(0), " non-empty input values, got ", values.dim(0));
  }

  Status CheckWholeShape(const Gradient& gradient) const {
    if (gradient.shape == nullptr) return Status();
    const Tensor& sizes = *gradient.shape;
    if (type_.shape.rank() > sizes.num_elements()) {
      return InvalidArgument("Shape mismatch: expected shape rank at least ", type_.shape.rank(), ", got ",
                             sizes.num_elements());
    }
    for (int i = 0; i < type_.shape.rank(); ++i) {
      const int64_t size = sizes.data<int64_t>()[i];
      if (type_.shape.dim(i) < 0 || type_.shape.dim(i) == size) continue;
      return InvalidArgument("Shape mismatch: expected shape dim ", i, " to be ", type_.shape.dim(i), ", got ", size);
    }
    return Status();
  }

  Status CheckIndices(const Tensor& indices) const {
    const int64_t rows = type_.shape.rank() > 0 ? type_.shape.dim(0) : PartialShape::kUnknown;
    for (int64_t i = 0; rows >= 0 && i < indices.num_elements(); ++i) {
      const int64_t index = indices.data<int64_t>()[i];
      if (index < rows) continue;
      return InvalidArgument("Shape mismatch: index of slice ", i, " exceeded limits of shape; index is ", index,
                             " exceeded ", rows);
    }
    return Status();
  }

  // Checks the shape against the slices that there are, else against the accumulator's shape.
  Status CheckSliceShape(const Shape& values) const {
    const PartialShape expected = has_value_ ? PartialShape(values_.shape()) : type_.shape;
    const bool fits = has_value_ ? expected.rank() == values.rank() : expected.rank() <= values.rank();
    if (!fits) {
      return InvalidArgument("Shape mismatch: expected values rank ", has_value_ ? "" : "at least ", expected.rank(),
                             ", got ", values.rank());
    }
    for (int i = 1; i < expected.rank(); ++i) {
      if (expected.dim(i) < 0 || expected.dim(i) == values.dim(i)) continue;
      return InvalidArgument("Shape mismatch: expected values dim ", i, " to be ", expected.dim(i), ", got ",
                             values.dim(i));
    }
    return Status();
  }

  // The sources in the order of the indices; those of a first gradient as they come.
  std::vector<Source> Sources(const Tensor& gradient_indices) const {
    const int64_t* const indices = gradient_indices.data<int64_t>();
    const auto num_before = static_cast<int64_t>(indices_.size());
    const int64_t num_gradient = gradient_indices.num_elements();
    std::vector<Source> sources;
    int64_t i = 0;
    int64_t j = 0;
    while (i < num_before && j < num_gradient) {
      const int64_t before = indices_[static_cast<size_t>(i)];
      const int64_t index = indices[j];
      sources.push_back({before <= index ? i : -1, index <= before ? j : -1});
      i += before <= index ? 1 : 0;
      j += index <= before ? 1 : 0;
    }
    for (; i < num_before; ++i) sources.push_back({i, -1});
    for (; j < num_gradient; ++j) sources.push_back({-1, j});
    return sources;
  }

  Status Merge(OpContext& ctx, const Gradient& gradient) {
    const std::vector<Source> sources = Sources(*gradient.indices);
    std::vector<int64_t> sizes(gradient.values.shape().dims().begin(), gradient.values.shape().dims().end());
    sizes[0] = static_cast<int64_t>(sources.size());
    DF_ASSIGN(const Shape shape, Shape::Create(sizes));
    DF_ASSIGN(Tensor sum, Tensor::Allocate(ctx.allocator(), type_.dtype, shape));
    VisitAccumulated(type_.dtype, [&](auto zero) { AddSlices<decltype(zero)>(sources, gradient.values, sum); });
    std::vector<int64_t> indices;
    std::vector<int32_t> counts;
    for (const Source& source : sources) {
      const bool is_new = source.before < 0;
      const auto before = static_cast<size_t>(source.before);
      indices.push_back(is_new ? gradient.indices->data<int64_t>()[source.gradient] : indices_[before]);
      counts.push_back((is_new ? 0 : counts_[before]) + (source.gradient < 0 ? 0 : 1));
    }
    indices_ = std::move(indices);
    counts_ = std::move(counts);
    values_ = std::move(sum);
    has_value_ = true;
    return Status();
  }

  template <class T>
  void AddSlices(const std::vector<Source>& sources, const Tensor& gradient, Tensor& sum) const {
    if (sum.num_elements() == 0) return;
    const int64_t width = sum.num_elements() / static_cast<int64_t>(sources.size());
    T* to = sum.data<T>();
    for (const Source& source : sources) {
      if (source.gradient < 0) {
        to = std::copy_n(values_.data<T>() + source.before * width, width, to);
      } else if (source.before < 0) {
        to = std::copy_n(gradient.data<T>() + source.gradient * width, width, to);
      } else {
        const T* const before = values_.data<T>() + source.before * width;
        to = std::transform(before, before + width, gradient.data<T>() + source.gradient * width, to, AddElement<T>);
      }
    }
  }

  void DivideByCounts() {
    if (values_.num_elements() == 0) return;
    const int64_t width = values_.num_elements() / static_cast<int64_t>(counts_.size());
    VisitAccumulated(type_.dtype, [&](auto zero) {
      using T = decltype(zero);
      T* value = values_.data<T>();
      for (int32_t count : counts_) {
        for (int64_t k = 0; k < width; ++k, ++value) *value = static_cast<T>(*value / static_cast<T>(count));
      }
    });
  }

  const AccumulatorType& type_;
  bool has_value_ = false;
  std::vector<int64_t> indices_;
  std::vector<int32_t> counts_;
  Tensor values_;  // a slice for each index
};

}  // namespace

std::unique_ptr<GradientSum> NewSparseSum(const AccumulatorType& type) {
  return std::make_unique<SparseSum>(type);
}

}  // namespace dfrun
