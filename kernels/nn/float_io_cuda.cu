#include "kernels/nn/float_io_cuda.h"

#include "kernels/math/elementwise/unary_cuda.h"

namespace dfrun::cuda {
namespace {

template <class From, class To>
struct Convert {
  DF_HOST_DEVICE To operator()(From x) const { return static_cast<To>(x); }
};

}  // namespace

Result<Tensor> AsFloat(OpContext& ctx, const Tensor& tensor) {
  if (tensor.dtype() == DType::kFloat) return tensor;
  DF_ASSIGN(Tensor wide, ctx.AllocateTemp(DType::kFloat, tensor.shape()));
  Status status;
  VisitDType<bfloat16, float16>(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    status = LaunchMap(ctx, tensor.data<T>(), wide.data<float>(), tensor.num_elements(), Convert<T, float>());
  });
  DF_TRY(status);
  return wide;
}

Status RoundTo(OpContext& ctx, const Tensor& wide, Tensor& narrow) {
  Status status;
  VisitDType<bfloat16, float16>(narrow.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    status = LaunchMap(ctx, wide.data<float>(), narrow.data<T>(), wide.num_elements(), Convert<float, T>());
  });
  return status;
}

}  // namespace dfrun::cuda
