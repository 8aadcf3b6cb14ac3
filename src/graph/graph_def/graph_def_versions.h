// Checks the versions of a GraphDef: a file can say that readers of some versions would misread it.
// Source: TensorFlow's versions.proto.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_VERSIONS_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_VERSIONS_H_

#include "src/base/status.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

// Returns InvalidArgument where min_consumer or bad_consumers exclude this reader. Any producer is welcome.
Status CheckVersions(const proto::VersionDef& versions);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_VERSIONS_H_
