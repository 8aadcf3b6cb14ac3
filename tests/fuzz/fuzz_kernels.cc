// Random nodes through shape inference and their kernels: each ends in a result or in an error, and in no other way.
// Some are made from nothing, some are golden cases with something changed.
//
//   fuzz_kernels [--seed S] [--first I] [--iterations N] [--op NAME] [--verbose] [--coverage]
//
// Case i is made from the seed and i alone, so `--seed S --first I --iterations 1` runs one that was reported again.
// Different seeds have no case in common. A child process runs them; where it dies or takes too long, the case is
// reported and the next child goes on after it. --coverage prints, by family of golden cases, how many cases came as
// far as their kernel and how many gave a result, then the ops of which none did.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>

#include "src/base/denormals.h"
#include "src/framework/kernel/executor_access.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"
#include "tests/fuzz/forked_cases.h"
#include "tests/fuzz/fuzz_options.h"
#include "tests/fuzz/random_case.h"
#include "tests/fuzz/small_device.h"
#include "tests/unit/testing/plain_device.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun::fuzz {
namespace {

// Ops that end the process, fill the log, or read and write any files that random names denote.
constexpr const char* kLeftOut[] = {"Abort", "Print",      "PrintV2", "WriteFile", "ReadFile",
                                    "Save",  "SaveSlices", "SaveV2",  "SaveShard", "MergeV2Checkpoints"};

struct Counts {
  int64_t cases = 0;
  int64_t reached = 0;   // reached their kernel's Compute()
  int64_t computed = 0;  // gave a result
};

Result<Output> AddInput(Graph& graph, const RandomInput& input, size_t i) {
  NodeSpec spec;
  spec.name = StrCat("input", i);
  const PartialShape shape = input.has_shape ? PartialShape(input.value.shape()) : PartialShape();
  if (input.is_known) {
    spec.op = "Const";
    spec.attrs = {{"dtype", input.value.dtype()}, {"value", input.value}};
  } else {
    spec.op = input.is_ref ? "VariableV2" : "Placeholder";
    spec.attrs = {{"dtype", input.value.dtype()}, {"shape", shape}};
  }
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

Result<NodeId> BuildGraph(const RandomCase& c, Graph& graph) {
  NodeSpec spec;
  spec.name = "node";
  spec.op = c.op->name;
  spec.attrs = c.attrs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    DF_ASSIGN(const Output input, AddInput(graph, c.inputs[i], i));
    spec.inputs.push_back(input);
  }
  return graph.AddNode(std::move(spec));
}

// The values of a case's inputs, the variables of its refs included.
struct Slots {
  explicit Slots(const RandomCase& c) {
    for (const RandomInput& input : c.inputs) {
      values.push_back(input.value);
      if (!input.is_ref) continue;
      variables.emplace_back(new Variable("v", input.value.dtype(), PartialShape()));
      MutexLock lock(variables.back()->mu());
      if (input.value.initialized()) DF_CHECK(variables.back()->Assign(input.value, testing::HostDevice()).ok());
      values.back() = Tensor::Reference(input.value.dtype(), variables.back().get());
    }
    in.resize(values.size());
    std::iota(in.begin(), in.end(), 0);
  }
  std::vector<Tensor> values;
  std::vector<uint32_t> in;
  std::vector<RefPtr<Variable>> variables;
};

Status CheckOutputs(const Node& node, const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    if (!output.initialized()) continue;  // a ref, or dead
    if (output.dtype() != node.output_types[i].dtype) {
      return Internal("output ", i, " is ", output.dtype(), " and not ", node.output_types[i].dtype);
    }
    if (!node.output_shapes[i].IsCompatibleWith(output.shape())) {
      return Internal("output ", i, " has the shape ", output.shape(), " where shape inference said ",
                      node.output_shapes[i]);
    }
  }
  return Status();
}

Status RunNode(const Graph& graph, const Node& node, const RandomCase& c, Device& device, Counts& counts) {
  DF_ASSIGN(const KernelDef* def, KernelRegistry::Builtin().Find(node.op->name, "cpu", node.attrs));
  if (def->is_async) return Unimplemented("asynchronous kernels wait for others");
  NodeInfo info{node.name, node.op, {}, node.output_types};
  std::vector<PartialShape> shapes;
  for (Output input : node.inputs) {
    shapes.push_back(graph.shape(input));
    info.inputs.push_back({graph.dtype(input), graph.is_ref(input)});
  }
  KernelSetup setup(info, node.attrs, device, shapes, node.output_shapes,
                    std::vector<bool>(node.output_types.size(), false));
  const std::unique_ptr<Kernel> kernel = def->make(setup);
  DF_TRY(setup.status());
  std::vector<Tensor> outputs(node.output_types.size());
  if (!outputs.empty()) outputs[0] = kernel->FixedOutput();
  ++counts.reached;
  if (!outputs.empty() && outputs[0].initialized()) return CheckOutputs(node, outputs);
  Slots slots(c);
  ResourceContainers step_containers;
  const StepContext step{.step_containers = &step_containers};
  InlineThreadPool pool;
  OpContext ctx;
  ExecutorAccess::BindStep(ctx, slots.values.data(), device, pool, step);
  ExecutorAccess::BindNode(ctx, info, slots.in.data(), outputs.data(), 0);
  const ScopedFlushDenormals flush;
  DF_TRY(kernel->fn()(kernel.get(), ctx));
  return CheckOutputs(node, outputs);
}

Status RunCase(const RandomCase& c, Device& device, Counts& counts) {
  Graph graph;
  DF_ASSIGN(const NodeId id, BuildGraph(c, graph));
  return RunNode(graph, graph.node(id), c, device, counts);
}

// The memory that parent and child share.
struct Progress {
  static constexpr size_t kMaxOps = 4096;
  Counts ops[kMaxOps];
  std::atomic<int64_t> wrong;  // cases that returned an internal error
};

class Fuzzer {
 public:
  explicit Fuzzer(const Options& options) : options_(options) {
    for (const OpDef* op : OpRegistry::Builtin().List()) {
      if (IsFuzzed(*op)) ops_.push_back(op);
    }
    ReadExamples();
    void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    DF_CHECK(shared != MAP_FAILED && ops_.size() <= Progress::kMaxOps);
    progress_ = new (shared) Progress{};
  }

  // Runs the cases. Returns how many ended in another way.
  int64_t Run() {
    if (ops_.empty()) {
      std::fprintf(stderr, "there is no op '%s' to run\n", options_.op.c_str());
      return 1;
    }
    const int64_t died = RunForked({options_.first, options_.iterations, [this](int64_t i) { RunCaseNumber(i); },
                                    [this](int64_t i, const char* how) { Report(i, how); }});
    if (options_.coverage) PrintCoverage();
    Counts all;
    for (size_t k = 0; k < ops_.size(); ++k) AddTo(all, progress_->ops[k]);
    std::printf(
        "%ld cases of %zu ops: %ld reached a kernel, %ld computed, %ld ended the process, %ld gave an internal "
        "error\n",
        static_cast<long>(options_.iterations), ops_.size(), static_cast<long>(all.reached),
        static_cast<long>(all.computed), static_cast<long>(died), static_cast<long>(progress_->wrong));
    return died + progress_->wrong;
  }

 private:
  bool IsFuzzed(const OpDef& op) const {
    if (!options_.op.empty() && op.name != options_.op) return false;
    if (op.name[0] == '_' || KernelRegistry::Builtin().List(op.name).empty()) return false;
    return std::none_of(std::begin(kLeftOut), std::end(kLeftOut), [&](const char* name) { return op.name == name; });
  }

  static void AddTo(Counts& sum, const Counts& counts) {
    sum.cases += counts.cases;
    sum.reached += counts.reached;
    sum.computed += counts.computed;
  }

  void PrintCoverage() const {
    std::map<std::string, Counts> families;
    std::string unreached;
    for (size_t k = 0; k < ops_.size(); ++k) {
      const auto family = families_.find(ops_[k]->name);
      AddTo(families[family == families_.end() ? "(no golden cases)" : family->second], progress_->ops[k]);
      if (progress_->ops[k].cases > 0 && progress_->ops[k].reached == 0) unreached += " " + ops_[k]->name;
    }
    for (const auto& [family, counts] : families) {
      const double percent = 100.0 / static_cast<double>(std::max<int64_t>(counts.cases, 1));
      std::printf("%-20s %8ld cases, %3.0f%% reached a kernel, %3.0f%% computed\n", family.c_str(),
                  static_cast<long>(counts.cases), percent * static_cast<double>(counts.reached),
                  percent * static_cast<double>(counts.computed));
    }
    std::printf("never reached:%s\n", unreached.empty() ? " none" : unreached.c_str());
  }

  // Number in ops_ of the op of case i, and a seed for the rest of it.
  std::pair<size_t, uint64_t> Draw(int64_t i) const {
    std::mt19937_64 random(CaseSeed(options_.seed, i));
    const size_t op = random() % ops_.size();
    return {op, random()};
  }

  RandomCase Case(int64_t i) const {
    const auto [number, seed] = Draw(i);
    const OpDef& op = *ops_[number];
    static const std::vector<testing::GoldenCase> none;
    const auto examples = examples_.find(op.name);
    return MakeRandomCase(op, examples == examples_.end() ? none : examples->second, seed);
  }

  void Report(int64_t i, const char* what) const {
    std::fprintf(stderr, "--seed %llu --first %ld: %s: %s\n", static_cast<unsigned long long>(options_.seed),
                 static_cast<long>(i), what, Case(i).Describe().c_str());
  }

  void RunCaseNumber(int64_t i) {
    const RandomCase c = Case(i);
    if (options_.verbose) std::fprintf(stderr, "%s\n", c.Describe().c_str());
    Counts& counts = progress_->ops[Draw(i).first];
    ++counts.cases;
    const Status status = RunCase(c, device_, counts);
    if (options_.verbose) std::fprintf(stderr, "  -> %s\n", status.ToString().c_str());
    if (status.ok()) ++counts.computed;
    if (status.code() != Code::kInternal) return;
    ++progress_->wrong;
    Report(i, status.ToString().c_str());
  }

  void ReadExamples() {
    for (const std::string& path : testing::GoldenFiles(testing::GoldenDir())) {
      Result<std::vector<testing::GoldenCase>> cases = testing::ReadGoldenFile(path);
      DF_CHECK(cases.ok());
      for (testing::GoldenCase& c : *cases) {
        families_[c.op] = testing::FamilyOf(path);
        if (c.tables.empty()) examples_[c.op].push_back(std::move(c));
      }
    }
    for (auto& [op, cases] : examples_) {
      std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    }
  }

  const Options options_;
  SmallAllocator allocator_;
  SmallDevice device_{allocator_};
  std::vector<const OpDef*> ops_;
  std::map<std::string, std::vector<testing::GoldenCase>> examples_;
  std::map<std::string, std::string> families_;  // op -> file of golden cases
  Progress* progress_;
};

}  // namespace
}  // namespace dfrun::fuzz

int main(int argc, char** argv) {
  dfrun::fuzz::Options options;
  if (!dfrun::fuzz::ParseOptions(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: fuzz_kernels [--seed S] [--first I] [--iterations N] [--op NAME] [--verbose] [--coverage]\n");
    return 64;
  }
  const dfrun::ScratchDirectory scratch;  // for kernels that write files
  std::filesystem::current_path(scratch.path());
  return dfrun::fuzz::Fuzzer(options).Run() == 0 ? 0 : 1;
}
