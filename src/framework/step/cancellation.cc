#include "src/framework/step/cancellation.h"

namespace dfrun {

Status Cancellation::Add(Waiter& waiter) {
  MutexLock lock(mu_);
  if (!status_.ok()) return status_;
  waiter.previous_ = nullptr;
  waiter.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &waiter;
  first_ = &waiter;
  return Status();
}

bool Cancellation::Remove(Waiter& waiter) {
  MutexLock lock(mu_);
  if (!status_.ok()) return false;
  Unlink(waiter);
  return true;
}

void Cancellation::Cancel(const Status& status) {
  {
    MutexLock lock(mu_);
    if (!status_.ok()) return;
    status_ = status;
  }
  // No waiter is added or removed from here on.
  for (;;) {
    Waiter* waiter = nullptr;
    {
      MutexLock lock(mu_);
      waiter = first_;
      if (waiter == nullptr) return;
      Unlink(*waiter);
    }
    waiter->Cancel(status);
  }
}

void Cancellation::Unlink(Waiter& waiter) {
  if (waiter.previous_ != nullptr) waiter.previous_->next_ = waiter.next_;
  if (waiter.next_ != nullptr) waiter.next_->previous_ = waiter.previous_;
  if (first_ == &waiter) first_ = waiter.next_;
  waiter.previous_ = waiter.next_ = nullptr;
}

}  // namespace dfrun
