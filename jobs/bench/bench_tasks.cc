// `dfrun bench tasks`: how small the tasks of a graph may be. Grids of tasks with the patterns of Task Bench
// (jobs/bench/task_pattern.h) run with kernels of falling size. A figure is the minimum effective task granularity,
// METG(50%): the time that a task takes on its core, all costs counted, when half of it is the kernel's. Its limit is
// that of a loop written for the grid over the bare network, or without messages on one rank.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_turns.h"
#include "jobs/bench/task_kernel.h"
#include "jobs/bench/task_pattern.h"
#include "jobs/ranks/ranks.h"
#include "jobs/timing.h"
#include "src/base/median.h"

namespace dfrun::jobs {
namespace {

struct TasksOptions {
  RankOptions ranks = {.threads = 1};
  int columns = 4;  // columns per rank
  int rows = 100;
  int rounds = 5;  // rounds per grain
};

// Turns of a kernel, from the largest to the smallest: about 50 us to 10 ns.
constexpr int64_t kTurns[] = {32768, 16384, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8};
constexpr int kGrains = static_cast<int>(std::size(kTurns));

// Returns the seconds of a kernel of each size by itself, the least of several.
std::vector<double> MeasureKernels() {
  std::vector<double> seconds;
  volatile double kept = 0;
  for (const int64_t turns : kTurns) {
    const int64_t calls = std::max<int64_t>(10, 200'000 / turns);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 5; ++i) {
      least = std::min(least, Seconds(CLOCK_PROCESS_CPUTIME_ID, [&] {
                         for (int64_t call = 0; call < calls; ++call) kept = RunTask(kept, turns);
                       }));
    }
    seconds.push_back(least / static_cast<double>(calls));
  }
  return seconds;
}

// Returns the seconds of a task at the point where the kernel's share falls below a half, going from large to small
// kernels. `task_s` are the seconds of a task with each kernel. Returns the last of them if the share never falls so
// low, and the first if it is that low from the beginning.
double EffectiveGrain(const std::vector<double>& kernel_s, const std::vector<double>& task_s) {
  double before_share = 1;
  double before_s = task_s[0];
  for (int i = 0; i < kGrains; ++i) {
    const double share = kernel_s[static_cast<size_t>(i)] / task_s[static_cast<size_t>(i)];
    if (share < 0.5) {
      if (i == 0) return task_s[0];
      const double at = (before_share - 0.5) / (before_share - share);
      return std::exp(std::log(before_s) * (1 - at) + std::log(task_s[static_cast<size_t>(i)]) * at);
    }
    before_share = share;
    before_s = task_s[static_cast<size_t>(i)];
  }
  return task_s.back();
}

// A grid whose columns are in blocks, one per rank.
struct Grid {
  const TaskPattern& pattern;
  int ranks;
  int columns;  // columns per rank
  int rows;
  int width() const { return ranks * columns; }
  int RankOf(int column) const { return column / columns; }
};

Result<Graph> GridGraph(const Grid& grid, std::vector<NodeId>& targets) {
  Graph graph;
  std::vector<Output> before;
  for (int row = 0; row < grid.rows; ++row) {
    std::vector<Output> now;
    for (int column = 0; column < grid.width(); ++column) {
      std::vector<Output> inputs;
      if (row > 0) {
        for (const int source : grid.pattern.sources(row, column, grid.width())) {
          inputs.push_back(before[static_cast<size_t>(source)]);
        }
      }
      DF_ASSIGN(const Output task, AddNodeOn(graph, grid.RankOf(column), StrCat("task_", row, "_", column), kTaskOp,
                                             inputs, {{"N", static_cast<int64_t>(inputs.size())}}));
      now.push_back(task);
      targets.push_back(task.node);
    }
    before = std::move(now);
  }
  return graph;
}

// A plain loop over the same grid. Values for other ranks are sent when a row is done, each once per rank.
class GridLoop {
 public:
  GridLoop(const Grid& grid, int rank) : values_(static_cast<size_t>(grid.width())), next_(values_) {
    for (int row = 0; row < grid.rows; ++row) rows_.push_back(Plan(grid, row, rank));
  }

  void Run(comm::RawNetwork* network) {
    for (Row& row : rows_) {
      if (network != nullptr && !(row.receives.empty() && row.sends.empty())) {
        network->Exchange(row.receives, row.sends);
      }
      for (const Task& task : row.tasks) {
        double sum = 0;
        for (const int source : task.sources) sum += values_[static_cast<size_t>(source)];
        next_[static_cast<size_t>(task.column)] = RunTask(sum, TaskTurns());
      }
      for (const Task& task : row.tasks) {
        values_[static_cast<size_t>(task.column)] = next_[static_cast<size_t>(task.column)];
      }
    }
  }

 private:
  struct Task {
    int column;
    std::vector<int> sources;
  };
  struct Row {
    std::vector<Task> tasks;
    std::vector<comm::BareMessage> receives;
    std::vector<comm::BareMessage> sends;
  };

  Row Plan(const Grid& grid, int row, int rank) {
    Row plan;
    std::vector<std::vector<bool>> moved(static_cast<size_t>(grid.ranks), std::vector<bool>(values_.size(), false));
    for (int column = 0; column < grid.width(); ++column) {
      const int owner = grid.RankOf(column);
      std::vector<int> sources;
      if (row > 0) sources = grid.pattern.sources(row, column, grid.width());
      for (const int source : sources) {
        const int from = grid.RankOf(source);
        if (from == owner || moved[static_cast<size_t>(owner)][static_cast<size_t>(source)]) continue;
        moved[static_cast<size_t>(owner)][static_cast<size_t>(source)] = true;
        double* const value = &values_[static_cast<size_t>(source)];
        if (owner == rank) plan.receives.push_back({from, source, value, sizeof *value});
        if (from == rank) plan.sends.push_back({owner, source, value, sizeof *value});
      }
      if (owner == rank) plan.tasks.push_back({column, std::move(sources)});
    }
    return plan;
  }

  std::vector<double> values_;
  std::vector<double> next_;
  std::vector<Row> rows_;
};

class TasksBench {
 public:
  TasksBench(Runtime& runtime, const TasksOptions& options) : runtime_(runtime), options_(options) {}

  Status Measure(std::vector<BenchFigure>& figures) {
    std::unique_ptr<BenchTurns> turns;
    if (runtime_.size() > 1) {
      DF_ASSIGN(turns, BenchTurns::Make(runtime_));
    }
    const std::vector<double> kernel_s = MeasureKernels();
    for (const TaskPattern& pattern : TaskPatterns()) {
      DF_ASSIGN(BenchFigure figure, MeasurePattern(GridOf(pattern), kernel_s, turns.get()));
      figures.push_back(std::move(figure));
    }
    return Status();
  }

  Status Answer() {
    DF_ASSIGN(const std::unique_ptr<BenchTurns> turns, BenchTurns::Make(runtime_));
    for (const TaskPattern& pattern : TaskPatterns()) {
      GridLoop loop(GridOf(pattern), runtime_.rank());
      int round = 0;
      DF_TRY(turns->Follow(Rounds(), [&](comm::RawNetwork& network) {
        SetTaskTurns(TurnsOf(round++));
        network.Barrier();
        loop.Run(&network);
      }));
    }
    return Status();
  }

 private:
  Grid GridOf(const TaskPattern& pattern) const { return {pattern, runtime_.size(), options_.columns, options_.rows}; }
  // Counts one more round of each grain, which warms up.
  int RoundsOfGrain() const { return options_.rounds + 1; }
  int Rounds() const { return kGrains * RoundsOfGrain(); }
  int64_t TurnsOf(int round) const { return kTurns[round / RoundsOfGrain()]; }

  // Returns the seconds of a task on its core by grain: the median of the rounds.
  std::vector<double> TaskSeconds(const Grid& grid, const std::vector<double>& round_s) const {
    std::vector<double> seconds;
    const double tasks_a_rank = static_cast<double>(grid.columns) * grid.rows;
    for (int grain = 0; grain < kGrains; ++grain) {
      const auto first = round_s.begin() + static_cast<std::ptrdiff_t>(grain) * RoundsOfGrain() + 1;
      seconds.push_back(Median(std::vector<double>(first, first + options_.rounds)) / tasks_a_rank);
    }
    return seconds;
  }

  Result<BenchFigure> MeasurePattern(const Grid& grid, const std::vector<double>& kernel_s, BenchTurns* turns) {
    RunSignature signature;
    DF_ASSIGN(Graph graph, GridGraph(grid, signature.targets));
    SessionOptions session_options;
    session_options.optimize = false;
    DF_ASSIGN(const std::unique_ptr<Session> session, Session::Create(runtime_, std::move(graph), session_options));
    DF_ASSIGN(const Session::Handle step, session->Prepare(signature));
    GridLoop loop(grid, 0);
    // Processor time for one rank, whose one thread others on its core may stop; wall time for two ranks, which wait
    // for each other.
    const clockid_t clock = turns == nullptr ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    std::vector<double> own_s;
    std::vector<double> bare_s;
    const auto own = [&]() -> Status {
      Status status;
      own_s.push_back(Seconds(clock, [&] { status = session->RunStep(step, {}, {}); }));
      return status;
    };
    const auto bare = [&](comm::RawNetwork* network) {
      SetTaskTurns(TurnsOf(static_cast<int>(bare_s.size())));
      if (network != nullptr) network->Barrier();
      bare_s.push_back(Seconds(clock, [&] { loop.Run(network); }));
    };
    if (turns != nullptr) {
      DF_TRY(turns->Lead(*session, Rounds(), own, [&](comm::RawNetwork& network) { bare(&network); }));
    } else {
      for (int round = 0; round < Rounds(); ++round) {
        bare(nullptr);
        DF_TRY(own());
      }
      DF_TRY(session->Close());
    }
    const std::string limit = turns == nullptr ? "a plain loop" : StrCat("a loop over ", turns->bare_name());
    return BenchFigure{StrCat("tasks/", runtime_.size(), "_ranks/", grid.pattern.name),
                       EffectiveGrain(kernel_s, TaskSeconds(grid, own_s)) * 1e9, "ns",
                       EffectiveGrain(kernel_s, TaskSeconds(grid, bare_s)) * 1e9, limit};
  }

  Runtime& runtime_;
  const TasksOptions& options_;
};

BENCH("tasks", "How small the tasks of a graph may be, by Task Bench's patterns, beside a loop written for them.",
      "mpirun -np 2 dfrun bench tasks", [](Options& args) -> RunBench {
        auto options = std::make_shared<TasksOptions>();
        args.Value("--columns", options->columns, "Columns of the grid a rank").Between(1, 1024);
        args.Value("--rows", options->rows, "Rows of the grid").Between(2, 10000);
        args.Value("--rounds", options->rounds, "Measurements of each grain").AtLeast(1);
        DeclareRankOptions(args, options->ranks);
        return [options] { return RunOnRanks<TasksBench>(options->ranks, *options); };
      });

}  // namespace
}  // namespace dfrun::jobs
