#include "src/graph/graph_def/graph_def_versions.h"

#include <algorithm>

namespace dfrun {
namespace {

// The version of TensorFlow 2.21, whose ops are the model of ours.
constexpr int kConsumer = 2474;

}  // namespace

Status CheckVersions(const proto::VersionDef& versions) {
  if (versions.min_consumer() > kConsumer) {
    return InvalidArgument("the graph is for readers of GraphDef version ", versions.min_consumer(),
                           " or later; this one reads version ", kConsumer);
  }
  const auto& bad = versions.bad_consumers();
  if (std::find(bad.begin(), bad.end(), kConsumer) == bad.end()) return Status();
  return InvalidArgument("the graph is not for readers of GraphDef version ", kConsumer, " such as this one");
}

}  // namespace dfrun
