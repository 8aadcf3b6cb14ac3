// `dfrun bench fetch`: the cost for workers of using variables of parameter servers. The first ranks are the servers,
// each with its part of a variable; in each step every other rank reads the whole of it, or 32 rows, and does nothing
// with them. With --update it multiplies by a number what it has read, and sends that back; the servers apply what all
// workers have sent, at once, so that each step ends for all of them together. Source: the null-step benchmark of the
// TensorFlow paper (OSDI 2016), section 6.2. The limit is to send the same bytes over the bare network. A figure is the
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

struct FetchOptions {
  RankOptions ranks = {.threads = 1};
  int rounds = 5;
  int64_t most_bytes = int64_t{1} << 30;
  int servers = 1;
  bool update = false;
  std::string only;
};

constexpr int64_t kFloat = sizeof(float);
constexpr int64_t kRowFloats = 1024;  // floats per row of a table
constexpr int64_t kRows = 32;         // rows that a worker reads, over all servers
constexpr float kUpdate = 1e-3f;      // the update by the value: what is subtracted of it a worker

struct FetchCase {
  const char* name;
  int64_t bytes;   // size of the variable
  bool is_sparse;  // rows are read, not the whole variable
  int steps;       // steps per round
};

// The scalar is one on each server; of the others each server has an equal part.
constexpr FetchCase kFetchCases[] = {{"scalar", kFloat, false, 200},
                                     {"dense_100MB", 100'000'000, false, 3},
                                     {"dense_1GB", 1'000'000'000, false, 1},
                                     {"sparse_256MiB", int64_t{256} << 20, true, 50},
                                     {"sparse_1GiB", int64_t{1} << 30, true, 50},
                                     {"sparse_4GiB", int64_t{4} << 30, true, 50}};

// The part of a case that one server has, and how much of it a worker reads. Rows are those of a table.
struct Part {
  int64_t elements;
  int64_t rows;
  int64_t rows_read;
  int64_t bytes_read;
};

Part PartOf(const FetchCase& c, int servers) {
  Part part{};
  part.elements = c.bytes == kFloat ? 1 : c.bytes / kFloat / servers;
  part.bytes_read = part.elements * kFloat;
  if (c.is_sparse) {
    part.rows = part.elements / kRowFloats;
    part.rows_read = std::max<int64_t>(kRows / servers, 1);
    part.bytes_read = part.rows_read * kRowFloats * kFloat;
  }
  return part;
}

Result<Output> AddConst(Graph& graph, int rank, const std::string& name, Tensor value) {
  const DType dtype = value.dtype();
  return AddNodeOn(graph, rank, name, "Const", {}, {{"dtype", dtype}, {"value", AttrValue(std::move(value))}});
}

// The steps of one case on one graph.
class FetchGraph {
 public:
  FetchGraph(const FetchCase& c, int servers, int ranks) : case_(c), servers_(servers), ranks_(ranks) {}

  // Adds the step, and the nodes that initialise its variables.
  Status Add(bool update) {
    for (int server = 0; server < servers_; ++server) DF_TRY(AddServer(server, update));
    return Status();
  }
  Graph& graph() { return graph_; }
  const RunSignature& step() const { return step_; }
  const std::vector<std::string>& init() const { return init_; }

 private:
  Status AddServer(int server, bool update) {
    const Part part = PartOf(case_, servers_);
    const auto dims =
        case_.is_sparse ? std::vector<int64_t>{part.rows, kRowFloats} : std::vector<int64_t>{part.elements};
    init_.push_back(StrCat("init_", server));
    DF_ASSIGN(const Output variable,
              AddZeros(graph_, server, StrCat("variable_", case_.name, "_", server), dims, init_.back()));
    std::vector<Output> rows;
    std::vector<Output> sent;
    std::vector<NodeId> reads;
    for (int worker = servers_; worker < ranks_; ++worker) {
      Output read = variable;
      if (case_.is_sparse) {
        DF_ASSIGN(rows.emplace_back(), AddRowNumbers(part, server, worker, update));
        DF_ASSIGN(read, AddGather(variable, rows.back(), server, worker));
        reads.push_back(read.node);
      }
      const std::string pair = StrCat(worker, "_of_", server);
      DF_ASSIGN(Output there, AddNodeOn(graph_, worker, StrCat("read_", pair), "Identity", {read}));
      if (update) {
        DF_ASSIGN(const Output by, AddConst(graph_, worker, StrCat("by_", pair), Tensor::Scalar(kUpdate)));
        DF_ASSIGN(there, AddNodeOn(graph_, worker, StrCat("update_", pair), "Mul", {there, by}));
        sent.push_back(there);
      } else {
        step_.targets.push_back(there.node);
      }
    }
    return update ? AddUpdate(server, variable, rows, sent, reads) : Status();
  }

  // Without an update they are on the server, spread over the table, different ones for each worker; else the worker
  // draws them in each step.
  Result<Output> AddRowNumbers(const Part& part, int server, int worker, bool update) {
    const std::string name = StrCat("indices_", worker, "_of_", server);
    if (!update) {
      std::vector<int64_t> indices;
      for (int64_t i = 0; i < part.rows_read; ++i)
        indices.push_back((i * (part.rows / part.rows_read) + worker * 7) % part.rows);
      return AddConst(graph_, server, name, Tensor::Vector<int64_t>(indices));
    }
    DF_ASSIGN(const Output count, AddConst(graph_, worker, name + "/count", Tensor::Vector<int64_t>({part.rows_read})));
    DF_ASSIGN(const Output least, AddConst(graph_, worker, name + "/least", Tensor::Scalar<int64_t>(0)));
    DF_ASSIGN(const Output end, AddConst(graph_, worker, name + "/end", Tensor::Scalar<int64_t>(part.rows)));
    return AddNodeOn(graph_, worker, name, "RandomUniformInt", {count, least, end},
                     {{"seed", int64_t{worker}}, {"seed2", int64_t{server + 1}}});
  }

  Result<Output> AddGather(Output table, Output rows, int server, int worker) {
    const std::string pair = StrCat(worker, "_of_", server);
    DF_ASSIGN(const Output axis, AddConst(graph_, server, StrCat("axis_", pair), Tensor::Scalar<int32_t>(0)));
    return AddNodeOn(graph_, server, StrCat("rows_", pair), "GatherV2", {table, rows, axis});
  }

  // Applies what the workers have sent when all of it is there, and so when all of them have read.
  Status AddUpdate(int server, Output variable, const std::vector<Output>& rows, const std::vector<Output>& sent,
                   const std::vector<NodeId>& reads) {
    if (!case_.is_sparse) {
      DF_ASSIGN(const Output sum, AddNodeOn(graph_, server, StrCat("sum_", server), "AddN", sent));
      DF_ASSIGN(const Output made, AddNodeOn(graph_, server, StrCat("assign_", server), "AssignSub", {variable, sum}));
      step_.targets.push_back(made.node);
      return Status();
    }
    for (size_t i = 0; i < sent.size(); ++i) {
      DF_ASSIGN(const Output made, AddNodeOn(graph_, server, StrCat("assign_", i, "_of_", server), "ScatterSub",
                                             {variable, rows[i], sent[i]}));
      for (const NodeId read : reads) graph_.AddControlEdge(read, made.node);
      step_.targets.push_back(made.node);
    }
    return Status();
  }

  const FetchCase& case_;
  const int servers_;
  const int ranks_;
  Graph graph_;
  RunSignature step_;
  std::vector<std::string> init_;
};

class FetchBench {
 public:
  FetchBench(Runtime& runtime, const FetchOptions& options) : runtime_(runtime), options_(options) {}

  Status Measure(std::vector<BenchFigure>& figures) {
    if (runtime_.size() <= options_.servers) {
      return Error(Code::kUsage,
                   "bench fetch needs a rank for each parameter server and one for a worker: ", "mpirun -np ",
                   options_.servers + 1, " dfrun bench fetch --servers ", options_.servers);
    }
    if (Cases().empty()) return Error(Code::kUsage, "bench fetch has no case '", options_.only, "' of so few bytes");
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const FetchCase* c : Cases()) {
      DF_ASSIGN(BenchFigure figure, MeasureCase(*turns, *c));
      figures.push_back(std::move(figure));
    }
    return Status();
  }

  Status Answer() {
    if (runtime_.size() <= options_.servers || Cases().empty()) return Status();
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const FetchCase* c : Cases()) {
      std::vector<char> value;
      DF_TRY(turns->Follow(options_.rounds, [&](comm::RawNetwork& network) { BareSteps(network, *c, value); }));
    }
    return Status();
  }

 private:
  std::vector<const FetchCase*> Cases() const {
    std::vector<const FetchCase*> cases;
    for (const FetchCase& c : kFetchCases) {
      if (c.bytes <= options_.most_bytes && (options_.only.empty() || options_.only == c.name)) cases.push_back(&c);
    }
    return cases;
  }

  // Each server sends its part to all workers, and gets it back from each, or one byte. Returns the seconds of a step.
  double BareSteps(comm::RawNetwork& network, const FetchCase& c, std::vector<char>& value) const {
    const auto part = static_cast<size_t>(PartOf(c, options_.servers).bytes_read);
    const size_t answer = options_.update ? part : 1;
    const bool is_server = runtime_.rank() < options_.servers;
    value.resize(is_server ? part : part * static_cast<size_t>(options_.servers));
    network.Barrier();
    return Seconds(CLOCK_MONOTONIC,
                   [&] {
                     for (int step = 0; step < c.steps; ++step) BareStep(network, part, answer, value);
                   }) /
           c.steps;
  }

  void BareStep(comm::RawNetwork& network, size_t part, size_t answer, std::vector<char>& value) const {
    const bool is_server = runtime_.rank() < options_.servers;
    std::vector<comm::BareMessage> values;
    std::vector<comm::BareMessage> answers;
    const int first = is_server ? options_.servers : 0;
    const int end = is_server ? runtime_.size() : options_.servers;
    for (int peer = first; peer < end; ++peer) {
      char* const at = value.data() + (is_server ? 0 : part * static_cast<size_t>(peer));
      values.push_back({peer, 1, at, part});
      answers.push_back({peer, 2, at, answer});
    }
    if (is_server) {
      network.Exchange({}, values);
      for (const comm::BareMessage& m : answers) network.Exchange({&m, 1}, {});
    } else {
      network.Exchange(values, {});
      network.Exchange({}, answers);
    }
    if (options_.servers > 1) network.Barrier();
  }

  Result<BenchFigure> MeasureCase(BenchTurns& turns, const FetchCase& c) {
    FetchGraph graph(c, options_.servers, runtime_.size());
    DF_TRY(graph.Add(options_.update));
    SessionOptions session_options;
    session_options.optimize = false;
    DF_ASSIGN(const std::unique_ptr<Session> session,
              Session::Create(runtime_, std::move(graph.graph()), session_options));
    DF_TRY(session->Run({}, {}, graph.init()).status());
    DF_ASSIGN(const Session::Handle step, session->Prepare(graph.step()));
    DF_TRY(session->RunStep(step, {}, {}));
    std::vector<char> value;
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
    DF_TRY(turns.Lead(*session, options_.rounds, own,
                      [&](comm::RawNetwork& network) { bare_s.push_back(BareSteps(network, c, value)); }));
    const int workers = runtime_.size() - options_.servers;
    const std::string of = options_.servers == 1 ? "" : StrCat(options_.servers, "_servers/");
    return BenchFigure{StrCat(options_.update ? "update/" : "fetch/", of, workers, "_workers/", c.name),
                       Median(own_s) * 1e6, "us", Median(bare_s) * 1e6, turns.bare_name()};
  }

  Runtime& runtime_;
  const FetchOptions& options_;
};

BENCH("fetch", "What it costs workers to read, and update, variables of parameter servers, beside the bare network.",
      "mpirun -np 3 dfrun bench fetch", [](Options& args) -> RunBench {
        auto options = std::make_shared<FetchOptions>();
        args.Value("--rounds", options->rounds, "Rounds that steps are measured in").AtLeast(1);
        args.Bytes("--most-bytes", options->most_bytes, "The largest variable; default: 1 GiB").AtLeast(4);
        args.Value("--servers", options->servers, "Ranks that have the variables; default: 1").Between(1, 32);
        args.Flag("--update", options->update, "Workers send an update of what they have read");
        args.Value("--only", options->only, "The case of this name alone, as scalar");
        DeclareRankOptions(args, options->ranks);
        return [options] { return RunOnRanks<FetchBench>(options->ranks, *options); };
      });

}  // namespace
}  // namespace dfrun::jobs
