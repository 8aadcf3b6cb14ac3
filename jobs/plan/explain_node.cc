#include "jobs/plan/explain_node.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "jobs/json.h"
#include "jobs/place_by_spec.h"
#include "jobs/plan/planned_job.h"
#include "jobs/plan/write_placement.h"
#include "jobs/text_table.h"
#include "src/base/counted.h"
#include "src/base/text.h"
#include "src/plan/placed_step.h"

namespace dfrun::jobs {
namespace {

constexpr size_t kMaxShown = 8;

// The node on one of the devices that it could be on. Times are in seconds.
struct NodeOnDevice {
  std::string device;
  double ready_s = 0;  // all that it waits for is there
  double waits_s = 0;  // then it waits for the device
  double takes_s = 0;
  double step_s = 0;  // the whole step
  int64_t messages = 0;
  bool fits = true;
  double EndS() const { return ready_s + waits_s + takes_s; }
};

struct Explanation {
  std::string node;
  std::vector<std::string> others;    // nodes that go where it goes
  std::vector<NodeOnDevice> devices;  // its own first
  std::string why_bound;              // why it could be on no other; ""
};

NodeOnDevice Simulate(const SimulatedJob& job, const Cluster& cluster, std::vector<int> device_of, int task) {
  const PlacedStep placed(job.step.graph, device_of);
  const auto device = static_cast<size_t>(device_of[static_cast<size_t>(task)]);
  NodeOnDevice on;
  on.device = cluster.devices[device].name.ToString();
  on.ready_s = placed.ReadyOf(task);
  on.takes_s = job.step.graph.Seconds(task, static_cast<int>(device));
  on.waits_s = placed.EndOf(task) - on.ready_s - on.takes_s;
  if (on.waits_s < 1e-12) on.waits_s = 0;  // a difference of rounding
  on.step_s = placed.seconds();
  for (const PlacedLinkUse& use : placed.Describe().links) on.messages += use.messages;
  on.fits = placed.excess_bytes() == 0;
  return on;
}

std::string WhyBound(const SimulatedJob& job, const Node& node) {
  const NodeId id = job.job.graph.Find(node.name);
  if (id < 0) return "a pass of the compiler has made it, where its inputs are";
  const Node& of_job = job.job.graph.node(id);
  if (!of_job.colocate_with.empty()) return StrCat("it must be where '", of_job.colocate_with, "' is");
  if (!of_job.device.empty())
    return StrCat("the spec, or the strategy of the training, wants it on '", of_job.device, "'");
  return "it serves nodes that are there";
}

// The task of a node of the step.
Result<int> TaskOf(const SimulatedJob& job, const std::string& name) {
  const NodeId id = job.placed.Find(name);
  if (id >= 0) {
    const int task = job.step.task_of[static_cast<size_t>(id)];
    if (task >= 0) return task;
    return Error(Code::kUsage, "'", name, "' is a constant: each device that reads it has it for itself");
  }
  if (job.job.graph.Find(name) >= 0) {
    return Error(Code::kUsage, "a step has no node '", name, "' left: a pass has computed it beforehand or put ",
                 "another in its place; `dfrun graph SPEC --text --after place` shows those that there are");
  }
  std::vector<std::string> names;
  for (const Node& node : job.placed.nodes()) names.push_back(node.name);
  const std::string near = Nearest(name, names);
  return Error(
      Code::kUsage, "the step has no node '", name, "'",
      near.empty() ? "; `dfrun graph SPEC --text --after place` lists them" : StrCat(", did you mean '", near, "'?"));
}

// The devices that are simulated: where there are many, those with nodes that the group reads or is read by, and the
// first others, since those without are alike.
std::set<int> DevicesToTry(const SimulatedJob& job, const StepGroup& group) {
  constexpr size_t kMaxAll = 64;
  constexpr size_t kMaxOthers = 16;
  const std::vector<int>& all = job.step.device_sets[static_cast<size_t>(group.device_set)];
  if (all.size() <= kMaxAll) return {all.begin(), all.end()};
  std::set<int> some(all.begin(), all.begin() + kMaxOthers);
  const StepGraph& graph = job.step.graph;
  const auto add = [&](int task) {
    const int device = job.step.device_of[static_cast<size_t>(task)];
    if (some.size() < kMaxAll && std::binary_search(all.begin(), all.end(), device)) some.insert(device);
  };
  for (const int task : group.tasks) {
    for (const int input : graph.InputsOf(task)) add(graph.outputs[static_cast<size_t>(input)].task);
    for (int o = graph.first_output[static_cast<size_t>(task)]; o < graph.first_output[static_cast<size_t>(task) + 1];
         ++o)
      for (const int reader : graph.ReadersOf(o)) add(reader);
  }
  return some;
}

Explanation Explain(const SimulatedJob& job, const Cluster& cluster, int task) {
  Explanation out;
  const Node& node = job.placed.node(job.step.nodes[static_cast<size_t>(task)]);
  out.node = node.name;
  out.devices.push_back(Simulate(job, cluster, job.step.device_of, task));
  const int g = job.step.group_of[static_cast<size_t>(task)];
  if (g < 0) {
    out.why_bound = WhyBound(job, node);
    return out;
  }
  const StepGroup& group = job.step.groups[static_cast<size_t>(g)];
  for (const int other : group.tasks) {
    if (other != task) out.others.push_back(job.placed.node(job.step.nodes[static_cast<size_t>(other)]).name);
  }
  for (const int device : DevicesToTry(job, group)) {
    if (device == job.step.device_of[static_cast<size_t>(task)]) continue;
    std::vector<int> moved = job.step.device_of;
    for (const int other : group.tasks) moved[static_cast<size_t>(other)] = device;
    out.devices.push_back(Simulate(job, cluster, std::move(moved), task));
  }
  std::stable_sort(out.devices.begin() + 1, out.devices.end(),
                   [](const NodeOnDevice& a, const NodeOnDevice& b) { return a.step_s < b.step_s; });
  if (out.devices.size() == 1) {
    out.why_bound =
        cluster.devices.size() == 1 ? "there is no other device" : "no other device of its job has kernels for it";
  }
  return out;
}

// The term by which the node's own device differs most from another, for the time at which it ends.
std::string DecidingTerm(const NodeOnDevice& own, const NodeOnDevice& other) {
  const std::pair<double, const char*> terms[] = {
      {other.ready_s - own.ready_s, "what it waits for is there"},
      {other.waits_s - own.waits_s, "the device is free for it"},
      {other.takes_s - own.takes_s, "it computes"},
  };
  const auto most = std::max_element(std::begin(terms), std::end(terms), [](const auto& a, const auto& b) {
    return std::abs(a.first) < std::abs(b.first);
  });
  if (std::abs(most->first) < 1e-9) return "no term differs";
  return fmt::format("{} {:.1f} us {} on {}", most->second, std::abs(most->first) * 1e6,
                     most->second[0] == 'i' && most->first > 0 ? "longer"
                     : most->first > 0                         ? "later"
                                                               : "sooner",
                     other.device);
}

std::string Microseconds(double seconds) {
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string TextOf(const Explanation& of) {
  const NodeOnDevice& own = of.devices[0];
  std::string text = StrCat("node:    ", of.node);
  if (!of.others.empty()) {
    const size_t shown = std::min(of.others.size(), kMaxShown);
    text += StrCat(
        "; with it ", of.others.size() == 1 ? "goes " : "go ",
        Join(std::vector<std::string>(of.others.begin(), of.others.begin() + static_cast<std::ptrdiff_t>(shown))),
        shown < of.others.size() ? StrCat(" and ", of.others.size() - shown, " more") : "");
  }
  text += StrCat("\ndevice:  ", own.device, "\n");
  if (!of.why_bound.empty()) text += StrCat("bound:   ", of.why_bound, "\n");
  std::vector<std::vector<std::string>> rows = {
      {"device", "ready at", "waits", "takes", "ends at", "step", "change", "messages", "fits"}};
  for (size_t i = 0; i < std::min(of.devices.size(), kMaxShown); ++i) {
    const NodeOnDevice& on = of.devices[i];
    rows.push_back({on.device, Microseconds(on.ready_s), Microseconds(on.waits_s), Microseconds(on.takes_s),
                    Microseconds(on.EndS()), Microseconds(on.step_s),
                    i == 0 ? "" : fmt::format("{:+.1f} %", 100 * (on.step_s / own.step_s - 1)),
                    std::to_string(on.messages), on.fits ? "yes" : "no"});
  }
  text += TextTable(rows);
  if (of.devices.size() > kMaxShown)
    text += StrCat("and ", Counted(static_cast<int64_t>(of.devices.size() - kMaxShown), "device"),
                   " on which the step takes no less\n");
  if (of.devices.size() > 1) text += StrCat("decides: ", DecidingTerm(own, of.devices[1]), "\n");
  return text;
}

std::string JsonOf(const Explanation& of) {
  const std::string devices = Join(of.devices, ", ", [](const NodeOnDevice& on) {
    return StrCat("{\"device\": ", JsonString(on.device), ", \"ready_s\": ", JsonNumber(on.ready_s),
                  ", \"waits_s\": ", JsonNumber(on.waits_s), ", \"takes_s\": ", JsonNumber(on.takes_s),
                  ", \"ends_s\": ", JsonNumber(on.EndS()), ", \"step_s\": ", JsonNumber(on.step_s),
                  ", \"messages\": ", on.messages, ", \"fits\": ", on.fits ? "true" : "false", "}");
  });
  const std::string others = Join(of.others, ", ", [](const std::string& name) { return JsonString(name); });
  const std::string reason = of.why_bound.empty() ? DecidingTerm(of.devices[0], of.devices[1]) : of.why_bound;
  return StrCat("{\"node\": ", JsonString(of.node), ", \"device\": ", JsonString(of.devices[0].device),
                ", \"cost\": ", JsonNumber(of.devices[0].step_s), ", \"reason\": ", JsonString(reason),
                ", \"moves_with\": [", others, "], \"devices\": [", devices, "]}\n");
}

}  // namespace

Result<std::string> ExplainNode(const std::string& node, const SpecPlanOptions& options) {
  DF_ASSIGN(const int ranks, OneNumberOfRanks(options.ranks, "explain"));
  DF_ASSIGN(PlannedJob job, LoadPlannedJob(options, ranks));
  DF_TRY(job.CheckStep());
  DF_TRY(PlaceBySpec(job.spec, job.compiler, &job.costs, options.ranks_per_node).status());
  DF_ASSIGN(const SimulatedJob step, job.Simulate(options.ranks_per_node));
  DF_ASSIGN(const int task, TaskOf(step, node));
  const Explanation explanation = Explain(step, job.compiler.cluster(), task);
  return options.json ? JsonOf(explanation) : TextOf(explanation);
}

}  // namespace dfrun::jobs
