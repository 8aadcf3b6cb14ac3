#include "jobs/bench/bench_turns.h"

#include <utility>

namespace dfrun::jobs {

Result<std::unique_ptr<BenchTurns>> BenchTurns::Make(Runtime& runtime) {
  std::unique_ptr<comm::RawNetwork> bare = comm::NewBare();
  if (bare == nullptr) {
    return FailedPrecondition("there is no bare network to measure beside: start it under mpirun");
  }
  return std::unique_ptr<BenchTurns>(new BenchTurns(runtime, std::move(bare)));
}

Status BenchTurns::Lead(Session& session, int rounds, FunctionRef<Status()> own,
                        FunctionRef<void(comm::RawNetwork&)> bare) {
  for (int round = 0; round < rounds; ++round) {
    DF_TRY(Shutdown(runtime_));
    bare(*bare_);
    DF_TRY(own());
  }
  DF_TRY(session.ResetContainers());  // variables may be as large as memory
  DF_TRY(session.Close());
  return Shutdown(runtime_);
}

Status BenchTurns::Follow(int rounds, FunctionRef<void(comm::RawNetwork&)> bare) {
  for (int round = 0; round < rounds; ++round) {
    DF_TRY(worker_.Serve());
    bare(*bare_);
  }
  return worker_.Serve();
}

std::string TaskDevice(int rank) {
  return StrCat("/job:worker/task:", rank);
}

Result<Output> AddNodeOn(Graph& graph, int rank, const std::string& name, const std::string& op,
                         const std::vector<Output>& inputs, AttrMap attrs) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.inputs = inputs;
  spec.attrs = std::move(attrs);
  spec.device = TaskDevice(rank);
  DF_ASSIGN(const NodeId id, graph.AddNode(std::move(spec)));
  return Output{id, 0};
}

Result<Output> AddZeros(Graph& graph, int rank, const std::string& name, const std::vector<int64_t>& dims,
                        const std::string& init) {
  const PartialShape shape(dims);
  DF_ASSIGN(const Output variable,
            AddNodeOn(graph, rank, name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", shape}}));
  DF_ASSIGN(const Output size, AddNodeOn(graph, rank, StrCat(name, "/dims"), "Const", {},
                                         {{"dtype", DType::kInt64}, {"value", Tensor::Vector<int64_t>(dims)}}));
  DF_ASSIGN(const Output zero, AddNodeOn(graph, rank, StrCat(name, "/zero"), "Const", {},
                                         {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(0.0f)}}));
  DF_ASSIGN(const Output zeros,
            AddNodeOn(graph, rank, StrCat(name, "/zeros"), "Fill", {size, zero}, {{"index_type", DType::kInt64}}));
  DF_TRY(AddNodeOn(graph, rank, init, "Assign", {variable, zeros}).status());
  return variable;
}

}  // namespace dfrun::jobs
