#include "jobs/commands/host_notes.h"

#include "src/base/status.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_part.h"

namespace dfrun::jobs {
namespace {

bool IsOfType(const DevicesReport& report, const std::string& type) {
  if (report.why_none.contains(type)) return true;
  return !report.devices.empty() && report.devices[0].type == type;
}

// Returns the notes of one part, which knows one type of device.
std::string NotesOfPart(const DevicesReport& report, const std::string& type) {
  std::string notes;
  for (const std::string& warning : report.warnings) notes += StrCat("warning: on this host: ", warning, "\n");
  const auto reason = report.why_none.find(type);
  if (notes.empty() && reason != report.why_none.end()) {
    notes = StrCat("note: this host has no device of type ", type, ": ", reason->second, "\n");
  }
  return notes;
}

}  // namespace

std::string HostNotes(const std::set<std::string>& types) {
  std::string notes;
  for (const std::string& type : types) {
    if (!IsRegisteredDeviceType(type)) {
      notes += StrCat("warning: this program has no part for devices of type ", type,
                      ", so that nothing is placed on one: `dfrun info` says why\n");
      continue;
    }
    for (const auto& [part, survey] : PartSurveys().all()) {
      const DevicesReport report = survey();
      if (IsOfType(report, type)) notes += NotesOfPart(report, type);
    }
  }
  return notes;
}

}  // namespace dfrun::jobs
