#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/device/cpu_kernel.h"
#include "src/graph/graph_def/tensor_proto.h"

namespace dfrun {
namespace {

class ParseTensorKernel final : public Kernel {
 public:
  explicit ParseTensorKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("out_type")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& serialized = ctx.input(0);
    if (serialized.shape().rank() != 0) {
      return InvalidArgument("serialized has shape ", serialized.shape(), ", but must be a scalar");
    }
    Result<Tensor> read = Read(serialized.scalar<std::string>());
    if (!read.ok()) return read.status().Annotate("the serialized tensor");
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, read->shape(), &output));
    if (dtype_ == DType::kString) {
      std::move(read->data<std::string>(), read->data<std::string>() + read->num_elements(),
                output->data<std::string>());
    } else if (read->num_bytes() > 0) {
      std::memcpy(output->raw(), read->raw(), read->num_bytes());
    }
    return Status();
  }

 private:
  Result<Tensor> Read(const std::string& bytes) const {
    proto::TensorProto message;
    if (!message.ParseFromString(bytes)) return InvalidArgument("its ", bytes.size(), " bytes are no TensorProto");
    if (message.dtype() != static_cast<proto::DataType>(dtype_)) {
      const std::string name = proto::DataType_Name(message.dtype());
      return InvalidArgument("it is of ", name.empty() ? std::to_string(message.dtype()) : name,
                             ", but the node says out_type=", dtype_);
    }
    ExpansionBudget budget;
    return TensorFromProto(message, budget);
  }

  const DType dtype_;
};

class SerializeTensorKernel final : public Kernel {
 public:
  explicit SerializeTensorKernel(KernelSetup& setup) {
    const DType dtype = setup.attr<DType>("T");
    if (dtype != DType::kString && !IsPlain(dtype)) {
      setup.Fail(Unimplemented("a tensor of ", dtype, " cannot be serialized"));
    }
  }

  Status Compute(OpContext& ctx) {
    proto::TensorProto message;
    TensorToProto(ctx.input(0), message);
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    if (!message.SerializeToString(output->data<std::string>())) {
      return InvalidArgument("a tensor of ", ctx.input(0).num_bytes(), " bytes is too large for a message");
    }
    return Status();
  }
};

CPU_KERNEL_ANY("ParseTensor", ParseTensorKernel);
CPU_KERNEL_ANY("SerializeTensor", SerializeTensorKernel);

}  // namespace
}  // namespace dfrun
