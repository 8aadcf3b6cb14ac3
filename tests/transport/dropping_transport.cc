#include "tests/transport/dropping_transport.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "comm/bootstrap/transport_registry.h"
#include "tests/transport/socket_transport.h"

namespace dfrun::comm {

void DroppingTransport::Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) {
  const int64_t number = peer == rank() ? -1 : sent_.fetch_add(1) + 1;
  if (number == faults_.drops) return done(Status());
  if (number % 4 != 0) std::this_thread::sleep_for(std::chrono::milliseconds(faults_.delay_ms));
  if (number == faults_.damages && bytes > 0) {
    const char* const from = static_cast<const char*>(data);
    damaged_.assign(from, from + bytes);
    damaged_[bytes / 2] ^= 1;
    data = damaged_.data();
  }
  inner_->Send(peer, tag, data, bytes, done);
}

namespace {

constexpr const char* kDrops = "DFRUN_TEST_DROPS";
constexpr const char* kDamages = "DFRUN_TEST_DAMAGES";
constexpr const char* kDelay = "DFRUN_TEST_DELAY_MS";

int64_t NumberIn(const char* variable) {
  const char* const number = std::getenv(variable);
  return number == nullptr ? 0 : std::atoll(number);
}

// The transport connects nobody unless the environment asks for its faults.
Status CanConnect(const Bootstrap&) {
  if (NumberIn(kDrops) + NumberIn(kDamages) + NumberIn(kDelay) > 0) return Status();
  return FailedPrecondition("it is for who has set ", kDrops, ", ", kDamages, " or ", kDelay);
}

// Rank 1's transport for tensors has the faults; other ranks and transports lose nothing.
Result<std::vector<std::unique_ptr<Transport>>> Connect(Bootstrap& bootstrap, int count) {
  std::vector<std::unique_ptr<Transport>> transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<Transport> inner, SocketTransport::Connect(bootstrap));
    const bool is_lossy = i == 0 && bootstrap.rank() == 1;
    DroppingTransport::Faults faults;
    if (is_lossy) faults = {NumberIn(kDrops), NumberIn(kDamages), NumberIn(kDelay)};
    transports.push_back(std::make_unique<DroppingTransport>(std::move(inner), faults));
  }
  return transports;
}

TRANSPORT("dropping", {.priority = 0,
                       .describe = [] { return std::string("UNIX sockets that swallow, damage or delay messages"); },
                       .can_connect = &CanConnect,
                       .connect = &Connect});

}  // namespace
}  // namespace dfrun::comm
