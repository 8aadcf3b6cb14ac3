#include "comm/ucx/part/ucx_rndv_choice.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "comm/ucx/calibration_cache.h"
#include "comm/ucx/part/ucx_calibration.h"
#include "comm/ucx/part/ucx_lanes.h"
#include "comm/ucx/part/ucx_texts.h"
#include "src/base/crc32c.h"
#include "src/base/host/cpu_model.h"
#include "src/base/log.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

constexpr const char* kVariable = "DFRUN_UCX_READ_FROM";

// A class of pairs of ranks: those that share a host, or those that do not. The first pair represents the class.
struct PairClass {
  bool is_near;
  int first;
  int second;
  CalibrationKey key = {};
  bool can_read = false;
  std::optional<size_t> from = {};  // threshold in bytes, once known
  std::string how = {};             // origin of the threshold, for the log; on rank 0

  // Returns the other rank of the pair; -1 if `rank` is not in it.
  int PeerOf(int rank) const { return rank == first ? second : rank == second ? first : -1; }
};

// Returns the classes that the job has.
std::vector<PairClass> ClassesOf(const std::vector<std::string>& hosts) {
  std::vector<PairClass> classes;
  for (const bool is_near : {true, false}) {
    for (size_t pair = 0; pair < hosts.size() * hosts.size(); ++pair) {
      const size_t a = pair / hosts.size();
      const size_t b = pair % hosts.size();
      if (a >= b || (hosts[a] == hosts[b]) != is_near) continue;
      classes.push_back({is_near, static_cast<int>(a), static_cast<int>(b)});
      break;
    }
  }
  return classes;
}

// Returns a short name for the environment variables that UCX reads.
std::string Settings() {
  std::vector<std::string> settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with("UCX_")) settings.emplace_back(*variable);
  }
  if (settings.empty()) return "no UCX_ settings";
  std::sort(settings.begin(), settings.end());
  const std::string all = Join(settings, "\n");
  return StrCat("UCX_ settings ", Crc32c(all.data(), all.size()));
}

// Returns whether each rank of a host can have a CPU. Without one, a rank waits for its peer's turn.
bool HaveCpus(int64_t ranks) {
  return ranks <= sysconf(_SC_NPROCESSORS_ONLN);
}

std::string Both(const std::string& a, const std::string& b) {
  return a == b ? a : a + " and " + b;
}

// The facts that a rank reports of itself and of the lanes to its peers.
struct Facts {
  std::string error;
  std::string cpu;
  std::string load;
  std::vector<std::string> lanes;  // by class; empty if the rank is not in the class's pair

  static Facts OfThis(UcxTransport& transport, const std::vector<PairClass>& classes,
                      const std::vector<std::string>& hosts) {
    const std::string& host = hosts[static_cast<size_t>(transport.rank())];
    Facts facts;
    facts.cpu = CpuModel();
    facts.load = HaveCpus(std::count(hosts.begin(), hosts.end(), host)) ? "a CPU each" : "more ranks than CPUs";
    for (const PairClass& pairs : classes) {
      const int peer = pairs.PeerOf(transport.rank());
      Result<std::string> lanes = peer < 0 ? std::string() : transport.LanesTo(peer);
      if (!lanes.ok()) facts.error = lanes.status().message();
      facts.lanes.push_back(lanes.ok() ? *lanes : "");
    }
    return facts;
  }
  std::string Print() const {
    std::string texts;
    for (const std::string* text : {&error, &cpu, &load}) AppendText(texts, *text);
    for (const std::string& text : lanes) AppendText(texts, text);
    return texts;
  }
  static Facts Parse(std::string_view bytes, size_t classes) {
    UcxTexts texts(bytes);
    Facts facts;
    for (std::string* text : {&facts.error, &facts.cpu, &facts.load}) *text = texts.Next();
    for (size_t i = 0; i < classes; ++i) facts.lanes.push_back(texts.Next());
    return facts;
  }
};

// Makes the keys of the classes. All ranks get the same keys, except for the settings.
Status FindKeys(UcxTransport& transport, Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                std::vector<PairClass>& classes) {
  DF_ASSIGN(const std::vector<std::string> all, bootstrap.AllGather(Facts::OfThis(transport, classes, hosts).Print()));
  std::vector<Facts> facts;
  for (size_t r = 0; r < all.size(); ++r) {
    facts.push_back(Facts::Parse(all[r], classes.size()));
    const std::string& error = facts.back().error;
    if (!error.empty()) return Error(Code::kUnavailable, "rank ", r, " cannot exchange messages by UCX: ", error);
  }
  for (size_t i = 0; i < classes.size(); ++i) {
    PairClass& pairs = classes[i];
    const Facts& a = facts[static_cast<size_t>(pairs.first)];
    const Facts& b = facts[static_cast<size_t>(pairs.second)];
    pairs.can_read = CanRead(a.lanes[i]) && CanRead(b.lanes[i]);
    pairs.key = {ucp_get_version_string(),
                 pairs.is_near ? "ranks of one host" : "ranks of two hosts",
                 a.lanes[i],
                 Both(a.cpu, b.cpu),
                 Both(a.load, b.load),
                 Settings()};
  }
  return Status();
}

// Reads the cache. A file that cannot be used counts as an empty one.
std::vector<CachedThreshold> ReadKept(const CalibrationCache& file) {
  if (file.path().empty()) return {};
  Result<std::vector<CachedThreshold>> kept = file.Read();
  if (kept.ok()) return *std::move(kept);
  DF_LOG(kWarning) << "UCX: what was kept of earlier measurements is left out: " << kept.status().message()
                   << "; remove the file, or set DFRUN_CACHE to a folder, or to 'off'";
  return {};
}

// Sets the thresholds that need no measurement. Called on rank 0.
void LookUp(const std::optional<size_t>& set, const CalibrationCache& file, std::vector<PairClass>& classes) {
  const std::vector<CachedThreshold> kept = set ? std::vector<CachedThreshold>() : ReadKept(file);
  for (PairClass& pairs : classes) {
    if (set) {
      pairs.from = set;
      pairs.how = StrCat("as ", kVariable, " says");
    }
    for (const CachedThreshold& reading : kept) {
      if (reading.key != pairs.key) continue;
      pairs.from = reading.from;
      pairs.how = "kept in " + file.path();
    }
  }
}

// Gives the thresholds that rank 0 has found to all ranks.
Status Share(Bootstrap& bootstrap, std::vector<PairClass>& classes) {
  std::string own;
  for (const PairClass& pairs : classes) AppendText(own, pairs.from ? StrCat(*pairs.from) : "");
  DF_ASSIGN(const std::vector<std::string> all, bootstrap.AllGather(own));
  UcxTexts texts(all[0]);
  for (PairClass& pairs : classes) pairs.from = ParseAs<size_t>(texts.Next());
  return Status();
}

// Measures a class; collective. Returns whether the result is to be kept.
Result<bool> Measure(UcxTransport& transport, Bootstrap& bootstrap, PairClass& pairs) {
  const int rank = bootstrap.rank();
  Result<UcxMeasured> own = UcxMeasured();
  if (pairs.PeerOf(rank) >= 0) own = MeasureRndv(transport, pairs.PeerOf(rank), rank == pairs.first);
  // A rank that has failed gives an empty text, or the others would wait.
  std::string text;
  if (own.ok()) {
    AppendText(text, StrCat(own->from));
    AppendText(text, own->is_sure ? "sure" : "");
  }
  DF_ASSIGN(const std::vector<std::string> all, bootstrap.AllGather(text));
  DF_TRY(own.status());
  for (const int member : {pairs.first, pairs.second}) {
    if (!all[static_cast<size_t>(member)].empty()) continue;
    return Error(Code::kUnavailable, "ranks ", pairs.first, " and ", pairs.second, " cannot exchange messages by UCX");
  }
  UcxTexts texts(all[static_cast<size_t>(pairs.first)]);
  pairs.from = ParseAs<size_t>(texts.Next());
  return !texts.Next().empty();
}

// Measures the thresholds that were not looked up, and returns the results to keep.
Result<std::vector<CachedThreshold>> MeasureMissing(UcxTransport& transport, Bootstrap& bootstrap,
                                                    std::vector<PairClass>& classes) {
  std::vector<CachedThreshold> measured;
  for (PairClass& pairs : classes) {
    if (pairs.from) continue;
    DF_ASSIGN(const bool is_sure, Measure(transport, bootstrap, pairs));
    pairs.how = is_sure ? "measured" : "measured, on CPUs too busy for a figure to keep";
    if (is_sure) measured.push_back({pairs.key, *pairs.from});
  }
  return measured;
}

// Writes the cache. Only rank 0 does, since ranks may share the file.
void Keep(const std::vector<CachedThreshold>& measured, const CalibrationCache& file) {
  if (measured.empty() || file.path().empty()) return;
  if (const Status kept = file.Keep(measured); !kept.ok()) {
    DF_LOG(kInfo) << "UCX: the next start will measure again, since nothing could be kept: " << kept.message()
                  << "; DFRUN_CACHE names another folder, or 'off'";
  }
}

Result<std::optional<size_t>> ReadFromOfEnvironment() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return std::optional<size_t>();
  if (std::string_view(text) == "never") return std::optional<size_t>(Capabilities::kNever);
  const std::optional<size_t> bytes = ParseAs<size_t>(text);
  if (!bytes) return Error(Code::kUsage, kVariable, " is '", text, "', not a number of bytes and not 'never'");
  return std::optional<size_t>(std::max(*bytes, UcxRts::kMaxRtsBytes));
}

}  // namespace

Result<RndvThreshold> ChooseRndvThreshold(UcxTransport& transport, Bootstrap& bootstrap,
                                          const std::vector<std::string>& hosts) {
  DF_ASSIGN(const std::optional<size_t> set, ReadFromOfEnvironment());
  std::vector<PairClass> classes = ClassesOf(hosts);
  DF_TRY(FindKeys(transport, bootstrap, hosts, classes));
  RndvThreshold reading;
  reading.is_possible = std::all_of(classes.begin(), classes.end(), [](const PairClass& c) { return c.can_read; });
  if (!reading.is_possible) return reading;
  const CalibrationCache file = CalibrationCache::OfUser();
  const bool is_first = bootstrap.rank() == 0;
  if (is_first) LookUp(set, file, classes);
  DF_TRY(Share(bootstrap, classes));
  DF_ASSIGN(const std::vector<CachedThreshold> measured, MeasureMissing(transport, bootstrap, classes));
  if (is_first) Keep(measured, file);
  for (const PairClass& pairs : classes) {
    (pairs.is_near ? reading.same_host_from : reading.other_hosts_from) = *pairs.from;
    if (is_first) {
      DF_LOG(kInfo) << "UCX: values between " << pairs.key.pair << " are " << DescribeRndvFrom(*pairs.from) << " ("
                    << pairs.how << ")";
    }
  }
  return reading;
}

std::string DescribeRndvChoice() {
  const Result<std::optional<size_t>> set = ReadFromOfEnvironment();
  if (!set.ok()) return set.status().message();
  if (*set) return StrCat(DescribeRndvFrom(**set), ", as ", kVariable, " says");
  const CalibrationCache file = CalibrationCache::OfUser();
  if (file.path().empty()) return "measured at each start, since no folder is named to keep that in";
  const Result<std::vector<CachedThreshold>> kept = file.Read();
  if (!kept.ok()) return StrCat("measured at each start: ", kept.status().message());
  std::string text = "measured at the first start, and kept in " + file.path();
  for (const auto& [key, from] : *kept) {
    if (key.version != ucp_get_version_string()) continue;
    text += StrCat("; ", key.pair, " over ", key.lanes, " on ", key.cpu, " (", key.load, ", ", key.settings,
                   "): ", DescribeRndvFrom(from));
  }
  return text;
}

}  // namespace dfrun::comm
