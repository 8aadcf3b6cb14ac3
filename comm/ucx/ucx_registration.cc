// Registers the transport over UCX, whose shared library is opened on demand.
#include "comm/bootstrap/transport_part.h"

namespace dfrun::comm {
namespace {

constexpr const char* kName = "ucx";

std::string Describe() {
  const Result<const TransportDef*> part = OpenTransportPart(kName);
  return part.ok() ? (*part)->describe() : StrCat("off: ", part.status().message());
}

// Returns whether UCX can connect the ranks. A process without a launcher does not open the library to find out.
Status CanConnect(const Bootstrap& bootstrap) {
  if (FindLauncher() == Launcher::kNone) {
    return FailedPrecondition("no launcher started this process: it has nobody to send to");
  }
  DF_ASSIGN(const TransportDef* const part, OpenTransportPart(kName));
  return part->can_connect(bootstrap);
}

Result<std::vector<std::unique_ptr<Transport>>> Connect(Bootstrap& bootstrap, int count) {
  DF_ASSIGN(const TransportDef* const part, OpenTransportPart(kName));
  return part->connect(bootstrap, count);
}

Result<std::unique_ptr<RawLink>> Bare(SwapBytes swap) {
  DF_ASSIGN(const TransportDef* const part, OpenTransportPart(kName));
  return part->bare(swap);
}

// The priority is below MPI's, so this transport is used only on request.
TRANSPORT("ucx",
          {.priority = 5, .describe = &Describe, .can_connect = &CanConnect, .connect = &Connect, .bare = &Bare});

}  // namespace
}  // namespace dfrun::comm
