// dfrun info: what this binary is made of and what it finds on this machine.
#include <hdf5.h>

#ifdef DFRUN_ONEDNN
#include <dnnl.h>
#endif
#include <google/protobuf/stubs/common.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "comm/bootstrap/transport_registry.h"
#include "comm/mpi/mpi_part.h"
#include "jobs/command.h"
#include "src/framework/collective_registry.h"
#include "src/framework/device_factory.h"
#include "src/framework/device_part.h"

namespace dfrun::jobs {
namespace {

void Line(const char* what, const std::string& value) {
  std::printf("%-12s %s\n", what, value.c_str());
}

std::string CpuModel() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string Hdf5Version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
  return StrCat(major, ".", minor, ".", release);
}

std::string OneDnnVersion() {
#ifdef DFRUN_ONEDNN
  const dnnl_version_t* version = dnnl_version();
  return StrCat(version->major, ".", version->minor, ".", version->patch);
#else
  return "off: built with -DDFRUN_ONEDNN=OFF";
#endif
}

// What is known of a device beside its name.
std::string Describe(const DeviceReport& device) {
  std::string text = StrCat(": ", device.description);
  if (device.memory_bytes > 0) text += StrCat(", ", device.memory_bytes >> 20, " MiB");
  if (device.has_own_memory) text += " of its own";
  return text;
}

std::string Describe(const comm::MpiFinding& mpi) {
  const std::string name = StrCat(mpi.abi->name, ": ");
  if (mpi.part.empty())
    return StrCat(name, "off: this build has no part for ", mpi.abi->what, "; it found no mpi.h of theirs");
  return name + (mpi.library.empty() ? mpi.missing : mpi.library);
}

Result<int> ShowInfo() {
  Line("dfrun", DFRUN_VERSION);
  Line("built for", "-march=" DFRUN_MARCH);
  Line("compiler", __VERSION__);
  Line("CPU", StrCat(CpuModel(), ", ", std::thread::hardware_concurrency(), " threads"));
  Line("HDF5", Hdf5Version());
  Line("protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION));
  Line("oneDNN", OneDnnVersion());
  if (PartReports().all().empty()) {
    Line("CUDA", "off: no part for cards lies beside the library; where nvcc is found the build makes one");
  }
  for (const auto& [part, report] : PartReports().all()) {
    for (const auto& [what, value] : report()) Line(what.c_str(), value);
  }
  for (const comm::MpiFinding& mpi : comm::FindMpis()) Line("MPI", Describe(mpi));
  for (const auto& [name, transport] : comm::Transports().all()) {
    Line("transport", StrCat(name, ": ", transport.describe()));
  }
  for (const auto& [name, implementation] : Collectives().all()) Line("collectives", name);
  DeviceSite site;
  site.task.job = "worker";
  site.task.task = 0;
  DF_ASSIGN(const TaskDevices found, FindDevices(site));
  for (size_t i = 0; i < found.devices.size(); ++i) {
    Line("device", StrCat(found.devices[i]->full_name(), Describe(found.report.devices[i])));
  }
  for (const auto& [type, reason] : found.report.why_none) Line("device", StrCat("none of type ", type, ": ", reason));
  return 0;
}

COMMAND("info", "Shows versions, the CPU, devices, and what is off in this build.", "dfrun info",
        [](Options&) -> RunCommand { return ShowInfo; });

}  // namespace
}  // namespace dfrun::jobs
