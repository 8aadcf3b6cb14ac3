// The request of a `dfrun eval` or `dfrun predict` command line, resolved against a graph.
#ifndef DFRUN_JOBS_EVAL_EVAL_REQUEST_H_
#define DFRUN_JOBS_EVAL_EVAL_REQUEST_H_

#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/framework/values/tensor.h"
#include "src/graph/graph.h"
#include "src/passes/prune.h"
#include "src/training/spec_evaluation.h"
#include "src/training/warnings/evaluation_effects.h"

namespace dfrun::jobs {

// A replacement of an output: by a value, or by another output of a spec's graph.
struct Feed {
  Output output;
  Tensor value;
  Output source = {};  // valid if another output replaces it
};

// Parses "NAME[:port]=VALUE" texts, where VALUE is FILE.h5:/path or a literal. For a spec, VALUE may also be another
// output, and "INPUT=INPUT" stands for every tensor of an input. If an input's tensors are fed, its batch size is left
// open in the graph. Reads the datasets, also those that lie in another file below `allow_paths`. Numbers and bools are
// converted to the output's dtype as the input sections of specs do. Usage error for a text that has another form,
// names no output or does not fit. `wanted`: what the feeds are for; an input may lack tensors, and inputs that go
// together, of which none of it is computed. Empty: all are asked for.
Result<std::vector<Feed>> ReadFeeds(Model& model, const std::vector<std::string>& texts,
                                    const std::vector<std::string>& allow_paths,
                                    const std::vector<Output>& wanted = {});

// "NAME[:port]=VALUE", cut at the first equals sign. Usage error for another form.
struct NameAndValue {
  std::string name;
  std::string value;
};
Result<NameAndValue> SplitFeed(const std::string& text);

// Returns an error of a file that a command line names: NoInput where it is missing or damaged, and else as it is for a
// wrong spec and for a lack of memory; kIo for others.
Status OfDataset(const Status& status);

// Returns the nodes that outputs depend on, by id; all nodes where there are no outputs.
std::vector<bool> NodesBehind(const Graph& graph, const std::vector<Output>& outputs);

// A variable's node and the value to assign, from a text "NAME=VALUE" as for a feed.
struct Assignment {
  NodeId variable;
  Tensor value;
};
Result<std::vector<Assignment>> ReadAssignments(const Graph& graph, const std::vector<std::string>& texts,
                                                const std::vector<std::string>& allow_paths);

Result<std::vector<Output>> ResolveFetches(const Model& model, const std::vector<std::string>& fetches);
Result<std::vector<NodeId>> ResolveNodes(const Graph& graph, const char* flag, const std::vector<std::string>& names);

// Returns a usage error that names a placeholder which a run of `signature` needs and does not feed; BadSpec if the run
// needs an op that this program does not know.
Status CheckFed(const Model& model, const std::string& path, const RunSignature& signature);

// Makes InvalidArgument, an error of the graph rather than of the machine, one of the model's file `path`.
Status AsFileError(const std::string& path, const Status& status);

// Leaves in JobSpec::evals the evaluation that --evaluation names. Evaluations differ in what they feed, so that a
// Usage error asks for it where the spec has several. `path`: the model's.
Status ChooseOneEvaluation(const std::string& path, const std::string& evaluation, Model& model);

// Says on stderr which values are measured with the effects of training. Of a spec, `fed` are the outputs that the
// command line feeds; MeasuredValues::feeds follow from them.
Status WarnOfEffects(const Model& model, const std::vector<FedOutput>& fed, MeasuredValues measured);

// Checks that no fetch's name is the path prefix of another. Each fetch becomes the dataset of its very name
// (OutputArrays), which cannot be a dataset and a group at once. The usage error gives the hint to write `:0`.
Status CheckFetchNames(const std::vector<std::string>& fetches);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_EVAL_REQUEST_H_
