#include "comm/collectives/exchange_schedule.h"

#include <algorithm>

namespace dfrun::comm {
namespace {

// A value of fewer bytes travels whole: a second round of messages would take longer than the bytes.
constexpr int64_t kWholeBytes = int64_t{1} << 16;
// Minimum size of a segment in bytes, and maximum number of segments per part.
constexpr int64_t kSegmentBytes = int64_t{1} << 18;
constexpr int64_t kMaxSegments = 4;

struct Range {
  int64_t begin;
  int64_t end;
  int64_t count() const { return end - begin; }
};

// Returns the i-th of n nearly equal ranges.
Range PartOf(Range whole, int64_t i, int64_t n) {
  return {whole.begin + i * whole.count() / n, whole.begin + (i + 1) * whole.count() / n};
}

bool GoesWhole(const CollectivePlan& plan) {
  return plan.kind == CollectiveKind::kAllReduce && plan.bytes() < kWholeBytes;
}

// Returns the number of segments of a part, or of the whole value in a broadcast.
int SegmentsOf(const CollectivePlan& plan) {
  const int64_t bytes = plan.kind == CollectiveKind::kBroadcast ? plan.bytes() : plan.bytes() / plan.size();
  return static_cast<int>(std::clamp<int64_t>(bytes / kSegmentBytes, 1, kMaxSegments));
}

// Builds one schedule, in MakeExchangeSchedule().
class Scheduler {
 public:
  explicit Scheduler(const CollectivePlan& plan) : plan_(plan), n_(plan.size()), segments_(SegmentsOf(plan)) {}

  ExchangeSchedule Make() {
    switch (plan_.kind) {
      case CollectiveKind::kAllReduce:
        GoesWhole(plan_) ? Exchange() : ReduceParts(/*gathers=*/true);
        break;
      case CollectiveKind::kReduceScatter:
        ReduceParts(/*gathers=*/false);
        break;
      case CollectiveKind::kAllGather:
        Gather();
        break;
      case CollectiveKind::kBroadcast:
        PassDown();
        break;
    }
    return std::move(schedule_);
  }

 private:
  using Buffer = Transfer::Buffer;

  // Returns the channel of a pair of participants in a round.
  int32_t Channel(int round, int from, int to) const { return plan_.channel + (round * n_ + from) * n_ + to; }
  int32_t RankOf(int participant) const { return static_cast<int32_t>(plan_.ranks[static_cast<size_t>(participant)]); }
  Range Segment(int part, int segment) const {
    return PartOf(PartOf({0, plan_.elements}, part, n_), segment, segments_);
  }

  Transfer Send(int round, int to, Buffer buffer, Range range) const {
    return {Channel(round, plan_.index, to), RankOf(to), true, buffer, range.begin, range.count()};
  }
  void Receive(int round, int from, Buffer buffer, Range range, int32_t block = -1) {
    if (range.count() == 0) return;
    schedule_.receives.push_back(
        {Channel(round, from, plan_.index), RankOf(from), false, buffer, range.begin, range.count(), block});
  }
  // Calls body(participant) for the other participants. It starts with the next one, so that not all send to the same
  // one at once.
  template <class Body>
  void ForOthers(Body&& body) const {
    for (int i = 1; i < n_; ++i) body((plan_.index + i) % n_);
  }
  void SendToOthers(int round, Buffer buffer, Range range, std::vector<Transfer>& sends) const {
    if (range.count() == 0) return;
    ForOthers([&](int to) { sends.push_back(Send(round, to, buffer, range)); });
  }

  // Adds a block that reduces `range` over all participants.
  Block& Reduce(int round, Range range, int64_t output) {
    const auto block = static_cast<int32_t>(schedule_.blocks.size());
    const int64_t scratch = schedule_.scratch_elements;
    schedule_.blocks.push_back({Block::Action::kReduce, range.begin, output, range.count(), n_ - 1, scratch});
    int64_t at = scratch;
    for (int from = 0; from < n_; ++from) {
      if (from == plan_.index) continue;
      Receive(round, from, Buffer::kScratch, {at, at + range.count()}, block);
      at += range.count();
    }
    schedule_.scratch_elements = at;
    return schedule_.blocks.back();
  }

  void Exchange() {
    const Range whole = {0, plan_.elements};
    if (whole.count() == 0) return;
    Reduce(0, whole, 0);
    SendToOthers(0, Buffer::kInput, whole, schedule_.sends);
  }

  void ReduceParts(bool gathers) {
    const int64_t first = gathers ? 0 : Segment(plan_.index, 0).begin;
    for (int s = 0; s < segments_; ++s) {
      ForOthers([&](int to) {
        const Range range = Segment(to, s);
        if (range.count() > 0) schedule_.sends.push_back(Send(s, to, Buffer::kInput, range));
        if (gathers) Receive(segments_ + s, to, Buffer::kOutput, range);
      });
      const Range own = Segment(plan_.index, s);
      if (own.count() == 0) continue;
      Block& block = Reduce(s, own, own.begin - first);
      if (gathers) SendToOthers(segments_ + s, Buffer::kOutput, own, block.then);
    }
  }

  void Gather() {
    if (plan_.elements == 0) return;
    const auto range_of = [this](int i) { return Range{i * plan_.elements, (i + 1) * plan_.elements}; };
    schedule_.blocks.push_back({Block::Action::kCopy, 0, range_of(plan_.index).begin, plan_.elements, 0});
    ForOthers([&](int from) { Receive(0, from, Buffer::kOutput, range_of(from)); });
    SendToOthers(0, Buffer::kInput, {0, plan_.elements}, schedule_.sends);
  }

  // Sends the value down a binomial tree. Participants count from the root: the parent of `at` is `at` without its
  // lowest set bit.
  void PassDown() {
    const int at = (plan_.index - plan_.root + n_) % n_;
    const auto participant = [this](int from_root) { return (from_root + plan_.root) % n_; };
    for (int s = 0; s < segments_; ++s) {
      const Range range = PartOf({0, plan_.elements}, s, segments_);
      if (range.count() == 0) continue;
      const auto block = static_cast<int32_t>(schedule_.blocks.size());
      schedule_.blocks.push_back({Block::Action::kNone, 0, range.begin, range.count(), at == 0 ? 0 : 1});
      if (at != 0) Receive(s, participant(at & (at - 1)), Buffer::kOutput, range, block);
      const int end = at == 0 ? n_ : at & -at;
      for (int bit = 1; bit < end && at + bit < n_; bit *= 2) {
        schedule_.blocks.back().then.push_back(Send(s, participant(at + bit), Buffer::kOutput, range));
      }
    }
  }

  const CollectivePlan& plan_;
  const int n_;
  const int segments_;
  ExchangeSchedule schedule_;
};

}  // namespace

ExchangeSchedule MakeExchangeSchedule(const CollectivePlan& plan) {
  return Scheduler(plan).Make();
}

int32_t ExchangeChannels(const CollectivePlan& plan) {
  int rounds = SegmentsOf(plan);
  if (plan.kind == CollectiveKind::kAllReduce) rounds = GoesWhole(plan) ? 1 : 2 * rounds;
  if (plan.kind == CollectiveKind::kAllGather) rounds = 1;
  return rounds * plan.size() * plan.size();
}

std::vector<ChannelEndpoint> ExchangeEnds(const CollectivePlan& plan) {
  const ExchangeSchedule schedule = MakeExchangeSchedule(plan);
  std::vector<ChannelEndpoint> ends;
  const auto add = [&](const std::vector<Transfer>& transfers) {
    for (const Transfer& t : transfers) {
      if (t.peer == plan.rank()) continue;
      const size_t bytes = static_cast<size_t>(t.count) * DTypeSize(plan.dtype);
      ends.push_back({t.channel, t.peer, t.is_send, /*in_loop=*/false, /*static_shape=*/true, bytes});
    }
  };
  add(schedule.receives);
  add(schedule.sends);
  for (const Block& block : schedule.blocks) add(block.then);
  return ends;
}

}  // namespace dfrun::comm
