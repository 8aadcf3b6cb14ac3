#include "comm/bootstrap/raw_network.h"

namespace dfrun::comm {

Registry<NewRawNetwork>& RawNetworks() {
  static Registry<NewRawNetwork>& networks = *new Registry<NewRawNetwork>();
  return networks;
}

std::unique_ptr<RawNetwork> NewBare() {
  for (const auto& [name, make] : RawNetworks().all()) {
    if (std::unique_ptr<RawNetwork> network = make(); network != nullptr) return network;
  }
  return nullptr;
}

}  // namespace dfrun::comm
