#include "src/executor/capture/graph_exec.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "src/framework/values/resource.h"

namespace dfrun {
namespace {

MemoryRange RangeOf(const Tensor& value) {
  return {value.raw(), value.num_bytes()};
}

bool IsOnDevice(const Tensor& value) {
  return value.initialized() && !IsHostMemory(value.memory());
}

// Whether the kernel may write to the variable behind an input. Of an op with lists of inputs nothing is known.
bool MayWrite(const NodeInfo& info, size_t input) {
  if (!info.inputs[input].is_ref) return !info.op->traits.only_reads_variables;
  if (info.op->inputs.size() == info.inputs.size()) return info.op->inputs[input].is_ref;
  return std::any_of(info.op->inputs.begin(), info.op->inputs.end(), [](const ArgDef& arg) { return arg.is_ref; });
}

// Returns the nodes that each node waits for.
std::vector<std::vector<uint32_t>> WaitsOf(const ExecPlan& plan) {
  std::vector<std::vector<uint32_t>> waits(plan.num_nodes());
  for (uint32_t node = 0; node < plan.num_nodes(); ++node) {
    const OutEdge* const end = plan.edges() + plan.records()[node + 1].first_edge;
    for (const OutEdge* edge = plan.edges() + plan.records()[node].first_edge; edge != end; ++edge) {
      waits[edge->node()].push_back(node);
    }
  }
  return waits;
}

}  // namespace

// Makes one recording: tells the recorder of each node, and notes the variables.
class GraphExecBuilder final : public SubgraphRunner::Observer {
 public:
  GraphExecBuilder(const ExecPlan& plan, GraphExec& made) : plan_(plan), made_(made), waits_(WaitsOf(plan)) {}

  // Calls all kernels twice: the first round finds their memory, the second is recorded.
  Status Run(const std::vector<bool>& uploaded, OpContext& ctx) {
    DF_TRY(RunOnce(uploaded, ctx));
    made_.outputs_.clear();
    DF_TRY(made_.recorder_->BeginRecording());
    DF_TRY(RunOnce(uploaded, ctx));
    DF_ASSIGN(made_.work_, made_.recorder_->Finish(/*is_last=*/std::none_of(
                               made_.outputs_.begin(), made_.outputs_.end(),
                               [](const Tensor& output) { return IsOnDevice(output) && output.num_bytes() > 0; })));
    const auto by_address = [](const auto& a, const auto& b) { return std::less<>()(a.variable, b.variable); };
    std::sort(made_.variables_.begin(), made_.variables_.end(), by_address);
    return Status();
  }

  Status Call(uint32_t node, const Tensor* slots, FunctionRef<Status(OpContext&)> call, OpContext& ctx) override {
    const NodeInfo& info = plan_.info(node);
    const NodeRecord& record = plan_.records()[node];
    std::vector<MemoryRange> reads;
    std::vector<MemoryRange> writes;
    for (size_t i = 0; i < info.inputs.size(); ++i) {
      const Tensor& slot = slots[plan_.inputs()[record.first_input + i]];
      Variable* variable = slot.is_reference() ? slot.variable() : nullptr;
      if (slot.dtype() == DType::kResource && !slot.is_reference()) {
        DF_ASSIGN(variable, slot.scalar<ResourceHandle>().As<Variable>("variable"));
      }
      if (variable == nullptr) {
        if (IsOnDevice(slot)) reads.push_back(RangeOf(slot));
        continue;
      }
      const bool is_written = MayWrite(info, i);
      DF_TRY(Use(*variable, is_written, info, slots, record));
      (is_written ? writes : reads).push_back(RangeOf(variable->value()));
    }
    const bool is_gated = (record.flags & kNodeGated) != 0 && gate_.initialized();
    if (is_gated) reads.push_back(RangeOf(gate_));
    made_.recorder_->BeginNode(info.name, is_gated ? gate_.data<int32_t>() : nullptr);
    DF_TRY(call(ctx));
    if (IsGate(plan_, node)) gate_ = slots[record.first_output];
    for (size_t i = 0; i < info.outputs.size(); ++i) {
      const Tensor& output = slots[record.first_output + i];
      if (!output.is_reference() && IsOnDevice(output)) writes.push_back(RangeOf(output));
    }
    made_.recorder_->EndNode(BeforeOf(node), reads, writes);
    numbers_[node] = next_++;
    return Status();
  }

 private:
  Status RunOnce(const std::vector<bool>& uploaded, OpContext& ctx) {
    numbers_.assign(plan_.num_nodes(), -1);
    next_ = 0;
    made_.inputs_.assign(uploaded.size(), {});
    std::vector<Tensor> inputs(uploaded.size());
    for (size_t i = 0; i < uploaded.size(); ++i) {
      const Tensor& input = ctx.input(static_cast<int>(i));
      GraphExec::FixedInput& fixed = made_.inputs_[i];
      fixed.shape = input.shape();
      if (IsHostMemory(input.memory()) && !uploaded[i]) {
        inputs[i] = fixed.in_host = input;
        continue;
      }
      DF_ASSIGN(inputs[i], Tensor::Allocate(made_.recorder_->device().allocator(), input.dtype(), input.shape()));
      fixed.data = inputs[i].raw();
    }
    SubgraphRunner runner(plan_, made_.recorder_->device(), ctx.pool(), ctx.step());
    DF_TRY(runner.Run(std::move(inputs), *this, made_.outputs_));
    gate_.Reset();
    return Status();
  }

  // Checks what a recording relies on: the memory that it writes belongs to the variable alone, and stays so.
  Status Use(Variable& variable, bool is_written, const NodeInfo& info, const Tensor* slots, const NodeRecord& record) {
    if (!variable.initialized() || IsHostMemory(variable.value().memory())) {
      return FailedPrecondition("the variable '", variable.name(), "' has no value in the device's memory");
    }
    const Tensor& value = variable.value();
    if (is_written && !value.SoleOwner()) {
      return FailedPrecondition("a value of the variable '", variable.name(), "', which it writes, is still held");
    }
    const CaptureTraits* const traits = FindCaptureTraits(plan_.device().type(), info.op->name);
    if (is_written && traits != nullptr && traits->assigns) {
      const Tensor& assigned = slots[plan_.inputs()[record.first_input + 1]];
      const Shape& shape = assigned.is_reference() ? assigned.variable()->value().shape() : assigned.shape();
      if (!(shape == value.shape()))
        return Unimplemented("it changes the shape of the variable '", variable.name(), "'");
    }
    const auto same = [&](const auto& used) { return used.variable == &variable; };
    const auto found = std::find_if(made_.variables_.begin(), made_.variables_.end(), same);
    if (found == made_.variables_.end()) {
      made_.variables_.push_back({&variable, value.raw(), value.shape(), is_written});
    } else {
      found->is_written = found->is_written || is_written;
    }
    return Status();
  }

  // The recorder's numbers of the nodes that one waits for, by way of those that the recorder does not know.
  std::vector<int> BeforeOf(uint32_t node) const {
    std::vector<int> before;
    for (const uint32_t source : waits_[node]) {
      if (numbers_[source] >= 0) {
        before.push_back(numbers_[source]);
      } else {
        const std::vector<int> behind = BeforeOf(source);
        before.insert(before.end(), behind.begin(), behind.end());
      }
    }
    return before;
  }

  const ExecPlan& plan_;
  GraphExec& made_;
  const std::vector<std::vector<uint32_t>> waits_;
  std::vector<int> numbers_;  // by node, the recorder's; -1: its kernel is not called
  int next_ = 0;
  Tensor gate_;  // the updates' gate, once it has been made
};

Result<std::unique_ptr<GraphExec>> GraphExec::Make(const ExecPlan& plan, const std::vector<bool>& uploaded,
                                                   CapturingDevice& device, OpContext& ctx) {
  std::unique_ptr<GraphExec> made(new GraphExec());
  made->recorder_ = device.NewRecorder();
  DF_TRY(GraphExecBuilder(plan, *made).Run(uploaded, ctx));
  return made;
}

GraphExec::Fit GraphExec::Fits(const OpContext& ctx) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& input = ctx.input(static_cast<int>(i));
    if (!(input.shape() == inputs_[i].shape)) return Fit::kNo;
    if (inputs_[i].in_host.initialized() && !input.Identical(inputs_[i].in_host)) return Fit::kNo;
  }
  Fit fit = Fit::kYes;
  for (const UsedVariable& used : variables_) {
    const Tensor& value = used.variable->value();
    if (value.raw() != used.data || !(value.shape() == used.shape)) return Fit::kStale;
    if (used.is_written && !value.SoleOwner()) fit = Fit::kNotNow;
  }
  return fit;
}

Status GraphExec::Launch(const std::vector<bool>& uploaded, CapturingDevice& device, OpContext& ctx) {
  SubgraphCopies in(device);
  for (size_t i = 0; i < uploaded.size(); ++i) {
    if (inputs_[i].data != nullptr) DF_TRY(in.Add(ctx.input(static_cast<int>(i)), inputs_[i].data));
  }
  SubgraphCopies out(device);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Tensor output = outputs_[i];
    if (IsOnDevice(output)) {
      DF_ASSIGN(output, Tensor::Allocate(ctx.allocator(), output.dtype(), output.shape()));
      DF_TRY(out.Add(outputs_[i], output.raw()));
    }
    ctx.SetOutput(static_cast<int>(i), std::move(output));
  }
  DF_TRY(in.Enqueue(/*is_last=*/false));
  DF_TRY(work_->Launch());
  ctx.SetEnqueued();
  return out.Enqueue(/*is_last=*/true);
}

GraphExec::Locked::Locked(const GraphExec& recording) NO_THREAD_SAFETY_ANALYSIS : recording_(recording) {
  for (const UsedVariable& used : recording_.variables_) {
    if (used.is_written) used.variable->mu().Lock();
  }
}

GraphExec::Locked::~Locked() NO_THREAD_SAFETY_ANALYSIS {
  for (const UsedVariable& used : recording_.variables_) {
    if (used.is_written) used.variable->mu().Unlock();
  }
}

}  // namespace dfrun
