// Reads and updates of variables over MPI ranks: random programs (updates/random_updates.h) with their nodes on ranks
// and devices at random, against what the programs say, bit by bit. Run under mpirun:
//     update_order_test PROGRAMS [FIRST] [ELEMENTS]
// with programs numbered from FIRST, and large variables of so many elements. Each program runs on rank 0's CPU alone,
// then three times elsewhere. Devices are those that the ranks have, of the parts that $DFRUN_DEVICE_PARTS names too.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/framework/device/device_part.h"
#include "src/session/session.h"
#include "src/session/start_tasks.h"
#include "tests/mpi/rank_main.h"
#include "tests/mpi/updates/random_updates.h"
#include "tests/unit/testing/random_devices.h"

namespace dfrun {
namespace {

using testing::UpdateProgram;
using Vec = std::vector<float>;

constexpr int kSteps = 3;
constexpr int kPlacements = 3;

Status Check(const UpdateProgram& program, const std::vector<Tensor>& given, const std::vector<Vec>& wanted) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].Identical(Tensor::Vector<float>(wanted[i]))) continue;
    return Internal("'", program.fetches[i], "' is ", given[i].ToString(16), " in place of ",
                    Tensor::Vector<float>(wanted[i]).ToString(16));
  }
  return Status();
}

Status RunSteps(Session& session, const UpdateProgram& program) {
  DF_TRY(session.Run({}, {}, program.inits).status());
  UpdateProgram::State state = program.initial;
  for (int step = 0; step < kSteps; ++step) {
    DF_ASSIGN(const std::vector<Tensor> given, session.Run({}, program.fetches));
    DF_TRY(Check(program, given, program.Step(state)).Annotate(StrCat("step ", step)));
  }
  return Status();
}

// Runs a graph whose nodes have devices, and resets its variables afterwards.
Status RunOn(Runtime& runtime, const UpdateProgram& program, Graph graph, bool optimize) {
  SessionOptions options;
  options.optimize = optimize;
  DF_ASSIGN(const auto session, Session::Create(runtime, std::move(graph), options));
  const Status run = RunSteps(*session, program);
  DF_TRY(session->ResetContainers());
  DF_TRY(session->Close());
  return run;
}

Status CheckProgram(Runtime& runtime, const Cluster& all, uint64_t seed, const testing::UpdateOptions& options) {
  DF_ASSIGN(const UpdateProgram program, testing::MakeUpdates(seed, options));
  Cluster first = all;
  first.devices.resize(1);
  for (int placement = 0; placement <= kPlacements; ++placement) {
    Graph graph = program.graph.Clone();
    const Cluster& cluster = placement == 0 ? first : all;
    DF_TRY(testing::PutOnRandomDevices(graph, cluster, seed * kPlacements + static_cast<uint64_t>(placement)));
    DF_TRY(RunOn(runtime, program, std::move(graph), (seed + static_cast<uint64_t>(placement)) % 2 == 0)
               .Annotate(StrCat("program ", seed, ", placement ", placement)));
  }
  return Status();
}

Status CheckAll(Runtime& runtime, int programs, uint64_t first, const testing::UpdateOptions& options) {
  DF_ASSIGN(const Cluster all, StartTasks(runtime, {}));
  int wrong = 0;
  Status status;
  for (int i = 0; i < programs; ++i) {
    const Status checked = CheckProgram(runtime, all, first + static_cast<uint64_t>(i), options);
    if (checked.ok()) continue;
    if (status.ok()) status = checked;
    std::printf("%s\n", checked.ToString().c_str());
    if (++wrong >= 10 || checked.code() != Code::kInternal) break;
  }
  std::printf("%d of %d programs are as they should be on %zu devices of %d ranks\n", programs - wrong, programs,
              all.devices.size(), runtime.size());
  return status;
}

}  // namespace
}  // namespace dfrun

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  if (std::getenv("DFRUN_DEVICE_PARTS") != nullptr && !dfrun::LoadDeviceParts().ok()) return 70;
  dfrun::testing::UpdateOptions options;
  if (argc > 3) options.large_elements = std::atoll(argv[3]);
  const uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  return dfrun::testing::RankMain(
      [&](dfrun::Runtime& runtime) { return dfrun::CheckAll(runtime, std::atoi(argv[1]), first, options); });
}
