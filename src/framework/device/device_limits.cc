#include "src/framework/device/device_limits.h"

namespace dfrun {

Registry<MakeDeviceLimits>& LimitsOfDevices() {
  static Registry<MakeDeviceLimits>& limits = *new Registry<MakeDeviceLimits>();
  return limits;
}

}  // namespace dfrun
