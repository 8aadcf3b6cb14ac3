#include "src/training/warnings/spec_warnings.h"

#include <algorithm>
#include <iterator>

#include "src/training/evaluation.h"
#include "src/training/warnings/crosswise.h"
#include "src/training/warnings/evaluation_effects.h"
#include "src/training/warnings/input_warnings.h"
#include "src/training/warnings/loss_form.h"
#include "src/training/warnings/loss_reach.h"

namespace dfrun {
namespace {

using Texts = std::vector<std::string>;

// `spec` is the form that evaluations run.
Result<Texts> OfUnfedMetrics(const LoadedSpec& spec, const EvalSpec& eval) {
  DF_ASSIGN(const std::vector<UnfedMetric> unfed, FindUnfedMetrics(spec.graph, eval));
  Texts texts;
  for (const UnfedMetric& metric : unfed) {
    const std::string& name = spec.graph.node(metric.placeholder).name;
    texts.push_back(StrCat(spec.graph.Describe(metric.placeholder), ": the metric '", eval.metrics[metric.metric].name,
                           "' needs it, and 'feed' of 'eval' gives it no value: the training leaves the metric out; "
                           "`dfrun eval --feed ",
                           name, "=VALUE` computes it"));
  }
  return texts;
}

Result<Texts> OfEffects(const LoadedSpec& spec, const EvalSpec& eval) {
  DF_ASSIGN(const PassRequest request, FedMetricsOf(spec.graph, eval));
  MeasuredValues measured{.feeds = request.feeds};
  for (const FetchSpec& fetch : request.fetches) measured.fetches.push_back(fetch.output);
  DF_ASSIGN(const std::vector<EvaluationEffect> effects, FindEvaluationEffects(spec.graph, measured));
  return DescribeEffects(spec.graph, effects);
}

Result<Texts> OfLoss(const LoadedSpec& spec) {
  const int64_t replicas = spec.job.train->strategy.integer("replicas");
  if (replicas <= 1 || spec.job.train->loss_over.valid()) return Texts();
  DF_ASSIGN(const LossForm form, FormOfLoss(spec, replicas));
  if (!form.changes_with_replicas()) return Texts();
  return Texts{DescribeLossForm(spec.graph, form, replicas)};
}

Result<Texts> OfMeetings(const LoadedSpec& spec) {
  const std::optional<CrosswiseMeeting> meeting = FindCrosswiseMeeting(spec.graph, spec.job.train->loss);
  return meeting ? Texts{DescribeCrosswise(spec.graph, *meeting)} : Texts();
}

Result<Texts> OfReach(const LoadedSpec& spec) {
  Texts texts = {DescribeUnreached(spec), DescribeFrozenAssigned(spec), DescribeGradientEnds(spec)};
  std::erase(texts, "");
  return texts;
}

// Evaluations share nodes: a sentence about these is said once.
Texts WithoutRepeats(Texts texts) {
  Texts once;
  for (std::string& text : texts) {
    if (std::find(once.begin(), once.end(), text) == once.end()) once.push_back(std::move(text));
  }
  return once;
}

}  // namespace

std::vector<std::string> WarningsOfSpec(const LoadedSpec& spec) {
  Texts texts = spec.job.warnings;
  texts.insert(texts.end(), spec.mode_feeds.begin(), spec.mode_feeds.end());
  const auto add = [&](Result<Texts> more) {
    // The compile reports errors of this look.
    if (more.ok())
      texts.insert(texts.end(), std::make_move_iterator(more->begin()), std::make_move_iterator(more->end()));
  };
  if (spec.job.train) add(OfLoss(spec));
  if (spec.job.train) add(OfMeetings(spec));
  if (spec.job.train) add(OfReach(spec));
  if (spec.job.train) add(WarningsOfWholeSets(spec));
  if (spec.job.train) add(WarningsOfUntiedInputs(spec));
  const LoadedSpec& evaluation = spec.form(/*for_training=*/false);
  for (const EvalSpec& eval : evaluation.job.evals) {
    add(OfUnfedMetrics(evaluation, eval));
    add(OfEffects(evaluation, eval));
  }
  return WithoutRepeats(std::move(texts));
}

}  // namespace dfrun
