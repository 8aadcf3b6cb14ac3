#include "tests/conformance/transport/transport_suite.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "src/base/mutex.h"

namespace dfrun::comm {
namespace {

using std::chrono::steady_clock;

// Bytes that depend on sender, tag and number, so that a message in the wrong place shows.
std::vector<unsigned char> Pattern(int from, uint32_t tag, int number, size_t bytes) {
  std::vector<unsigned char> data(bytes);
  uint32_t x = static_cast<uint32_t>(from) * 2654435761u + tag * 40503u + static_cast<uint32_t>(number) * 97u + 1;
  for (unsigned char& byte : data) {
    x = x * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(x >> 24);
  }
  return data;
}

bool WaitUntil(Transport& transport, const std::function<bool()>& done) {
  const auto deadline = steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (transport.Poll()) continue;
    if (steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// A barrier over the transport itself: rank 0 receives from all, then sends to all.
void Meet(Transport& t) {
  constexpr uint32_t kTag = 7777;
  std::deque<Pending> calls;
  const auto exchange = [&](int peer, bool send) {
    calls.emplace_back();
    send ? t.Send(peer, kTag, nullptr, 0, calls.back().callback())
         : t.Recv(peer, kTag, nullptr, 0, calls.back().callback());
  };
  const auto wait = [&] {
    for (const Pending& call : calls) Wait(t, call);
  };
  for (int peer = 1; peer < t.size() && t.rank() == 0; ++peer) exchange(peer, false);
  if (t.rank() > 0) exchange(0, true);
  wait();
  for (int peer = 1; peer < t.size() && t.rank() == 0; ++peer) exchange(peer, true);
  if (t.rank() > 0) exchange(0, false);
  wait();
}

}  // namespace

void Wait(Transport& transport, const Pending& call) {
  ASSERT_TRUE(WaitUntil(transport, [&] { return call.runs.load() > 0; })) << "rank " << transport.rank();
  EXPECT_EQ(call.runs.load(), 1);
}

namespace {

void SaysWhatItIs(Transport& t) {
  EXPECT_FALSE(t.name().empty());
  EXPECT_GE(t.rank(), 0);
  EXPECT_LT(t.rank(), t.size());
  EXPECT_GE(t.max_channels(), 16384);
  EXPECT_GE(t.max_slots(), 2);
  Meet(t);
}

void SizesArriveWhole(Transport& t) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{7}, size_t{64}, size_t{4096}, size_t{70001}, size_t{5} << 20}) {
    const auto sent = Pattern(t.rank(), 1, 0, bytes);
    std::vector<unsigned char> got(bytes, 0xee);
    Pending send;
    Pending recv;
    t.Send(Next(t), 1, sent.data(), bytes, send.callback());
    t.Recv(Previous(t), 1, got.data(), bytes, recv.callback());
    Wait(t, send);
    Wait(t, recv);
    EXPECT_TRUE(send.status.ok()) << send.status.ToString();
    EXPECT_TRUE(recv.status.ok()) << recv.status.ToString();
    EXPECT_EQ(got, Pattern(Previous(t), 1, 0, bytes)) << bytes << " bytes";
  }
}

void AReceiveMayComeFirst(Transport& t) {
  int64_t got = -1;
  const int64_t sent = t.rank();
  const MessageTag last{t.max_channels() - 1, t.max_slots() - 1};
  Pending recv;
  Pending send;
  t.Recv(Previous(t), last, &got, sizeof got, recv.callback());
  for (int i = 0; i < 100; ++i) t.Poll();
  Meet(t);  // every receive is posted before the first send
  t.Send(Next(t), last, &sent, sizeof sent, send.callback());
  Wait(t, recv);
  Wait(t, send);
  EXPECT_EQ(got, Previous(t));
}

void AReceiveMayBeginLater(Transport& t) {
  constexpr int kRounds = 100;
  for (int64_t round = 0; round < kRounds; ++round) {
    int64_t got[2] = {-1, -1};
    const int64_t sent[2] = {round, -round};
    std::deque<Pending> calls(4);
    // One that the message waits for, and one that waits for the message; what is sent behind them goes first.
    t.RecvLater(Previous(t), 1, &got[0], sizeof got[0], calls[0].callback());
    t.Send(Next(t), 1, &sent[0], sizeof sent[0], calls[1].callback());
    t.Send(Next(t), 2, &sent[1], sizeof sent[1], calls[2].callback());
    Wait(t, calls[0]);
    t.RecvLater(Previous(t), 2, &got[1], sizeof got[1], calls[3].callback());
    for (Pending& call : calls) {
      Wait(t, call);
      ASSERT_TRUE(call.status.ok()) << call.status.ToString();
      EXPECT_EQ(call.runs.load(), 1);
    }
    EXPECT_EQ(got[0], round);
    EXPECT_EQ(got[1], -round);
  }
}

void MessagesOfATagKeepTheirOrder(Transport& t) {
  constexpr int kCount = 500;
  std::vector<int> sent(kCount);
  std::vector<int> got(kCount, -1);
  std::deque<Pending> calls(2 * kCount);
  for (int i = 0; i < kCount; ++i) {
    sent[i] = i;
    t.Send(Next(t), 3, &sent[i], sizeof(int), calls[i].callback());
    // Half of the receives meet their message, half wait for it.
    if (i >= kCount / 2)
      t.Recv(Previous(t), 3, &got[i - kCount / 2], sizeof(int), calls[kCount + i - kCount / 2].callback());
  }
  for (int i = kCount / 2; i < kCount; ++i) t.Recv(Previous(t), 3, &got[i], sizeof(int), calls[kCount + i].callback());
  for (const Pending& call : calls) Wait(t, call);
  EXPECT_EQ(got, sent);
}

void TagsAreApart(Transport& t) {
  constexpr uint32_t kTags = 50;
  std::vector<uint32_t> sent(kTags);
  std::vector<uint32_t> got(kTags);
  std::deque<Pending> calls(2 * kTags);
  for (uint32_t i = 0; i < kTags; ++i) {
    sent[i] = i;
    t.Send(Next(t), i, &sent[i], sizeof sent[i], calls[i].callback());
  }
  for (uint32_t i = kTags; i-- > 0;) t.Recv(Previous(t), i, &got[i], sizeof got[i], calls[kTags + i].callback());
  for (const Pending& call : calls) Wait(t, call);
  EXPECT_EQ(got, sent);
}

void AnotherSizeIsAnError(Transport& t) {
  for (size_t expected : {size_t{16}, size_t{48}}) {
    const auto sent = Pattern(t.rank(), 5, 0, 32);
    std::vector<unsigned char> got(64, 0xee);
    Pending send;
    Pending recv;
    t.Send(Next(t), 5, sent.data(), sent.size(), send.callback());
    t.Recv(Previous(t), 5, got.data(), expected, recv.callback());
    Wait(t, recv);
    Wait(t, send);
    EXPECT_EQ(recv.status.code(), Code::kInternal) << recv.status.ToString();
    for (size_t i = expected; i < got.size(); ++i) EXPECT_EQ(got[i], 0xee);
  }
  Meet(t);
}

// Each channel in each of the slots that the smallest network has.
void SlotsAreApart(Transport& t) {
  constexpr int32_t kChannels = 20;
  int32_t got[kChannels][2] = {};
  int32_t sent[kChannels][2];
  std::deque<Pending> calls;
  for (int32_t slot : {0, 1}) {
    for (int32_t channel = 0; channel < kChannels; ++channel) {
      sent[channel][slot] = 2 * channel + slot;
      calls.emplace_back();
      t.Send(Next(t), {channel, slot}, &sent[channel][slot], sizeof(int32_t), calls.back().callback());
    }
  }
  for (int32_t slot : {1, 0}) {
    for (int32_t channel = 0; channel < kChannels; ++channel) {
      calls.emplace_back();
      t.Recv(Previous(t), {channel, slot}, &got[channel][slot], sizeof(int32_t), calls.back().callback());
    }
  }
  for (const Pending& call : calls) Wait(t, call);
  for (int32_t channel = 0; channel < kChannels; ++channel) {
    for (int32_t slot : {0, 1}) EXPECT_EQ(got[channel][slot], 2 * channel + slot);
  }
}

// A sender without a value sends an empty message, or a message where an empty one is expected. The message after it
// must be whole.
void AnEmptyMessageCancels(Transport& t) {
  for (size_t expected : {size_t{0}, size_t{1}, size_t{48}, size_t{300001}}) {
    for (bool receive_first : {true, false}) {
      const char nothing[1] = {};
      std::vector<unsigned char> got(expected + 1, 0xee);
      Pending send;
      Pending recv;
      const auto receive = [&](Pending& call) { t.Recv(Previous(t), {6, 1}, got.data(), expected, call.callback()); };
      if (receive_first) receive(recv);
      t.Send(Next(t), {6, 1}, nothing, expected == 0 ? 1 : 0, send.callback());
      if (!receive_first) receive(recv);
      Wait(t, recv);
      Wait(t, send);
      EXPECT_EQ(recv.status.code(), Code::kCancelled) << recv.status.ToString();
      EXPECT_EQ(got.back(), 0xee);
      Meet(t);  // the tag is used again when the receive has ended

      const auto next = Pattern(t.rank(), 6, 0, expected);
      Pending next_send;
      Pending next_recv;
      t.Send(Next(t), {6, 1}, next.data(), expected, next_send.callback());
      receive(next_recv);
      Wait(t, next_recv);
      Wait(t, next_send);
      EXPECT_TRUE(next_recv.status.ok()) << next_recv.status.ToString();
      got.pop_back();
      EXPECT_EQ(got, Pattern(Previous(t), 6, 0, expected));
    }
  }
}

void ManyMessagesAtRandom(Transport& t) {
  constexpr int kCount = 3000;
  std::mt19937 random(1);  // same seed on every rank, so all know what all send
  struct Message {
    int from;
    int to;
    uint32_t tag;
    size_t bytes;
  };
  std::vector<Message> all;
  for (int i = 0; i < kCount; ++i) {
    const int from = static_cast<int>(random() % t.size());
    const int to = static_cast<int>((from + 1 + random() % (t.size() - 1)) % t.size());
    const size_t bytes = random() % 20 == 0 ? random() % 200000 : random() % 300;
    all.push_back({from, to, static_cast<uint32_t>(random() % 8), bytes});
  }
  std::deque<Pending> calls;
  std::deque<std::vector<unsigned char>> buffers;
  std::vector<std::pair<int, std::vector<unsigned char>*>> received;
  for (int i = 0; i < kCount; ++i) {
    const Message& m = all[i];
    if (m.from == t.rank()) {
      buffers.push_back(Pattern(m.from, m.tag, i, m.bytes));
      calls.emplace_back();
      t.Send(m.to, m.tag, buffers.back().data(), m.bytes, calls.back().callback());
    }
    if (m.to == t.rank()) {
      buffers.emplace_back(m.bytes);
      received.emplace_back(i, &buffers.back());
      calls.emplace_back();
      t.Recv(m.from, m.tag, buffers.back().data(), m.bytes, calls.back().callback());
    }
    if (i % 64 == 0) t.Poll();
  }
  for (const Pending& call : calls) Wait(t, call);
  for (const Pending& call : calls) EXPECT_TRUE(call.status.ok()) << call.status.ToString();
  for (const auto& [i, bytes] : received) {
    EXPECT_EQ(*bytes, Pattern(all[i].from, all[i].tag, i, all[i].bytes)) << "message " << i;
  }
}

void ManyThreadsMaySend(Transport& t) {
  constexpr int kThreads = 4;
  constexpr int kCount = 300;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&t, &wrong, thread] {
      const MessageTag tag = thread;
      for (int i = 0; i < kCount; ++i) {
        const int64_t sent = i * 10 + thread;
        int64_t got = -1;
        Pending send;
        Pending recv;
        t.Recv(Previous(t), tag, &got, sizeof got, recv.callback());
        t.Send(Next(t), tag, &sent, sizeof sent, send.callback());
        // Any thread's Poll may run this thread's callbacks.
        const bool in_time = WaitUntil(t, [&] { return send.runs.load() == 1 && recv.runs.load() == 1; });
        if (!in_time || got != sent) wrong.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

// A token goes round the ring from callback to callback: nobody but a callback sends or receives.
void CallbacksMayCall(Transport& t) {
  struct Relay {
    Transport& t;
    int rounds_left = 100;
    int64_t token = 0;
    Pending last = {};
    void Receive() {
      t.Recv(Previous(t), 9, &token, sizeof token,
             {[](void* self, Status s) { static_cast<Relay*>(self)->Got(s); }, this});
    }
    void Got(const Status& status) {
      if (!status.ok()) return last.callback()(status);
      ++token;
      t.Send(Next(t), 9, &token, sizeof token,
             {[](void* self, Status s) { static_cast<Relay*>(self)->Sent(s); }, this});
    }
    void Sent(const Status& status) {
      if (!status.ok() || --rounds_left == 0) return last.callback()(status);
      Receive();
    }
  };
  Relay relay{t};
  const int64_t start = 0;
  Pending first;
  if (t.rank() == 0) t.Send(Next(t), 9, &start, sizeof start, first.callback());
  relay.Receive();
  int64_t rest = 0;
  Pending end;
  if (t.rank() == 1) {  // the token's last way ends here
    Wait(t, relay.last);
    t.Recv(0, 9, &rest, sizeof rest, end.callback());
    Wait(t, end);
  }
  Wait(t, relay.last);
  EXPECT_TRUE(relay.last.status.ok()) << relay.last.status.ToString();
  EXPECT_EQ(relay.token, 99 * t.size() + (t.rank() == 0 ? t.size() : t.rank()));
  if (t.rank() == 0) Wait(t, first);
}

void AbortEndsEveryCall(Transport& t) {
  Meet(t);
  const Status reason = InvalidArgument("the step failed");
  std::vector<std::vector<char>> buffers(20, std::vector<char>(300000));
  std::deque<Pending> calls(21);
  // No call of these ever meets its other half.
  t.RecvLater(Previous(t), 99, buffers[0].data(), 8, calls[20].callback());
  for (uint32_t i = 0; i < 20; ++i) {
    if (i % 2 == 0) t.Recv(Previous(t), 100 + i, buffers[i].data(), buffers[i].size(), calls[i].callback());
    if (i % 2 == 1) t.Send(Next(t), 200 + i, buffers[i].data(), buffers[i].size(), calls[i].callback());
  }
  for (int i = 0; i < 10; ++i) t.Poll();
  t.Abort(reason);
  t.Abort(Internal("a later one"));
  for (size_t i = 0; i < calls.size(); ++i) {
    Wait(t, calls[i]);
    const bool may_have_left = i < 20 && i % 2 == 1;  // into memory of the network, whoever receives it
    if (may_have_left && calls[i].status.ok()) continue;
    EXPECT_EQ(calls[i].status, reason) << calls[i].status.ToString();
  }
  Pending late_send;
  Pending late_recv;
  Pending later_recv;
  t.Send(Next(t), 300, buffers[0].data(), 8, late_send.callback());
  t.Recv(Previous(t), 300, buffers[1].data(), 8, late_recv.callback());
  t.RecvLater(Previous(t), 301, buffers[1].data(), 8, later_recv.callback());
  for (const Pending* late : {&late_send, &late_recv, &later_recv}) {
    Wait(t, *late);
    EXPECT_EQ(late->status, reason);
  }
}

class Records final : public TraceSink {
 public:
  void AddPlan(uint64_t, FunctionRef<TraceNames()>) override { ADD_FAILURE() << "a transport knows no plans"; }
  void Add(const TraceRecord& record) override {
    MutexLock lock(mu_);
    all_.push_back(record);
  }
  std::vector<TraceRecord> Take() {
    MutexLock lock(mu_);
    return std::exchange(all_, {});
  }

 private:
  Mutex mu_;
  std::vector<TraceRecord> all_ GUARDED_BY(mu_);
};

// One record a message and end, whatever the size; of a call that ends with an error none.
void EachMessageIsRecorded(Transport& t) {
  Records sink;
  const std::vector<size_t> sizes = {0, 1, 64, 4096, 300001};
  const auto exchange = [&](int32_t channel, size_t bytes, size_t expected) {
    const std::vector<char> sent(bytes);
    std::vector<char> got(expected);
    Pending send;
    Pending recv;
    t.Send(Next(t), {channel, 1}, sent.data(), bytes, send.callback());
    if (channel % 2 == 0) t.Recv(Previous(t), {channel, 1}, got.data(), expected, recv.callback());
    if (channel % 2 == 1) t.RecvLater(Previous(t), {channel, 1}, got.data(), expected, recv.callback());
    Wait(t, send);
    Wait(t, recv);
  };
  exchange(0, 8, 8);
  t.Trace(&sink);
  const int64_t before_ns = TraceSink::NowNs();
  for (size_t i = 0; i < sizes.size(); ++i) exchange(static_cast<int32_t>(i), sizes[i], sizes[i]);
  const int64_t after_ns = TraceSink::NowNs();
  const std::vector<TraceRecord> records = sink.Take();
  EXPECT_EQ(records.size(), 2 * sizes.size());
  for (TraceRecord::Kind kind : {TraceRecord::Kind::kSend, TraceRecord::Kind::kRecv}) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto is_it = [&](const TraceRecord& r) { return r.kind == kind && r.channel == static_cast<int32_t>(i); };
      ASSERT_EQ(std::count_if(records.begin(), records.end(), is_it), 1) << sizes[i] << " bytes";
      const TraceRecord& r = *std::find_if(records.begin(), records.end(), is_it);
      EXPECT_EQ(r.slot, 1);
      EXPECT_EQ(r.peer, kind == TraceRecord::Kind::kSend ? Next(t) : Previous(t));
      EXPECT_EQ(r.bytes, static_cast<int64_t>(sizes[i]));
      EXPECT_LE(before_ns, r.start_ns);
      EXPECT_LE(r.start_ns, r.end_ns);
      EXPECT_LE(r.end_ns, after_ns);
    }
  }
  exchange(0, 32, 16);
  const std::vector<TraceRecord> of_wrong_size = sink.Take();
  ASSERT_EQ(of_wrong_size.size(), 1U);
  EXPECT_EQ(of_wrong_size[0].kind, TraceRecord::Kind::kSend);
  t.Trace(nullptr);
  exchange(0, 8, 8);
  EXPECT_TRUE(sink.Take().empty());
  Meet(t);
}

constexpr TransportCase kCases[] = {
    {"SaysWhatItIs", &SaysWhatItIs},
    {"SizesArriveWhole", &SizesArriveWhole},
    {"AReceiveMayComeFirst", &AReceiveMayComeFirst},
    {"AReceiveMayBeginLater", &AReceiveMayBeginLater},
    {"MessagesOfATagKeepTheirOrder", &MessagesOfATagKeepTheirOrder},
    {"TagsAreApart", &TagsAreApart},
    {"SlotsAreApart", &SlotsAreApart},
    {"AnotherSizeIsAnError", &AnotherSizeIsAnError},
    {"AnEmptyMessageCancels", &AnEmptyMessageCancels},
    {"ManyMessagesAtRandom", &ManyMessagesAtRandom},
    {"ManyThreadsMaySend", &ManyThreadsMaySend},
    {"CallbacksMayCall", &CallbacksMayCall},
    {"AbortEndsEveryCall", &AbortEndsEveryCall},
    {"EachMessageIsRecorded", &EachMessageIsRecorded},
};

}  // namespace

std::span<const TransportCase> TransportCases() {
  static const std::vector<TransportCase>& all = *[] {
    auto* cases = new std::vector<TransportCase>(std::begin(kCases), std::end(kCases));
    const std::span<const TransportCase> of_regions = RegionCases();
    cases->insert(cases->end(), of_regions.begin(), of_regions.end());
    return cases;
  }();
  return all;
}

}  // namespace dfrun::comm
