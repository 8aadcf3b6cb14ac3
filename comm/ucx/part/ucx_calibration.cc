#include "comm/ucx/part/ucx_calibration.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace dfrun::comm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSmall = size_t{64} << 10;
constexpr size_t kLarge = size_t{1} << 20;
constexpr int kMaxRounds = 30;
constexpr int kSureRounds = 5;
constexpr std::chrono::milliseconds kMaxTime{8};  // time limit per size; a round that has begun is finished
// Ratio of times below which messages win. A message keeps two ranks busy and a read one, which counts where ranks also
// compute: so a message must save a tenth of the time.
constexpr double kMessagesGain = 0.9;
constexpr std::chrono::seconds kMaxWait{20};  // time limit of the wait for the peer: ranks may share a core with many
constexpr MessageTag kTag = 0;

// A call of a transport whose end the caller awaits.
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

// The part of one of the two ranks in a measurement.
class Measurement {
 public:
  Measurement(UcxTransport& transport, int peer, bool leads) : transport_(transport), peer_(peer), leads_(leads) {}

  Result<UcxMeasured> Run() {
    transport_.SetReading({.is_possible = true});
    DF_ASSIGN(memory_, transport_.NewRegion(2 * kLarge));
    std::memset(memory_.data(), 1, memory_.bytes());
    UcxMeasured measured = {Capabilities::kNever, true};
    for (const size_t bytes : {kLarge, kSmall}) {
      DF_ASSIGN(const Outcome outcome, Compare(bytes));
      measured.is_sure &= outcome != kUnsure;
      if (outcome == kMessagesAreFaster) break;
      measured.from = bytes;
    }
    transport_.SetReading({});
    return measured;
  }

 private:
  enum Outcome : char { kAnotherRound, kMessagesAreFaster, kReadingIsFaster, kUnsure };

  // Alternates rounds of a message and a read, and compares the fastest of each: other processes can only slow a round
  // down. At the end of each round the leading rank decides whether to go on.
  Result<Outcome> Compare(size_t bytes) {
    double sent = std::numeric_limits<double>::max();
    double read = sent;
    Clock::time_point begin;
    Outcome outcome = kAnotherRound;
    for (int round = 0; outcome == kAnotherRound; ++round) {
      for (double* const fastest : {&sent, &read}) {
        const size_t from = fastest == &read ? bytes : Capabilities::kNever;
        transport_.SetReading({true, from, from});
        DF_ASSIGN(const double seconds, RoundTrip(bytes));
        if (round > 0) *fastest = std::min(*fastest, seconds);  // the first round pays for page faults and the key
      }
      transport_.SetReading({});
      if (round == 0) begin = Clock::now();  // not earlier, since the peer may have come late
      const bool is_last = round >= kMaxRounds || (round > 0 && Clock::now() - begin > kMaxTime);
      if (is_last) outcome = Judge(round, sent, read);
      DF_TRY(Exchange(&outcome, sizeof outcome));
    }
    return outcome;
  }

  // Judges the fastest times. After few rounds all of them may have been disturbed; then the receiver reads, which a
  // peer without a CPU delays less.
  static Outcome Judge(int rounds, double sent, double read) {
    if (rounds < kSureRounds) return kUnsure;
    return sent < kMessagesGain * read ? kMessagesAreFaster : kReadingIsFaster;
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
    const Clock::time_point deadline = Clock::now() + kMaxWait;
    for (int looks = 1; !call.has_ended(); ++looks) {
      if (transport_.Poll() || looks % 64 != 0) continue;
      sched_yield();
      if (Clock::now() < deadline) continue;
      transport_.Abort(
          Error(Code::kUnavailable, "rank ", peer_, " did not answer a first message in ", kMaxWait.count(), " s"));
      while (!call.has_ended()) transport_.Poll();
    }
    return call.status();
  }

  UcxTransport& transport_;
  const int peer_;
  const bool leads_;
  Region memory_;
};

}  // namespace

Result<UcxMeasured> MeasureRndv(UcxTransport& transport, int peer, bool leads) {
  return Measurement(transport, peer, leads).Run();
}

}  // namespace dfrun::comm
