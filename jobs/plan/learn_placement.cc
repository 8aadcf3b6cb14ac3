#include "jobs/plan/learn_placement.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "jobs/json.h"
#include "jobs/plan/planned_job.h"
#include "jobs/plan/write_placement.h"
#include "src/base/file.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

// The placements that were found, of which the faster one is kept.
struct Learned {
  PlacedJob searched;
  PlacedJob annealed;
  bool is_better() const { return annealed.facts.kind == PlacedBy::kLearning && annealed.facts.seconds < SearchedS(); }
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
  DF_ASSIGN(const int ranks, OneNumberOfRanks(options.ranks, "--learn"));
  DF_ASSIGN(PlannedJob job, LoadPlannedJob(options, ranks, learn.profile));
  DF_TRY(job.CheckStep());
  const LoadedSpec& spec = job.spec;
  const StepGraphOptions graph_options = {
      .costs = &job.costs, .ranks_per_node = options.ranks_per_node, .limits = spec.job.memory_limits};
  PlaceStepOptions search = {.moves = spec.job.placement.moves, .seed = static_cast<uint64_t>(spec.job.seed)};
  const auto place = [&] {
    return PlaceJob(spec, job.compiler.runtime(), job.compiler.options(), graph_options, search);
  };
  Learned learned;
  DF_ASSIGN(learned.searched, place());
  if (learned.searched.key.empty()) return job.ApartError();
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
