#include "src/plan/shared_port.h"

#include <algorithm>
#include <functional>

namespace dfrun {

void SharedPort::Add(int message, double alone_s, double now_s) {
  if (!IsEmpty()) served_s_ += (now_s - since_s_) / static_cast<double>(passing_.size());
  since_s_ = now_s;
  passing_.emplace_back(served_s_ + alone_s, message);
  std::push_heap(passing_.begin(), passing_.end(), std::greater<>());
}

double SharedPort::NextEnd() const {
  return since_s_ + std::max(passing_.front().first - served_s_, 0.0) * static_cast<double>(passing_.size());
}

int SharedPort::TakeNext() {
  since_s_ = NextEnd();
  served_s_ = std::max(served_s_, passing_.front().first);
  std::pop_heap(passing_.begin(), passing_.end(), std::greater<>());
  const int message = passing_.back().second;
  passing_.pop_back();
  return message;
}

}  // namespace dfrun
