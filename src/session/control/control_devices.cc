#include "src/session/control/control_devices.h"

#include "src/session/control/control.pb.h"

namespace dfrun {
namespace {

void ToProto(const DeviceMemory& memory, control::Devices::Memory* proto) {
  proto->set_device(memory.device);
  proto->set_in_use_bytes(memory.in_use_bytes);
  proto->set_peak_bytes(memory.peak_bytes);
  proto->set_reserved_bytes(memory.reserved_bytes);
  proto->set_limit_bytes(memory.limit_bytes);
}

DeviceMemory FromProto(const control::Devices::Memory& proto) {
  return {proto.device(), proto.in_use_bytes(), proto.peak_bytes(), proto.reserved_bytes(), proto.limit_bytes()};
}

}  // namespace

void ToProto(const DevicesReport& report, int rank, control::Devices* proto) {
  proto->set_rank(rank);
  for (const DeviceReport& device : report.devices) {
    control::Devices::Device* out = proto->add_devices();
    out->set_type(device.type);
    out->set_index(device.index);
    out->set_memory_bytes(device.memory_bytes);
    out->set_has_own_memory(device.has_own_memory);
    out->set_description(device.description);
    if (!device.memory.device.empty()) ToProto(device.memory, out->mutable_memory());
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
                              .description = device.description(),
                              .memory = FromProto(device.memory())});
  }
  for (const control::Devices::Absence& absence : proto.absences()) {
    report.why_none.emplace(absence.type(), absence.reason());
  }
  report.warnings.assign(proto.warnings().begin(), proto.warnings().end());
  return report;
}

}  // namespace dfrun
