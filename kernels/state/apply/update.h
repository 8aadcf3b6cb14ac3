// The engine of in-place updates: a variable, its slots, and a tensor of their shape that says by how much.
//
// A rule is a functor over elements:
//     template <class T> struct Momentum {
//       static constexpr UpdateLayout kLayout = {.variables = 2, .delta = 3, .flag = "use_nesterov"};
//       explicit Momentum(const UpdateArgs& args);             // reads scalars and the flag, where they lie
//       void operator()(C& var, C& accum, C grad) const;       // C: ComputeType<T>
//     };
// where it accepts not all scalars also static const char* Refuse(const UpdateArgs& args, bool is_sparse), which gives
// the text for one that it refuses, else null;
// and CPU_KERNEL("ApplyMomentum", Update<Momentum>, float, double) its kernel, for ref inputs and for handles.
// Variables are locked for the update. One thread computes an element, so results do not depend on the thread count.
#ifndef DFRUN_KERNELS_STATE_APPLY_UPDATE_H_
#define DFRUN_KERNELS_STATE_APPLY_UPDATE_H_

#include <array>
#include <utility>

#include "kernels/math/functions/element.h"
#include "kernels/state/variable_access.h"

namespace dfrun {

// The input layout of an update op. The first `variables` inputs are variables; all others but `delta` are scalars.
struct UpdateLayout {
  int variables = 1;
  int delta = 1;
  const char* flag = nullptr;       // a bool attr that the rule depends on
  bool refuses_empty_rows = false;  // the sparse op does: rows of the variable without elements
};

// An update of elements, as a rule's loop sees it.
struct UpdateArgs {
  static constexpr int kMaxInputs = 12;
  std::array<void*, VariableLocks::kMax> variables{};
  const void* delta = nullptr;
  std::array<const void*, kMaxInputs> inputs{};  // by number; of a sparse op as if it had no indices
  bool flag = false;

  template <class T>
  DF_HOST_DEVICE ComputeType<T> scalar(int input) const {
    return static_cast<ComputeType<T>>(*static_cast<const T*>(inputs[input]));
  }
};

// Runs rule R over elements [0, n) of the tensors that `args` points at.
struct UpdateLoop {
  UpdateLayout layout;
  size_t element_size;
  // Runs on the calling thread; null where a device has its own way.
  void (*run)(const UpdateArgs& args, int64_t n);
  const char* (*refuse)(const UpdateArgs& args, bool is_sparse);  // null if all scalars are fine
};

class UpdateKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;  // the ref

  UpdateKernel(KernelSetup& setup, const UpdateLoop& loop);
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return true; }

 protected:
  // All n elements: on the threads of a CPU, or as another device does it.
  virtual Status UpdateAll(OpContext& ctx, const UpdateArgs& args, int64_t n) const;

 private:
  const UpdateLoop& loop_;
  const bool flag_;
};

// Rows of the variables, by number: input delta + 1 holds the indices, delta the rows' changes. A row that comes twice
// is updated twice, in order.
class SparseUpdateKernel : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;

  SparseUpdateKernel(KernelSetup& setup, const UpdateLoop& loop);
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return true; }

 protected:
  // Updates whose shapes fit: `args` points at whole variables of so many rows and at the rows' changes, each row of
  // `columns` elements.
  struct RowUpdates {
    const UpdateArgs& args;
    const Tensor& indices;
    int64_t rows;
    int64_t columns;
  };
  // InvalidArgument where an index is out of range.
  virtual Status UpdateRows(OpContext& ctx, const RowUpdates& updates) const;

 private:
  const UpdateLoop& loop_;
  const bool flag_;
};

template <template <class> class Rule, class T>
struct UpdateOf {
  using C = ComputeType<T>;
  static constexpr int kVariables = Rule<T>::kLayout.variables;

  template <size_t... I>
  static void RunOn(const UpdateArgs& args, int64_t n, std::index_sequence<I...>) {
    const Rule<T> rule(args);
    T* const variables[] = {static_cast<T*>(args.variables[I])...};
    const T* const delta = static_cast<const T*>(args.delta);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) {
      C values[] = {static_cast<C>(variables[I][i])...};
      rule(values[I]..., static_cast<C>(delta[i]));
      ((variables[I][i] = static_cast<T>(values[I])), ...);
    }
  }
  static void Run(const UpdateArgs& args, int64_t n) { RunOn(args, n, std::make_index_sequence<kVariables>()); }
  static constexpr UpdateLoop MakeLoop() {
    UpdateLoop loop = {Rule<T>::kLayout, sizeof(T), &Run, nullptr};
    if constexpr (requires(const UpdateArgs& args) { Rule<T>::Refuse(args, true); }) loop.refuse = &Rule<T>::Refuse;
    return loop;
  }
  static constexpr UpdateLoop kLoop = MakeLoop();
};

template <template <class> class Rule>
struct Update {
  template <class T>
  struct Kernel : UpdateKernel {
    explicit Kernel(KernelSetup& setup) : UpdateKernel(setup, UpdateOf<Rule, T>::kLoop) {}
  };
};

template <template <class> class Rule>
struct SparseUpdate {
  template <class T>
  struct Kernel : SparseUpdateKernel {
    explicit Kernel(KernelSetup& setup) : SparseUpdateKernel(setup, UpdateOf<Rule, T>::kLoop) {}
  };
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_APPLY_UPDATE_H_
