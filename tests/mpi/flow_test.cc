// Conditionals, loops and functions over MPI ranks: each graph, its functions inlined, with its nodes on ranks at
// random, several times, against the same graph on rank 0 alone, bit by bit. Run under mpirun: flow_test SEEDS
// GRAPH.pb... ; each graph has a node `result`.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/graph/graph_def/graph_def.h"
#include "src/passes/functions/lower_functions.h"
#include "src/session/session.h"
#include "tests/mpi/rank_main.h"
#include "tests/unit/testing/random_devices.h"

namespace dfrun {
namespace {

Result<Tensor> RunOn(Runtime& runtime, Graph graph, bool optimize) {
  SessionOptions options;
  options.optimize = optimize;
  DF_ASSIGN(const auto session, Session::Create(runtime, std::move(graph), options));
  Tensor first;
  for (int step = 0; step < 3; ++step) {
    DF_ASSIGN(std::vector<Tensor> out, session->Run({}, {"result"}));
    DF_ASSIGN(Tensor value, out[0].Copy(SystemAllocator()));
    if (step == 0) first = std::move(value);
  }
  DF_TRY(session->Close());
  return first;
}

Status Compare(Runtime& runtime, const std::string& path, int seeds) {
  DF_ASSIGN(const Cluster all, MakeCluster({}, runtime.size()));
  Cluster first = all;
  first.devices.resize(1);
  for (int seed = 0; seed < seeds; ++seed) {
    const bool optimize = seed % 2 == 0;
    DF_ASSIGN(Graph graph, ReadGraphDefFile(path));
    DF_TRY(LowerFunctions(graph));
    DF_TRY(testing::PutOnRandomDevices(graph, first, 0));
    DF_ASSIGN(const Tensor wanted, RunOn(runtime, graph.Clone(), optimize));
    DF_TRY(testing::PutOnRandomDevices(graph, all, static_cast<uint64_t>(seed)));
    const Result<Tensor> value = RunOn(runtime, std::move(graph), optimize);
    if (!value.ok()) return value.status().Annotate(StrCat(path, ", seed ", seed));
    if (value->Identical(wanted)) continue;
    return Internal(path, ", seed ", seed, ": ", value->ToString(64), " in place of ", wanted.ToString(64));
  }
  return Status();
}

Status CompareAll(Runtime& runtime, int seeds, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) DF_TRY(Compare(runtime, path, seeds));
  std::printf("%zu graphs with %d placements each have the same bits on %d ranks\n", paths.size(), seeds,
              runtime.size());
  return Status();
}

}  // namespace
}  // namespace dfrun

int main(int argc, char** argv) {
  if (argc < 3) return 64;
  return dfrun::testing::RankMain([&](dfrun::Runtime& runtime) {
    return dfrun::CompareAll(runtime, std::atoi(argv[1]), {argv + 2, argv + argc});
  });
}
