// `dfrun bench p2p`: the cost of an edge between two ranks in a running graph. The limit is to send the same bytes over
// bare MPI or, if the transport has calls of its own (TransportDef::bare), over those, whichever is faster.
//
// A value goes to and fro between rank 0 and rank 1 within one step. All are measured in alternation in one run, on
// memory of the same kind; a figure is the median of the rounds.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/raw_network.h"
#include "comm/bootstrap/transport_registry.h"
#include "jobs/bench/bench.h"
#include "jobs/bench/bench_turns.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"
#include "src/base/median.h"
#include "src/session/session.h"
#include "src/session/worker.h"

namespace dfrun::jobs {
namespace {

struct P2pOptions {
  int rounds = 15;
  int threads = 1;
  std::string transport = {};  // empty: the best
};

struct PingPongCase {
  const char* name;
  size_t bytes;
  int trips;  // round trips per step
  int steps;  // steps per round
};

// The cases. All receives of a step are posted when it begins: large values make few trips, so that the memory they
// arrive in stays as small as the one buffer of bare MPI.
constexpr PingPongCase kPingPongCases[] = {{"4B", 4, 200, 20},         {"8B", 8, 200, 20},
                                           {"4KiB", 4 << 10, 100, 20}, {"64KiB", 64 << 10, 20, 40},
                                           {"1MiB", 1 << 20, 4, 40},   {"16MiB", 16 << 20, 1, 10}};
constexpr size_t kBandwidthBytes = size_t{1} << 20;  // from this size on, GB/s says more than us

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Sends a variable's value `trips` times to rank 1 and back.
Result<Graph> PingPongGraph(const PingPongCase& c) {
  Graph graph;
  DF_ASSIGN(const Output variable,
            AddZeros(graph, 0, StrCat("value_", c.name), {static_cast<int64_t>(c.bytes / sizeof(float))}, "init"));
  Output value = variable;
  for (int trip = 0; trip < c.trips; ++trip) {
    for (int rank : {1, 0}) {
      DF_ASSIGN(value, AddNodeOn(graph, rank, StrCat("trip_", trip, "_on_", rank), "Identity", {value}));
    }
  }
  return graph;
}

// The prepared steps of one case.
struct PingPong {
  std::unique_ptr<Session> session;
  Session::Handle step;
};

Result<PingPong> PreparePingPong(Runtime& runtime, const PingPongCase& c) {
  DF_ASSIGN(Graph graph, PingPongGraph(c));
  const NodeId last = graph.num_nodes() - 1;
  SessionOptions options;
  options.optimize = false;  // otherwise a pass may remove parts of the path
  DF_ASSIGN(std::unique_ptr<Session> session, Session::Create(runtime, std::move(graph), options));
  DF_TRY(session->Run({}, {}, {"init"}).status());
  RunSignature signature;
  signature.targets = {last};
  DF_ASSIGN(const Session::Handle step, session->Prepare(signature));
  return PingPong{std::move(session), step};
}

// The buffers of bare MPI. Rank 0 sends one and receives into the other; rank 1 sends back what came, as the graph
// does.
struct Buffers {
  Tensor sent;
  Tensor received;
};

// Returns the seconds of a one-way trip over bare MPI. Called on both ranks.
double RawMpi(comm::RawNetwork& mpi, const PingPongCase& c, int rank, Buffers& buffers) {
  const auto receive = [&] { mpi.Recv(1 - rank, buffers.received.raw(), c.bytes); };
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < c.trips * c.steps; ++i) {
    if (rank == 1) receive();
    mpi.Send(1 - rank, (rank == 0 ? buffers.sent : buffers.received).raw(), c.bytes);
    if (rank == 0) receive();
  }
  return SecondsSince(start) / (2.0 * c.trips * c.steps);
}

// Exchanges some bytes with the other rank over the bare network.
std::string Swap(comm::RawNetwork& network, int peer, std::string_view own) {
  const uint64_t size = own.size();
  uint64_t other_size = 0;
  network.SendRecv(peer, &size, peer, &other_size, sizeof size);
  std::vector<char> sent(std::max(size, other_size));
  std::copy(own.begin(), own.end(), sent.begin());
  std::string other(sent.size(), '\0');
  network.SendRecv(peer, sent.data(), peer, other.data(), sent.size());
  other.resize(other_size);
  return other;
}

// Returns the seconds of a one-way trip over a transport's own calls. Called on both ranks.
Result<double> RawLinkSeconds(const PingPongCase& c, int rank, Buffers& buffers, comm::RawLink& link) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < c.trips * c.steps; ++i) {
    if (rank == 1) DF_TRY(link.Recv(buffers.received.raw(), c.bytes));
    DF_TRY(link.Send((rank == 0 ? buffers.sent : buffers.received).raw(), c.bytes));
    if (rank == 0) DF_TRY(link.Recv(buffers.received.raw(), c.bytes));
  }
  return SecondsSince(start) / (2.0 * c.trips * c.steps);
}

class P2pBench {
 public:
  P2pBench(Runtime& runtime, const P2pOptions& options) : runtime_(runtime), options_(options), worker_(runtime) {}

  // Measures the figures of all cases, on rank 0.
  Status Measure(std::vector<BenchFigure>& figures) {
    if (runtime_.size() != 2) {
      return Error(Code::kUsage, "bench p2p needs 2 ranks and has ", runtime_.size(), ": mpirun -np 2 dfrun bench p2p");
    }
    for (const PingPongCase& c : kPingPongCases) {
      DF_ASSIGN(BenchFigure figure, MeasureCase(c));
      figures.push_back(std::move(figure));
    }
    return Status();
  }

  // Serves rank 1, the other end of all round trips.
  Status Answer() {
    for (const PingPongCase& c : kPingPongCases) DF_TRY(AnswerCase(c));
    return worker_.Serve();
  }

 private:
  Result<BenchFigure> MeasureCase(const PingPongCase& c) {
    DF_ASSIGN(const PingPong ping_pong, PreparePingPong(runtime_, c));
    DF_ASSIGN(Buffers buffers, MakeBuffers(c));
    DF_TRY(ping_pong.session->RunStep(ping_pong.step, {}, {}));
    DF_TRY(Shutdown(runtime_));
    DF_ASSIGN(const std::unique_ptr<comm::RawLink> link, ConnectBare());
    std::vector<double> graph_s;
    std::vector<double> mpi_s;
    std::vector<double> link_s;
    for (int round = 0; round < options_.rounds; ++round) {
      mpi_s.push_back(RawMpi(*bare_, c, 0, buffers));
      if (link != nullptr) {
        DF_ASSIGN(const double seconds, RawLinkSeconds(c, 0, buffers, *link));
        link_s.push_back(seconds);
      }
      const auto start = std::chrono::steady_clock::now();
      DF_TRY(ping_pong.session->RunSteps(ping_pong.step, c.steps));
      graph_s.push_back(SecondsSince(start) / (2.0 * c.trips * c.steps));
      if (round + 1 < options_.rounds) DF_TRY(Shutdown(runtime_));
    }
    DF_TRY(ping_pong.session->Close());
    DF_TRY(Shutdown(runtime_));
    Limit limit = {Median(mpi_s), "bare MPI"};
    if (link != nullptr && Median(link_s) < limit.seconds) limit = {Median(link_s), "bare " + transport()};
    return Figure(c, Median(graph_s), limit);
  }

  Status AnswerCase(const PingPongCase& c) {
    DF_TRY(worker_.Serve());
    DF_ASSIGN(Buffers buffers, MakeBuffers(c));
    DF_ASSIGN(const std::unique_ptr<comm::RawLink> link, ConnectBare());
    for (int round = 0; round < options_.rounds; ++round) {
      RawMpi(*bare_, c, 1, buffers);
      if (link != nullptr) DF_TRY(RawLinkSeconds(c, 1, buffers, *link).status());
      DF_TRY(worker_.Serve());
    }
    return Status();
  }

  Result<Buffers> MakeBuffers(const PingPongCase& c) const {
    DF_ASSIGN(Tensor sent, MakeBuffer(c));
    DF_ASSIGN(Tensor received, MakeBuffer(c));
    return Buffers{std::move(sent), std::move(received)};
  }

  Result<Tensor> MakeBuffer(const PingPongCase& c) const {
    DF_ASSIGN(Tensor buffer, Tensor::Allocate(runtime_.cpu().allocator(), DType::kFloat,
                                              Shape({static_cast<int64_t>(c.bytes / sizeof(float))})));
    std::fill_n(buffer.data<float>(), buffer.num_elements(), 1.0f);
    return buffer;
  }

  struct Limit {
    double seconds;
    std::string name;
  };
  BenchFigure Figure(const PingPongCase& c, double graph_s, const Limit& limit) const {
    const std::string name = StrCat("p2p/", transport(), "/", c.name);
    if (c.bytes < kBandwidthBytes) return {name, graph_s * 1e6, "us", limit.seconds * 1e6, limit.name + ", one way"};
    const double gigabytes = static_cast<double>(c.bytes) * 1e-9;
    return {name, gigabytes / graph_s, "GB/s", gigabytes / limit.seconds, limit.name};
  }

  std::string transport() const { return std::string(runtime_.communicator().transport()); }

  // Returns null if the transport has no calls of its own. Both ranks call it at the same time.
  Result<std::unique_ptr<comm::RawLink>> ConnectBare() const {
    const comm::TransportDef* const def = comm::Transports().Find(transport());
    if (def == nullptr || def->bare == nullptr) return std::unique_ptr<comm::RawLink>();
    const auto swap = [this](std::string_view own) -> Result<std::string> {
      return Swap(*bare_, 1 - runtime_.rank(), own);
    };
    return def->bare(swap);
  }

  Runtime& runtime_;
  const P2pOptions& options_;
  Worker worker_;
  const std::unique_ptr<comm::RawNetwork> bare_ = comm::NewBare();
};

Result<BenchOutcome> RunP2p(const P2pOptions& options) {
  BenchOutcome outcome;
  DF_ASSIGN(outcome.exit_code,
            RunMasterOrWorker(
                {.threads = options.threads, .transport = options.transport},
                [&](Runtime& runtime) { return P2pBench(runtime, options).Measure(outcome.figures); },
                [&](Runtime& runtime) { return P2pBench(runtime, options).Answer(); }));
  return outcome;
}

BENCH("p2p", "What an edge between two ranks costs, beside the bare network.",
      "mpirun -np 2 dfrun bench p2p --json p2p.json", [](Options& args) -> RunBench {
        auto options = std::make_shared<P2pOptions>();
        args.Value("--rounds", options->rounds, "Rounds that the median is taken of").AtLeast(1);
        args.Value("--threads", options->threads, "Kernel threads a rank").AtLeast(1);
        args.Value("--transport", options->transport, "What moves the values (`dfrun info`); default: mpi");
        return [options] { return RunP2p(*options); };
      });

}  // namespace
}  // namespace dfrun::jobs
