// `dfrun bench fetch`: the cost for workers of reading variables of a parameter server. Rank 0 has a variable; in each
// step every other rank reads it whole, or 32 rows of it, and does nothing with it. Source: the null-step benchmark of
// the TensorFlow paper (OSDI 2016), section 6.2. The limit is to send the same bytes over the bare network. A figure is
// the median of the rounds.
#include <algorithm>
#include <ctime>
#include <memory>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_turns.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"

namespace dfrun::jobs {
namespace {

struct FetchOptions {
  RankOptions ranks = {.threads = 1};
  int rounds = 5;
  int64_t most_bytes = int64_t{1} << 30;
};

constexpr int64_t kRowFloats = 1024;  // floats per row of a table
constexpr int64_t kRows = 32;         // rows that a worker reads

struct FetchCase {
  const char* name;
  int64_t bytes;   // size of the variable
  bool is_sparse;  // rows are read, not the whole variable
  int steps;       // steps per round
  int64_t bytes_read() const { return is_sparse ? kRows * kRowFloats * static_cast<int64_t>(sizeof(float)) : bytes; }
};

constexpr FetchCase kFetchCases[] = {{"scalar", 4, false, 200},
                                     {"dense_100MB", 100'000'000, false, 3},
                                     {"dense_1GB", 1'000'000'000, false, 1},
                                     {"sparse_256MiB", int64_t{256} << 20, true, 50},
                                     {"sparse_1GiB", int64_t{1} << 30, true, 50},
                                     {"sparse_4GiB", int64_t{4} << 30, true, 50}};

Result<Output> AddTable(Graph& graph, const FetchCase& c) {
  const int64_t row_bytes = kRowFloats * static_cast<int64_t>(sizeof(float));
  return AddZeros(graph, 0, StrCat("variable_", c.name),
                  c.is_sparse ? std::vector<int64_t>{c.bytes / row_bytes, kRowFloats}
                              : std::vector<int64_t>{c.bytes / static_cast<int64_t>(sizeof(float))},
                  "init");
}

// Reads rows spread over the table, different ones for each worker.
Result<Output> AddRows(Graph& graph, const FetchCase& c, Output table, int worker) {
  const int64_t rows = c.bytes / (kRowFloats * static_cast<int64_t>(sizeof(float)));
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < kRows; ++i) indices.push_back((i * (rows / kRows) + worker * 7) % rows);
  DF_ASSIGN(const Output which, AddNodeOn(graph, 0, StrCat("indices_", worker), "Const", {},
                                          {{"dtype", DType::kInt64}, {"value", Tensor::Vector<int64_t>(indices)}}));
  DF_ASSIGN(const Output axis, AddNodeOn(graph, 0, StrCat("axis_", worker), "Const", {},
                                         {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(0)}}));
  return AddNodeOn(graph, 0, StrCat("rows_", worker), "GatherV2", {table, which, axis});
}

class FetchBench {
 public:
  FetchBench(Runtime& runtime, const FetchOptions& options) : runtime_(runtime), options_(options) {}

  Status Measure(std::vector<BenchFigure>& figures) {
    if (runtime_.size() < 2) {
      return Error(Code::kUsage, "bench fetch needs a parameter server and a worker: mpirun -np 2 dfrun bench fetch");
    }
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const FetchCase& c : kFetchCases) {
      if (c.bytes > options_.most_bytes) continue;
      DF_ASSIGN(BenchFigure figure, MeasureCase(*turns, c));
      figures.push_back(std::move(figure));
    }
    return Status();
  }

  Status Answer() {
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const FetchCase& c : kFetchCases) {
      if (c.bytes > options_.most_bytes) continue;
      std::vector<char> value(static_cast<size_t>(c.bytes_read()));
      DF_TRY(turns->Follow(options_.rounds, [&](comm::RawNetwork& network) { BareSteps(network, c, value); }));
    }
    return Status();
  }

 private:
  // Sends from rank 0 to all other ranks, and waits for an answer from each.
  void BareSteps(comm::RawNetwork& network, const FetchCase& c, std::vector<char>& value) const {
    network.Barrier();
    char word = 0;
    for (int step = 0; step < c.steps; ++step) {
      if (runtime_.rank() != 0) {
        network.Recv(0, value.data(), value.size());
        network.Send(0, &word, 1);
        continue;
      }
      std::vector<comm::BareMessage> sends;
      for (int worker = 1; worker < runtime_.size(); ++worker) sends.push_back({worker, 1, value.data(), value.size()});
      network.Exchange({}, sends);
      for (int worker = 1; worker < runtime_.size(); ++worker) network.Recv(worker, &word, 1);
    }
  }

  Result<BenchFigure> MeasureCase(BenchTurns& turns, const FetchCase& c) {
    Graph graph;
    DF_ASSIGN(const Output variable, AddTable(graph, c));
    RunSignature signature;
    for (int worker = 1; worker < runtime_.size(); ++worker) {
      Output read = variable;
      if (c.is_sparse) {
        DF_ASSIGN(read, AddRows(graph, c, variable, worker));
      }
      DF_ASSIGN(const Output there, AddNodeOn(graph, worker, StrCat("read_", worker), "Identity", {read}));
      signature.targets.push_back(there.node);
    }
    SessionOptions session_options;
    session_options.optimize = false;
    DF_ASSIGN(const std::unique_ptr<Session> session, Session::Create(runtime_, std::move(graph), session_options));
    DF_TRY(session->Run({}, {}, {"init"}).status());
    DF_ASSIGN(const Session::Handle step, session->Prepare(signature));
    DF_TRY(session->RunStep(step, {}, {}));
    std::vector<char> value(static_cast<size_t>(c.bytes_read()));
    std::vector<double> own_s;
    std::vector<double> bare_s;
    const auto own = [&]() -> Status {
      for (int i = 0; i < c.steps; ++i) {
        Status status;
        own_s.push_back(Seconds(CLOCK_MONOTONIC, [&] { status = session->RunStep(step, {}, {}); }));
        DF_TRY(status);
      }
      return Status();
    };
    DF_TRY(turns.Lead(*session, options_.rounds, own, [&](comm::RawNetwork& network) {
      bare_s.push_back(Seconds(CLOCK_MONOTONIC, [&] { BareSteps(network, c, value); }) / c.steps);
    }));
    return BenchFigure{StrCat("fetch/", runtime_.size() - 1, "_workers/", c.name), Median(own_s) * 1e6, "us",
                       Median(bare_s) * 1e6, turns.bare_name()};
  }

  Runtime& runtime_;
  const FetchOptions& options_;
};

BENCH("fetch", "What it costs workers to read variables of a parameter server, beside the bare network.",
      "mpirun -np 3 dfrun bench fetch", [](Options& args) -> RunBench {
        auto options = std::make_shared<FetchOptions>();
        args.Value("--rounds", options->rounds, "Rounds that steps are measured in").AtLeast(1);
        args.Bytes("--most-bytes", options->most_bytes, "The largest variable; default: 1 GiB").AtLeast(4);
        DeclareRankOptions(args, options->ranks);
        return [options] { return RunOnRanks<FetchBench>(options->ranks, *options); };
      });

}  // namespace
}  // namespace dfrun::jobs
