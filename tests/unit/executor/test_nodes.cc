#include "tests/unit/executor/test_nodes.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "src/executor/build_plan.h"

namespace dfrun::testing {
namespace {

void DieUnless(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

std::function<void(Finish)>& LaterHook() {
  static auto& hook = *new std::function<void(Finish)>([](const Finish& finish) { finish(Status()); });
  return hook;
}

class FixedKernel final : public Kernel {
 public:
  explicit FixedKernel(KernelSetup& setup) : value_(setup.attr<Tensor>("value")) {}
  Tensor FixedOutput() const override { return value_; }
  Status Compute(OpContext&) { return Internal("a fixed output was computed"); }

 private:
  Tensor value_;
};

template <class Op>
class BinaryKernel final : public Kernel {
 public:
  explicit BinaryKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    const bool a_is_larger = a.num_elements() >= b.num_elements();
    const Tensor& larger = a_is_larger ? a : b;
    const Tensor& smaller = a_is_larger ? b : a;
    if (smaller.num_elements() != 1 && !(a.shape() == b.shape())) return InvalidArgument(a.shape(), " and ", b.shape());
    Tensor* out = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(a_is_larger ? 0 : 1, 0, larger.shape(), &out));
    const int64_t a_step = a.num_elements() == 1 ? 0 : 1;
    const int64_t b_step = b.num_elements() == 1 ? 0 : 1;
    for (int64_t i = 0; i < out->num_elements(); ++i) {
      out->data<float>()[i] = Op()(a.data<float>()[i * a_step], b.data<float>()[i * b_step]);
    }
    return Status();
  }
};

class AddNKernel final : public Kernel {
 public:
  explicit AddNKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, ctx.input(0).shape(), &out));
    for (int64_t i = 0; i < out->num_elements(); ++i) {
      float sum = 0;
      for (int k = 0; k < ctx.num_inputs(); ++k) sum += ctx.input(k).data<float>()[i];
      out->data<float>()[i] = sum;
    }
    return Status();
  }
};

class NegateKernel final : public Kernel {
 public:
  explicit NegateKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, ctx.input(0).shape(), &out));
    const float* in = ctx.input(0).data<float>();
    for (int64_t i = 0; i < out->num_elements(); ++i) out->data<float>()[i] = -in[i];
    return Status();
  }
};

class ShareKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ShareKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, ctx.input(0));
    return Status();
  }
};

class LaterKernel final : public AsyncKernel {
 public:
  explicit LaterKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    LaterHook()([&ctx, done](Status status) {
      ctx.SetOutput(0, ctx.input(0));
      done(std::move(status));
    });
  }
};

class FailKernel final : public Kernel {
 public:
  explicit FailKernel(KernelSetup&) {}
  Status Compute(OpContext&) { return InvalidArgument("meant to fail"); }
};

class WorkKernel final : public Kernel {
 public:
  explicit WorkKernel(KernelSetup& setup) : ns_(setup.attr<int64_t>("ns")), expensive_(setup.attr<bool>("expensive")) {}
  bool IsExpensive() const override { return expensive_; }
  Status Compute(OpContext& ctx) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns_);
    while (std::chrono::steady_clock::now() < end) {
    }
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &out));
    CopyElements(ctx.input(0), *out);
    return Status();
  }

 private:
  const int64_t ns_;
  const bool expensive_;
};

class VarKernel final : public Kernel {
 public:
  explicit VarKernel(KernelSetup& setup) {
    const auto made = setup.device().containers().LookupOrCreate<Variable>(
        "", setup.node().name,
        [&]() -> Result<Variable*> { return new Variable(setup.node().name, DType::kFloat, PartialShape()); });
    if (made.ok()) variable_ = *made;
  }
  Tensor FixedOutput() const override { return Tensor::Reference(DType::kFloat, variable_.get()); }
  Status Compute(OpContext&) { return Internal("a fixed output was computed"); }

 private:
  RefPtr<Variable> variable_;
};

// Adds input 1 to the variable. A variable without a value starts at 0 if attr `init` is true.
class ChangeVarKernel final : public Kernel {
 public:
  explicit ChangeVarKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Variable& variable = ctx.input_variable(0);
    MutexLock lock(variable.mu());
    DF_ASSIGN(Tensor sum, ctx.input(1).Copy(ctx.allocator()));
    if (variable.initialized()) *sum.data<float>() += *variable.value().data<float>();
    DF_TRY(variable.Assign(sum, ctx.device()));
    ctx.SetOutputRef(0, &variable);
    return Status();
  }
};

class BlocksKernel final : public Kernel {
 public:
  explicit BlocksKernel(KernelSetup&) {}
  bool IsExpensive() const override { return true; }
  Status Compute(OpContext& ctx) {
    std::atomic<int64_t> sum{0};
    const auto n = static_cast<int64_t>(*ctx.input(0).data<float>());
    if (n < 0) return InvalidArgument("there are no ", n, " blocks");
    ctx.pool().RunBlocks(n, [&](int64_t i) { sum += i; });
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &out));
    *out->data<float>() = static_cast<float>(sum.load());
    return Status();
  }
};

struct Plus {
  float operator()(float a, float b) const { return a + b; }
};
struct Minus {
  float operator()(float a, float b) const { return a - b; }
};
struct Times {
  float operator()(float a, float b) const { return a * b; }
};

Status LargerShape(InferenceContext& c) {
  const PartialShape& a = c.input(0);
  const PartialShape& b = c.input(1);
  if (a.rank() == 0) {
    c.set_output(0, b);
  } else if (b.rank() == 0 || a == b) {
    c.set_output(0, a);
  }
  return Status();
}

Status ValueShape(InferenceContext& c) {
  DF_ASSIGN(const Tensor value, c.attr<Tensor>("value"));
  c.set_output(0, value.shape());
  return Status();
}

void AddOp(OpRegistry& ops, OpBuilder builder) {
  DieUnless(ops.Register(builder.Doc("A test's op.")));
}

template <class K>
void AddKernel(KernelRegistry& kernels, const char* op) {
  DieUnless(kernels.Register(internal::DefineKernel<K>(op, "cpu", "", DType::kInvalid)));
}

void RegisterValueOps(OpRegistry& ops) {
  AddOp(ops, OpBuilder("_Arg")
                 .Output("y: float")
                 .Attr("index: int")
                 .Attr("shape: shape")
                 .AtBoundary(Boundary::kFeed)
                 .Shape(ShapeFromAttr("shape")));
  AddOp(ops, OpBuilder("_Retval").Input("x: float").Attr("index: int").AtBoundary(Boundary::kFetch));
  AddOp(ops, OpBuilder("NoOp"));
  AddOp(ops, OpBuilder("Fixed").Output("y: float").Attr("value: tensor").Shape(ValueShape));
  for (const char* name : {"Add", "Sub", "Mul"}) {
    AddOp(ops, OpBuilder(name).Input("a: float").Input("b: float").Output("y: float").Shape(LargerShape));
  }
  AddOp(ops, OpBuilder("AddN").Input("x: N * float").Output("y: float").Attr("N: int >= 1").Shape(SameAsInput(0)));
  for (const char* name : {"Negate", "Share", "Later", "Fail"}) {
    AddOp(ops, OpBuilder(name).Input("x: float").Output("y: float").Shape(SameAsInput(0)));
  }
  AddOp(ops, OpBuilder("Blocks").Input("x: float").Output("y: float").Shape(ScalarOutputs()));
  AddOp(ops, OpBuilder("Work")
                 .Input("x: float")
                 .Output("y: float")
                 .Attr("ns: int = 1000")
                 .Attr("expensive: bool = false")
                 .Shape(SameAsInput(0)));
}

void RegisterVariableOps(OpRegistry& ops) {
  AddOp(ops, OpBuilder("Var").Output("ref: Ref(float)").Shape(UnknownOutputs()));
  AddOp(ops, OpBuilder("ChangeVar")
                 .Input("ref: Ref(float)")
                 .Input("x: float")
                 .Output("out: Ref(float)")
                 .AllowsUninitializedInput()
                 .Shape(UnknownOutputs()));
}

}  // namespace

const OpRegistry& TestOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry();
    RegisterValueOps(*ops);
    RegisterVariableOps(*ops);
    return ops;
  }();
  return registry;
}

const KernelRegistry& TestKernels() {
  static const KernelRegistry& registry = *[] {
    auto* kernels = new KernelRegistry();
    AddKernel<FixedKernel>(*kernels, "Fixed");
    AddKernel<BinaryKernel<Plus>>(*kernels, "Add");
    AddKernel<BinaryKernel<Minus>>(*kernels, "Sub");
    AddKernel<BinaryKernel<Times>>(*kernels, "Mul");
    AddKernel<AddNKernel>(*kernels, "AddN");
    AddKernel<NegateKernel>(*kernels, "Negate");
    AddKernel<ShareKernel>(*kernels, "Share");
    AddKernel<LaterKernel>(*kernels, "Later");
    AddKernel<FailKernel>(*kernels, "Fail");
    AddKernel<WorkKernel>(*kernels, "Work");
    AddKernel<BlocksKernel>(*kernels, "Blocks");
    AddKernel<VarKernel>(*kernels, "Var");
    AddKernel<ChangeVarKernel>(*kernels, "ChangeVar");
    return kernels;
  }();
  return registry;
}

void SetLater(std::function<void(Finish)> later) {
  LaterHook() = std::move(later);
}

class CountingAllocator final : public Allocator {
 public:
  std::string_view name() const override { return "counting"; }
  void* Allocate(size_t bytes) override {
    const int64_t now = in_use_.fetch_add(static_cast<int64_t>(bytes)) + static_cast<int64_t>(bytes);
    int64_t peak = peak_.load();
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
    return SystemAllocator().Allocate(bytes);
  }
  void Free(void* memory, size_t bytes) override {
    in_use_.fetch_sub(static_cast<int64_t>(bytes));
    SystemAllocator().Free(memory, bytes);
  }
  AllocatorStats Stats() const override { return {.bytes_in_use = in_use_, .peak_bytes_in_use = peak_}; }
  void ResetPeak() override { peak_ = in_use_.load(); }

 private:
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
};

TestDevice::TestDevice()
    : allocator_(std::make_unique<CountingAllocator>()),
      device_(std::make_unique<Device>(*DeviceName::Parse("/job:worker/task:0/device:cpu:0"), *allocator_)) {}
TestDevice::~TestDevice() = default;

int64_t TestDevice::bytes_in_use() const {
  return allocator_->Stats().bytes_in_use;
}
int64_t TestDevice::peak_bytes() const {
  return allocator_->Stats().peak_bytes_in_use;
}

NodeId TestGraph::Add(const std::string& op, const std::vector<Output>& inputs, AttrMap attrs,
                      const std::vector<NodeId>& control) {
  Result<NodeId> id = graph_.AddNode({.name = graph_.UniqueName(op == "_Arg" || op == "_Retval" ? op.substr(1) : op),
                                      .op = op,
                                      .inputs = inputs,
                                      .control_inputs = control,
                                      .attrs = std::move(attrs),
                                      .device = "",
                                      .colocate_with = "",
                                      .location = {}});
  DieUnless(id.status());
  return *id;
}

Output TestGraph::Feed(int index, PartialShape shape) {
  return {Add("_Arg", {}, {{"index", index}, {"shape", std::move(shape)}}), 0};
}

void TestGraph::Fetch(Output value) {
  Add("_Retval", {value}, {{"index", fetches_++}});
}

std::unique_ptr<ExecPlan> MakePlan(const Graph& graph, TestDevice& device, const PlanOptions& options) {
  Result<std::unique_ptr<ExecPlan>> plan = BuildPlan(graph, device.get(), TestKernels(), options);
  DieUnless(plan.status());
  return *std::move(plan);
}

Tensor Filled(int64_t n, float value) {
  Tensor tensor(DType::kFloat, n == 1 ? Shape() : Shape({n}));
  for (int64_t i = 0; i < n; ++i) tensor.data<float>()[i] = value;
  return tensor;
}

}  // namespace dfrun::testing
