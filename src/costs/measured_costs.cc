#include "src/costs/measured_costs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "src/base/file.h"
#include "src/base/median.h"
#include "src/base/text.h"
#include "src/costs/node_key.h"
#include "src/costs/predict.h"
#include "src/framework/device/device_name.h"

namespace dfrun {
namespace {

constexpr size_t kMaxTraceBytes = size_t{4} << 30;
// A time of less than the clock tells counts as this.
constexpr double kMinSeconds = 1e-9;

// The text of the member behind `name`, to the first of `ends`; empty where there is none.
std::string_view MemberOf(std::string_view line, std::string_view name, std::string_view ends) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + name.size());
  return rest.substr(0, rest.find_first_of(ends));
}

// Takes the events of one rank, each of which stands on a line of its own. Names of lanes come before their slices.
class TraceReader {
 public:
  explicit TraceReader(TracedTimes& times) : times_(times) {}

  void TakeLine(std::string_view line) {
    if (line.find("\"thread_name\"") != std::string_view::npos) {
      const std::string_view lane = MemberOf(line, "\"args\":{\"name\":\"", "\"");
      if (lane.starts_with("waiting")) waiting_.emplace(MemberOf(line, "\"tid\":", ",}"));
      return;
    }
    const std::string_view device = MemberOf(line, "\"device\":\"", "\"");
    if (device.empty() || line.find("\"ph\":\"X\"") == std::string_view::npos) return;
    if (waiting_.contains(MemberOf(line, "\"tid\":", ",}"))) return;
    const std::optional<double> us = ParseAs<double>(MemberOf(line, "\"dur\":", ",}"));
    if (!us || !std::isfinite(*us) || *us < 0) return;
    const std::string_view name = MemberOf(line, "\"name\":\"", "\"");
    times_[{std::string(device), std::string(name)}].push_back(std::max(*us * 1e-6, kMinSeconds));
  }

 private:
  TracedTimes& times_;
  std::set<std::string, std::less<>> waiting_;  // lanes of asynchronous nodes
};

bool WaitsForOthers(const OpTraits& traits) {
  return traits.wait != WaitKind::kNone || traits.boundary == Boundary::kSend || traits.boundary == Boundary::kRecv;
}

}  // namespace

Result<TracedTimes> ReadTracedTimes(const std::string& run) {
  TracedTimes times;
  for (int rank = 0;; ++rank) {
    const Result<std::string> text = ReadFile(StrCat(run, "/trace/rank-", rank, ".json"), kMaxTraceBytes);
    if (text.status().code() == Code::kNotFound) break;
    DF_TRY(text.status());
    TraceReader reader(times);
    const std::string_view all = *text;
    for (size_t at = 0; at < all.size();) {
      const size_t end = std::min(all.find('\n', at), all.size());
      reader.TakeLine(all.substr(at, end - at));
      at = end + 1;
    }
  }
  if (times.empty()) {
    return Error(Code::kNoInput, run, ": the run has no trace of nodes; `dfrun run SPEC --trace STEPS` writes one");
  }
  return times;
}

void MeasuredCosts::Add(const Graph& graph, const std::string& device) {
  const Result<DeviceName> name = DeviceName::Parse(device);
  if (!name.ok() || !name->type) return;
  for (const Node& node : graph.nodes()) {
    const auto traced = times_.find({device, node.name});
    if (traced == times_.end() || WaitsForOthers(node.op->traits)) continue;
    nodes_.try_emplace(traced->first, TracedNode{&graph, node.id, *name->type, &traced->second});
  }
}

size_t MeasuredCosts::MergeInto(CostTable& table) const {
  std::map<std::string, std::vector<double>> seconds;
  std::map<std::string, std::string> ops;
  for (const auto& [at, traced] : nodes_) {
    const Node& node = traced.graph->node(traced.id);
    const std::string key = NodeKey(*traced.graph, node, traced.device_type, static_cast<int>(table.threads));
    std::vector<double>& all = seconds[key];
    all.insert(all.end(), traced.seconds->begin(), traced.seconds->end());
    ops[key] = node.op->name;
  }
  for (const auto& [key, all] : seconds) {
    table.SetMeasured(key, {ops[key], Median(all), static_cast<int64_t>(all.size())});
  }
  return seconds.size();
}

MeasuredCosts::Comparison MeasuredCosts::Compare(const CostTable& table) const {
  Comparison all;
  std::vector<double> errors;
  for (const auto& [at, traced] : nodes_) {
    const Node& node = traced.graph->node(traced.id);
    const double traced_s = Median(*traced.seconds);
    const double predicted_s = NodeTime(*traced.graph, node, traced.device_type, table).seconds;
    errors.push_back(std::abs(predicted_s - traced_s) / traced_s);
    all.predicted_s += predicted_s;
    all.traced_s += traced_s;
  }
  if (!errors.empty()) all.median_error = Median(std::move(errors));
  return all;
}

}  // namespace dfrun
