// Bincount and DenseBincount: counts of integers.
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

constexpr char kCounts[] = "T: {int32, int64, float, double}";

// The number of bins, where it is known.
Result<int64_t> KnownSize(InferenceContext& c, int i) {
  if (c.input(i).known_rank() && c.input(i).rank() != 0)
    return InvalidArgument("the number of bins has shape ", c.input(i), ", but must be a scalar");
  const Tensor* size = c.input_value(i);
  if (size == nullptr) return PartialShape::kUnknown;
  const int64_t value = size->dtype() == DType::kInt64 ? size->scalar<int64_t>() : size->scalar<int32_t>();
  if (value < 0) return InvalidArgument("the number of bins is ", value, ", but must not be negative");
  return value;
}

OP("Bincount")
    .Input("arr: int32")
    .Input("size: int32")
    .Input("weights: T")
    .Output("bins: T")
    .Attr(kCounts)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const int64_t size, KnownSize(c, 1));
      c.set_output(0, PartialShape({size}));
      return Status();
    })
    .Cost(ScanCost())
    .Doc("bins[i] is the sum of the weights of the elements i, or their number where there are no weights.");

OP("DenseBincount")
    .Input("input: Tidx")
    .Input("size: Tidx")
    .Input("weights: T")
    .Output("output: T")
    .Attr("Tidx: {int32, int64}")
    .Attr(kCounts)
    .Attr("binary_output: bool = false")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const int64_t size, KnownSize(c, 1));
      const PartialShape& input = c.input(0);
      if (!input.known_rank()) return Status();
      if (input.rank() > 2)
        return InvalidArgument("DenseBincount: the input has shape ", input, ", but at most rank 2");
      c.set_output(0, input.rank() == 2 ? PartialShape({input.dim(0), size}) : PartialShape({size}));
      return Status();
    })
    .Cost(ScanCost())
    .Doc("Bincount of a vector or of each row of a matrix; with binary_output, whether an element occurs.");

}  // namespace
}  // namespace dfrun
