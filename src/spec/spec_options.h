// The options with which a spec is loaded.
#ifndef DFRUN_SRC_SPEC_SPEC_OPTIONS_H_
#define DFRUN_SRC_SPEC_SPEC_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/framework/device/device_report.h"
#include "src/framework/op/op.h"

namespace dfrun {

struct SpecOptions {
  std::vector<std::string> sets = {};  // "key=value", each for a param or, by its path, a key of the spec
  const OpRegistry* ops = &OpRegistry::Builtin();
  int ranks = 0;  // size of the cluster, against which tasks in device names and jobs are checked; 0: not known yet
  DeviceCounts device_counts = {};  // in place of those of `cluster`
  // "NAME[:port]" or "NAME[:port]=value", each an output that will be fed beside those that the spec feeds
  std::vector<std::string> feeds = {};
  std::optional<int64_t> steps = {};  // in place of the length that `train` or `run` gives
  bool prints = false;                // whether LoadedSpec::printed is wanted
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_OPTIONS_H_
