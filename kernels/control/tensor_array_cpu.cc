#include "kernels/control/tensor_array.h"
#include "kernels/device/cpu_kernel.h"

#include <cstring>
#include <utility>

#include "kernels/control/step_resource.h"

namespace dfrun {
namespace {

const std::string kTensorArray = "TensorArray";

Result<RefPtr<TensorArray>> ArrayInput(OpContext& ctx) {
  return StepResourceInput<TensorArray>(ctx, 0, kTensorArray);
}

Result<int64_t> ScalarInput(OpContext& ctx, int i, std::string_view what) {
  if (ctx.input(i).num_elements() != 1) {
    return InvalidArgument(what, " must be a scalar, but has shape ", ctx.input(i).shape());
  }
  return int64_t{ctx.input(i).scalar<int32_t>()};
}

Status GiveFlow(OpContext& ctx, int output) {
  Tensor* flow = nullptr;
  DF_TRY(ctx.AllocateOutput(output, Shape(), &flow));
  *flow->data<float>() = 0;
  return Status();
}

class TensorArrayKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit TensorArrayKernel(KernelSetup& setup)
      : options_{.dtype = setup.attr<DType>("dtype"),
                 .element_shape = setup.attr<PartialShape>("element_shape"),
                 .dynamic_size = setup.attr<bool>("dynamic_size"),
                 .clear_after_read = setup.attr<bool>("clear_after_read"),
                 .identical_shapes = setup.attr<bool>("identical_element_shapes")},
        name_(setup.attr<std::string>("tensor_array_name")) {
    if (name_.empty()) name_ = setup.node().name;
  }
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t size, ScalarInput(ctx, 0, "size"));
    if (size < 0 || size > TensorArray::kMaxSize) {
      return InvalidArgument("size ", size, " is not in [0, ", TensorArray::kMaxSize, "]");
    }
    DF_TRY(GiveStepResource(ctx, kTensorArray, name_, RefPtr<TensorArray>(new TensorArray(options_, size))));
    return GiveFlow(ctx, 1);
  }

 private:
  const TensorArrayOptions options_;
  std::string name_;
};

class GradientArrayKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit GradientArrayKernel(KernelSetup& setup) : source_(setup.attr<std::string>("source")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    std::vector<int64_t> prepended;
    if (ctx.num_inputs() > 2) {
      if (ctx.input(2).shape().rank() != 1) {
        return InvalidArgument("shape_to_prepend must be a vector, but has shape ", ctx.input(2).shape());
      }
      for (int32_t size : ctx.input(2).values<int32_t>()) prepended.push_back(size);
    }
    DF_ASSIGN(RefPtr<TensorArray> gradient, array->Gradient(source_, prepended));
    DF_TRY(GiveStepResource(ctx, kTensorArray, source_, std::move(gradient)));
    return GiveFlow(ctx, 1);
  }

 private:
  const std::string source_;
};

class WriteKernel final : public Kernel {
 public:
  explicit WriteKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    DF_ASSIGN(const int64_t index, ScalarInput(ctx, 1, "index"));
    DF_ASSIGN(Tensor value, ctx.input(2).Owned(ctx.allocator()));
    DF_TRY(array->Write(ctx, index, std::move(value)));
    return GiveFlow(ctx, 0);
  }
};

class ReadKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ReadKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    DF_ASSIGN(const int64_t index, ScalarInput(ctx, 1, "index"));
    DF_ASSIGN(Tensor value, array->Read(ctx, index, ctx.node().outputs[0].dtype));
    ctx.SetOutput(0, std::move(value));
    return Status();
  }
};

// Writes the parts, of `out`'s dtype, one behind the other into `out`, which has room for just these.
void Join(const std::vector<Tensor>& parts, Tensor& out) {
  Tensor flat = out.Reshaped(Shape({out.num_elements()}));
  int64_t at = 0;
  for (const Tensor& part : parts) {
    Tensor target = flat.SliceRows(at, at + part.num_elements());
    CopyElements(part, target);
    at += part.num_elements();
  }
}

class GatherKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit GatherKernel(KernelSetup& setup) : element_shape_(setup.attr<PartialShape>("element_shape")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    const Tensor& indices = ctx.input(1);
    if (indices.shape().rank() != 1) return InvalidArgument("indices have shape ", indices.shape(), ", not a vector's");
    const DType dtype = ctx.node().outputs[0].dtype;
    std::vector<Tensor> parts;
    for (int32_t index : indices.values<int32_t>()) {
      DF_ASSIGN(Tensor part, array->Read(ctx, index, dtype));
      if (!parts.empty() && !(part.shape() == parts[0].shape())) {
        return InvalidArgument("elements of shapes ", parts[0].shape(), " and ", part.shape(), " cannot be stacked");
      }
      parts.push_back(std::move(part));
    }
    DF_ASSIGN(const Shape element, ElementShape(*array, parts));
    std::vector<int64_t> dims = {static_cast<int64_t>(parts.size())};
    dims.insert(dims.end(), element.dims().begin(), element.dims().end());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(Tensor out, ctx.AllocateTemp(dtype, shape));
    Join(parts, out);
    ctx.SetOutput(0, std::move(out));
    return Status();
  }

 private:
  // Merges the shapes that the array, the attr and the elements, if there are any, give.
  Result<Shape> ElementShape(TensorArray& array, const std::vector<Tensor>& elements) const {
    DF_ASSIGN(const PartialShape known, array.MergeElementShape(element_shape_));
    if (elements.empty()) return known.ToShape();
    if (known.IsCompatibleWith(elements[0].shape())) return elements[0].shape();
    return InvalidArgument("attr 'element_shape' is ", element_shape_, ", but the elements have shape ",
                           elements[0].shape());
  }

  const PartialShape element_shape_;
};

class ScatterKernel final : public Kernel {
 public:
  explicit ScatterKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    const Tensor& indices = ctx.input(1);
    const Tensor& value = ctx.input(2);
    if (indices.shape().rank() != 1 || value.shape().rank() < 1 || value.shape().dim(0) != indices.num_elements()) {
      return InvalidArgument("a value of shape ", value.shape(), " has no row for each index of shape ",
                             indices.shape());
    }
    const Shape element(value.shape().dims().subspan(1));
    for (int64_t row = 0; row < indices.num_elements(); ++row) {
      DF_ASSIGN(Tensor part, ctx.AllocateTemp(value.dtype(), element));
      CopyElements(value.SliceRows(row, row + 1), part);
      DF_TRY(array->Write(ctx, indices.data<int32_t>()[row], std::move(part)));
    }
    return GiveFlow(ctx, 0);
  }
};

class ConcatKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ConcatKernel(KernelSetup& setup) : except0_(setup.attr<PartialShape>("element_shape_except0")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    DF_ASSIGN(const int64_t size, array->ConcatSize());
    const DType dtype = ctx.node().outputs[0].dtype;
    DF_ASSIGN(Tensor lengths, ctx.AllocateTemp(DType::kInt64, Shape({size})));
    std::vector<Tensor> parts;
    std::vector<int64_t> dims = {0};
    for (int64_t i = 0; i < size; ++i) {
      DF_ASSIGN(Tensor part, array->Read(ctx, i, dtype));
      if (part.shape().rank() < 1) return InvalidArgument("element ", i, " is a scalar, which cannot be concatenated");
      const std::vector<int64_t> rest(part.shape().dims().begin() + 1, part.shape().dims().end());
      if (i == 0) dims.insert(dims.end(), rest.begin(), rest.end());
      if (!std::equal(rest.begin(), rest.end(), dims.begin() + 1, dims.end())) {
        return InvalidArgument("element ", i, " of shape ", part.shape(), " does not fit those before it, of shape ",
                               parts[0].shape());
      }
      lengths.data<int64_t>()[i] = part.shape().dim(0);
      dims[0] += part.shape().dim(0);
      parts.push_back(std::move(part));
    }
    if (size == 0) {
      DF_ASSIGN(const Shape rest, except0_.ToShape());
      dims.insert(dims.end(), rest.dims().begin(), rest.dims().end());
    }
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(Tensor out, ctx.AllocateTemp(dtype, shape));
    Join(parts, out);
    ctx.SetOutput(0, std::move(out));
    ctx.SetOutput(1, std::move(lengths));
    return Status();
  }

 private:
  const PartialShape except0_;
};

class SplitKernel final : public Kernel {
 public:
  explicit SplitKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    const Tensor& value = ctx.input(1);
    const Tensor& lengths = ctx.input(2);
    if (value.shape().rank() < 1 || lengths.shape().rank() != 1) {
      return InvalidArgument("a value of shape ", value.shape(), " cannot be split by lengths of shape ",
                             lengths.shape());
    }
    DF_ASSIGN(const int64_t size, array->Size());
    if (lengths.num_elements() < size) {
      return InvalidArgument(lengths.num_elements(), " lengths are too few for the TensorArray's ", size, " elements");
    }
    std::vector<int64_t> dims(value.shape().dims().begin(), value.shape().dims().end());
    int64_t at = 0;
    for (int64_t i = 0; i < lengths.num_elements(); ++i) {
      const int64_t length = lengths.data<int64_t>()[i];
      if (length < 0 || length > value.shape().dim(0) - at) {
        return InvalidArgument("lengths ", lengths.ToString(), " do not add up to the ", value.shape().dim(0),
                               " rows of the value");
      }
      dims[0] = length;
      DF_ASSIGN(Tensor part, ctx.AllocateTemp(value.dtype(), Shape(dims)));
      CopyElements(value.SliceRows(at, at + length), part);
      DF_TRY(array->Write(ctx, i, std::move(part)));
      at += length;
    }
    if (at != value.shape().dim(0)) {
      return InvalidArgument("lengths add up to ", at, ", but the value has ", value.shape().dim(0), " rows");
    }
    array->MarkSplit(lengths.num_elements());
    return GiveFlow(ctx, 0);
  }
};

class SizeKernel final : public Kernel {
 public:
  explicit SizeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    DF_ASSIGN(const int64_t size, array->Size());
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<int32_t>() = static_cast<int32_t>(size);
    return Status();
  }
};

class CloseKernel final : public Kernel {
 public:
  explicit CloseKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<TensorArray> array, ArrayInput(ctx));
    array->Close();
    return Status();
  }
};

CPU_KERNEL_ANY("TensorArrayV3", TensorArrayKernel);
CPU_KERNEL_ANY("TensorArrayGradV3", GradientArrayKernel);
CPU_KERNEL_ANY("TensorArrayGradWithShape", GradientArrayKernel);
CPU_KERNEL_ANY("TensorArrayWriteV3", WriteKernel);
CPU_KERNEL_ANY("TensorArrayReadV3", ReadKernel);
CPU_KERNEL_ANY("TensorArrayGatherV3", GatherKernel);
CPU_KERNEL_ANY("TensorArrayScatterV3", ScatterKernel);
CPU_KERNEL_ANY("TensorArrayConcatV3", ConcatKernel);
CPU_KERNEL_ANY("TensorArraySplitV3", SplitKernel);
CPU_KERNEL_ANY("TensorArraySizeV3", SizeKernel);
CPU_KERNEL_ANY("TensorArrayCloseV3", CloseKernel);

}  // namespace
}  // namespace dfrun
