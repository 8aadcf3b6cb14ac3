// Readers of the sections beside the graph. Each reports errors and returns a result as complete as possible.
#ifndef DFRUN_SRC_SPEC_SECTION_H_
#define DFRUN_SRC_SPEC_SECTION_H_

#include <optional>
#include <string>
#include <vector>

#include "src/spec/cluster_spec.h"
#include "src/spec/job_spec.h"
#include "src/spec/lowering.h"
#include "src/spec/schema/schema.h"
#include "src/spec/schema/section_def.h"
#include "src/spec/schema/values.h"

namespace dfrun {

struct SpecDocument;  // src/spec/document.h

// Adds the nodes of `inputs:`, with an unknown batch size, so that nothing the graph derives from shapes depends on it.
// Paths are relative to `directory`. Opens the files' headers.
std::vector<InputSpec> ReadInputs(const Yaml& section, const std::string& directory, int64_t seed, ValueReader& reader,
                                  Lowering& lowering);
// Adds the nodes of inputs that have been read, again in another graph, and fills in their ids.
void AddNodesOfInputs(std::vector<InputSpec>& inputs, int64_t seed, Lowering& lowering);
// Sets the batch's size in every reader and infers the graph's shapes from there.
Status FixBatchSizes(const std::vector<InputSpec>& inputs, Graph& graph);

// The keys of a schedule written as a mapping.
const std::vector<KeyDef>& ScheduleKeys();
std::optional<ScheduleSpec> ReadSchedule(const Yaml& value, ValueReader& reader);

// The arguments of the readers of sections (SectionDef::read), beside their section.
struct SectionContext {
  const SpecDocument& document;
  ValueReader& reader;
  Lowering& lowering;
  const Graph& graph;
  const std::vector<InputSpec>& inputs;
  const ClusterSpec& cluster;
};

// Reads the number or bool that a mapping has for one of `keys`, by its definition. `out` stays as it is where there is
// none. False where it does not fit, which has been reported.
template <class T>
bool ReadKey(const Yaml& map, const std::vector<KeyDef>& keys, std::string_view key, ValueReader& reader, T& out) {
  const std::optional<Yaml> value = FindKey(map, key);
  if (!value) return true;
  const std::optional<KeyValue> read = ReadKeyValue(*value, *FindKeyDef(keys, key), reader);
  if (read) out = std::get<T>(*read);
  return read.has_value();
}

// Whether a variable is the position of an input. The spec has no such variable, so that no key can choose it.
bool IsPosition(NodeId variable, const SectionContext& context);
// The names of all other variables that the graph has so far.
std::vector<std::string> NamesOfVariables(const SectionContext& context);

// Reads a list of names of outputs. `scalars`: each must be a scalar.
std::vector<FetchSpec> ReadFetches(const Yaml& list, std::string_view what, bool scalars,
                                   const SectionContext& context);

// Reads what other values replace, {batch: test, "x:1": 0.5}. The nodes of expressions get names below `prefix`.
std::vector<FeedSpec> ReadFeeds(const Yaml& map, std::string_view prefix, const SectionContext& context);

// Reads 'steps_in_flight' of a section; false where it does not fit, which has been reported.
bool ReadStepsInFlight(const Yaml& section, ValueReader& reader, int& out);

// The keys of a quotient of sums, {sum: total, over: count}.
const std::vector<KeyDef>& QuotientKeys();
// Reads a metric, called `name`: the name of a scalar, or a quotient of sums.
std::optional<MetricSpec> ReadMetric(const Yaml& value, std::string name, std::string_view what,
                                     const SectionContext& context);

// The keys that say which metric of an evaluation counts, {metric: eval/loss, mode: min}.
std::vector<KeyDef> GoalKeys();
std::optional<GoalSpec> ReadGoal(const Yaml& map, const SectionContext& context);

// Returns true for a scalar, and for a value of unknown shape.
bool MayBeScalar(const Graph& graph, Output output);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SECTION_H_
