#include "jobs/ranks/rank_binding.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "jobs/text_table.h"
#include "src/base/host/host_name.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

struct Topology {
  Topology() {
    if (hwloc_topology_init(&topology) != 0) return;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    is_loaded = hwloc_topology_load(topology) == 0;
  }
  ~Topology() {
    if (topology != nullptr) hwloc_topology_destroy(topology);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  hwloc_topology_t topology = nullptr;
  bool is_loaded = false;
};

struct Bitmap {
  Bitmap() = default;
  ~Bitmap() { hwloc_bitmap_free(bits); }
  Bitmap(const Bitmap&) = delete;
  Bitmap& operator=(const Bitmap&) = delete;

  std::string List() const {
    char* text = nullptr;
    if (hwloc_bitmap_list_asprintf(&text, bits) < 0) return "";
    const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
    return text;
  }

  hwloc_bitmap_t bits = hwloc_bitmap_alloc();
};

bool IsNic(const hwloc_obj_t device) {
  const hwloc_obj_osdev_type_t type = device->attr->osdev.type;
  return type == HWLOC_OBJ_OSDEV_NETWORK || type == HWLOC_OBJ_OSDEV_OPENFABRICS;
}

std::vector<std::string> NicsNear(hwloc_topology_t topology, hwloc_const_bitmap_t nodes) {
  std::vector<std::string> names;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device)) != nullptr;) {
    if (!IsNic(device)) continue;
    const hwloc_obj_t around = hwloc_get_non_io_ancestor_obj(topology, device);
    if (around == nullptr || hwloc_bitmap_intersects(around->nodeset, nodes) != 0) names.emplace_back(device->name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<std::string> SplitNames(const std::string& text) {
  return text.empty() ? std::vector<std::string>() : Split(text, ';');
}

constexpr size_t kFields = 7;

// Returns how to give each rank as many cores of its own as it has threads.
std::string Bind(comm::Launcher launcher) {
  switch (launcher) {
    case comm::Launcher::kOpenMpi:
      return "mpirun --map-by slot:PE=N --bind-to core gives each rank N cores of its own";
    case comm::Launcher::kPmi:
      return "mpiexec -bind-to core:N gives each rank N cores of its own";
    case comm::Launcher::kPmix:
      return "srun --cpus-per-task=N --cpu-bind=cores gives each rank N cores of its own";
    case comm::Launcher::kSmpi:
    case comm::Launcher::kNone:
      break;
  }
  return "taskset -c LIST binds it to others";
}

// Returns the ranks by host, in their order.
std::map<std::string, std::vector<int>> ByHost(const std::vector<RankBinding>& ranks) {
  std::map<std::string, std::vector<int>> hosts;
  for (size_t r = 0; r < ranks.size(); ++r) hosts[ranks[r].host].push_back(static_cast<int>(r));
  return hosts;
}

}  // namespace

std::string RankBinding::Serialize() const {
  return StrCat(host, "\t", processors, "\t", cores, "\t", host_cores, "\t", numa, "\t", Join(gpus, ";"), "\t",
                Join(nics, ";"));
}

Result<RankBinding> RankBinding::Parse(const std::string& line) {
  const std::vector<std::string> fields = Split(line, '\t');
  if (fields.size() != kFields) return Internal("what a rank says of its binding has ", fields.size(), " fields");
  return RankBinding{fields[0],
                     fields[1],
                     ParseAs<int>(fields[2]).value_or(0),
                     ParseAs<int>(fields[3]).value_or(0),
                     fields[4],
                     SplitNames(fields[5]),
                     SplitNames(fields[6])};
}

Result<RankBinding> FindBinding() {
  const Topology loaded;
  if (!loaded.is_loaded) return Error(Code::kUnavailable, "hwloc cannot tell what this host is made of");
  hwloc_topology_t const topology = loaded.topology;
  RankBinding binding;
  binding.host = HostName();
  const Bitmap processors;
  if (hwloc_get_cpubind(topology, processors.bits, HWLOC_CPUBIND_PROCESS) != 0) {
    return Error(Code::kUnavailable, "hwloc cannot tell which processors this process may run on");
  }
  const Bitmap nodes;
  hwloc_cpuset_to_nodeset(topology, processors.bits, nodes.bits);
  binding.processors = processors.List();
  binding.cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, processors.bits, HWLOC_OBJ_CORE);
  binding.host_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  binding.numa = nodes.List();
  binding.nics = NicsNear(topology, nodes.bits);
  return binding;
}

std::string BindingTable(const std::vector<RankBinding>& ranks) {
  std::vector<std::vector<std::string>> rows = {{"rank", "host", "processors", "cores", "NUMA", "GPU", "NIC"}};
  for (size_t r = 0; r < ranks.size(); ++r) {
    const RankBinding& rank = ranks[r];
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    rows.push_back({StrCat(r), rank.host, or_dash(rank.processors), StrCat(rank.cores, " of ", rank.host_cores),
                    or_dash(rank.numa), or_dash(Join(rank.gpus)), or_dash(Join(rank.nics))});
  }
  return TextTable(rows);
}

std::vector<std::string> BindingWarnings(const std::vector<RankBinding>& ranks, comm::Launcher launcher) {
  std::vector<std::string> warnings;
  for (const auto& [host, on_host] : ByHost(ranks)) {
    std::map<std::string, std::set<int>> processors;
    std::map<std::string, std::set<int>> ranks_of_gpu;
    for (const int r : on_host) {
      const RankBinding& rank = ranks[static_cast<size_t>(r)];
      for (const int p : ParseNumbers(rank.processors)) processors[StrCat(p)].insert(r);
      for (const std::string& gpu : rank.gpus) ranks_of_gpu[gpu].insert(r);
      if (rank.cores == 1 && rank.host_cores > static_cast<int>(on_host.size())) {
        warnings.push_back(StrCat("rank ", r, " on ", host, " may run on one core of ", rank.host_cores,
                                  ", so that several threads would take turns: ", Bind(launcher)));
      }
    }
    std::set<std::string> sharing;  // sets of ranks, as text
    for (const auto& [processor, members] : processors) {
      if (members.size() > 1) sharing.insert(Join(members));
    }
    for (const std::string& members : sharing) {
      warnings.push_back(StrCat("ranks ", members, " on ", host, " share cores: ", Bind(launcher)));
    }
    for (const auto& [gpu_name, members] : ranks_of_gpu) {
      if (members.size() < 2) continue;
      warnings.push_back(StrCat("ranks ", Join(members), " on ", host, " share ", gpu_name,
                                ": start one rank a GPU, or NVIDIA's MPS (nvidia-cuda-mps-control -d)"));
    }
  }
  return warnings;
}

std::set<int> ParseNumbers(std::string_view list) {
  std::set<int> numbers;
  for (const std::string& range : Split(std::string(list), ',')) {
    const size_t dash = range.find('-');
    const int first = ParseAs<int>(range.substr(0, dash)).value_or(-1);
    const int last = dash == std::string::npos ? first : ParseAs<int>(range.substr(dash + 1)).value_or(first);
    for (int n = first; n >= 0 && n <= last; ++n) numbers.insert(n);
  }
  return numbers;
}

}  // namespace dfrun::jobs
