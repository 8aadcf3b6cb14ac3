// Features of Example messages as tensors.
#ifndef DFRUN_KERNELS_PARSING_EXAMPLE_FEATURES_H_
#define DFRUN_KERNELS_PARSING_EXAMPLE_FEATURES_H_

#include <span>
#include <string>
#include <vector>

#include "src/framework/kernel/kernel.h"
#include "src/storage/example.pb.h"

namespace dfrun {

// The values of one feature of one message, of one of the dtypes float, int64 and string.
class FeatureValues {
 public:
  FeatureValues() = default;  // absent
  // InvalidArgument where the message has the feature with another dtype.
  static Result<FeatureValues> Find(const proto::Example& example, const std::string& key, DType dtype);

  bool present() const { return feature_ != nullptr; }
  int64_t size() const;
  // Copies all values to elements [at, at + size()) of `to`, a tensor of the dtype.
  void CopyTo(Tensor& to, int64_t at) const;

 private:
  const proto::Feature* feature_ = nullptr;
};

// A dense feature: each example has as many values as the shape says, or where its first size is unknown a number of
// rows that the rest of the shape says, padded to the longest.
struct DenseFeature {
  std::string key;
  DType dtype = DType::kInvalid;
  PartialShape shape;

  bool IsVariable() const { return shape.rank() > 0 && shape.dim(0) == PartialShape::kUnknown; }
  // Values a row of a variable feature, or in all. InvalidArgument for other unknown sizes.
  Result<int64_t> Stride() const;
};

// InvalidArgument unless `fallback` may stand for absent values (or pad a variable feature).
Status CheckFallback(const DenseFeature& feature, const Tensor& fallback);

// The values of every example, one after the other. An empty `fallback`: the feature is required. `batch`: the shape of
// the examples, [] for one.
Result<Tensor> DenseValues(const DenseFeature& feature, const Tensor& fallback,
                           std::span<const proto::Example> examples, const Shape& batch, Allocator& allocator);

// The values of every example as a sparse tensor [examples, longest], of one example [longest].
struct SparseValues {
  Tensor indices;
  Tensor values;
  Tensor shape;
};
Result<SparseValues> ReadSparse(const std::string& key, DType dtype, std::span<const proto::Example> examples,
                                const Shape& batch, Allocator& allocator);

// All values, and where those of each example begin and end; of one example no splits.
struct RaggedValues {
  Tensor values;
  Tensor row_splits;
};
Result<RaggedValues> ReadRagged(const std::string& key, DType dtype, DType split_dtype,
                                std::span<const proto::Example> examples, const Shape& batch, Allocator& allocator);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_PARSING_EXAMPLE_FEATURES_H_
