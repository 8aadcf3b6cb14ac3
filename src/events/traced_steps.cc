#include "src/events/traced_steps.h"

#include <algorithm>
#include <cmath>

#include "src/base/file.h"
#include "src/base/json/json_reader.h"
#include "src/events/step_stats.pb.h"

namespace dfrun {
namespace {

constexpr size_t kMaxTraceBytes = size_t{256} << 20;
constexpr size_t kMaxEventBytes = size_t{1} << 20;

struct NodeTime {
  std::string name;
  std::string op;
  std::string device;
  int64_t step = 0;
  double start_us = 0;
  double length_us = 0;
  int64_t thread = 0;
};

// Reads an event of a trace; nothing where it is no node's.
Result<std::vector<NodeTime>> NodeOf(const JsonValue& event) {
  const JsonValue* args = event.Find("args");
  if (args == nullptr || args->Find("op") == nullptr) return std::vector<NodeTime>();
  NodeTime node;
  DF_ASSIGN(node.name, event.GetText("name"));
  DF_ASSIGN(node.op, args->GetText("op"));
  DF_ASSIGN(node.device, args->GetText("device"));
  DF_ASSIGN(node.step, args->GetInt("step"));
  DF_ASSIGN(node.start_us, event.GetDouble("ts"));
  DF_ASSIGN(node.length_us, event.GetDouble("dur"));
  DF_ASSIGN(node.thread, event.GetInt("tid"));
  return std::vector<NodeTime>{std::move(node)};
}

using StepsByDevice = std::map<int64_t, std::map<std::string, std::vector<NodeTime>>>;

Status ReadTrace(const std::string& path, StepsByDevice& steps) {
  DF_ASSIGN(const std::string text, ReadFile(path, kMaxTraceBytes));
  JsonReader reader(text);
  reader.BeginObject();
  reader.Name("displayTimeUnit");
  reader.String();
  reader.Name("traceEvents");
  reader.BeginArray();
  while (reader.NextElement()) {
    DF_ASSIGN(const std::vector<NodeTime> nodes, NodeOf(reader.Value(kMaxEventBytes)));
    for (const NodeTime& node : nodes) steps[node.step][node.device].push_back(node);
  }
  reader.EndObject();
  return reader.Finish().Annotate(path);
}

void AddStats(const NodeTime& node, proto::DeviceStepStats& device) {
  proto::NodeExecStats& stats = *device.add_node_stats();
  // A viewer counts the time of a node only where it is more than nothing.
  const int64_t length_us = std::max<int64_t>(1, std::llround(std::ceil(node.length_us)));
  stats.set_node_name(node.name);
  stats.set_all_start_micros(std::llround(std::floor(node.start_us)));
  stats.set_op_end_rel_micros(length_us);
  stats.set_all_end_rel_micros(length_us);
  stats.set_timeline_label(node.name + " = " + node.op);
  stats.set_thread_id(static_cast<uint32_t>(node.thread));
}

}  // namespace

Result<std::map<int64_t, std::string>> TracedSteps(const std::vector<std::string>& trace_files) {
  StepsByDevice steps;
  for (const std::string& path : trace_files) DF_TRY(ReadTrace(path, steps));
  std::map<int64_t, std::string> messages;
  for (const auto& [step, devices] : steps) {
    proto::RunMetadata metadata;
    for (const auto& [name, nodes] : devices) {
      proto::DeviceStepStats& device = *metadata.mutable_step_stats()->add_dev_stats();
      device.set_device(name);
      for (const NodeTime& node : nodes) AddStats(node, device);
    }
    messages[step] = metadata.SerializeAsString();
  }
  return messages;
}

}  // namespace dfrun
