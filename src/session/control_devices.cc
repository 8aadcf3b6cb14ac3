#include "src/session/control_devices.h"

#include "src/session/control.pb.h"

namespace dfrun {

void ToProto(const DevicesReport& report, int rank, control::Devices* proto) {
  proto->set_rank(rank);
  for (const DeviceReport& device : report.devices) {
    control::Devices::Device* out = proto->add_devices();
    out->set_type(device.type);
    out->set_index(device.index);
    out->set_memory_bytes(device.memory_bytes);
    out->set_has_own_memory(device.has_own_memory);
    out->set_description(device.description);
  }
  for (const auto& [type, reason] : report.why_none) {
    control::Devices::Absence* out = proto->add_absences();
    out->set_type(type);
    out->set_reason(reason);
  }
  for (const std::string& warning : report.warnings) proto->add_warnings(warning);
}

DevicesReport FromProto(const control::Devices& proto) {
  DevicesReport report;
  for (const control::Devices::Device& device : proto.devices()) {
    report.devices.push_back({.type = device.type(),
                              .index = device.index(),
                              .memory_bytes = device.memory_bytes(),
                              .has_own_memory = device.has_own_memory(),
                              .description = device.description()});
  }
  for (const control::Devices::Absence& absence : proto.absences()) {
    report.why_none.emplace(absence.type(), absence.reason());
  }
  report.warnings.assign(proto.warnings().begin(), proto.warnings().end());
  return report;
}

}  // namespace dfrun
