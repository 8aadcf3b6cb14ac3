// Converts a rank's report of its devices to a control message and back.
#ifndef DFRUN_SRC_SESSION_CONTROL_CONTROL_DEVICES_H_
#define DFRUN_SRC_SESSION_CONTROL_CONTROL_DEVICES_H_

#include "src/framework/device/device_report.h"

namespace dfrun {

namespace control {
class Devices;  // src/session/control/control.proto
}

void ToProto(const DevicesReport& report, int rank, control::Devices* proto);
DevicesReport FromProto(const control::Devices& proto);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_CONTROL_DEVICES_H_
