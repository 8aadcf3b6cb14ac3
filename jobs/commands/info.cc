// `dfrun info`: shows what this binary is made of and what it finds on this machine.
#include <google/protobuf/stubs/common.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/bootstrap/transport_registry.h"
#include "comm/mpi/mpi_part.h"
#include "jobs/command.h"
#include "jobs/commands/selftest.h"
#include "jobs/cost_file.h"
#include "jobs/ranks/rank_binding.h"
#include "jobs/ranks/rank_stages.h"
#include "jobs/versions.h"
#include "src/base/host/cpu_model.h"
#include "src/base/host/host_limits.h"
#include "src/base/terminal.h"
#include "src/base/text.h"
#include "src/base/units.h"
#include "src/framework/communication/collective_registry.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_part.h"
#include "src/job/start_report.h"

namespace dfrun::jobs {
namespace {

void Line(const char* what, const std::string& value) {
  std::printf("%-12s ", what);
  WriteText(stdout, value + "\n");
}

// Describes a device besides its name.
std::string Describe(const DeviceReport& device) {
  std::string text = StrCat(": ", device.description);
  if (device.memory_bytes > 0) text += StrCat(", ", device.memory_bytes >> 20, " MiB");
  if (device.has_own_memory) text += " of its own";
  return text;
}

std::string Describe(const comm::MpiFinding& mpi) {
  const std::string name = StrCat(mpi.abi->name, ": ");
  if (!mpi.is_built)
    return StrCat(name, "off: this build has no part for ", mpi.abi->what, "; it found no mpi.h of theirs");
  return name + (mpi.library.empty() ? mpi.missing : mpi.library);
}

// Prints the processors and the memory of the host that this process may use.
void SayLimits(const HostLimits& limits) {
  const std::string quota =
      limits.quota_cores == 0 ? "" : StrCat(", by the quota of ", limits.quota_cores, " cores in ", limits.cores_group);
  Line("cores", StrCat(limits.cores, " for this process", quota));
  Line("memory",
       StrCat(limits.memory_bytes >> 20, " MiB",
              limits.limits_memory() ? StrCat(" of ", limits.host_bytes >> 20, ", by ", limits.memory_group) : ""));
}

struct InfoOptions {
  std::string mpi_abi;
  bool selftest = false;
  SelftestOptions of_selftest;
  OutputFile costs{"--cost-file", ""};  // for what the selftest measures
};

// Returns the devices of a rank among `ranks_on_host` on its host.
Result<DevicesReport> DevicesOfRank(int rank_on_host, int ranks_on_host) {
  DeviceSite site;
  site.task.job = "worker";
  site.task.task = 0;
  site.rank_on_host = rank_on_host;
  site.ranks_on_host = ranks_on_host;
  DF_ASSIGN(TaskDevices found, FindDevices(site));
  return std::move(found.report);
}

struct RanksFound {
  std::vector<RankBinding> bindings;  // by rank
  std::vector<std::string> warnings;  // warnings about their devices
};

// Gathers each rank's warnings, a line each.
Result<std::vector<std::string>> GatherWarnings(comm::Bootstrap& bootstrap, const std::vector<std::string>& own,
                                                const std::vector<std::string>& hosts) {
  DF_ASSIGN(const std::vector<std::string> texts, bootstrap.AllGather(Join(own, "\n")));
  std::vector<DevicesReport> reports(texts.size());
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    std::istringstream lines(texts[rank]);
    for (std::string line; std::getline(lines, line);) reports[rank].warnings.push_back(line);
  }
  return WarningsOfRanks(reports, hosts);
}

Result<RanksFound> GatherRanks(comm::Bootstrap& bootstrap) {
  DF_ASSIGN(RankBinding own, FindBinding());
  DF_ASSIGN(const std::vector<std::string> hosts, bootstrap.AllGather(own.host));
  const auto self = hosts.begin() + bootstrap.rank();
  DF_ASSIGN(const DevicesReport report,
            DevicesOfRank(static_cast<int>(std::count(hosts.begin(), self, own.host)),
                          static_cast<int>(std::count(hosts.begin(), hosts.end(), own.host))));
  for (const DeviceReport& device : report.devices) {
    if (device.type != HostDeviceType()) own.gpus.push_back(device.description);
  }
  DF_ASSIGN(const std::vector<std::string> lines, bootstrap.AllGather(own.Serialize()));
  RanksFound found;
  for (const std::string& line : lines) {
    DF_ASSIGN(RankBinding rank, RankBinding::Parse(line));
    found.bindings.push_back(std::move(rank));
  }
  DF_ASSIGN(found.warnings, GatherWarnings(bootstrap, report.warnings, hosts));
  return found;
}

constexpr int64_t kStartTimeoutS = 300;

Result<int> ShowInfo(bool with_warnings);

// Rank 0 reads the file of costs, and prints why it cannot. Returns on all ranks 0, or the exit code of that error.
Result<int> ReadCosts(comm::Bootstrap& bootstrap, const OutputFile& file, CostTable& table) {
  int code = 0;
  if (bootstrap.rank() == 0 && !file.path.empty()) {
    Result<CostTable> read = BeginCostFile(file, LimitsOfHost().cores);
    if (read.ok()) {
      table = std::move(*read);
    } else {
      PrintError(read.status());
      code = ExitCode(read.status().code());
    }
  }
  DF_ASSIGN(const std::vector<std::string> codes, bootstrap.AllGather(StrCat(code)));
  return ParseAs<int>(codes[0]).value_or(0);
}

// Prints the latency and bandwidth of each class of pairs, and writes them into the file of costs, if there is one.
// Returns 0, or the exit code of an error that it has printed.
int WriteCosts(const SelftestResult& result, const OutputFile& file, CostTable& table) {
  for (const auto& [pair, speed] : result.speeds) {
    table.SetPair(pair, speed);
    std::printf("%s: %.2f us and %.2f GB/s\n", std::string(PairClassName(pair)).c_str(), speed.latency_s * 1e6,
                speed.bytes_per_s * 1e-9);
  }
  if (file.path.empty()) return 0;
  const Status written = file.WriteText(table.Print());
  if (written.ok()) return 0;
  PrintError(written);
  return ExitCode(written.code());
}

// Shows what rank 0 finds and, under a launcher, where all ranks run.
Result<int> ShowRanks(const InfoOptions& options) {
  const comm::Launcher launcher = comm::FindLauncher();
  if (launcher == comm::Launcher::kNone && !options.selftest) return ShowInfo(/*with_warnings=*/true);
  RankStages stages(kStartTimeoutS);
  DF_ASSIGN(const std::unique_ptr<comm::Bootstrap> bootstrap,
            comm::StartBootstrap({.threads = 1, .mpi_abi = options.mpi_abi}));
  DF_ASSIGN(const RanksFound found, GatherRanks(*bootstrap));
  const std::vector<RankBinding>& ranks = found.bindings;
  if (bootstrap->rank() == 0) {
    DF_TRY(ShowInfo(/*with_warnings=*/false).status());
    if (const std::string text = comm::DescribeMpiNetwork(); !text.empty()) Line("MPI network", text);
    WriteText(stdout, "\n" + BindingTable(ranks));
    for (const std::string& text : found.warnings) WriteText(stdout, StrCat("warning: ", text, "\n"));
    for (const std::string& text : BindingWarnings(ranks, launcher)) WriteText(stdout, StrCat("warning: ", text, "\n"));
  }
  stages.Started();  // the selftest has timeouts of its own
  if (!options.selftest) {
    stages.Ending(0, *bootstrap);
    return 0;
  }
  if (!options.costs.path.empty() && options.of_selftest.most_bytes < kSpeedBytes) {
    return Error(Code::kUsage, "--cost-file: a bandwidth is known from messages of ", BytesText(kSpeedBytes),
                 " on: give --most-bytes as much, or leave it out");
  }
  if (bootstrap->size() == 1) {
    return Error(Code::kUsage,
                 "--selftest moves data between ranks and there is one: mpirun -np 2 dfrun info --selftest");
  }
  CostTable costs;
  DF_ASSIGN(const int refused, ReadCosts(*bootstrap, options.costs, costs));
  if (refused != 0) {
    stages.Ending(refused, *bootstrap);
    return refused;
  }
  std::vector<std::string> hosts;
  hosts.reserve(ranks.size());
  for (const RankBinding& rank : ranks) hosts.push_back(rank.host);
  if (bootstrap->rank() == 0) std::printf("\n");
  DF_ASSIGN(const SelftestResult result, Selftest(*bootstrap, hosts, options.of_selftest));
  for (const std::string& text : result.slow) WriteText(stdout, StrCat("slow: ", text, "\n"));
  for (const std::string& text : result.noisy) WriteText(stdout, StrCat("noisy: ", text, "\n"));
  for (const std::string& text : result.wrong) WriteText(stdout, StrCat("WRONG: ", text, "\n"));
  int code = result.wrong.empty() ? 0 : ExitCode(Code::kUnavailable);
  if (bootstrap->rank() == 0 && code == 0) code = WriteCosts(result, options.costs, costs);
  stages.Ending(code, *bootstrap);
  return code;
}

// Shows what this process finds. `with_warnings` is false if all ranks are asked, since their warnings include this
// rank's.
Result<int> ShowInfo(bool with_warnings) {
  Line("dfrun", DFRUN_VERSION);
  Line("built for", "-march=" DFRUN_MARCH);
  Line("compiler", __VERSION__);
  Line("CPU", StrCat(CpuModel(), ", ", std::thread::hardware_concurrency(), " threads"));
  SayLimits(ReadHostLimits());
  Line("HDF5", Hdf5Version());
  Line("protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION));
  Line("oneDNN", OneDnnVersion());
  if (PartReports().all().empty()) {
    Line("CUDA",
         "off: no part for GPUs lies beside the library: install nvcc and the headers of CUDA and cuDNN, and build "
         "again");
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
  if (!with_warnings) return 0;
  for (const std::string& text : found.report.warnings) WriteText(stdout, StrCat("warning: ", text, "\n"));
  return 0;
}

COMMAND("info", "Shows versions, the CPU, devices, and what is off in this build.", "dfrun info",
        [](Options& args) -> RunCommand {
          auto options = std::make_shared<InfoOptions>();
          const Option selftest =
              args.Flag("--selftest", options->selftest,
                        "Under a launcher: move data between all pairs of ranks on every transport, and say which path "
                        "damages them, fails, or is slow");
          args.Bytes("--most-bytes", options->of_selftest.most_bytes,
                     "The largest message of --selftest; default: 1 GiB")
              .Between(0, int64_t{1} << 30);
          args.Seconds("--timeout", options->of_selftest.timeout_s, "How long --selftest waits for a message")
              .Between(1, 86400);
          const Option costs =
              args.Value("--cost-file", options->costs.path,
                         "Write the latency and bandwidth between ranks of one host and of several into this file of "
                         "`dfrun bench node`; what else is in the file stays there")
                  .Needs(selftest);
          args.Flag("--force", options->costs.force, "Let --cost-file replace a file that dfrun did not write")
              .Needs(costs);
          args.Value("--mpi-abi", options->mpi_abi, "Which MPI to use: ompi, mpich or abi; default: the launcher's");
          return [options] { return ShowRanks(*options); };
        });

}  // namespace
}  // namespace dfrun::jobs
