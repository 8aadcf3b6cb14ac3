#include "src/training/read_variables.h"

#include <set>
#include <string>

#include "src/graph/order/ancestors.h"

namespace dfrun {
namespace {

// The names of the variables that the job reads in one form.
std::set<std::string> NamesRead(const JobSpec& job, const Graph& graph) {
  AncestorWalk walk(graph);
  const auto add = [&](Output value) {
    if (value.valid()) walk.Add(value.node);
  };
  const auto add_feeds = [&](const std::vector<FeedSpec>& feeds) {
    for (const FeedSpec& feed : feeds) add(feed.value);
  };
  if (job.train) {
    add(job.train->loss);
    add(job.train->loss_over);
  }
  if (job.run) {
    add_feeds(job.run->feeds);
    for (const FetchSpec& fetch : job.run->fetches) add(fetch.output);
    for (const NodeId target : job.run->targets) walk.Add(target);
  }
  for (const EvalSpec& eval : job.evals) {
    add_feeds(eval.feeds);
    for (const MetricSpec& metric : eval.metrics) {
      add(metric.value);
      add(metric.over);
    }
  }
  for (const Output output : job.summaries.Outputs()) add(output);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  std::set<std::string> names;
  for (const VariableSpec& variable : job.variables) {
    if (walk.added()[static_cast<size_t>(variable.node)]) names.insert(graph.node(variable.node).name);
  }
  return names;
}

}  // namespace

std::vector<bool> FindReadVariables(const JobSpec& job, const Graph& graph, const LoadedSpec* other) {
  if (!job.train && !job.run) return std::vector<bool>(job.variables.size(), true);
  std::set<std::string> names = NamesRead(job, graph);
  if (other != nullptr) names.merge(NamesRead(other->job, other->graph));
  std::vector<bool> is_read;
  for (const VariableSpec& variable : job.variables) is_read.push_back(names.contains(graph.node(variable.node).name));
  return is_read;
}

}  // namespace dfrun
