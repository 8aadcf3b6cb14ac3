#include "comm/ucx/part/ucx_calibration.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "comm/ucx/part/ucx_lanes.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSmall = size_t{64} << 10;
constexpr size_t kLarge = size_t{1} << 20;
constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kMostTime{8};  // of a size; a round that has begun ends
constexpr std::chrono::seconds kMostWait{20};      // for the peer: ranks may share a core with many
constexpr MessageTag kTag = 0;

// A call of a transport that is waited for.
class Call {
 public:
  Callback callback() {
    return {[](void* arg, Status status) {
              auto* const self = static_cast<Call*>(arg);
              self->status_ = std::move(status);
              self->has_ended_.store(true);
            },
            this};
  }
  bool has_ended() const { return has_ended_.load(); }
  const Status& status() const { return status_; }

 private:
  std::atomic<bool> has_ended_{false};
  Status status_;
};

// One of the two ranks that measure.
class Measurement {
 public:
  Measurement(UcxTransport& transport, int peer, bool leads) : transport_(transport), peer_(peer), leads_(leads) {}

  // From where on reading is faster; on the rank that leads. The other one's result is of no use.
  Result<size_t> Run() {
    transport_.SetReading({.is_possible = true});
    DF_ASSIGN(memory_, transport_.NewRegion(2 * kLarge));
    std::memset(memory_.data(), 1, memory_.bytes());
    size_t from = Capabilities::kNever;
    for (const size_t bytes : {kLarge, kSmall}) {
      DF_ASSIGN(const bool faster, ReadingIsFaster(bytes));
      if (!faster) break;
      from = bytes;
    }
    transport_.SetReading({});
    return from;
  }

 private:
  // Whether it goes on is the leading rank's to say, in the end of each round.
  Result<bool> ReadingIsFaster(size_t bytes) {
    std::vector<double> sent;
    std::vector<double> read;
    const Clock::time_point begin = Clock::now();
    char goes_on = 1;
    for (int round = 0; goes_on == 1; ++round) {
      for (std::vector<double>* seconds : {&sent, &read}) {
        const size_t from = seconds == &read ? bytes : Capabilities::kNever;
        transport_.SetReading({true, from, from});
        DF_ASSIGN(const double once, RoundTrip(bytes));
        if (round > 0) seconds->push_back(once);  // the first finds no page and no key
      }
      transport_.SetReading({});
      // 1: another round; 2 and 3: the end, reading is slower or faster.
      if (round >= kRounds || (round > 0 && Clock::now() - begin > kMostTime))
        goes_on = Median(read) < Median(sent) ? 3 : 2;
      DF_TRY(Exchange(&goes_on, sizeof goes_on));
    }
    return goes_on == 3;
  }

  static double Median(std::vector<double>& seconds) {
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
  }

  Result<double> RoundTrip(size_t bytes) {
    const Clock::time_point begin = Clock::now();
    if (leads_) DF_TRY(Send(memory_.data(), bytes));
    DF_TRY(Receive(memory_.data() + kLarge, bytes));
    if (!leads_) DF_TRY(Send(memory_.data(), bytes));
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  Status Exchange(void* data, size_t bytes) { return leads_ ? Send(data, bytes) : Receive(data, bytes); }

  Status Send(const void* data, size_t bytes) {
    Call call;
    transport_.Send(peer_, kTag, data, bytes, call.callback());
    return Wait(call);
  }
  Status Receive(void* data, size_t bytes) {
    Call call;
    transport_.Recv(peer_, kTag, data, bytes, call.callback());
    return Wait(call);
  }
  Status Wait(const Call& call) {
    const Clock::time_point deadline = Clock::now() + kMostWait;
    for (int looks = 1; !call.has_ended(); ++looks) {
      if (transport_.Poll() || looks % 64 != 0) continue;
      sched_yield();
      if (Clock::now() < deadline) continue;
      transport_.Abort(
          Error(Code::kUnavailable, "rank ", peer_, " did not answer a first message in ", kMostWait.count(), " s"));
      while (!call.has_ended()) transport_.Poll();
    }
    return call.status();
  }

  UcxTransport& transport_;
  const int peer_;
  const bool leads_;
  Region memory_;
};

// The first ranks whose hosts are the same, or not; the second is -1 where there are none.
std::pair<int, int> FirstPair(const std::vector<std::string>& hosts, bool same) {
  for (size_t a = 0; a < hosts.size(); ++a) {
    for (size_t b = a + 1; b < hosts.size(); ++b) {
      if ((hosts[a] == hosts[b]) == same) return {static_cast<int>(a), static_cast<int>(b)};
    }
  }
  return {-1, -1};
}

constexpr const char* kCannotRead = "no";

// What the pair of ranks found: a number of bytes, or kCannotRead.
Result<std::string> MeasureThis(UcxTransport& transport, int peer, bool leads, const std::optional<size_t>& set) {
  DF_ASSIGN(const std::string lanes, transport.LanesTo(peer));
  if (!CanRead(lanes)) return std::string(kCannotRead);
  if (set) return StrCat(*set);
  DF_ASSIGN(const size_t from, Measurement(transport, peer, leads).Run());
  return StrCat(from);
}

// Nothing where one of the pair cannot read the other's memory.
Result<std::optional<size_t>> MeasurePair(UcxTransport& transport, Bootstrap& bootstrap,
                                          const std::pair<int, int>& pair, const std::optional<size_t>& set) {
  if (pair.second < 0) return std::optional<size_t>(Capabilities::kNever);
  Result<std::string> own = std::string();
  if (bootstrap.rank() == pair.first) own = MeasureThis(transport, pair.second, true, set);
  if (bootstrap.rank() == pair.second) own = MeasureThis(transport, pair.first, false, set);
  // All ranks come here, also those that have failed, or others would wait.
  DF_ASSIGN(const std::vector<std::string> all, bootstrap.AllGather(own.ok() ? *own : ""));
  DF_TRY(own.status());
  const std::string& first = all[static_cast<size_t>(pair.first)];
  const std::string& second = all[static_cast<size_t>(pair.second)];
  if (first.empty() || second.empty()) {
    return Error(Code::kUnavailable, "ranks ", pair.first, " and ", pair.second, " cannot exchange messages by UCX");
  }
  return second == kCannotRead ? std::nullopt : ParseAs<size_t>(first);
}

Result<std::optional<size_t>> ReadFromOfEnvironment() {
  const char* const text = std::getenv("DFRUN_UCX_READ_FROM");
  if (text == nullptr) return std::optional<size_t>();
  if (std::string_view(text) == "never") return std::optional<size_t>(Capabilities::kNever);
  const std::optional<size_t> bytes = ParseAs<size_t>(text);
  if (!bytes) return Error(Code::kUsage, "DFRUN_UCX_READ_FROM is '", text, "', not a number of bytes and not 'never'");
  return std::optional<size_t>(std::max(*bytes, UcxOffer::kMostBytes));
}

}  // namespace

Result<UcxReading> ChooseReading(UcxTransport& transport, Bootstrap& bootstrap, const std::vector<std::string>& hosts) {
  DF_ASSIGN(const std::optional<size_t> set, ReadFromOfEnvironment());
  DF_ASSIGN(const std::optional<size_t> near, MeasurePair(transport, bootstrap, FirstPair(hosts, true), set));
  DF_ASSIGN(const std::optional<size_t> far, MeasurePair(transport, bootstrap, FirstPair(hosts, false), set));
  UcxReading reading;
  reading.is_possible = near.has_value() && far.has_value();
  if (!reading.is_possible) return reading;
  reading.same_host_from = *near;
  reading.other_hosts_from = *far;
  return reading;
}

}  // namespace dfrun::comm
