// Changes of the results of a working spec, so that a job that goes on from a checkpoint of a program from before the
// change says so. Each stands in a file of its own below rule_changes/ and declares itself there:
//
//   RULE_CHANGE("float32_means", {.says = "gradients of 16 bits are summed in float32, and were in 16 bits",
//                                 .concerns = &TrainsNarrowVariables});
//
// A checkpoint names the rules that the program which wrote it knew (the setting `rules`, src/checkpoint/FORMAT.md). A
// resumed job prints `says` of each rule that its checkpoint does not name and that concerns it, in the line with the
// other differences. So a further change is one more file with a name of its own: it says in one clause how things are
// now and how they were, and tells whether a spec gives other values by it. A change that refuses specs which were
// accepted before needs none.
#ifndef DFRUN_SRC_JOB_RULE_CHANGE_H_
#define DFRUN_SRC_JOB_RULE_CHANGE_H_

#include <string>
#include <vector>

#include "src/checkpoint/manifest.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"

namespace dfrun {

struct RuleChangeDef {
  std::string says;  // "gradients of 16 bits are summed in float32, and were in 16 bits"
  // Whether the job gives other values by it. `graph`: the job's, with the gradients and updates of a training.
  bool (*concerns)(const LoadedSpec& spec, const JobGraph& graph) = nullptr;
};

// The rules that this program knows, as a checkpoint of it names them.
SavedSetting KnownRules();

// The names of those that concern a job.
std::vector<std::string> RulesConcerning(const LoadedSpec& spec, const JobGraph& graph);

// Describes the rules in `concerning` that the program which wrote a checkpoint with these settings did not know: a
// clause each.
std::vector<std::string> DescribeRuleChanges(const std::vector<SavedSetting>& saved,
                                             const std::vector<std::string>& concerning);

namespace internal {
struct RuleChangeRegistration {
  RuleChangeRegistration(const char* name, RuleChangeDef def);
};
}  // namespace internal

#define RULE_CHANGE(name, ...)                                                                                     \
  [[maybe_unused]] static const ::dfrun::internal::RuleChangeRegistration DF_CONCAT(df_rule_change_, __COUNTER__)( \
      name, __VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_RULE_CHANGE_H_
