// Kernels that make one output element of each input string.
//
//     struct Lower { std::string operator()(const std::string& text) const; };
//     CPU_KERNEL_ANY("StringLower", MapStrings<Lower>);
// The functor is made from a KernelSetup, so that it may read attrs and refuse. Its result is a T, or a Result<T>.
#ifndef DFRUN_KERNELS_STRINGS_STRING_MAP_H_
#define DFRUN_KERNELS_STRINGS_STRING_MAP_H_

#include <string>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

template <class T>
struct StringMapOutput {
  static Status Store(T value, T& to) {
    to = std::move(value);
    return Status();
  }
  using type = T;
};
template <class T>
struct StringMapOutput<Result<T>> {
  static Status Store(Result<T> value, T& to) {
    if (!value.ok()) return value.status();
    to = *std::move(value);
    return Status();
  }
  using type = T;
};

template <class F>
class MapStrings final : public Kernel {
 public:
  explicit MapStrings(KernelSetup& setup) : map_(setup) {}

  Status Compute(OpContext& ctx) {
    using Output = StringMapOutput<std::invoke_result_t<const F&, const std::string&>>;
    const Tensor& input = ctx.input(0);
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input.shape(), &output));
    auto* to = output->data<typename Output::type>();
    for (const std::string& text : input.values<std::string>()) DF_TRY(Output::Store(map_(text), *to++));
    return Status();
  }

 private:
  const F map_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_STRING_MAP_H_
