#include "jobs/commands/selftest.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "comm/bootstrap/transport_registry.h"
#include "jobs/timing.h"
#include "src/base/median.h"
#include "src/base/terminal.h"
#include "src/base/text.h"
#include "src/costs/fit_speed.h"

namespace dfrun::jobs {
namespace {

constexpr size_t kSizes[] = {0,
                             8,
                             size_t{1} << 12,
                             size_t{1} << 16,
                             size_t{1} << 17,
                             size_t{1} << 18,
                             size_t{1} << 20,
                             size_t{1} << 24,
                             size_t{1} << 28,
                             size_t{1} << 30};
// From this size on a pair's bandwidth is compared, below it the time.
constexpr size_t kBandwidthBytes = size_t{1} << 20;
constexpr double kSlow = 4;   // multiple of the median from which a pair is slow
constexpr double kNoisy = 2;  // multiple of a pair's least time from which its median tells of other work
constexpr int kTripsOfSmall = 20;
constexpr int kTripsOfLarge = 2;

// Returns a word that differs at each place and in each message.
uint64_t Word(size_t at, uint64_t seed) {
  return (at + 1) * 0x9e3779b97f4a7c15U ^ seed * 0xbf58476d1ce4e5b9U;
}

void Fill(std::vector<char>& data, uint64_t seed) {
  for (size_t at = 0; at < data.size(); at += sizeof(uint64_t)) {
    const uint64_t word = Word(at, seed);
    std::memcpy(data.data() + at, &word, std::min(sizeof word, data.size() - at));
  }
}

// Returns the first byte that is not as Fill() made it.
std::optional<size_t> FirstDamage(const std::vector<char>& data, uint64_t seed) {
  for (size_t at = 0; at < data.size(); at += sizeof(uint64_t)) {
    const uint64_t word = Word(at, seed);
    const size_t bytes = std::min(sizeof word, data.size() - at);
    if (std::memcmp(data.data() + at, &word, bytes) == 0) continue;
    for (size_t i = 0; i < bytes; ++i) {
      if (std::memcmp(data.data() + at + i, reinterpret_cast<const char*>(&word) + i, 1) != 0) return at + i;
    }
  }
  return {};
}

struct Call {
  bool is_done = false;
  Status status = {};
  Callback Done() {
    return {[](void* arg, Status status) {
              static_cast<Call*>(arg)->status = std::move(status);
              static_cast<Call*>(arg)->is_done = true;
            },
            this};
  }
};

// Seconds of one way between two ranks.
struct TripTimes {
  double least_s = 0;  // ranks may share a core
  double median_s = 0;
};

// One transport between this rank and the others.
class LinkCheck {
 public:
  LinkCheck(comm::Transport& transport, const SelftestOptions& options) : transport_(transport), options_(options) {}

  // Sends to and fro with `peer`. `first`: this rank sends first. Unavailable if a message did not come in time;
  // Internal if it was damaged.
  Result<TripTimes> Trips(int peer, bool first, size_t bytes) {
    const int trips = bytes <= kBandwidthBytes ? kTripsOfSmall : kTripsOfLarge;
    std::vector<char> sent(bytes);
    std::vector<char> received(bytes);
    Fill(sent, static_cast<uint64_t>(transport_.rank()));
    std::vector<double> seconds;
    for (int trip = 0; trip < trips; ++trip) {
      const double start = Now(CLOCK_MONOTONIC);
      if (first) DF_TRY(Send(peer, sent));
      DF_TRY(Receive(peer, received));
      if (!first) DF_TRY(Send(peer, sent));
      seconds.push_back((Now(CLOCK_MONOTONIC) - start) / 2);
      if (const std::optional<size_t> at = FirstDamage(received, static_cast<uint64_t>(peer))) {
        return Internal("of ", bytes, " bytes from rank ", peer, " byte ", *at, " is damaged");
      }
      std::fill(received.begin(), received.end(), '\0');
    }
    return TripTimes{*std::min_element(seconds.begin(), seconds.end()), Median(seconds)};
  }

 private:
  static constexpr comm::MessageTag kTag = 1;

  Status Send(int peer, const std::vector<char>& data) {
    Call call;
    transport_.Send(peer, kTag, data.data(), data.size(), call.Done());
    return Wait(call);
  }
  Status Receive(int peer, std::vector<char>& data) {
    Call call;
    transport_.Recv(peer, kTag, data.data(), data.size(), call.Done());
    return Wait(call);
  }

  // Waits for a call. Aborts a call that has not ended in time, because its memory is freed.
  Status Wait(const Call& call) {
    const double deadline = Now(CLOCK_MONOTONIC) + static_cast<double>(options_.timeout_s);
    while (!call.is_done) {
      if (!transport_.Poll()) sched_yield();
      if (call.is_done || Now(CLOCK_MONOTONIC) < deadline) continue;
      transport_.Abort(Error(Code::kUnavailable, "nothing came within ", options_.timeout_s, " s"));
      while (!call.is_done) transport_.Poll();
    }
    return call.status;
  }

  comm::Transport& transport_;
  const SelftestOptions& options_;
};

// Returns the peer of `rank` in a round of a tournament in which every two ranks meet once; -1: none.
int PeerOf(int rank, int round, int ranks) {
  const int players = ranks + ranks % 2;
  const int last = players - 1;
  int peer = 0;
  if (rank == last) {
    for (peer = 0; peer < last && (2 * peer) % last != round % last; ++peer) {
    }
  } else {
    peer = ((round - rank) % last + last) % last;
    if (peer == rank) peer = last;
  }
  return peer < ranks ? peer : -1;
}

// The result of a pair, on the rank that measured.
struct Measured {
  int from = 0;
  int to = 0;
  size_t bytes = 0;
  TripTimes times = {};
  std::string failure = {};
};

std::string Serialize(const std::vector<Measured>& all) {
  std::string text;
  for (const Measured& m : all)
    text +=
        StrCat(m.from, "\t", m.to, "\t", m.bytes, "\t", m.times.least_s, "\t", m.times.median_s, "\t", m.failure, "\n");
  return text;
}

void ParseInto(const std::string& text, std::vector<Measured>& all) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    std::vector<std::string> fields;
    for (size_t field = at; fields.size() < 6;) {
      const size_t stop = fields.size() == 5 ? end : text.find('\t', field);
      fields.push_back(text.substr(field, stop - field));
      field = stop + 1;
    }
    all.push_back({ParseAs<int>(fields[0]).value_or(0),
                   ParseAs<int>(fields[1]).value_or(0),
                   ParseAs<size_t>(fields[2]).value_or(0),
                   {ParseAs<double>(fields[3]).value_or(0), ParseAs<double>(fields[4]).value_or(0)},
                   fields[5]});
    at = end + 1;
  }
}

std::string SizeText(size_t bytes) {
  if (bytes >= size_t{1} << 30) return StrCat(bytes >> 30, " GiB");
  if (bytes >= size_t{1} << 20) return StrCat(bytes >> 20, " MiB");
  if (bytes >= size_t{1} << 10) return StrCat(bytes >> 10, " KiB");
  return StrCat(bytes, " B");
}

std::string SpeedText(size_t bytes, double seconds) {
  char text[64];
  if (bytes < kBandwidthBytes) {
    std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.2f GB/s", static_cast<double>(bytes) * 1e-9 / seconds);
  }
  return text;
}

class Report {
 public:
  Report(std::string transport, const std::vector<std::string>& hosts)
      : transport_(std::move(transport)), hosts_(hosts) {}

  // Adds what is wrong or slow.
  void Make(const std::vector<Measured>& all, SelftestResult& result) {
    for (const Measured& m : all) {
      if (!m.failure.empty()) result.wrong.push_back(StrCat(transport_, ": ", Pair(m), ": ", m.failure));
    }
    std::printf("%-10s  %10s  %14s  %14s  %s\n", transport_.c_str(), "size", "median", "slowest", "slowest pair");
    for (const size_t bytes : kSizes) AddSize(all, bytes);
    result.slow.insert(result.slow.end(), slow_.begin(), slow_.end());
    AddNoise(all, result);
  }

 private:
  std::string Rank(int rank) const { return StrCat("rank ", rank, " on ", hosts_[static_cast<size_t>(rank)]); }
  std::string Pair(const Measured& m) const { return StrCat(Rank(m.from), " and ", Rank(m.to)); }

  void AddSize(const std::vector<Measured>& all, size_t bytes) {
    std::vector<double> seconds;
    const Measured* slowest = nullptr;
    for (const Measured& m : all) {
      if (m.bytes != bytes || !m.failure.empty()) continue;
      seconds.push_back(m.times.least_s);
      if (slowest == nullptr || m.times.least_s > slowest->times.least_s) slowest = &m;
    }
    if (slowest == nullptr) return;
    const double median = Median(seconds);
    std::printf("%-10s  %10s  %14s  %14s  %d, %d\n", "", SizeText(bytes).c_str(), SpeedText(bytes, median).c_str(),
                SpeedText(bytes, slowest->times.least_s).c_str(), slowest->from, slowest->to);
    if (seconds.size() < 3 || slowest->times.least_s < kSlow * median) return;
    slow_.push_back(StrCat(transport_, ": ", Pair(*slowest), " take ", SpeedText(bytes, slowest->times.least_s),
                           " for ", SizeText(bytes), ", the median of all pairs is ", SpeedText(bytes, median)));
  }

  // Adds the pair whose times differ most, of sizes with trips enough.
  void AddNoise(const std::vector<Measured>& all, SelftestResult& result) const {
    const Measured* noisiest = nullptr;
    double most = kNoisy;
    for (const Measured& m : all) {
      if (!m.failure.empty() || m.bytes > kSpeedBytes || m.times.median_s < most * m.times.least_s) continue;
      most = m.times.median_s / m.times.least_s;
      noisiest = &m;
    }
    if (noisiest == nullptr) return;
    char times[32];
    std::snprintf(times, sizeof times, "%.1f", most);
    result.noisy.push_back(StrCat(transport_, ": for ", SizeText(noisiest->bytes), " ", Pair(*noisiest), " take ",
                                  times,
                                  " times their least time in the median: they share cores, or other work runs there"));
  }

  const std::string transport_;
  const std::vector<std::string>& hosts_;
  std::vector<std::string> slow_;
};

// Measures all pairs. After a failure this rank uses the transport no more; the other rank's calls end by their
// deadline.
std::vector<Measured> MeasurePairs(comm::Bootstrap& bootstrap, comm::Transport& transport,
                                   const SelftestOptions& options, Status& barrier) {
  const int ranks = bootstrap.size();
  const int rank = bootstrap.rank();
  LinkCheck line(transport, options);
  std::vector<Measured> measured;
  bool works = true;
  for (const size_t bytes : kSizes) {
    if (bytes > static_cast<size_t>(options.most_bytes)) break;
    for (int round = 0; round < ranks - 1 + ranks % 2; ++round) {
      barrier = bootstrap.Barrier();
      if (!barrier.ok()) return measured;
      const int peer = PeerOf(rank, round, ranks);
      if (peer < 0 || !works) continue;
      const Result<TripTimes> times = line.Trips(peer, rank < peer, bytes);
      works = times.ok();
      if (rank < peer || !works) {
        measured.push_back({rank, peer, bytes, works ? *times : TripTimes(), works ? "" : times.status().message()});
      }
    }
  }
  return measured;
}

// Fits latency and bandwidth of each class of pairs, where messages were large enough to tell.
std::map<PairClass, PairSpeed> SpeedsOf(const std::vector<Measured>& all, const std::vector<std::string>& hosts) {
  std::map<PairClass, std::vector<CostPoint>> points;
  if (std::none_of(all.begin(), all.end(), [](const Measured& m) { return m.bytes == kSpeedBytes; })) return {};
  for (const Measured& m : all) {
    if (!m.failure.empty() || m.bytes > kSpeedBytes) continue;
    const bool same_host = hosts[static_cast<size_t>(m.from)] == hosts[static_cast<size_t>(m.to)];
    points[same_host ? PairClass::kSameHost : PairClass::kNetwork].push_back(
        {.flops = 0, .bytes = static_cast<double>(m.bytes), .seconds = m.times.least_s});
  }
  std::map<PairClass, PairSpeed> speeds;
  for (const auto& [pair, of_pair] : points) {
    const PairSpeed assumed = CostTable().Pair(pair);
    const NodeSpeed fit = FitSpeed(of_pair, {assumed.latency_s, 1, assumed.bytes_per_s}).speed;
    speeds[pair] = {fit.overhead_s, fit.bytes_per_s};
  }
  return speeds;
}

}  // namespace

Result<SelftestResult> Selftest(comm::Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                                const SelftestOptions& options) {
  SelftestResult result;
  DF_ASSIGN(const std::string of_runs, comm::ChooseTransport(bootstrap, ""));
  for (const auto& [name, def] : comm::Transports().all()) {
    const Result<std::string> chosen = comm::ChooseTransport(bootstrap, name);
    if (!chosen.ok()) {
      if (bootstrap.rank() == 0) WriteText(stdout, StrCat(name, "  ", chosen.status().message(), "\n"));
      continue;
    }
    DF_ASSIGN(const auto transports, def.connect(bootstrap, 1));
    Status barrier;
    const std::vector<Measured> own = MeasurePairs(bootstrap, *transports[0], options, barrier);
    DF_TRY(barrier);
    DF_ASSIGN(const std::vector<std::string> texts, bootstrap.AllGather(Serialize(own)));
    std::vector<Measured> all;
    for (const std::string& text : texts) ParseInto(text, all);
    if (bootstrap.rank() != 0) continue;
    Report(name, hosts).Make(all, result);
    if (name == of_runs) result.speeds = SpeedsOf(all, hosts);
  }
  return result;
}

}  // namespace dfrun::jobs
