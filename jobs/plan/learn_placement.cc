#include "jobs/plan/learn_placement.h"

#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "jobs/compile_job.h"
#include "jobs/json.h"
#include "jobs/model.h"
#include "jobs/place_by_spec.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/job/place_job.h"
#include "src/training/build_job_graph.h"

namespace dfrun::jobs {
namespace {

Result<int> OneNumberOfRanks(const std::string& text) {
  if (text.empty()) return 0;
  const std::optional<int> number = ParseAs<int>(text);
  if (number && *number >= 1) return *number;
  return Error(Code::kUsage, "--ranks: '", text, "': --learn places a job on one number of ranks");
}

// The placements that were found, of which the faster one is kept.
struct Learned {
  PlacedJob searched;
  PlacedJob annealed;
  bool is_better() const { return annealed.facts.kind == "learned" && annealed.facts.seconds < SearchedS(); }
  double SearchedS() const { return searched.facts.seconds; }
  const PlacedJob& kept() const { return is_better() ? annealed : searched; }
};

std::string TextOf(const Learned& learned, const std::string& path) {
  return fmt::format(
      "by the rules:  {:.1f} us a step, simulated\nby the search: {:.1f} us\nlearned:       {:.1f} us\n{}\n",
      learned.searched.facts.rules_s * 1e6, learned.SearchedS() * 1e6, learned.annealed.facts.seconds * 1e6,
      path.empty() ? std::string("kept: the rules, which nothing is faster than")
                   : StrCat("kept: what was ", learned.is_better() ? "learned" : "found by the search", ", in ", path));
}

std::string JsonOf(const Learned& learned, const std::string& path) {
  return StrCat("{\"rules_s\": ", JsonNumber(learned.searched.facts.rules_s),
                ", \"searched_s\": ", JsonNumber(learned.SearchedS()),
                ", \"learned_s\": ", JsonNumber(learned.annealed.facts.seconds),
                ", \"cost\": ", JsonNumber(learned.kept().facts.seconds), ", \"file\": ", JsonString(path), "}\n");
}

}  // namespace

Result<std::string> LearnPlacement(const SpecPlanOptions& options, const LearnOptions& learn) {
  DF_ASSIGN(const int wanted, OneNumberOfRanks(options.ranks));
  DF_ASSIGN(Model model, LoadSpecModel({.path = options.spec,
                                        .sets = options.sets,
                                        .tags = {},
                                        .ranks = wanted,
                                        .device_counts = options.devices,
                                        .form = ModelOptions::Form::kJob}));
  Result<JobCompiler> compiler = JobCompiler::Create(model, wanted > 0 ? wanted : model.RanksNeeded());
  DF_TRY(AsSpecError(options.spec, compiler.status()));
  const LoadedSpec spec = model.TakeSpec();
  if (!spec.job.train && !spec.job.run)
    return Error(Code::kBadSpec, options.spec, ":1:1: there is no step: the spec has neither `train:` nor `run:`");
  PlacementSpec placement = spec.job.placement;
  placement.profile = learn.profile;
  DF_ASSIGN(const CostTable costs, CostsOfPlacement(placement, options.cost_file));
  const StepGraphOptions graph_options = {
      .costs = &costs, .ranks_per_node = options.ranks_per_node, .limits = spec.job.memory_limits};
  PlaceStepOptions search = {.moves = placement.moves, .seed = static_cast<uint64_t>(spec.job.seed)};
  const auto place = [&] { return PlaceJob(spec, compiler->runtime(), compiler->options(), graph_options, search); };
  Learned learned;
  DF_ASSIGN(learned.searched, place());
  search.seconds = static_cast<double>(learn.seconds);
  DF_ASSIGN(learned.annealed, place());
  const PlacedJob& kept = learned.kept();
  std::string path;
  if (!kept.placement.empty()) {
    path = LearnedPlacementOf(learn.profile, kept.key);
    DF_TRY(MakeDirectories(std::filesystem::path(path).parent_path().string()));
    DF_TRY(WriteFileAtomically(path, PrintPlacement(kept.placement, kept.facts)));
  }
  return options.json ? JsonOf(learned, path) : TextOf(learned, path);
}

}  // namespace dfrun::jobs
