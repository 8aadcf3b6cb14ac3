// Compiles one signature: turns a session's graph into one graph for each device.
#ifndef DFRUN_SRC_SESSION_COMPILE_H_
#define DFRUN_SRC_SESSION_COMPILE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "src/partition/partition.h"
#include "src/passes/prune.h"
#include "src/placement/cluster.h"
#include "src/session/local_executable.h"
#include "src/session/runtime.h"

namespace dfrun {

// The time that a stage took, over all partitions.
struct StageTime {
  std::string stage;
  std::chrono::nanoseconds time;
};

struct CompileOptions {
  const Cluster& cluster;
  bool optimize;
  bool soft_placement = false;  // constraints that no device matches do not count
  WireCompression compression = WireCompression::kNone;
  std::vector<std::string> without_passes = {};  // see SessionOptions::without_passes
  // The stage that is the last to run, to look at the graph: before "partition" the whole graph is the one partition,
  // of device "". Empty: all run.
  std::string last_stage = {};
  std::vector<StageTime>* times = nullptr;  // where stages are added as they end; null: nobody asks
};

// The stages of CompileRun() in their order: passes, by name, "prune" before all of them, "place" and "partition"
// between those of the whole graph and those of partitions.
std::vector<std::string> CompileStages();

// Prunes, runs the graph passes, places, settles how collectives are done (src/passes/collectives.h), partitions, and
// runs the passes of each partition's device and then those of all partitions together. Channels count on from
// *next_channel. The runtime is rank 0's.
Result<std::vector<Partition>> CompileRun(const Graph& graph, const RunSignature& signature, Runtime& runtime,
                                          const CompileOptions& options, int32_t* next_channel);

// The plans of this rank's partitions, whose graphs may then go. `keep_graphs`: LocalExecutable::graphs is set.
Result<std::unique_ptr<LocalExecutable>> BuildPart(Runtime& runtime, const std::vector<const Partition*>& partitions,
                                                   bool keep_graphs);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_COMPILE_H_
