// The interface of a benchmark of `dfrun bench NAME`, of which the program dfrun-bench is made. Each is a file
// jobs/bench/bench_<name>.cc that registers itself as a subcommand does:
//
//   BENCH("dispatch", "Null ops a second.", "dfrun bench dispatch --threads 2", [](Options& args) -> RunBench {
//     ...options...
//     return [options]() -> Result<std::vector<BenchFigure>> { ... };
//   });
#ifndef DFRUN_JOBS_BENCH_BENCH_H_
#define DFRUN_JOBS_BENCH_BENCH_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "jobs/command.h"

namespace dfrun::jobs {

inline constexpr const char* kBenchDescription = "Measures a part of dfrun against the limit that this machine sets.";
inline constexpr const char* kBenchExample = "dfrun bench dispatch --json dispatch.json";

// A figure and the limit that was measured in the same run.
struct BenchFigure {
  std::string name;  // "p2p/mpi/8B"
  double value = 0;
  std::string unit;  // "us", "GB/s", "Mops/s"
  double limit = 0;
  std::string limit_name;  // "raw MPI"

  double ratio() const { return value / limit; }
};

struct BenchOutcome {
  std::vector<BenchFigure> figures;  // empty if another rank has the figures
  int exit_code = 0;                 // exit code of an error that has been printed, as RunMasterOrWorker() returns it
};

// Runs the benchmark. Under MPI every rank calls it.
using RunBench = std::function<Result<BenchOutcome>()>;

struct Bench {
  std::string description;
  std::string example;
  std::function<RunBench(Options&)> setup;
};

std::map<std::string, Bench>& Benches();

struct BenchRegistration {
  BenchRegistration(const std::string& name, Bench bench) { Benches().emplace(name, std::move(bench)); }
};

#define BENCH(name, ...)                                                                \
  static const ::dfrun::jobs::BenchRegistration DF_CONCAT(df_bench_, __COUNTER__)(name, \
                                                                                  ::dfrun::jobs::Bench{__VA_ARGS__})

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_BENCH_H_
