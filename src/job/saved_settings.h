// Settings of a job's spec that decide its values, as checkpoints keep them: a job that is resumed with other settings
// says so.
#ifndef DFRUN_SRC_JOB_SAVED_SETTINGS_H_
#define DFRUN_SRC_JOB_SAVED_SETTINGS_H_

#include <string>
#include <vector>

#include "src/checkpoint/manifest.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Returns the settings by the names of the spec's keys, in whatever form it writes them; `graph` stands for the nodes
// of a step and their attrs, `rules` for the program's rules (rule_change.h). The length of a job, its reports and its
// hosts are no settings.
std::vector<SavedSetting> SettingsOf(const LoadedSpec& spec);

// Returns the settings of `train` alone, without "train." before their names and without those that are "none"; none
// where the spec has no such section.
std::vector<SavedSetting> TrainSettingsOf(const LoadedSpec& spec);

// The patterns of `freeze` in such settings.
std::vector<std::string> FrozenPatterns(const std::vector<SavedSetting>& settings);

// Returns a digest of the nodes that a step computes, the setting `graph`.
std::string GraphDigest(const LoadedSpec& spec);

// "train.learning_rate is 0.01 and was 0.1, seed is 5 and was 3"; "" where no setting of both differs.
std::string DescribeChanges(const std::vector<SavedSetting>& saved, const std::vector<SavedSetting>& now);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_SAVED_SETTINGS_H_
