#include "tests/device/stream.h"

#include <utility>

namespace dfrun::sealed {

Stream::~Stream() {
  {
    MutexLock lock(mu_);
    is_ending_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void Stream::Enqueue(std::function<void()> task) {
  MutexLock lock(mu_);
  tasks_.push_back(std::move(task));
  changed_.NotifyAll();
}

void Stream::Run(FunctionRef<void()> task) {
  if (std::this_thread::get_id() == thread_.get_id()) return task();
  bool is_done = false;
  MutexLock lock(mu_);
  tasks_.emplace_back([&] {
    task();
    MutexLock end(mu_);
    is_done = true;
    changed_.NotifyAll();
  });
  changed_.NotifyAll();
  while (!is_done) changed_.Wait(mu_);
}

std::function<void()> Stream::Next() {
  MutexLock lock(mu_);
  while (tasks_.empty() && !is_ending_) changed_.Wait(mu_);
  if (tasks_.empty()) return nullptr;
  std::function<void()> task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void Stream::Main() {
  while (const std::function<void()> task = Next()) task();
}

}  // namespace dfrun::sealed
