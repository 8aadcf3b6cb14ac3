// The options with which a spec is loaded.
#ifndef DFRUN_SRC_SPEC_SPEC_OPTIONS_H_
#define DFRUN_SRC_SPEC_SPEC_OPTIONS_H_

#include <string>
#include <vector>

#include "src/framework/device/device_report.h"
#include "src/framework/op/op.h"

namespace dfrun {

struct SpecOptions {
  std::vector<std::string> sets;  // "key=value", each for one of the spec's params
  const OpRegistry* ops = &OpRegistry::Builtin();
  int ranks = 0;  // size of the cluster, against which tasks in device names and jobs are checked; 0: not known yet
  DeviceCounts device_counts = {};  // in place of those of `cluster`
  // "NAME[:port]" or "NAME[:port]=value", each an output that will be fed beside those that the spec feeds
  std::vector<std::string> feeds = {};
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_OPTIONS_H_
