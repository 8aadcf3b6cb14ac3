#include "tests/conformance/kernels/recorded_case.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/variable.h"
#include "src/framework/op/op.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

constexpr int kSteps = 3;

// The first line that says why something was not recorded, without device and node.
std::string WhyNot(const std::vector<std::string>& lines) {
  constexpr std::string_view kSays = "not recorded: ";
  for (const std::string& line : lines) {
    if (line.find(kSays) != std::string::npos) return line.substr(line.rfind(": ") + 2);
  }
  return "";
}

// Runs the steps, with `before` before each. The outputs are those of the last one.
Result<RecordedRun> RunSteps(const Graph& graph, const RunSignature& signature, const std::vector<Tensor>& feeds,
                             Device& device, const std::function<Status()>& before) {
  std::vector<std::string> lines;
  const PlanOptions options = {.explain = [&](const std::string& line) { lines.push_back(line); }};
  DF_ASSIGN(const Graph pruned, PruneForRun(graph, signature));
  DF_ASSIGN(const std::unique_ptr<ExecPlan> plan, BuildPlan(pruned, device, KernelRegistry::Builtin(), options));
  WorkerPool pool(1);
  RecordedRun run;
  int64_t launches = 0;
  for (int step = 0; step < kSteps; ++step) {
    DF_TRY(before());
    launches = CapturingDevice::Of(device)->counters().launches;
    run.outputs.assign(signature.fetches.size(), Tensor());
    DF_TRY(RunPlan(*plan, pool, {.feeds = feeds, .fetches = run.outputs, .step = {}}));
  }
  run.why_not = WhyNot(lines);
  if (run.why_not.empty() && CapturingDevice::Of(device)->counters().launches == launches) {
    run.why_not = "it does nothing on the device, or waits for it";
  }
  return run;
}

// A case's graph: the node, and beside it some work that is always recorded, since a unit has more than one node.
class CaseGraph {
 public:
  CaseGraph(const GoldenCase& c, Device& device) : case_(c), device_(device) {}

  Result<RecordedRun> Run() {
    DF_TRY(FindHostInputs());
    NodeSpec spec;
    spec.name = "node";
    spec.op = case_.op;
    spec.attrs = case_.attrs;
    for (size_t i = 0; i < case_.inputs.size(); ++i) spec.inputs.push_back(AddInput(i));
    DF_ASSIGN(const NodeId id, maker_.graph.AddNode(std::move(spec)));
    const Node& node = maker_.graph.node(id);
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (!node.output_types[i].is_ref) signature_.fetches.push_back({id, i});
    }
    const size_t outputs = signature_.fetches.size();
    signature_.targets = {id};
    AddWorkBeside();
    DF_ASSIGN(RecordedRun run, RunSteps(maker_.graph, signature_, feeds_, device_, [&] { return SetVariables(); }));
    run.outputs.resize(outputs);
    for (const auto& [name, value] : variables_) {
      DF_ASSIGN(Tensor after, device_.ToHostMemory(Find(name)->value()));
      run.after.push_back(std::move(after));
    }
    return run;
  }

 private:
  bool IsVariable(size_t input) const {
    return std::find(case_.variables.begin(), case_.variables.end(), input) != case_.variables.end();
  }
  bool TakesRef(size_t input) const {
    const OpDef* const op = OpRegistry::Builtin().Find(case_.op);
    return op != nullptr &&
           std::any_of(op->inputs.begin(), op->inputs.end(), [](const ArgDef& arg) { return arg.is_ref; }) &&
           IsVariable(input);
  }

  Output AddVariable(GraphMaker& maker, const std::string& name, size_t i) const {
    const Tensor& value = case_.inputs[i];
    const PartialShape shape = value.initialized() ? PartialShape(value.shape()) : PartialShape();
    return maker.Add(name, TakesRef(i) ? "VariableV2" : "VarHandleOp", {},
                     {{"dtype", value.dtype()}, {"shape", shape}});
  }

  Output AddInput(size_t i) {
    const Tensor& value = case_.inputs[i];
    const std::string name = StrCat("input", i);
    if (IsVariable(i)) {
      variables_.emplace_back(name, value);
      return AddVariable(maker_, name, i);
    }
    // A value that the host reads for a node must be the same in each step.
    if (is_read_by_host_[i] || !IsPlain(value.dtype())) return maker_.Const(name, value);
    return Feed(name, value);
  }
  Output Feed(const std::string& name, const Tensor& value) {
    const Output fed = maker_.Placeholder(name, PartialShape(value.shape()), value.dtype());
    signature_.feeds.push_back(fed);
    signature_.feed_shapes.emplace_back(value.shape());
    feeds_.push_back(value);
    return fed;
  }

  // Finds the inputs that the host reads, by the attrs that the node gets from its inputs.
  Status FindHostInputs() {
    GraphMaker draft;
    NodeSpec spec;
    spec.name = "node";
    spec.op = case_.op;
    spec.attrs = case_.attrs;
    for (size_t i = 0; i < case_.inputs.size(); ++i) {
      const std::string name = StrCat("input", i);
      spec.inputs.push_back(IsVariable(i) ? AddVariable(draft, name, i) : draft.Const(name, case_.inputs[i]));
    }
    DF_ASSIGN(const NodeId id, draft.graph.AddNode(std::move(spec)));
    const Node& node = draft.graph.node(id);
    DF_ASSIGN(const KernelDef* const def, KernelRegistry::Builtin().Find(case_.op, device_.type(), node.attrs));
    NodeInfo info{node.name, node.op, node.input_types, node.output_types};
    DF_TRY(SetHostArgs(def, node.attrs, info));
    for (const TypedArg& input : info.inputs) is_read_by_host_.push_back(input.in_host);
    return Status();
  }

  void AddWorkBeside() {
    const Output x = Feed("beside", Tensor::Vector<float>({1, 2, 3, 4}));
    const Output square = maker_.Add("square_beside", "Square", {x});
    signature_.fetches.push_back(maker_.Add("minus_beside", "Neg", {square}));
  }

  RefPtr<Variable> Find(const std::string& name) const { return device_.containers().Lookup<Variable>("", name); }

  // Sets the variables, in the memory that they have if the value fits.
  Status SetVariables() {
    for (const auto& [name, value] : variables_) {
      const PartialShape shape = value.initialized() ? PartialShape(value.shape()) : PartialShape();
      DF_ASSIGN(const RefPtr<Variable> variable,
                device_.containers().LookupOrCreate<Variable>(
                    "", name, [&]() -> Result<Variable*> { return new Variable(name, value.dtype(), shape); }));
      if (!value.initialized()) continue;
      MutexLock lock(variable->mu());
      if (variable->initialized() && variable->value().shape() == value.shape()) {
        Tensor now = variable->value();
        DF_TRY(device_.Copy(value, now));
      } else {
        DF_TRY(variable->Assign(value, device_));
      }
    }
    return Status();
  }

  const GoldenCase& case_;
  Device& device_;
  GraphMaker maker_;
  RunSignature signature_;
  std::vector<Tensor> feeds_;
  std::vector<bool> is_read_by_host_;  // by input
  std::vector<std::pair<std::string, Tensor>> variables_;
};

}  // namespace

bool RunsRecorded() {
  return std::getenv("DFRUN_TEST_RECORDED") != nullptr;
}

Result<RecordedRun> RunRecordedCase(const GoldenCase& c, Device& device) {
  device.containers().Reset("");
  return CaseGraph(c, device).Run();
}

Result<RecordedRun> RunRecordedGraph(const Graph& graph, const std::vector<Output>& fetches, Device& device) {
  RunSignature signature;
  signature.fetches = fetches;
  return RunSteps(graph, signature, {}, device, [] { return Status(); });
}

}  // namespace dfrun::testing
