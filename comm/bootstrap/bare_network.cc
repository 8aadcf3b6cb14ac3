#include "comm/bootstrap/bare_network.h"

namespace dfrun::comm {

Registry<NewBareNetwork>& BareNetworks() {
  static Registry<NewBareNetwork>& networks = *new Registry<NewBareNetwork>();
  return networks;
}

std::unique_ptr<BareNetwork> NewBare() {
  for (const auto& [name, make] : BareNetworks().all()) {
    if (std::unique_ptr<BareNetwork> network = make(); network != nullptr) return network;
  }
  return nullptr;
}

}  // namespace dfrun::comm
