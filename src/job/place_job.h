// Places a job by simulating its step, before its graph is built.
#ifndef DFRUN_SRC_JOB_PLACE_JOB_H_
#define DFRUN_SRC_JOB_PLACE_JOB_H_

#include <string>
#include <vector>

#include "src/costs/cost_table.h"
#include "src/graph/node_placement.h"
#include "src/graph/placement_file.h"
#include "src/plan/build_step_graph.h"
#include "src/plan/place_step.h"
#include "src/session/compile.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

// The step of a job as a simulation sees it.
struct SimulatedJob {
  JobGraph job;
  Graph placed;      // the nodes of its step, each with its device
  PlacedGraph step;  // the tasks of `placed`
};

// Compiles the step of the job, with `placement`, up to its placement; `options` as for the session that runs it.
// Errors are those of BuildJobGraph() and CompileRun().
Result<SimulatedJob> SimulateJob(const LoadedSpec& spec, const NodePlacement& placement, Runtime& runtime,
                                 const CompileOptions& options, const StepGraphOptions& graph_options);

// The placement that has the tasks of the step on these devices: of the open nodes of the job. Those that the step does
// not have are where their first input is, or what reads them.
NodePlacement PlacementOfStep(const SimulatedJob& job, const std::vector<int>& device_of, const Cluster& cluster);

// A placement, with lines about it for people.
struct PlacedJob {
  NodePlacement placement;  // empty: the rules decide
  PlacementFacts facts;
  std::vector<std::string> lines;
  std::string key;  // JobKey(), where the job was placed by simulation
};

// Hexadecimal digits that are equal for jobs whose step has the same nodes, by NodeKeyText() and name, on the same
// devices.
std::string JobKey(const SimulatedJob& by_rules, const Cluster& cluster);

// The file in the directory of a run where the placement is kept that was learned for a job from the run's trace.
std::string LearnedPlacementOf(const std::string& run, const std::string& key);

// The placement of the nodes that the rules place and a placement may (JobGraph::open), which the simulation finds to
// be faster than theirs or, where theirs does not fit into the memory, to fit; else an empty one. Nodes that the step
// does not have are where those are whose values they take. `profile`: a run; what was learned from it, if anything
// was, is taken in place of a search.
Result<PlacedJob> PlaceJob(const LoadedSpec& spec, Runtime& runtime, const CompileOptions& options,
                           const StepGraphOptions& graph_options, const PlaceStepOptions& place_options,
                           const std::string& profile = "");

// Where a resumed run has its placement; "": the job is not resumed.
struct PlacementRequest {
  const CostTable* costs = nullptr;
  int ranks_per_node = 0;
  std::string resumed = {};
};

// Decides by `placement:` of the spec. A file that it names counts before all; then the placement of the resumed run,
// unless it names devices that the job has no more, which a line says. A resumed job that is placed anew has its nodes
// on the types of devices that the rules give them. BadSpec: the file that the spec names is no placement.
Result<PlacedJob> ChoosePlacement(const LoadedSpec& spec, Runtime& runtime, const CompileOptions& options,
                                  const PlacementRequest& request);

// The ranks of the first host, of which every host has as many; all ranks where hosts differ. `hosts`: by rank.
int RanksPerHost(const std::vector<std::string>& hosts);

// Says whether the placement has nodes on another type of device than the rules, whose kernels may give other bits; one
// sentence, or "".
std::string DescribeTypeChanges(const SimulatedJob& by_rules, const NodePlacement& placement);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_PLACE_JOB_H_
