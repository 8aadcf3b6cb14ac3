#include "comm/bootstrap/bare_network.h"

namespace dfrun::comm {

Registry<NewBareNetwork>& BareNetworks() {
  static Registry<NewBareNetwork>& networks = *new Registry<NewBareNetwork>();
  return networks;
}

std::unique_ptr<BareNetwork> NewBare(std::string_view name) {
  const NewBareNetwork* const make = BareNetworks().Find(name);
  return make == nullptr ? nullptr : (*make)();
}

}  // namespace dfrun::comm
