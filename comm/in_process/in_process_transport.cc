#include "comm/in_process/in_process_transport.h"

#include <cstring>
#include <string>

namespace dfrun::comm {

Result<Region> InProcessTransport::Register(void* data, size_t bytes) {
  const uint64_t number = hub_->Register(rank_, data, bytes);
  std::string key(sizeof number, '\0');
  std::memcpy(key.data(), &number, sizeof number);
  const auto unregister = [hub = hub_, number](void*) { hub->Unregister(number); };
  return Region(data, bytes, std::move(key), std::shared_ptr<void>(nullptr, unregister));
}

void InProcessTransport::Get(int peer, std::string_view key, size_t offset, void* data, size_t bytes, Callback done) {
  uint64_t number = 0;  // 0 is no rank's key
  if (key.size() == sizeof number) std::memcpy(&number, key.data(), sizeof number);
  hub_->Get(rank_, {peer, number, offset, bytes}, data, done);
}

}  // namespace dfrun::comm
