#include <algorithm>
#include <bit>

#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class DecodeRawKernel final : public Kernel {
 public:
  explicit DecodeRawKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("out_type")),
        swaps_(setup.attr<bool>("little_endian") != (std::endian::native == std::endian::little)) {}

  Status Compute(OpContext& ctx) {
    const Tensor& input = ctx.input(0);
    const auto strings = input.values<std::string>();
    const size_t length = strings.empty() ? 0 : strings[0].size();
    const size_t element = DTypeSize(dtype_);
    for (size_t i = 0; i < strings.size(); ++i) {
      if (strings[i].size() == length) continue;
      return InvalidArgument("strings to decode must have one length: string 0 has ", length, " bytes, string ", i, " ",
                             strings[i].size());
    }
    if (length % element != 0) {
      return InvalidArgument("a string of ", length, " bytes holds no whole number of ", dtype_, " of ", element);
    }
    Tensor* output = nullptr;
    std::vector<int64_t> dims(input.shape().dims().begin(), input.shape().dims().end());
    dims.push_back(static_cast<int64_t>(length / element));
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    auto* to = static_cast<char*>(output->raw());
    for (const std::string& bytes : strings) to = std::copy(bytes.begin(), bytes.end(), to);
    if (dtype_ == DType::kBool) Normalize(*output);
    if (swaps_) Swap(*output);
    return Status();
  }

 private:
  // Any byte but 0 is true, which has one representation.
  static void Normalize(Tensor& bools) {
    auto* bytes = static_cast<uint8_t*>(bools.raw());
    for (int64_t i = 0; i < bools.num_elements(); ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
  }

  // Turns the bytes of each number, of a complex one its two.
  void Swap(Tensor& numbers) const {
    const size_t size = DTypeSize(dtype_) / (IsComplex(dtype_) ? 2 : 1);
    auto* bytes = static_cast<char*>(numbers.raw());
    for (size_t at = 0; at < numbers.num_bytes(); at += size) std::reverse(bytes + at, bytes + at + size);
  }

  const DType dtype_;
  const bool swaps_;
};

CPU_KERNEL_ANY("DecodeRaw", DecodeRawKernel);

}  // namespace
}  // namespace dfrun
