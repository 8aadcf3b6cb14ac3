// Registers the transport over UCX, whose part is opened when it is asked for.
#include "comm/bootstrap/transport_part.h"

namespace dfrun::comm {
namespace {

constexpr const char* kName = "ucx";

std::string Describe() {
  const Result<const TransportDef*> part = OpenTransportPart(kName);
  return part.ok() ? (*part)->describe() : StrCat("off: ", part.status().message());
}

// A process alone does not open the library to hear that.
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

Result<std::unique_ptr<BareLink>> Bare(SwapBytes swap) {
  DF_ASSIGN(const TransportDef* const part, OpenTransportPart(kName));
  return part->bare(swap);
}

// Below MPI's: it is taken where it is asked for.
TRANSPORT("ucx",
          {.priority = 5, .describe = &Describe, .can_connect = &CanConnect, .connect = &Connect, .bare = &Bare});

}  // namespace
}  // namespace dfrun::comm
