// Settings of a job's spec that decide its values, as checkpoints keep them: a job that is resumed with other settings
// says so.
#ifndef DFRUN_SRC_JOB_SAVED_SETTINGS_H_
#define DFRUN_SRC_JOB_SAVED_SETTINGS_H_

#include <string>
#include <vector>

#include "src/checkpoint/manifest.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// By the names of the spec's keys, whatever of them it writes; `graph` stands for the nodes of a step and their attrs,
// `rules` for those that the program goes by (rule_change.h).
// How long a job is, what it reports and where it runs are none of them.
std::vector<SavedSetting> SettingsOf(const LoadedSpec& spec);

// "train.learning_rate is 0.01 and was 0.1, seed is 5 and was 3"; "" where no setting of both differs.
std::string DescribeChanges(const std::vector<SavedSetting>& saved, const std::vector<SavedSetting>& now);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_SAVED_SETTINGS_H_
