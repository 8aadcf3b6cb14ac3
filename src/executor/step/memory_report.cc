#include "src/executor/step/memory_report.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/device/memory_limit.h"

namespace dfrun {
namespace {

constexpr size_t kMaxListed = 10;

struct LiveTensor {
  std::string what;  // "'conv1' (op Conv2D)"
  DType dtype;
  Shape shape;
  size_t bytes;
};

class LiveTensors {
 public:
  explicit LiveTensors(Device& device) : in_host_(IsHostMemory(device.allocator().kind())) {}
  // Adds a value if it lies in the device's memory and shares its bytes with none before it.
  void Add(std::string what, const Tensor& value) {
    const bool is_listed = value.initialized() && !value.is_reference() && IsPlain(value.dtype()) &&
                           IsHostMemory(value.memory()) == in_host_ && value.num_bytes() > 0 &&
                           seen_.insert(value.raw()).second;
    if (is_listed) found_.push_back({std::move(what), value.dtype(), value.shape(), value.num_bytes()});
  }
  void Add(Variable& variable) {
    MutexLock lock(variable.mu());
    Add(StrCat("the variable '", variable.name(), "'"), variable.value());
  }
  // Adds the variables behind the references and handles of a slot.
  void AddVariables(const Tensor& slot) {
    if (slot.is_reference()) return Add(*slot.variable());
    if (!slot.initialized() || slot.dtype() != DType::kResource) return;
    for (int64_t i = 0; i < slot.num_elements(); ++i) {
      auto* const variable = dynamic_cast<Variable*>(slot.data<ResourceHandle>()[i].get());
      if (variable != nullptr) Add(*variable);
    }
  }

  // The largest first, a line each.
  std::string Text() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const LiveTensor& a, const LiveTensor& b) { return a.bytes > b.bytes; });
    std::string text;
    for (size_t i = 0; i < std::min(found_.size(), kMaxListed); ++i) {
      const LiveTensor& live = found_[i];
      text += StrCat("\n", live.bytes, " bytes: ", live.what, ", ", live.dtype, live.shape);
    }
    if (found_.size() > kMaxListed) text += StrCat("\nand ", found_.size() - kMaxListed, " smaller ones");
    return text;
  }
  bool empty() const { return found_.empty(); }

 private:
  const bool in_host_;
  std::vector<LiveTensor> found_;
  std::set<const void*> seen_;
};

// Adds the tensors that are the same in all steps of a plan: references and handles of variables, and constants.
void AddFixed(const ExecPlan& plan, bool with_constants, LiveTensors& live) {
  for (const ValueLayout::FixedSlot& fixed : plan.root().layout.fixed) {
    live.AddVariables(fixed.value);
    if (with_constants) live.Add("a constant", fixed.value);
  }
}

// Adds the outputs that nodes have made. An asynchronous operation in flight may be about to write its outputs.
void AddOutputs(const ExecPlan& plan, const Tensor* slots, bool with_asynchronous, LiveTensors& live) {
  for (uint32_t node = 0; node < plan.root().num_nodes; ++node) {
    const NodeRecord& record = plan.records()[node];
    const bool is_async = (record.flags & kNodeAsync) != 0;
    if (is_async ? !with_asynchronous : record.fn == nullptr) continue;
    const NodeInfo& info = plan.info(node);
    for (size_t i = 0; i < info.outputs.size(); ++i) {
      const Tensor& output = slots[record.first_output + i];
      live.AddVariables(output);
      live.Add(StrCat("'", info.name, "' (op ", info.op->name, ")"), output);
    }
  }
}

int64_t LimitOf(Device& device) {
  const auto* const memory = dynamic_cast<const LimitedMemory*>(&device.allocator());
  return memory == nullptr ? 0 : memory->limit_bytes();
}

std::string InUse(Device& device) {
  const AllocatorStats stats = device.allocator().Stats();
  const int64_t limit = LimitOf(device);
  return StrCat(device.full_name(), " has ", limit > 0 ? StrCat("a limit of ", limit, " bytes") : "no limit", ", ",
                stats.bytes_in_use, " bytes are in use, and at most ", stats.peak_bytes_in_use,
                " have been; smaller batches take less");
}

bool IsLackOfMemory(const Status& status, const ExecPlan& plan) {
  return status.code() == Code::kResourceExhausted && (plan.device().has_own_memory() || LimitOf(plan.device()) > 0);
}

Status Report(const Status& at_node, const ExecPlan& plan, const char* title, LiveTensors& live) {
  return Error(at_node.code(), at_node.message(), "\n", InUse(plan.device()), live.empty() ? "" : title + live.Text());
}

}  // namespace

Status WithMemoryReport(const Status& at_node, StepState& step, bool is_shared) {
  const ExecPlan& plan = step.plan();
  if (!IsLackOfMemory(at_node, plan)) return at_node;
  LiveTensors live(plan.device());
  AddFixed(plan, /*with_constants=*/!is_shared, live);
  if (is_shared) return Report(at_node, plan, "\nThe largest variables that the step reads:", live);
  AddOutputs(plan, step.values().slots(), /*with_asynchronous=*/step.in_flight() == 0, live);
  return Report(at_node, plan, "\nThe largest tensors of the step:", live);
}

Status WithMemoryReport(const Status& at_node, const ExecPlan& plan, const Tensor* slots) {
  if (!IsLackOfMemory(at_node, plan)) return at_node;
  LiveTensors live(plan.device());
  AddFixed(plan, /*with_constants=*/true, live);
  AddOutputs(plan, slots, /*with_asynchronous=*/true, live);
  return Report(at_node, plan, "\nThe largest tensors of the step:", live);
}

}  // namespace dfrun
