// Sessions over MPI. Run under mpirun: session_test compute|fail RANK|fail_collective RANK|stop CODE.
//   compute     steps over all ranks give what arithmetic gives
//   fail RANK   an error on that rank is reported by rank 0, and every process ends with its code
//   fail_collective RANK   the same where all ranks wait in a collective
//   stop CODE   every process ends with this status code
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "src/session/session.h"
#include "tests/mpi/rank_main.h"

namespace dfrun {
namespace {

std::string TaskDevice(int task) {
  return StrCat("/job:worker/task:", task);
}

Result<Output> Add(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs,
                   AttrMap attrs, const std::string& device) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = std::move(inputs);
  spec.attrs = std::move(attrs);
  spec.device = device;
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

// x + 1 on every rank in turn: out = x + the number of ranks.
Result<Graph> MakeRelay(int ranks, const Shape& shape) {
  Graph graph;
  DF_ASSIGN(Output value, Add(graph, "x", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}}, ""));
  DF_ASSIGN(const Output one,
            Add(graph, "one", "Const", {}, {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(1.0f)}}, ""));
  for (int rank = 0; rank < ranks; ++rank) {
    DF_ASSIGN(value, Add(graph, StrCat("hop_", rank), "Add", {value, one}, {}, TaskDevice(rank)));
  }
  DF_TRY(Add(graph, "out", "Identity", {value}, {}, TaskDevice(0)).status());
  return graph;
}

Status RunRelay(Session& session, int ranks, const Shape& shape) {
  Tensor x(DType::kFloat, shape);
  for (int step = 0; step < 20; ++step) {
    for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = static_cast<float>(i % 1000 + step);
    DF_ASSIGN(const std::vector<Tensor> out, session.Run({{"x", x}}, {"out"}));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      if (out[0].data<float>()[i] == x.data<float>()[i] + static_cast<float>(ranks)) continue;
      return Internal("element ", i, " of step ", step, " is ", out[0].data<float>()[i]);
    }
  }
  return Status();
}

Status Compute(Runtime& runtime) {
  for (const Shape& shape : {Shape({}), Shape({3, 5}), Shape({300, 1000})}) {
    DF_ASSIGN(Graph graph, MakeRelay(runtime.size(), shape));
    DF_ASSIGN(const auto session, Session::Create(runtime, std::move(graph)));
    DF_TRY(RunRelay(*session, runtime.size(), shape));
    DF_TRY(session->Close());
  }
  return Status();
}

// A step of these targets fails with an error that names rank `failing` and node `broken`.
Status Fails(Runtime& runtime, int failing, Graph graph, const std::vector<std::string>& targets) {
  DF_ASSIGN(const auto session, Session::Create(runtime, std::move(graph)));
  const Status first = session->Run({}, {}, targets).status();
  const Status second = session->Run({}, {}, targets).status();
  const bool named = first.message().find(StrCat("rank ", failing, " (host ")) != std::string::npos &&
                     first.message().find("broken") != std::string::npos;
  if (!named || second != first) return Unimplemented("the error is not as it should be: ", first.ToString());
  return first;
}

// Every rank waits for a value that rank `failing` cannot make.
Status Fail(Runtime& runtime, int failing) {
  Graph graph;
  DF_ASSIGN(const Output unset,
            Add(graph, "unset", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({100000})}},
                TaskDevice(failing)));
  DF_ASSIGN(const Output broken, Add(graph, "broken", "Neg", {unset}, {}, TaskDevice(failing)));
  std::vector<std::string> targets;
  for (int rank = 0; rank < runtime.size(); ++rank) {
    targets.push_back(StrCat("waits_", rank));
    DF_TRY(Add(graph, targets.back(), "Neg", {broken}, {}, TaskDevice(rank)).status());
  }
  return Fails(runtime, failing, std::move(graph), targets);
}

// A participant of a collective of all ranks, that on rank `failing`, has no value.
Status FailCollective(Runtime& runtime, int failing) {
  Graph graph;
  std::vector<Output> values;
  Tensor zeros(DType::kFloat, Shape({100000}));
  std::fill_n(zeros.data<float>(), zeros.num_elements(), 0.0f);
  for (int rank = 0; rank < runtime.size(); ++rank) {
    const AttrMap attrs = {{"dtype", DType::kFloat}, {"value", zeros}};
    const std::string device = TaskDevice(rank);
    DF_ASSIGN(Output value, Add(graph, StrCat("x_", rank), "Const", {}, attrs, device));
    if (rank == failing) {
      DF_ASSIGN(const Output unset, Add(graph, "unset", "VariableV2", {},
                                        {{"dtype", DType::kFloat}, {"shape", PartialShape({100000})}}, device));
      DF_ASSIGN(value, Add(graph, "broken", "Add", {value, unset}, {}, device));
    }
    values.push_back(value);
  }
  DF_ASSIGN(const Output all, Add(graph, "all", "AllReduce", values, {}, ""));
  std::vector<std::string> targets;
  for (int32_t rank = 0; rank < runtime.size(); ++rank) {
    targets.push_back(StrCat("read_", rank));
    DF_TRY(Add(graph, targets.back(), "Neg", {{all.node, rank}}, {}, TaskDevice(rank)).status());
  }
  return Fails(runtime, failing, std::move(graph), targets);
}

Status OnMaster(Runtime& runtime, const std::string& what, int number) {
  if (what == "compute") return Compute(runtime);
  if (what == "fail") return Fail(runtime, number);
  if (what == "fail_collective") return FailCollective(runtime, number);
  return Status(static_cast<Code>(number), "stopped");
}

}  // namespace
}  // namespace dfrun

int main(int argc, char** argv) {
  return dfrun::testing::RankMain([&](dfrun::Runtime& runtime) {
    return dfrun::OnMaster(runtime, argc > 1 ? argv[1] : "compute", argc > 2 ? std::atoi(argv[2]) : 0);
  });
}
