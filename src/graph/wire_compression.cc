#include "src/graph/wire_compression.h"

namespace dfrun {

bool IsMarkedCompressed(const Node& node) {
  return node.attrs.Find(kCompressAttr) != nullptr;
}

}  // namespace dfrun
