// Kernels: what runs a node on a device.
//
// A synchronous kernel is a class with
//     explicit MyKernel(KernelSetup& setup);      // reads attrs; setup.Fail() refuses
//     Status Compute(OpContext& ctx);             // called by any thread, by several steps at once
// and an asynchronous one (Recv, Dequeue, I/O) derives from AsyncKernel and has
//     void ComputeAsync(OpContext& ctx, Callback done);   // returns at once; ctx lives until done has run
// Registration names op, dtypes and device and nothing else:
//     CPU_KERNEL("Tanh", Unary<fn::Tanh>, float, double);        // Unary<F> has a member template Kernel<T>
//     CPU_KERNEL_ANY("NoOp", NoOpKernel);                        // one class for every dtype
//     CPU_KERNEL_ATTR("ArgMax", "T", ArgMaxFamily, float);       // the attr that decides, where it is not "T"
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_H_

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/threads.h"
#include "src/framework/cancellation.h"
#include "src/framework/device.h"
#include "src/framework/op.h"
#include "src/framework/rendezvous.h"
#include "src/framework/tensor.h"
#include "src/framework/variable.h"

namespace dfrun {

// What is the same for all nodes of one execution of a partition.
struct StepContext {
  int64_t step_id = 0;
  Rendezvous* rendezvous = nullptr;               // null where the partition has no Send or Recv
  ResourceContainers* step_containers = nullptr;  // objects that die with the step
  Cancellation* cancellation = nullptr;           // ends what waits; never null while a kernel of an executor runs
};

// What is fixed for a node in a plan. Owned by the plan.
struct NodeInfo {
  std::string name;
  const OpDef* op = nullptr;
  std::vector<TypedArg> inputs;
  std::vector<TypedArg> outputs;
};

// The executor's view of a running node; kernels see its values through it.
// Valid for the call of Compute(), or until `done` of ComputeAsync().
class OpContext {
 public:
  const NodeInfo& node() const { return *node_; }
  int num_inputs() const { return static_cast<int>(node_->inputs.size()); }
  int num_outputs() const { return static_cast<int>(node_->outputs.size()); }

  // The value of input i; through a ref edge, the variable's value now.
  const Tensor& input(int i) const {
    const Tensor& slot = slots_[in_[i]];
    return slot.is_reference() ? slot.variable()->value() : slot;
  }
  // The variable behind ref input i.
  Variable& input_variable(int i) const { return *slots_[in_[i]].variable(); }
  // Elements of input i, known not to be a reference, without a look at its header. For kernels that a static shape
  // chose.
  template <class T>
  const T* input_data(int i) const {
    return slots_[in_[i]].data<T>();
  }
  // Elements of output i where the plan has placed it (KernelSetup::output_is_placed).
  template <class T>
  T* placed_output(int i) const {
    return out_[i].data<T>();
  }

  // Memory for output i, of the output's dtype: the place that the plan fixed for it, else a new tensor. Internal error
  // if `shape` is not the one that shape inference promised.
  Status AllocateOutput(int i, const Shape& shape, Tensor** output);
  // The same, but takes over the buffer of input `from` where this node is its last reader and the bytes fit.
  Status ForwardOrAllocate(int from, int i, const Shape& shape, Tensor** output);
  // Makes output i share `value`.
  void SetOutput(int i, Tensor value) { out_[i] = std::move(value); }
  // Makes output i a ref to the variable, which outlives the plan.
  void SetOutputRef(int i, Variable* variable) { out_[i] = Tensor::Reference(variable->dtype(), variable); }
  // A buffer that lives for this call.
  Result<Tensor> AllocateTemp(DType dtype, const Shape& shape) {
    return Tensor::Allocate(device_->allocator(), dtype, shape);
  }

  Device& device() const { return *device_; }
  Allocator& allocator() const { return device_->allocator(); }
  ThreadPool& pool() const { return *pool_; }
  const StepContext& step() const { return *step_; }
  // Tells the iterations of a loop (and of the loops around it) apart, the same for all nodes of one iteration on all
  // devices; 0 outside loops.
  uint64_t iteration() const { return iteration_; }

  // For ops that carry deadness across: whether the input of a Send is dead; where the output of a Recv and the word
  // that it is dead are written, before `done` runs.
  bool is_dead() const { return is_dead_; }
  Tensor* output_slot(int i) { return &out_[i]; }
  bool* outputs_dead() { return &outputs_dead_; }

 private:
  friend class ExecutorAccess;  // src/executor fills this in
  Tensor* slots_ = nullptr;
  const uint32_t* in_ = nullptr;
  Tensor* out_ = nullptr;
  const NodeInfo* node_ = nullptr;
  Device* device_ = nullptr;
  ThreadPool* pool_ = nullptr;
  const StepContext* step_ = nullptr;
  uint64_t forwardable_ = 0;  // bit i: this node is the last reader of input i (inputs above 63: never)
  uint64_t iteration_ = 0;
  bool is_dead_ = false;
  bool outputs_dead_ = false;
};

// What a kernel's constructor sees.
class KernelSetup {
 public:
  KernelSetup(const NodeInfo& node, const AttrMap& attrs, Device& device, std::vector<PartialShape> input_shapes,
              std::vector<PartialShape> output_shapes, std::vector<bool> placed)
      : node_(node),
        attrs_(attrs),
        device_(device),
        input_shapes_(std::move(input_shapes)),
        output_shapes_(std::move(output_shapes)),
        placed_(std::move(placed)) {}

  const NodeInfo& node() const { return node_; }
  const AttrMap& attrs() const { return attrs_; }
  Device& device() const { return device_; }
  const PartialShape& input_shape(int i) const { return input_shapes_[i]; }
  const PartialShape& output_shape(int i) const { return output_shapes_[i]; }
  // True where output i has a fixed place in the step: its header is set before the kernel runs.
  bool output_is_placed(int i) const { return placed_[i]; }

  // An attr as a T; a missing one refuses the kernel and gives a default T.
  template <class T>
  T attr(std::string_view name) {
    Result<T> value = attrs_.Get<T>(name);
    if (value.ok()) return *std::move(value);
    Fail(value.status());
    return T();
  }
  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const Status& status() const { return status_; }

 private:
  const NodeInfo& node_;
  const AttrMap& attrs_;
  Device& device_;
  std::vector<PartialShape> input_shapes_;
  std::vector<PartialShape> output_shapes_;
  std::vector<bool> placed_;
  Status status_;
};

class Kernel {
 public:
  using Fn = Status (*)(Kernel*, OpContext&);

  virtual ~Kernel() = default;
  // What the executor calls. A constructor may choose another with set_fn(), by the shapes that it sees.
  Fn fn() const { return fn_; }
  void set_fn(Fn fn) { fn_ = fn; }
  // The value of output 0 where it is the same in every step (Const, a ref to a variable): the executor then keeps it
  // in place and never runs the node. Uninitialised otherwise.
  virtual Tensor FixedOutput() const { return Tensor(); }
  // Roughly more than a microsecond of work: the executor publishes other ready nodes first.
  virtual bool IsExpensive() const { return false; }

 private:
  Fn fn_ = nullptr;
};

class AsyncKernel : public Kernel {
 public:
  virtual void ComputeAsync(OpContext& ctx, Callback done) = 0;
};

// A kernel class that shares or keeps buffers in its outputs (Identity, Reshape, ReadVariableOp) has
// `static constexpr bool kSharesOutputs = true`: the plan gives its outputs no memory of their own.
template <class K>
constexpr bool SharesOutputs() {
  if constexpr (requires { K::kSharesOutputs; }) {
    return K::kSharesOutputs;
  } else {
    return std::is_base_of_v<AsyncKernel, K>;
  }
}

struct KernelDef {  // its texts live for ever
  std::string_view op;
  std::string_view device_type;  // "cpu", "gpu"
  std::string_view attr;         // the type attr that `dtype` constrains; empty: none
  DType dtype = DType::kInvalid;
  bool shares_outputs = false;
  bool is_async = false;
  std::unique_ptr<Kernel> (*make)(KernelSetup& setup) = nullptr;
};

// Thread safety: built by one thread, then read by any.
class KernelRegistry {
 public:
  KernelRegistry() = default;
  KernelRegistry(const KernelRegistry&) = delete;
  KernelRegistry& operator=(const KernelRegistry&) = delete;

  // Every kernel registered in this program.
  static const KernelRegistry& Builtin();

  Status Register(const KernelDef& def);
  // The kernel for a node of this op and these attrs; NotFound names the dtypes and devices there are.
  Result<const KernelDef*> Find(std::string_view op, std::string_view device_type, const AttrMap& attrs) const;
  // All kernels of an op, for listings.
  std::vector<const KernelDef*> List(std::string_view op) const;

 private:
  std::multimap<std::string_view, KernelDef, std::less<>> kernels_;
};

namespace internal {

struct KernelRegistration {
  KernelRegistration(std::initializer_list<KernelDef> defs);
};

template <class K>
Status InvokeKernel(Kernel* kernel, OpContext& ctx) {
  return static_cast<K*>(kernel)->Compute(ctx);
}

template <class K>
std::unique_ptr<Kernel> MakeKernel(KernelSetup& setup) {
  auto kernel = std::make_unique<K>(setup);
  if constexpr (!std::is_base_of_v<AsyncKernel, K>) {
    if (kernel->fn() == nullptr) kernel->set_fn(&InvokeKernel<K>);
  }
  return kernel;
}

template <class K>
KernelDef DefineKernel(const char* op, const char* device, const char* attr, DType dtype) {
  return {op, device, attr, dtype, SharesOutputs<K>(), std::is_base_of_v<AsyncKernel, K>, &MakeKernel<K>};
}

template <class Family, class... Ts>
KernelRegistration DefineFamily(const char* op, const char* device, const char* attr) {
  return KernelRegistration({DefineKernel<typename Family::template Kernel<Ts>>(op, device, attr, DTypeOf<Ts>)...});
}

}  // namespace internal

#define DF_KERNEL(...) \
  [[maybe_unused]] static const ::dfrun::internal::KernelRegistration DF_CONCAT(df_kernel_, __COUNTER__) = __VA_ARGS__
#define CPU_KERNEL(op, family, ...) DF_KERNEL(::dfrun::internal::DefineFamily<family, __VA_ARGS__>(op, "cpu", "T"))
#define CPU_KERNEL_ATTR(op, attr, family, ...) \
  DF_KERNEL(::dfrun::internal::DefineFamily<family, __VA_ARGS__>(op, "cpu", attr))
#define CPU_KERNEL_ANY(op, kernel)                 \
  DF_KERNEL(::dfrun::internal::KernelRegistration( \
      {::dfrun::internal::DefineKernel<kernel>(op, "cpu", "", ::dfrun::DType::kInvalid)}))

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_H_
