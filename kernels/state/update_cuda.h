// The cards' engine of in-place updates (kernels/state/update.h): CUDA_KERNEL("ApplyMomentum", cuda::Update<Momentum>,
// float). A rule reads its scalars where they lie, in the card's memory.
#ifndef DFRUN_KERNELS_STATE_UPDATE_CUDA_H_
#define DFRUN_KERNELS_STATE_UPDATE_CUDA_H_

#include <utility>

#include "kernels/device/cuda/launch.h"
#include "kernels/state/update.h"

#define DF_CARD_UPDATE(op, attr, rule, ...)                    \
  CUDA_KERNEL_ATTR(op, attr, cuda::Update<rule>, __VA_ARGS__); \
  CUDA_RECORDING_TRAITS(op, .obeys_gate = true)
#define DF_CARD_RESOURCE_APPLY(name, rule, ...) DF_CARD_UPDATE("ResourceApply" name, "T", rule, __VA_ARGS__)
#define DF_CARD_APPLY(name, rule, ...)                  \
  DF_CARD_UPDATE("Apply" name, "T", rule, __VA_ARGS__); \
  DF_CARD_RESOURCE_APPLY(name, rule, __VA_ARGS__)

namespace dfrun::cuda {

template <class Rule, class T, size_t... I>
DF_CARD_FUNCTION void UpdateElement(const UpdateArgs& args, int64_t i, std::index_sequence<I...>) {
  using C = ComputeType<T>;
  const Rule rule(args);
  C values[] = {static_cast<C>(static_cast<const T*>(args.variables[I])[i])...};
  rule(values[I]..., static_cast<C>(static_cast<const T*>(args.delta)[i]));
  ((static_cast<T*>(args.variables[I])[i] = static_cast<T>(values[I])), ...);
}

// `gate`: null, or 0 where nothing is to be written.
template <class Rule, class T>
DF_CARD_KERNEL void UpdateElements(UpdateArgs args, int64_t n, const int32_t* gate) {
  if (gate != nullptr && *gate == 0) return;
  const int64_t i = ThreadInGrid();
  if (i < n) UpdateElement<Rule, T>(args, i, std::make_index_sequence<Rule::kLayout.variables>());
}

template <class Rule, class T>
Status LaunchUpdate(OpContext& ctx, const UpdateLoop&, const UpdateArgs& args, int64_t n) {
  return Launch(ctx, n, &UpdateElements<Rule, T>, args, n, GateOf(ctx));
}

// What a rule refuses by its scalars' values it does not refuse here: the host does not see them.
template <template <class> class Rule, class T>
inline constexpr UpdateLoop kUpdateLoop = {Rule<T>::kLayout, sizeof(T), nullptr, nullptr, &LaunchUpdate<Rule<T>, T>};

template <template <class> class Rule>
struct Update {
  template <class T>
  struct Kernel : UpdateKernel {
    explicit Kernel(KernelSetup& setup) : UpdateKernel(setup, kUpdateLoop<Rule, T>) {}
  };
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_STATE_UPDATE_CUDA_H_
