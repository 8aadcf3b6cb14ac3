#include "src/session/local_executable.h"

namespace dfrun {

LocalExecutable::Slot& LocalExecutable::slot(int32_t number) {
  MutexLock lock(mu);
  while (slots.size() <= static_cast<size_t>(number)) slots.emplace_back();
  Slot& slot = slots[static_cast<size_t>(number)];
  if (slot.rendezvous == nullptr) slot.rendezvous = communicator->NewRendezvous(number, ends);
  return slot;
}

}  // namespace dfrun
