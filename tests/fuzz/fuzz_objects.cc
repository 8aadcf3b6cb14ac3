// Random graphs of ops that share objects, a part of the graph in each step: every step ends with values or an error,
// also where its nodes wait for each other and the step is cancelled, and in no other way. Values have the shapes that
// were inferred.
//
//   fuzz_objects [--seed S] [--first I] [--iterations N] [--op NAME] [--verbose] [--coverage]
//
// Graph i is made from the seed and i alone; --op takes only graphs of the family of that op. --coverage prints for
// each op how many nodes of it were run, and how many of them in steps that ended well.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/passes/pass.h"
#include "src/passes/prune.h"
#include "tests/fuzz/forked_cases.h"
#include "tests/fuzz/fuzz_options.h"
#include "tests/fuzz/random_objects.h"
#include "tests/fuzz/small_device.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun::fuzz {
namespace {

constexpr int kSteps = 6;

// The memory that parent and child share.
struct Progress {
  static constexpr size_t kMaxOps = 4096;
  struct Nodes {
    int64_t all;
    int64_t ended_well;
  };
  Nodes ops[kMaxOps];
  int64_t wrong;
  int64_t steps;
  int64_t ended_well;
  int64_t cancelled;
};

struct Ended {
  std::atomic<bool> is_done{false};
  Status status;
  Callback callback() {
    return {[](void* arg, Status status) {
              auto* self = static_cast<Ended*>(arg);
              self->status = std::move(status);
              self->is_done = true;
            },
            this};
  }
};

// Nodes at random, or all of them; their plain outputs are fetched.
RunSignature DrawSignature(const Graph& graph, std::mt19937_64& random) {
  const bool all = random() % 4 == 0;
  const uint64_t of = 1 + random() % 4;
  RunSignature signature;
  for (const Node& node : graph.nodes()) {
    if (!all && random() % of != 0) continue;
    signature.targets.push_back(node.id);
    for (int32_t port = 0; port < node.num_outputs(); ++port) {
      const TypedArg& type = node.output_types[static_cast<size_t>(port)];
      if (!type.is_ref && !IsHandle(type.dtype)) signature.fetches.push_back({node.id, port});
    }
  }
  return signature;
}

Status CheckShapes(const Graph& graph, const RunSignature& signature, const std::vector<Tensor>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Output fetch = signature.fetches[i];
    if (graph.shape(fetch).IsCompatibleWith(values[i].shape())) continue;
    return Internal(graph.Describe(fetch.node), " gives ", values[i].shape(), " where shape inference said ",
                    graph.shape(fetch));
  }
  return Status();
}

class Fuzzer {
 public:
  explicit Fuzzer(const Options& options) : options_(options), ops_(OpRegistry::Builtin().List()) {
    void* const shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    DF_CHECK(shared != MAP_FAILED && ops_.size() <= Progress::kMaxOps);
    progress_ = new (shared) Progress{};
  }

  int64_t Run() {
    const int64_t died = RunForked({options_.first, options_.iterations, [this](int64_t i) { RunCase(i); },
                                    [this](int64_t i, const char* how) { Report(i, how); }});
    if (options_.coverage) PrintCoverage();
    std::printf(
        "%ld graphs, %ld steps: %ld ended well, %ld were cancelled; %ld ended the process, %ld gave an internal "
        "error\n",
        static_cast<long>(options_.iterations), static_cast<long>(progress_->steps),
        static_cast<long>(progress_->ended_well), static_cast<long>(progress_->cancelled), static_cast<long>(died),
        static_cast<long>(progress_->wrong));
    return died + progress_->wrong;
  }

 private:
  void RunCase(int64_t i) {
    const uint64_t seed = CaseSeed(options_.seed, i);
    const RandomObjects objects = MakeRandomObjects(options_.op, seed);
    const Status status = RunGraph(objects.graph, Mix(seed));
    if (options_.verbose) Report(i, status.ToString().c_str());
    if (status.code() != Code::kInternal) return;
    ++progress_->wrong;
    Report(i, status.ToString().c_str());
  }

  // Steps of parts of the graph, each cancelled after a while. The first internal error, if there is one.
  Status RunGraph(const Graph& graph, uint64_t seed) {
    std::mt19937_64 random(seed);
    SmallAllocator allocator;
    SmallDevice device(allocator);
    WorkerPool pool(random() % 3 == 0 ? 2 : 1);
    pool.SetPollHook([] { return false; });  // no thread sleeps for long
    for (int step = 0; step < kSteps; ++step) {
      const RunSignature signature = DrawSignature(graph, random);
      const bool optimize = random() % 2 == 0;
      const auto patience = std::chrono::microseconds(random() % 500);
      const Status status = RunStep(graph, signature, optimize, device, pool, patience);
      if (options_.verbose) std::fprintf(stderr, "step %d: %s\n", step, status.ToString().c_str());
      if (status.code() == Code::kInternal) return status;
    }
    return Status();
  }

  Status RunStep(const Graph& graph, const RunSignature& signature, bool optimize, Device& device, WorkerPool& pool,
                 std::chrono::microseconds patience) {
    const KernelRegistry& kernels = KernelRegistry::Builtin();
    DF_ASSIGN(Graph pruned, PruneForRun(graph, signature));
    const PassContext context{.kernels = kernels, .host = device};
    if (optimize) {
      DF_TRY(OptimizeForDevice(pruned, device.type(), context));
    } else {
      DF_TRY(RunPass(*FindPass("lower_collectives"), pruned, context));
    }
    DF_ASSIGN(const auto plan, BuildPlan(pruned, device, kernels));
    std::vector<Tensor> values(signature.fetches.size());
    const Status status = RunPlanFor(*plan, pool, values, patience);
    Count(graph, signature, status.ok());
    return status.ok() ? CheckShapes(graph, signature, values) : status;
  }

  Status RunPlanFor(ExecPlan& plan, WorkerPool& pool, std::vector<Tensor>& values, std::chrono::microseconds patience) {
    using Clock = std::chrono::steady_clock;
    ResourceContainers containers;
    Cancellation cancellation;
    Ended ended;
    RunArgs args;
    args.fetches = values;
    args.step.step_containers = &containers;
    args.step.cancellation = &cancellation;
    ++progress_->steps;
    StartPlan(plan, pool, args, ended.callback());
    const Clock::time_point late = Clock::now() + patience;
    pool.HelpUntil([&] { return ended.is_done || Clock::now() > late; });
    if (!ended.is_done) ++progress_->cancelled;
    cancellation.Cancel(Error(Code::kCancelled, "the step has waited long enough"));
    pool.HelpUntil([&] { return ended.is_done.load(); });
    return ended.status;
  }

  void Count(const Graph& graph, const RunSignature& signature, bool ended_well) {
    progress_->ended_well += ended_well ? 1 : 0;
    for (NodeId id : signature.targets) {
      const auto op = std::find(ops_.begin(), ops_.end(), graph.node(id).op);
      Progress::Nodes& nodes = progress_->ops[static_cast<size_t>(op - ops_.begin())];
      ++nodes.all;
      nodes.ended_well += ended_well ? 1 : 0;
    }
  }

  void Report(int64_t i, const char* what) const {
    const RandomObjects objects = MakeRandomObjects(options_.op, CaseSeed(options_.seed, i));
    std::fprintf(stderr, "--seed %llu --first %ld: %s\n", static_cast<unsigned long long>(options_.seed),
                 static_cast<long>(i), what);
    for (const Node& node : objects.graph.nodes()) std::fprintf(stderr, "    %s\n", Text(objects.graph, node).c_str());
    for (const std::string& text : objects.refused) std::fprintf(stderr, "    refused: %s\n", text.c_str());
  }

  static std::string Text(const Graph& graph, const Node& node) {
    std::string text = StrCat(node.name, " = ", node.op->name);
    for (Output input : node.inputs) text += StrCat(" ", OutputName(graph, input));
    for (NodeId control : node.control_inputs) text += StrCat(" ^", graph.node(control).name);
    for (const auto& [name, value] : node.attrs) text += StrCat(" ", name, "=", value.ToString());
    return text;
  }

  void PrintCoverage() const {
    for (size_t k = 0; k < ops_.size(); ++k) {
      const Progress::Nodes& nodes = progress_->ops[k];
      if (nodes.all == 0) continue;
      std::printf("%-34s %8ld nodes, %8ld of steps that ended well\n", ops_[k]->name.c_str(),
                  static_cast<long>(nodes.all), static_cast<long>(nodes.ended_well));
    }
  }

  const Options options_;
  const std::vector<const OpDef*> ops_;
  Progress* progress_;
};

}  // namespace
}  // namespace dfrun::fuzz

int main(int argc, char** argv) {
  dfrun::fuzz::Options options;
  if (!dfrun::fuzz::ParseOptions(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: fuzz_objects [--seed S] [--first I] [--iterations N] [--op NAME] [--verbose] [--coverage]\n");
    return 64;
  }
  const dfrun::ScratchDirectory scratch;
  std::filesystem::current_path(scratch.path());
  for (const char* name : {"a", "1", "x y  z"}) scratch.Write(name, "some\nlines of text\n\nthat readers find");
  return dfrun::fuzz::Fuzzer(options).Run() == 0 ? 0 : 1;
}
