// What a command line of `dfrun eval` asks for, resolved against a graph.
#ifndef DFRUN_JOBS_EVAL_REQUEST_H_
#define DFRUN_JOBS_EVAL_REQUEST_H_

#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/framework/tensor.h"
#include "src/graph/graph.h"
#include "src/passes/prune.h"

namespace dfrun::jobs {

// What replaces an output: a value, or another output of a spec's graph.
struct Feed {
  Output output;
  Tensor value;
  Output source = {};  // where it is valid
};

// "NAME[:port]=VALUE", where VALUE is FILE.h5:/path or a literal; of a spec also another output, and "INPUT=INPUT" for
// each tensor of an input. Of the inputs whose tensors are fed the size of the batch is then open in the graph. Usage
// errors for what is no such text, names no output or does not fit; reads the datasets, also where they lie in another
// file below `allow_paths`. Numbers and bools are converted to the output's dtype as the input sections of specs do.
Result<std::vector<Feed>> ReadFeeds(Model& model, const std::vector<std::string>& texts,
                                    const std::vector<std::string>& allow_paths);

// "NAME=VALUE" for each variable, as a feed. The value and the variable's node.
struct Assignment {
  NodeId variable;
  Tensor value;
};
Result<std::vector<Assignment>> ReadAssignments(const Graph& graph, const std::vector<std::string>& texts,
                                                const std::vector<std::string>& allow_paths);

Result<std::vector<Output>> ResolveFetches(const Model& model, const std::vector<std::string>& fetches);
Result<std::vector<NodeId>> ResolveNodes(const Graph& graph, const char* flag, const std::vector<std::string>& names);

// Usage error that names a placeholder which a run of `signature` needs and does not feed; BadSpec where it needs what
// is not known here.
Status CheckFed(const Model& model, const std::string& path, const RunSignature& signature);

// Each fetch becomes the dataset of its very name (OutputArrays): one that is the path prefix of another would have to
// be a dataset and a group at once. Usage error with the hint to write `:0`.
Status CheckFetchNames(const std::vector<std::string>& fetches);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_REQUEST_H_
