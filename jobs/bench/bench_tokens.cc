// `dfrun bench tokens`: the cost of a token, as of a training with `strategy: async`, to a replica on another rank than
// the counter of shares. Rank 1 gets the token of a share, computes nothing, and ends the share. The limit is a round
// trip of as many bytes over the bare network. A figure is the median, or the 99th percentile, of all shares but the
// first of each Run.
#include <ctime>
#include <memory>
#include <vector>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_turns.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"
#include "kernels/shares/share_token.h"
#include "src/base/median.h"

namespace dfrun::jobs {
namespace {

struct TokensOptions {
  RankOptions ranks = {.threads = 1};
  int rounds = 10;
  int runs = 11;  // so that there are 10,000 shares
};

constexpr int64_t kSharesOfRun = 100;  // a job asks for as many at once
constexpr int64_t kToken = ShareToken::kElements * static_cast<int64_t>(sizeof(int64_t));
constexpr int64_t kReport = sizeof(double);  // whether the share was finite

// The nodes of a replica that runs for itself (src/training/shares/replicas_apart.h), without a model.
Result<Graph> TokensGraph() {
  Graph graph;
  DF_ASSIGN(const Output counter, AddNodeOn(graph, 0, "counter", "_ShareTokens", {}));
  DF_ASSIGN(const Output steps,
            AddNodeOn(graph, 0, "steps", "Placeholder", {}, {{"dtype", DType::kInt64}, {"shape", PartialShape({3})}}));
  DF_ASSIGN(const Output position, AddNodeOn(graph, 0, "position", "Const", {},
                                             {{"dtype", DType::kInt64}, {"value", Tensor::Scalar<int64_t>(0)}}));
  const AttrMap attrs = {{"replicas", int64_t{1}},  {"takers", int64_t{1}},     {"max_staleness", int64_t{-1}},
                         {"rows", int64_t{1}},      {"values", int64_t{0}},     {"most_skipped", int64_t{0}},
                         {"log_every", int64_t{1}}, {"last_step", kSharesOfRun}};
  DF_TRY(AddNodeOn(graph, 0, "open", "_OpenShares", {counter, steps, position}, attrs).status());
  const AttrMap replica = {{"replica", int64_t{0}}};
  DF_ASSIGN(const Output token, AddNodeOn(graph, 0, "token", "_TakeShare", {counter}, replica));
  DF_ASSIGN(const Output share, AddNodeOn(graph, 1, "share", "_ShareParts", {token}));
  DF_ASSIGN(const Output report,
            AddNodeOn(graph, 1, "report", "_PackShare", {Output{share.node, 1}}, {{"T", std::vector<DType>()}}));
  DF_TRY(AddNodeOn(graph, 0, "end", "_EndShare", {counter, token, report}, replica).status());
  DF_TRY(AddNodeOn(graph, 0, "lines", "_ShareLines", {counter}).status());
  DF_TRY(AddNodeOn(graph, 0, "close", "_CloseShares", {counter}).status());
  return graph;
}

class TokensBench {
 public:
  TokensBench(Runtime& runtime, const TokensOptions& options) : runtime_(runtime), options_(options) {}

  Status Measure(std::vector<BenchFigure>& figures) {
    if (runtime_.size() != 2) {
      return Error(Code::kUsage, "bench tokens needs 2 ranks and has ", runtime_.size(),
                   ": mpirun -np 2 dfrun bench tokens");
    }
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    DF_ASSIGN(Graph graph, TokensGraph());
    SessionOptions session_options;
    session_options.optimize = false;
    DF_ASSIGN(session_, Session::Create(runtime_, std::move(graph), session_options));
    DF_ASSIGN(step_, session_->Prepare({}, {}, {"end"}));
    for (int i = 0; i < 2; ++i) DF_TRY(RunShares(nullptr));
    std::vector<double> own_s;
    std::vector<double> bare_s;
    const auto own = [&]() -> Status {
      for (int i = 0; i < options_.runs; ++i) DF_TRY(RunShares(&own_s));
      return Status();
    };
    DF_TRY(turns->Lead(*session_, options_.rounds, own, [&](comm::RawNetwork& network) { Bare(network, bare_s); }));
    const std::string what = turns->bare_name() + ", a round trip";
    figures.push_back({"token/median", Median(own_s) * 1e6, "us", Median(bare_s) * 1e6, what});
    figures.push_back({"token/p99", Percentile99(own_s) * 1e6, "us", Percentile99(bare_s) * 1e6, what});
    return Status();
  }

  Status Answer() {
    if (runtime_.size() != 2) return Worker(runtime_).Serve();
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    return turns->Follow(options_.rounds, [&](comm::RawNetwork& network) {
      std::vector<double> dropped;
      Bare(network, dropped);
    });
  }

 private:
  // A Run of shares; adds the time from each end of a share to the next.
  Status RunShares(std::vector<double>* seconds) {
    DF_TRY(session_->Run({{"steps", Tensor::Vector<int64_t>({0, kSharesOfRun, 0})}}, {}, {"open"}).status());
    DF_TRY(session_->RunSteps(step_, kSharesOfRun));
    DF_ASSIGN(const std::vector<Tensor> lines, session_->Run({}, {"lines"}));
    DF_TRY(session_->Run({}, {"close"}).status());
    if (seconds == nullptr) return Status();
    const int64_t columns = lines[0].shape()[1];
    const double* const ended = lines[0].data<double>() + 1;  // the second column: when the share ended
    for (int64_t i = 1; i < lines[0].shape()[0]; ++i) seconds->push_back(ended[i * columns] - ended[(i - 1) * columns]);
    return Status();
  }

  // Times round trips on rank 0; rank 1 drops the times.
  void Bare(comm::RawNetwork& network, std::vector<double>& seconds) const {
    char token[kToken] = {};
    char report[kReport] = {};
    network.Barrier();
    for (int64_t i = 0; i < options_.runs * kSharesOfRun; ++i) {
      seconds.push_back(Seconds(CLOCK_MONOTONIC, [&] {
        if (runtime_.rank() == 0) {
          network.Send(1, token, sizeof token);
          network.Recv(1, report, sizeof report);
        } else {
          network.Recv(0, token, sizeof token);
          network.Send(0, report, sizeof report);
        }
      }));
    }
  }

  Runtime& runtime_;
  const TokensOptions& options_;
  std::unique_ptr<Session> session_;
  Session::Handle step_ = nullptr;
};

BENCH("tokens", "What the token of a share costs a replica on another rank, beside a round trip of the bare network.",
      "mpirun -np 2 dfrun bench tokens", [](Options& args) -> RunBench {
        auto options = std::make_shared<TokensOptions>();
        args.Value("--rounds", options->rounds, "Rounds that shares are measured in").AtLeast(1);
        args.Value("--runs", options->runs, "Runs of 100 shares a round").AtLeast(1);
        DeclareRankOptions(args, options->ranks);
        return [options] { return RunOnRanks<TokensBench>(options->ranks, *options); };
      });

}  // namespace
}  // namespace dfrun::jobs
