#include "tests/transport/dropping_transport.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "comm/bootstrap/transport_registry.h"
#include "tests/transport/socket_transport.h"

namespace dfrun::comm {

void DroppingTransport::Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) {
  if (peer != rank() && sent_.fetch_add(1) + 1 == drops_) return done(Status());
  inner_->Send(peer, tag, data, bytes, done);
}

namespace {

constexpr const char* kDrops = "DFRUN_TEST_DROPS";

// It is no transport for who does not know it.
Status CanConnect(const Bootstrap&) {
  if (std::getenv(kDrops) != nullptr) return Status();
  return FailedPrecondition("it is for who has set ", kDrops);
}

// Rank 1 swallows, of the transport that carries values; others lose nothing.
Result<std::vector<std::unique_ptr<Transport>>> Connect(Bootstrap& bootstrap, int count) {
  const char* const drops = std::getenv(kDrops);
  std::vector<std::unique_ptr<Transport>> transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<Transport> inner, SocketTransport::Connect(bootstrap));
    const bool is_lossy = i == 0 && bootstrap.rank() == 1 && drops != nullptr;
    transports.push_back(std::make_unique<DroppingTransport>(std::move(inner), is_lossy ? std::atoll(drops) : 0));
  }
  return transports;
}

TRANSPORT("dropping", {.priority = 0,
                       .describe = [] { return std::string("UNIX sockets that swallow a message"); },
                       .can_connect = &CanConnect,
                       .connect = &Connect});

}  // namespace
}  // namespace dfrun::comm
