#include "src/session/control/control_error.h"

#include <chrono>
#include <utility>

namespace dfrun {

void ToProto(const RankStatus& status, control::Error* proto) {
  proto->set_code(static_cast<int>(status.status.code()));
  proto->set_message(status.status.message());
  proto->set_time_ns(status.time_ns);
}

RankStatus FromProto(const control::Error& proto) {
  return {Status(static_cast<Code>(proto.code()), proto.message()), proto.time_ns()};
}

RankStatus StatusNow(Status status) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::move(status), std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
}

}  // namespace dfrun
