#include "jobs/commands/device_counts.h"

#include "src/base/status.h"
#include "src/framework/device/device_factory.h"

namespace dfrun::jobs {
namespace {

constexpr int kNotGiven = -1;

}  // namespace

void DeviceCountOptions::Declare(Options& args) {
  for (const std::string& type : CountedDeviceTypes()) {
    int& count = counts_.emplace(type, kNotGiven).first->second;
    args.Value("--" + DeviceCountKey(type), count,
               StrCat("Devices of type ", type, " that each rank will have; default: those of the spec's `cluster`, ",
                      "else those that nodes name"))
        .Between(0, kMaxDevicesOfType);
  }
}

DeviceCounts DeviceCountOptions::Given() const {
  DeviceCounts given;
  for (const auto& [type, count] : counts_) {
    if (count != kNotGiven) given.emplace(type, count);
  }
  return given;
}

}  // namespace dfrun::jobs
