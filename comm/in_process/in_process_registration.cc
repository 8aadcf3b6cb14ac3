// Registers the in-process transport for a process that is the only rank.
#include "comm/bootstrap/transport_registry.h"
#include "comm/in_process/in_process_transport.h"

namespace dfrun::comm {
namespace {

Status CanConnect(const Bootstrap& bootstrap) {
  if (bootstrap.size() == 1) return Status();
  return FailedPrecondition("it connects ranks of one process, and there are ", bootstrap.size(), " processes");
}

Result<std::vector<std::unique_ptr<Transport>>> Connect(Bootstrap&, int count) {
  std::vector<std::unique_ptr<Transport>> transports;
  transports.reserve(count);
  for (int i = 0; i < count; ++i) {
    transports.push_back(std::make_unique<InProcessTransport>(std::make_shared<InProcessHub>(1), 0));
  }
  return transports;
}

TRANSPORT("self", {.priority = 100,
                   .describe = [] { return std::string("messages within one process"); },
                   .can_connect = &CanConnect,
                   .connect = &Connect});

}  // namespace
}  // namespace dfrun::comm
