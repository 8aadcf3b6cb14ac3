// `dfrun replay CAPTURE`: runs one node again with the inputs that it had when it made a value that is not finite.
#include <cstdio>
#include <memory>
#include <utility>

#include "comm/in_process/in_process.h"
#include "jobs/command.h"
#include "jobs/file_rules.h"
#include "src/base/counted.h"
#include "src/base/printable.h"
#include "src/framework/values/value_facts.h"
#include "src/graph/graph_ops.h"
#include "src/session/node_capture.h"
#include "src/session/session.h"

namespace dfrun::jobs {
namespace {

struct ReplayOptions {
  std::string capture;
  std::string device;  // type of device; empty: the captured one
  std::vector<std::string> allow_paths;
};

// The steps that run a captured node.
struct Replay {
  Graph graph = Graph();
  std::vector<std::pair<std::string, Tensor>> first;  // feeds of `targets`
  std::vector<std::string> targets;                   // nodes that are run before: variables, the random position
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> fetches;
  std::vector<size_t> outputs;  // numbers of the outputs, by fetch
};

// "gpu" of "/job:worker/task:1/device:gpu:0".
Result<std::string> TypeOf(const NodeCapture& capture) {
  DF_ASSIGN(const DeviceName name, DeviceName::Parse(capture.device));
  if (name.type) return *name.type;
  return Error(Code::kBadSpec, "the capture's device '", capture.device, "' is of no type");
}

// Adds what must be so before the node runs.
Status AddFirst(const NodeCapture& capture, Replay& replay) {
  Graph& graph = replay.graph;
  const Node& node = graph.node(capture.node);
  GraphOps ops(graph, "replay", node.device);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string name = graph.node(node.inputs[i].node).name;
    if (!node.input_types[i].is_ref) {
      replay.feeds.emplace_back(name, capture.inputs[i]);
      continue;
    }
    const AttrMap attrs = {{"dtype", capture.inputs[i].dtype()}, {"shape", PartialShape(capture.inputs[i].shape())}};
    const Output value = ops.Add("value", "Placeholder", {}, attrs);
    const Output assign = ops.Add("assign", "Assign", {node.inputs[i], value});
    DF_TRY(ops.status());
    replay.first.emplace_back(graph.node(value.node).name, capture.inputs[i]);
    replay.targets.push_back(graph.node(assign.node).name);
  }
  if (!capture.position) return Status();
  DF_ASSIGN(const std::string position, graph.node(capture.node).attrs.Get<std::string>("_position"));
  const Output blocks = ops.Const("blocks", Tensor::Scalar<int64_t>(*capture.position));
  const Output set = ops.Add("set", "SetRandomPosition", {blocks}, {{"position", position}});
  DF_TRY(ops.status());
  replay.targets.push_back(graph.node(set.node).name);
  return Status();
}

Result<Replay> Plan(NodeCapture& capture, const std::string& type) {
  Replay replay;
  replay.graph = std::move(capture.graph);
  for (NodeId id = 0; id < replay.graph.num_nodes(); ++id) {
    replay.graph.mutable_node(id).device = StrCat("/device:", type, ":0");
  }
  DF_TRY(AddFirst(capture, replay));
  const Node& node = replay.graph.node(capture.node);
  for (size_t i = 0; i < node.output_types.size(); ++i) {
    if (!capture.outputs[i].initialized()) continue;
    replay.fetches.push_back(OutputName(replay.graph, {capture.node, static_cast<int32_t>(i)}));
    replay.outputs.push_back(i);
  }
  return replay;
}

// Prints what an output is now. Returns whether its bits are those captured.
bool PrintOutput(size_t output, const Tensor& value, const Tensor& captured) {
  const Distance distance = DistanceOf(value, captured);
  const bool is_equal = distance.is_comparable && distance.elements == 0;
  std::string difference = "the captured bits";
  if (!distance.is_comparable) {
    difference = StrCat("not as captured, which is ", DescribeNumbers(captured));
  } else if (!is_equal) {
    difference = StrCat("not the captured bits, in ", distance.elements, " of ",
                        Counted(captured.num_elements(), "element"), ", which are ", DescribeNumbers(captured));
  }
  std::printf("output %zu: %s: %s\n", output, PrintableLine(DescribeNumbers(value)).c_str(),
              PrintableLine(difference).c_str());
  return is_equal;
}

Status CheckDevice(const Runtime& runtime, const std::string& type) {
  for (const auto& device : runtime.devices()) {
    if (device->type() == type) return Status();
  }
  return Error(Code::kUsage, "there is no device of type '", type, "' here; --device names another type");
}

Result<int> Run(const ReplayOptions& options) {
  DF_ASSIGN(NodeCapture capture, ReadCapture(options.capture));
  std::printf("%s: step %lld, rank %lld: %s\n", PrintableLine(options.capture).c_str(),
              static_cast<long long>(capture.step), static_cast<long long>(capture.rank),
              PrintableLine(capture.found).c_str());
  for (size_t i = 0; i < capture.inputs.size(); ++i) {
    std::printf("input %zu: %s\n", i, PrintableLine(DescribeNumbers(capture.inputs[i])).c_str());
  }
  DF_ASSIGN(const std::string captured_type, TypeOf(capture));
  const std::string type = options.device.empty() ? captured_type : options.device;
  DF_ASSIGN(Replay replay, Plan(capture, type));
  DF_ASSIGN(const std::unique_ptr<Runtime> runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
  SessionOptions session_options;
  session_options.optimize = false;  // the node as it is
  session_options.files = RulesOfModel(options.capture, options.allow_paths);
  DF_ASSIGN(const std::unique_ptr<Session> session,
            Session::Create(*runtime, std::move(replay.graph), session_options));
  DF_TRY(CheckDevice(*runtime, type));
  if (!replay.targets.empty()) DF_TRY(session->Run(replay.first, {}, replay.targets).status());
  std::vector<Tensor> values;
  DF_ASSIGN(values, session->Run(replay.feeds, replay.fetches));
  bool is_equal = true;
  for (size_t i = 0; i < values.size(); ++i) {
    is_equal = PrintOutput(replay.outputs[i], values[i], capture.outputs[replay.outputs[i]]) && is_equal;
  }
  values.clear();  // they are the runtime's
  DF_TRY(session->Close());
  return is_equal ? 0 : 1;
}

RunCommand SetupReplay(Options& args) {
  auto options = std::make_shared<ReplayOptions>();
  args.Value("capture", options->capture, "The capture: RUN/capture/node.h5").Required();
  args.Value("--device", options->device, "Type of device to run it on, cpu or gpu; default: that of the capture");
  AddAllowPaths(args, options->allow_paths);
  return [options] { return Run(*options); };
}

COMMAND("replay", "Runs a captured node alone; exit code 0 where it makes the same bits, 1 where not.",
        "dfrun replay digits.run/capture/node.h5", SetupReplay);

}  // namespace
}  // namespace dfrun::jobs
