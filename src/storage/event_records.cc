#include "src/storage/event_records.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "src/base/host/host_name.h"
#include "src/base/text.h"

namespace dfrun {

std::string EventFileName(int64_t seconds, int number) {
  std::string host = HostName();
  if (host.empty()) host = "host";
  std::replace(host.begin(), host.end(), '/', '_');
  return StrCat(kEventFilePrefix, seconds, ".", host, ".", ::getpid(), ".", number);
}

double EventTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

proto::Event EventAt(int64_t step, double wall_time) {
  proto::Event event;
  event.set_wall_time(wall_time);
  event.set_step(step);
  return event;
}

std::string VersionEvent() {
  proto::Event version = EventAt(0, EventTime());
  version.set_file_version("brain.Event:2");
  return version.SerializeAsString();
}

}  // namespace dfrun
