// `dfrun bench collectives`: the cost of an AllReduce of float32 values over all ranks in a running graph, beside that
// of the bare network. A step has several AllReduces, each of which takes the sums of the one before. A figure is the
// median of the rounds.
#include <algorithm>
#include <ctime>
#include <memory>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_turns.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"
#include "src/base/median.h"

namespace dfrun::jobs {
namespace {

struct CollectivesOptions {
  int rounds = 9;
  RankOptions ranks = {.threads = 1};
  int64_t most_bytes = int64_t{64} << 20;
};

struct CollectiveCase {
  const char* name;
  int64_t bytes;
  int calls;  // calls per step
  int steps;  // steps per round
};
constexpr CollectiveCase kCollectiveCases[] = {
    {"4B", 4, 50, 10},       {"1KiB", 1 << 10, 50, 10}, {"16KiB", 16 << 10, 20, 10}, {"256KiB", 256 << 10, 5, 8},
    {"1MiB", 1 << 20, 4, 5}, {"4MiB", 4 << 20, 2, 4},   {"16MiB", 16 << 20, 1, 3},   {"64MiB", 64 << 20, 1, 2}};

int64_t Elements(const CollectiveCase& c) {
  return c.bytes / static_cast<int64_t>(sizeof(float));
}

// A variable on each rank, and a chain of `calls` AllReduces of them. The targets are the last sums.
struct Sums {
  Graph graph;
  RunSignature signature;
};

Result<Sums> MakeSums(const CollectiveCase& c, int ranks) {
  Sums sums;
  std::vector<Output> values;
  for (int rank = 0; rank < ranks; ++rank) {
    DF_ASSIGN(const Output value,
              AddZeros(sums.graph, rank, StrCat("value_", c.name, "_", rank), {Elements(c)}, StrCat("init_", rank)));
    DF_ASSIGN(const Output read, AddNodeOn(sums.graph, rank, StrCat("read_", rank), "Identity", {value}));
    values.push_back(read);
  }
  for (int call = 0; call < c.calls; ++call) {
    DF_ASSIGN(const Output first,
              AddNodeOn(sums.graph, 0, StrCat("sum_", call), "AllReduce", values, {{"reduction", "Add"}}));
    for (int rank = 0; rank < ranks; ++rank) values[static_cast<size_t>(rank)] = {first.node, rank};
  }
  for (int rank = 0; rank < ranks; ++rank) {
    DF_ASSIGN(const Output last,
              AddNodeOn(sums.graph, rank, StrCat("last_", rank), "Identity", {values[static_cast<size_t>(rank)]}));
    sums.signature.targets.push_back(last.node);
  }
  return sums;
}

class CollectivesBench {
 public:
  CollectivesBench(Runtime& runtime, const CollectivesOptions& options) : runtime_(runtime), options_(options) {}

  Status Measure(std::vector<BenchFigure>& figures) {
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const CollectiveCase& c : kCollectiveCases) {
      if (c.bytes > options_.most_bytes) continue;
      DF_ASSIGN(BenchFigure figure, MeasureCase(*turns, c));
      figures.push_back(std::move(figure));
    }
    return Status();
  }

  Status Answer() {
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const CollectiveCase& c : kCollectiveCases) {
      if (c.bytes > options_.most_bytes) continue;
      BareSums bare(c);
      DF_TRY(turns->Follow(options_.rounds, [&](comm::RawNetwork& network) { bare.Run(network); }));
    }
    return Status();
  }

 private:
  // Runs as many sums on the bare network as a round of steps has.
  class BareSums {
   public:
    explicit BareSums(const CollectiveCase& c)
        : calls_(c.calls * c.steps), value_(static_cast<size_t>(Elements(c))), sum_(value_.size()) {}
    double Run(comm::RawNetwork& network) {
      network.Barrier();
      return Seconds(CLOCK_MONOTONIC, [&] {
        for (int i = 0; i < calls_; ++i) network.AllReduce(value_.data(), sum_.data(), value_.size());
      });
    }

   private:
    int calls_;
    std::vector<float> value_;
    std::vector<float> sum_;
  };

  Result<BenchFigure> MeasureCase(BenchTurns& turns, const CollectiveCase& c) {
    DF_ASSIGN(Sums sums, MakeSums(c, runtime_.size()));
    SessionOptions session_options;
    session_options.optimize = false;
    DF_ASSIGN(const std::unique_ptr<Session> session,
              Session::Create(runtime_, std::move(sums.graph), session_options));
    std::vector<std::string> inits;
    inits.reserve(static_cast<size_t>(runtime_.size()));
    for (int rank = 0; rank < runtime_.size(); ++rank) inits.push_back(StrCat("init_", rank));
    DF_TRY(session->Run({}, {}, inits).status());
    DF_ASSIGN(const Session::Handle step, session->Prepare(sums.signature));
    DF_TRY(session->RunStep(step, {}, {}));
    BareSums bare(c);
    std::vector<double> own_s;
    std::vector<double> bare_s;
    const double calls = c.calls * c.steps;
    const auto own = [&]() -> Status {
      Status status;
      own_s.push_back(Seconds(CLOCK_MONOTONIC, [&] { status = session->RunSteps(step, c.steps); }) / calls);
      return status;
    };
    DF_TRY(turns.Lead(*session, options_.rounds, own,
                      [&](comm::RawNetwork& network) { bare_s.push_back(bare.Run(network) / calls); }));
    return BenchFigure{StrCat("all_reduce/", runtime_.size(), "_ranks/", c.name), Median(own_s) * 1e6, "us",
                       Median(bare_s) * 1e6, turns.bare_name()};
  }

  Runtime& runtime_;
  const CollectivesOptions& options_;
};

BENCH("collectives", "What an AllReduce over all ranks costs, beside the bare network's.",
      "mpirun -np 2 dfrun bench collectives --collectives participants", [](Options& args) -> RunBench {
        auto options = std::make_shared<CollectivesOptions>();
        args.Value("--rounds", options->rounds, "Rounds that the median is taken of").AtLeast(1);
        args.Bytes("--most-bytes", options->most_bytes, "The largest value that is summed").AtLeast(4);
        DeclareRankOptions(args, options->ranks);
        return [options] { return RunOnRanks<CollectivesBench>(options->ranks, *options); };
      });

}  // namespace
}  // namespace dfrun::jobs
