#include "tests/transport/registered_transport.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "comm/bootstrap/transport_registry.h"
#include "tests/transport/socket_transport.h"

namespace dfrun::comm {

void RegisteredRanges::Add(const char* data, size_t bytes) {
  MutexLock lock(mu_);
  bytes_[data] = bytes;
}

void RegisteredRanges::Remove(const char* data) {
  MutexLock lock(mu_);
  bytes_.erase(data);
}

bool RegisteredRanges::Hold(const void* data, size_t bytes) {
  const char* const first = static_cast<const char*>(data);
  MutexLock lock(mu_);
  const auto after = bytes_.upper_bound(first);
  if (after == bytes_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return first + bytes <= begin + size;
}

RegisteredTransport::~RegisteredTransport() {
  if (moved_ > 0)
    std::fprintf(stderr, "%s\n",
                 StrCat("rank ", rank(), ": ", moved_.load(), " messages of registered memory").c_str());
}

Capabilities RegisteredTransport::capabilities() const {
  Capabilities capabilities;
  if (asks_) capabilities.registered_from = kFrom;
  return capabilities;
}

Result<Region> RegisteredTransport::Register(void* data, size_t bytes) {
  const auto* const first = static_cast<const char*>(data);
  ranges_->Add(first, bytes);
  const auto remove = [ranges = ranges_, first](void*) { ranges->Remove(first); };
  return Region(data, bytes, "", std::shared_ptr<void>(nullptr, remove));
}

Status RegisteredTransport::Check(const char* what, const void* data, size_t bytes) {
  if (bytes < kFrom) return Status();
  if (!ranges_->Hold(data, bytes)) {
    return FailedPrecondition(what, " ", bytes, " bytes: their memory is not registered");
  }
  moved_.fetch_add(1);
  return Status();
}

void RegisteredTransport::Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) {
  if (Status status = Check("send", data, bytes); !status.ok()) return done(std::move(status));
  inner_->Send(peer, tag, data, bytes, done);
}

void RegisteredTransport::Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) {
  if (Status status = Check("receive", data, bytes); !status.ok()) return done(std::move(status));
  inner_->Recv(peer, tag, data, bytes, done);
}

namespace {

constexpr const char* kHow = "DFRUN_TEST_REGISTERED";  // "asks" or "refuses"

std::string How() {
  const char* const how = std::getenv(kHow);
  return how == nullptr ? "" : how;
}

// The transport refuses messages in other memory, so it connects nobody unless the environment asks for it.
Status CanConnect(const Bootstrap&) {
  if (!How().empty()) return Status();
  return FailedPrecondition("it is for who has set ", kHow);
}

// The second transport carries control messages, which may be in any memory, so it is not wrapped.
Result<std::vector<std::unique_ptr<Transport>>> ConnectAll(Bootstrap& bootstrap, int count) {
  std::vector<std::unique_ptr<Transport>> transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<Transport> sockets, SocketTransport::Connect(bootstrap));
    if (i == 0) sockets = std::make_unique<RegisteredTransport>(std::move(sockets), How() == "asks");
    transports.push_back(std::move(sockets));
  }
  return transports;
}

TRANSPORT("registered", {.priority = 0,
                         .describe = [] { return std::string("UNIX sockets for registered memory, for tests"); },
                         .can_connect = &CanConnect,
                         .connect = &ConnectAll});

}  // namespace
}  // namespace dfrun::comm
