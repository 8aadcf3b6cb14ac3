// The evaluation that a spec describes, as nodes of its graph: other values replace the outputs that it feeds.
#ifndef DFRUN_SRC_TRAINING_SPEC_EVALUATION_H_
#define DFRUN_SRC_TRAINING_SPEC_EVALUATION_H_

#include <optional>
#include <string>
#include <vector>

#include "src/spec/job_spec.h"
#include "src/training/evaluation.h"
#include "src/training/job_graph.h"

namespace dfrun {

struct SpecEvaluation {
  std::vector<std::string> names;
  std::vector<Output> fetches;
  std::vector<NodeId> targets;
};

// An output of the spec's graph that is fed: from another output, or, where `source` is not valid, a value that each
// step is given.
struct FedOutput {
  Output target;
  Output source = {};
};

// The evaluation of a spec that has one; null where it has none or several. Of several, a caller leaves in
// JobSpec::evals the one that is meant.
const EvalSpec* OnlyEvaluation(const JobSpec& job);

// Leaves in JobSpec::evals the evaluation of this name. A Usage error, which begins with `flag` and lists them, where
// there is none.
Status ChooseEvaluation(std::string_view flag, const std::string& name, JobSpec& job);

// The outputs that replace others: those that `eval:` (without it, `run:`) feeds where `feeds` says nothing else, and
// the sources of `feeds`.
std::vector<FeedSpec> ReplacementsOf(const JobSpec& job, const std::vector<FedOutput>& feeds);

// The values that `eval:` measures (without it, those that `run:` fetches), by the spec's names; empty where it has
// neither. Of a quotient of sums it is the quotient, a node that is added to `graph`, the spec's.
Result<SpecEvaluation> EvaluationOf(const JobSpec& job, Graph& graph);

// The nodes that the copies of a spec's evaluation share with its graph: objects, which --restore and --init give their
// content, placeholders, and outputs that are fed a value.
SubgraphMap SharedNodes(const std::vector<FedOutput>& feeds, const Graph& graph);

// The pass that fetches `wanted`, with the outputs that replace others.
PassRequest RequestOf(const JobSpec& job, const std::vector<FedOutput>& feeds, const SpecEvaluation& wanted);

// Adds a copy, under `eval/`, of the nodes behind `wanted`, in which the values that `eval:` (without it, `run:`)
// feeds, and the sources of `feeds`, replace the outputs that they feed; variables are shared. A feed with a value of
// its own, or of an output with itself, overrides the spec's. `wanted` is then of the copy. Nothing is added where
// there are no such feeds.
Status ApplyFeeds(const JobSpec& job, const std::vector<FedOutput>& feeds, Graph& graph, SpecEvaluation& wanted);

// Adds the evaluation that `eval:` describes as the job makes it: over all samples of the inputs that it reads, with
// the sources of `feeds` in the place of their targets. Returns nothing where the spec has no `eval:`, or where a value
// is fed in the place of an input's samples, or of values computed from them: the feed then decides the samples.
// `graph` is the spec's.
Result<std::optional<EvaluationPass>> AddWholeEvaluation(const JobSpec& job, const std::vector<FedOutput>& feeds,
                                                         Graph& graph);

// Adds the pass that fetches `wanted` of all samples of the inputs that it reads, with the same feeds as ApplyFeeds();
// nothing where it reads no input, or a value is fed in the place of samples.
Result<std::optional<EvaluationPass>> AddWholeFetch(const JobSpec& job, const std::vector<FedOutput>& feeds,
                                                    const SpecEvaluation& wanted, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SPEC_EVALUATION_H_
