#include "src/job/checkpoint_fit.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "src/base/name_pattern.h"
#include "src/base/text.h"
#include "src/job/input_samples.h"
#include "src/job/rule_change.h"

namespace dfrun {
namespace {

using Checkpoint = CheckpointStore::Checkpoint;

constexpr size_t kMaxNamed = 4;

// "'a', 'b' and 'c'", "'a', 'b' and 3 others".
std::string NameFirst(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    if (texts.size() == kMaxNamed) break;
    texts.push_back(StrCat("'", name, "'"));
  }
  const size_t others = names.size() - texts.size();
  if (others > 0) texts.push_back(StrCat(others, others == 1 ? " other" : " others"));
  const std::string last = std::move(texts.back());
  texts.pop_back();
  return texts.empty() ? last : StrCat(Join(texts), " and ", last);
}

// The saved variables by their names.
std::map<std::string_view, const SavedVariable*> ByName(const Manifest& manifest) {
  std::map<std::string_view, const SavedVariable*> saved;
  for (const ShardEntry& shard : manifest.shards) {
    for (const SavedVariable& variable : shard.variables) saved.emplace(variable.name, &variable);
  }
  return saved;
}

bool IsPositionOf(const std::string& variable, const std::string& input) {
  return variable == input + "/position";
}

// Names those of the states for which `wanted` holds.
template <class Wanted>
std::vector<std::string> NamesOf(const std::vector<const KeptState*>& all, const Wanted& wanted) {
  std::vector<std::string> names;
  for (const KeptState* kept : all) {
    if (wanted(*kept)) names.push_back(kept->of);
  }
  return names;
}

// One call of FitCheckpoint().
class Fitting {
 public:
  Fitting(const Checkpoint& checkpoint, const ResumedJob& job)
      : checkpoint_(checkpoint), spec_(job.spec), graph_(job.graph), left_(ByName(checkpoint.manifest)) {
    fit_.changes = DescribeChanges(checkpoint.manifest.settings, job.settings);
    fit_.rules = DescribeRuleChanges(checkpoint.manifest.settings, job.rules);
  }

  Result<CheckpointFit> Run() {
    for (const KeptState& kept : graph_.kept) DF_TRY(Take(kept));
    for (const auto& [name, variable] : left_) fit_.unused.emplace_back(name);
    if (!missing_.empty()) return Missing();
    for (const size_t i : graph_.advancing) DF_TRY(CheckSameSamples(checkpoint_, spec_.inputs[i]));
    for (const InputSpec& input : spec_.inputs) {
      DF_TRY(CheckSameClasses(checkpoint_.directory, checkpoint_.manifest, input));
    }
    return std::move(fit_);
  }

 private:
  Status Take(const KeptState& kept) {
    size_t found = 0;
    for (const StatePart& part : kept.parts) {
      const auto saved = left_.find(part.name);
      if (saved == left_.end()) continue;
      if (IsReturned(kept) && !part.shape.IsCompatibleWith(saved->second->shape)) {
        left_.erase(saved);
        fit_.anew.push_back(&kept);
        return Status();
      }
      DF_TRY(CheckPart(part, *saved->second));
      left_.erase(saved);
      ++found;
    }
    if (found == kept.parts.size()) return Status();
    if (found > 0) return Lacks(StrCat("a part of the state of '", kept.of, "'"));
    if (!kept.is_variable) {
      fit_.anew.push_back(&kept);
      return Status();
    }
    return TakeMissing(kept);
  }

  // Whether it is the list of shares that backup replicas had taken, which has a place for each replica.
  bool IsReturned(const KeptState& kept) const { return graph_.apart && kept.of == graph_.apart->returned; }

  Status TakeMissing(const KeptState& variable) {
    const auto is_of = [&](const auto& input) { return IsPositionOf(variable.of, input.name); };
    const std::vector<SavedInput>& named = checkpoint_.manifest.inputs;
    if (std::any_of(named.begin(), named.end(), is_of)) return Lacks(StrCat("the position '", variable.of, "'"));
    const bool is_input = std::any_of(spec_.inputs.begin(), spec_.inputs.end(), is_of);
    if (is_input || variable.of_strategy || WasFrozen(variable.slot_of)) {
      fit_.anew.push_back(&variable);
    } else {
      missing_.push_back(variable.of);
    }
    return Status();
  }

  // Whether the variable, which the job trains, was frozen when the checkpoint was written: it had no slots then.
  bool WasFrozen(const std::string& variable) const {
    const std::vector<std::string> patterns = FrozenPatterns(checkpoint_.manifest.settings);
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& text) { return NamePattern(text).Matches(variable); });
  }

  Status CheckPart(const StatePart& part, const SavedVariable& saved) const {
    if (saved.dtype == part.dtype && part.shape.IsCompatibleWith(saved.shape)) return Status();
    return Error(Code::kBadSpec, "variable '", part.name, "' is ", saved.dtype, saved.shape, " in the checkpoint ",
                 checkpoint_.directory, ", but ", part.dtype, part.shape, " in this spec", Advice());
  }

  Status Lacks(const std::string& what) const {
    return Error(Code::kDataLoss, "the checkpoint ", checkpoint_.directory, " is damaged: it lacks ", what);
  }

  Status Missing() const {
    const std::string theirs =
        fit_.unused.empty() ? "" : StrCat("; it has ", NameFirst(fit_.unused), ", which the spec does not");
    return Error(Code::kBadSpec, "the checkpoint ", checkpoint_.directory, " has no variable ", NameFirst(missing_),
                 " of this spec", theirs, Advice());
  }

  std::string Advice() const {
    return StrCat(fit_.changes.empty() ? "" : StrCat(" (", fit_.changes, ")"),
                  ": bring the spec back to what it was, or begin anew with another --output");
  }

  const Checkpoint& checkpoint_;
  const JobSpec& spec_;
  const JobGraph& graph_;
  std::map<std::string_view, const SavedVariable*> left_;  // variables that the job has not taken yet
  std::vector<std::string> missing_;
  CheckpointFit fit_;
};

}  // namespace

Result<CheckpointFit> FitCheckpoint(const Checkpoint& checkpoint, const ResumedJob& job) {
  return Fitting(checkpoint, job).Run();
}

RestoreStep RestoreFrom(const Checkpoint& checkpoint, const CheckpointFit& fit, const JobGraph& graph) {
  RestoreStep step{graph.restore, {Tensor::Scalar<std::string>(checkpoint.directory)}};
  std::vector<NodeId>& targets = step.signature.targets;
  std::set<NodeId> without;
  std::set<std::string_view> anew;
  std::vector<std::string> left_out;
  for (const KeptState* kept : fit.anew) {
    without.insert(kept->restore.begin(), kept->restore.end());
    anew.insert(kept->of);
    for (const StatePart& part : kept->parts) left_out.push_back(part.name);
  }
  std::erase_if(targets, [&](NodeId target) { return without.contains(target); });
  for (const KeptState* kept : fit.anew) {
    // A copy of a state that begins anew gets its value with that.
    const bool is_copied = !kept->copied.empty() && !anew.contains(kept->copy_of);
    const std::vector<NodeId>& begin = is_copied ? kept->copied : kept->begin;
    targets.insert(targets.end(), begin.begin(), begin.end());
  }
  step.feeds.push_back(Tensor::Vector<std::string>(left_out));
  return step;
}

std::string DescribeFit(const Checkpoint& checkpoint, const CheckpointFit& fit) {
  std::vector<std::string> clauses = fit.rules;
  if (!fit.changes.empty()) clauses.push_back(fit.changes);
  const auto is_own = [](const KeptState& kept) { return kept.of_strategy && !kept.between_syncs; };
  const auto is_slot = [](const KeptState& kept) { return !kept.slot_of.empty() && !kept.of_strategy; };
  const auto is_position = [&](const KeptState& kept) {
    return kept.is_variable && kept.slot_of.empty() && !kept.of_strategy;
  };
  const auto is_state = [](const KeptState& kept) { return !kept.is_variable; };
  const std::vector<std::string> positions = NamesOf(fit.anew, is_position);
  if (!positions.empty()) clauses.push_back(StrCat("it has no ", NameFirst(positions), ", which is 0"));
  const std::vector<std::string> slots = NamesOf(fit.anew, is_slot);
  if (!slots.empty()) clauses.push_back(StrCat("it has no ", NameFirst(slots), ", which begins anew"));
  const std::vector<std::string> own = NamesOf(fit.anew, is_own);
  if (!own.empty()) clauses.push_back(StrCat("it has no ", NameFirst(own), ", which begins anew with this strategy"));
  const std::vector<std::string> states = NamesOf(fit.anew, is_state);
  if (!states.empty()) clauses.push_back(StrCat("it has no state of ", NameFirst(states), ", which begins anew"));
  if (!fit.unused.empty()) clauses.push_back(StrCat("it also has ", NameFirst(fit.unused), ", which is left out"));
  if (clauses.empty()) return "";
  return StrCat("the checkpoint ", checkpoint.directory, " and this job differ: ", Join(clauses, "; "));
}

}  // namespace dfrun
