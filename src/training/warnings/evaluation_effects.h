// Side effects of an evaluation: it assigns variables, as batch normalisation does to its moving averages, or draws
// random numbers that its values depend on, as dropout does.
#ifndef DFRUN_SRC_TRAINING_WARNINGS_EVALUATION_EFFECTS_H_
#define DFRUN_SRC_TRAINING_WARNINGS_EVALUATION_EFFECTS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/graph/graph.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// The values that an evaluation computes of a graph.
struct MeasuredValues {
  std::vector<Output> fetches = {};
  std::vector<FeedSpec> feeds = {};                 // outputs in the place of others
  std::vector<std::pair<Output, Tensor>> fed = {};  // values in the place of outputs
  bool asks_for_nodes = false;                      // effects of nodes that are fetched themselves are wanted
};

// A value to feed that takes an effect away.
struct Remedy {
  std::string node;
  std::string value;  // "false", "0.0"
  bool operator==(const Remedy&) const = default;
};

struct EvaluationEffect {
  enum class Kind { kAssigns, kDraws };

  Kind kind = Kind::kAssigns;
  std::vector<NodeId> nodes;       // the nodes that assign, or draw
  std::vector<std::string> names;  // names of the variables and tables, or of the nodes that draw
  std::optional<Remedy> remedy;    // found by trying the constants beside the node
};

// Finds the effects; effects with one remedy are one. Not counted: variables that are assigned unchanged, numbers that
// no value depends on (both by the bounds of values, src/graph/value_bounds.h), nodes on a side of a conditional that
// is not taken, values that are fed themselves, and objects of the evaluation's own.
Result<std::vector<EvaluationEffect>> FindEvaluationEffects(const Graph& graph, const MeasuredValues& measured);

// Returns a sentence for each of the first few effects, with the remedy to write: "eval: {feed: {norm/training:
// false}}", or after `feed_option` ("--feed ") "norm/training=false". `has_modes`: the graph is a spec's, which can say
// `training` where a layer differs.
std::vector<std::string> DescribeEffects(const Graph& graph, const std::vector<EvaluationEffect>& effects,
                                         const std::string& feed_option = "", bool has_modes = true);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WARNINGS_EVALUATION_EFFECTS_H_
