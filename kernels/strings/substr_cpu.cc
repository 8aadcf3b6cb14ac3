#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/utf8.h"

namespace dfrun {
namespace {

struct Substr {
  template <class T>
  class Kernel;
};

template <class T>
class Substr::Kernel final : public dfrun::Kernel {
 public:
  explicit Kernel(KernelSetup& setup) : characters_(CountsCharacters(setup)) {}

  Status Compute(OpContext& ctx) {
    const Tensor& input = ctx.input(0);
    const Tensor& pos = ctx.input(1);
    const Tensor& len = ctx.input(2);
    if (!(pos.shape() == len.shape())) {
      return InvalidArgument("pos of shape ", pos.shape(), " and len of shape ", len.shape(), " must have one shape");
    }
    DF_ASSIGN(const PartialShape known, BroadcastShapes(input.shape(), pos.shape()));
    DF_ASSIGN(const Shape shape, known.ToShape());
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    const std::vector<int64_t> from = BroadcastIndices(input.shape(), shape);
    const std::vector<int64_t> at = BroadcastIndices(pos.shape(), shape);
    for (size_t i = 0; i < from.size(); ++i) {
      const std::string& text = input.data<std::string>()[from[i]];
      DF_ASSIGN(output->data<std::string>()[i],
                Part(text, static_cast<int64_t>(pos.data<T>()[at[i]]), static_cast<int64_t>(len.data<T>()[at[i]]), i));
    }
    return Status();
  }

 private:
  // The element of `from` that is broadcast to each element of `to`, by number.
  static std::vector<int64_t> BroadcastIndices(const Shape& from, const Shape& to) {
    std::vector<int64_t> indices(static_cast<size_t>(to.num_elements()));
    for (size_t i = 0; i < indices.size(); ++i) {
      auto rest = static_cast<int64_t>(i);
      int64_t stride = 1;
      for (int d = to.rank() - 1, f = from.rank() - 1; f >= 0; --d, --f) {
        if (from[f] != 1) indices[i] += rest % to[d] * stride;
        stride *= from[f];
        rest /= to[d];
      }
    }
    return indices;
  }

  // A text's first byte begins a character, even one that continues a character.
  int64_t Size(const std::string& text) const {
    if (!characters_) return static_cast<int64_t>(text.size());
    return CountCharacters(text) + (!text.empty() && ContinuesCharacter(text[0]) ? 1 : 0);
  }

  Result<std::string> Part(const std::string& text, int64_t pos, int64_t len, size_t element) const {
    const int64_t size = Size(text);
    if (pos < -size || pos > size) {
      return InvalidArgument("pos ", pos, " is out of range for the string '", text, "' at index ", element);
    }
    if (characters_ && pos < 0 && len < 0) {
      return InvalidArgument("len ", len, " is negative, and so is pos ", pos, ", at index ", element);
    }
    const int64_t begin = pos < 0 ? size + pos : pos;
    const int64_t rest = size - begin;
    // A negative len is all the rest in bytes, but nothing in characters.
    const int64_t count = len >= 0 ? std::min(len, rest) : characters_ ? 0 : rest;
    if (!characters_) return text.substr(static_cast<size_t>(begin), static_cast<size_t>(count));
    const size_t first = SkipCharacters(text, 0, begin);
    return text.substr(first, SkipCharacters(text, first, count) - first);
  }

  const bool characters_;
};

CPU_KERNEL("Substr", Substr, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
