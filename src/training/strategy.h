// A strategy by which the replicas of a model train together: it defines what a step computes, and how the gradients
// become updates. Each strategy stands in a file of its own below strategies/ and declares itself there; the spec's
// keys, the JSON schema and the graph come from that.
//
//   STRATEGY("sync", {.keys = {{.name = "replicas", .kind = KeyKind::kInt, ...}}, .doc = "...", .add = &AddSync});
#ifndef DFRUN_SRC_TRAINING_STRATEGY_H_
#define DFRUN_SRC_TRAINING_STRATEGY_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/spec/schema/alternatives.h"
#include "src/training/job_graph_draft.h"

namespace dfrun {

struct StrategyDef {
  std::vector<KeyDef> keys = {};  // numbers and bools of `train:`, each with a fallback
  decltype(AlternativeDef::check) check = nullptr;
  std::string doc;  // for docs/spec.md: description of a step
  // Adds to the draft's graph a step of the training that draft.spec.train describes: its fetches, its updates, and the
  // writers of each variable. InvalidArgument where the model cannot be trained so.
  Status (*add)(JobGraphDraft& draft) = nullptr;
  // Adds what runs between steps, when the nodes of the step are all there. May be null.
  Status (*add_between_steps)(JobGraphDraft& draft) = nullptr;
  // Adds the rest when devices have been chosen, where replicas run for themselves (JobGraph::apart). Null: the updates
  // of a step are those of all replicas, and get gates, an order and summaries together.
  Status (*finish)(JobGraphDraft& draft) = nullptr;
};

// Returns a registered strategy.
const StrategyDef& FindStrategy(std::string_view name);

namespace internal {
struct StrategyRegistration {
  StrategyRegistration(const char* name, StrategyDef def);
};
}  // namespace internal

#define STRATEGY(name, ...)                                                                                   \
  [[maybe_unused]] static const ::dfrun::internal::StrategyRegistration DF_CONCAT(df_strategy_, __COUNTER__)( \
      name, __VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_STRATEGY_H_
