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

struct Feed {
  Output output;
  Tensor value;
};

// "NAME[:port]=FILE.h5:/path". Usage errors for what is no such text or names no output; reads the dataset, also where
// it lies in another file below `allow_paths`.
Result<Feed> ReadFeed(const Model& model, const std::string& text, const std::vector<std::string>& allow_paths);

Result<std::vector<Output>> ResolveFetches(const Model& model, const std::vector<std::string>& fetches);
Result<std::vector<NodeId>> ResolveNodes(const Graph& graph, const char* flag, const std::vector<std::string>& names);

// Usage error that names a placeholder which a run of `signature` needs and does not feed.
Status CheckFed(const Graph& graph, const RunSignature& signature);

// Each fetch becomes the dataset of its very name: one that is the path prefix of another would have to be a dataset
// and a group at once. Usage error with the hint to write `:0`.
Status CheckFetchNames(const std::vector<std::string>& fetches);
// One dataset a fetch, under the name given.
Status WriteFetches(const std::string& path, const std::vector<std::string>& names, const std::vector<Tensor>& values);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_REQUEST_H_
