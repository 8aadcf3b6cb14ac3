// The GPUs' engine of in-place updates (kernels/state/apply/update.h): CUDA_KERNEL("ApplyMomentum",
// cuda::Update<Momentum>, float), and of those of rows. A rule reads its scalars where they lie, in the GPU's memory,
// and refuses them there.
#ifndef DFRUN_KERNELS_STATE_APPLY_UPDATE_CUDA_H_
#define DFRUN_KERNELS_STATE_APPLY_UPDATE_CUDA_H_

#include <optional>
#include <utility>

#include "kernels/array/index/group_cuda.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/device/cuda/sum_equal_rows.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/state/apply/update.h"

#define DF_GPU_UPDATE(op, attr, rule, ...)                     \
  CUDA_KERNEL_ATTR(op, attr, cuda::Update<rule>, __VA_ARGS__); \
  CUDA_RECORDING_TRAITS(op, .obeys_gate = true)
#define DF_GPU_RESOURCE_APPLY(name, rule, ...) DF_GPU_UPDATE("ResourceApply" name, "T", rule, __VA_ARGS__)
#define DF_GPU_APPLY(name, rule, ...)                  \
  DF_GPU_UPDATE("Apply" name, "T", rule, __VA_ARGS__); \
  DF_GPU_RESOURCE_APPLY(name, rule, __VA_ARGS__)
#define DF_GPU_SPARSE_UPDATE(op, rule, ...)               \
  CUDA_KERNEL(op, cuda::SparseUpdate<rule>, __VA_ARGS__); \
  CUDA_RECORDING_TRAITS(op, .obeys_gate = true)
#define DF_GPU_RESOURCE_SPARSE_APPLY(name, rule, ...) \
  DF_GPU_SPARSE_UPDATE("ResourceSparseApply" name, rule, __VA_ARGS__)
#define DF_GPU_SPARSE_APPLY(name, rule, ...)                   \
  DF_GPU_SPARSE_UPDATE("SparseApply" name, rule, __VA_ARGS__); \
  DF_GPU_RESOURCE_SPARSE_APPLY(name, rule, __VA_ARGS__)

namespace dfrun::cuda {

template <class Rule>
inline constexpr bool kRefusesScalars = requires(const UpdateArgs& args) {
  Rule::Refuse(args, true);
};

// True if the rule takes the scalars; else `*refused` becomes 1.
template <class Rule>
DF_DEVICE_FUNCTION bool TakesScalars(const UpdateArgs& args, bool is_sparse, int32_t* error_flag) {
  if constexpr (kRefusesScalars<Rule>) {
    if (Rule::Refuse(args, is_sparse) != nullptr) {
      *error_flag = 1;
      return false;
    }
  }
  return true;
}

// Element i of the variables.
template <class Rule, class T, size_t... I>
DF_DEVICE_FUNCTION void UpdateElement(const UpdateArgs& args, int64_t i, T delta, std::index_sequence<I...>) {
  using C = ComputeType<T>;
  const Rule rule(args);
  C values[] = {static_cast<C>(static_cast<const T*>(args.variables[I])[i])...};
  rule(values[I]..., static_cast<C>(delta));
  ((static_cast<T*>(args.variables[I])[i] = static_cast<T>(values[I])), ...);
}

// `gate`: null, or 0 where nothing is to be written.
template <class Rule, class T>
DF_DEVICE_KERNEL void UpdateElements(UpdateArgs args, int64_t n, const int32_t* gate, int32_t* error_flag) {
  const int64_t i = GlobalThreadId();
  if (i >= n || (gate != nullptr && *gate == 0) || !TakesScalars<Rule>(args, /*is_sparse=*/false, error_flag)) return;
  UpdateElement<Rule, T>(args, i, static_cast<const T*>(args.delta)[i],
                         std::make_index_sequence<Rule::kLayout.variables>());
}

// The update of a row for which there are several changes.
enum class EqualRows {
  kOneByOne,  // in their order
  kBySum,     // by the sum of the changes in that order, as UnsortedSegmentSum computes it
};

// A thread does all updates of an element of a row.
template <class Rule, class T>
DF_DEVICE_KERNEL void UpdateElementsOfRows(UpdateArgs args, UpdateRuns runs, int64_t columns, EqualRows equal_rows,
                                           const int32_t* gate, int32_t* error_flag) {
  const int64_t thread = GlobalThreadId();
  const int64_t k = thread / columns;
  if (k >= runs.count || !runs.BeginsAt(k) || (gate != nullptr && *gate == 0)) return;
  if (!TakesScalars<Rule>(args, /*is_sparse=*/true, error_flag)) return;
  const int64_t column = thread - k * columns;
  const uint64_t row = runs.Slice(k);
  const int64_t element = static_cast<int64_t>(row) * columns + column;
  constexpr std::make_index_sequence<Rule::kLayout.variables> kVariables;
  const auto delta = [&](int64_t m) { return static_cast<const T*>(args.delta)[runs.order[m] * columns + column]; };
  if (equal_rows == EqualRows::kOneByOne) {
    for (int64_t m = k; runs.IsFor(m, row); ++m) UpdateElement<Rule, T>(args, element, delta(m), kVariables);
    return;
  }
  auto sum = red::Sum::Start<T>();
  for (int64_t m = k; runs.IsFor(m, row); ++m) {
    sum = red::Sum::Combine(sum, red::Sum::Lift<T>(static_cast<ComputeType<T>>(delta(m))));
  }
  UpdateElement<Rule, T>(args, element, red::Sum::Finish<T>(sum, 0), kVariables);
}

// The loop has no check of scalars: the GPU refuses their values, since the host does not see them.
template <template <class> class Rule, class T>
inline constexpr UpdateLoop kUpdateLoop = {Rule<T>::kLayout, sizeof(T), nullptr, nullptr};

inline constexpr std::string_view kUpdateErrorText = "a scalar is one that the rule does not take";

template <template <class> class Rule>
struct Update {
  template <class T>
  struct Kernel : UpdateKernel {
    explicit Kernel(KernelSetup& setup) : UpdateKernel(setup, kUpdateLoop<Rule, T>) {
      if (kRefusesScalars<Rule<T>>) error_flag_.emplace(setup, kUpdateErrorText);
    }

   protected:
    Status UpdateAll(OpContext& ctx, const UpdateArgs& args, int64_t n) const override {
      return Launch(ctx, n, &UpdateElements<Rule<T>, T>, args, n, GateOf(ctx),
                    error_flag_ ? error_flag_->word() : nullptr);
    }

   private:
    std::optional<const DeviceErrorFlag> error_flag_;
  };
};

template <template <class> class Rule>
struct SparseUpdate {
  template <class T>
  struct Kernel : SparseUpdateKernel {
    explicit Kernel(KernelSetup& setup)
        : SparseUpdateKernel(setup, kUpdateLoop<Rule, T>),
          equal_rows_(SumsEqualRows(setup.attrs()) ? EqualRows::kBySum : EqualRows::kOneByOne),
          error_flag_(setup,
                      "an index is outside of the variable's rows, or a scalar is one that the rule does not take") {}

   protected:
    Status UpdateRows(OpContext& ctx, const RowUpdates& updates) const override {
      if (updates.columns == 0) return Status();
      DF_ASSIGN(const UpdateGroups groups,
                UpdateGroups::ByIndex(ctx, updates.indices, updates.rows, BadIndex::kRefused, error_flag_.word()));
      const UpdateRuns runs = groups.runs();
      return Launch(ctx, runs.count * updates.columns, &UpdateElementsOfRows<Rule<T>, T>, updates.args, runs,
                    updates.columns, equal_rows_, GateOf(ctx), error_flag_.word());
    }

   private:
    const EqualRows equal_rows_;
    const DeviceErrorFlag error_flag_;
  };
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_STATE_APPLY_UPDATE_CUDA_H_
