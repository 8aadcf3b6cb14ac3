#include "comm/network_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <set>

#include "comm/in_process/in_process_transport.h"
#include "comm/staged_transport.h"

namespace dfrun::comm {
namespace {

// Counts what it registers, refuses more than `most` regions, and moves messages within one process.
class CountingTransport final : public Transport {
 public:
  struct Counts {
    int registered = 0;
    int unregistered = 0;
  };
  CountingTransport(std::shared_ptr<InProcessHub> hub, int most) : inner_(std::move(hub), 0), most_(most) {}

  std::string_view name() const override { return "counting"; }
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  int32_t max_channels() const override { return inner_.max_channels(); }
  int32_t max_slots() const override { return inner_.max_slots(); }
  Capabilities capabilities() const override { return {.registered_from = 100}; }
  Result<Region> Register(void* data, size_t bytes) override {
    if (counts_->registered == most_) return Error(Code::kResourceExhausted, "no more can be locked");
    ++counts_->registered;
    return Region(data, bytes, "", std::shared_ptr<void>(nullptr, [c = counts_](void*) { ++c->unregistered; }));
  }
  void Send(int peer, MessageTag tag, const void* data, size_t bytes, Callback done) override {
    last_data = data;
    inner_.Send(peer, tag, data, bytes, done);
  }
  void Recv(int peer, MessageTag tag, void* data, size_t bytes, Callback done) override {
    last_data = data;
    inner_.Recv(peer, tag, data, bytes, done);
  }
  bool Poll() override { return inner_.Poll(); }
  void Abort(const Status& status) override { inner_.Abort(status); }
  void Trace(TraceSink* sink) override { inner_.Trace(sink); }

  std::shared_ptr<Counts> counts() const { return counts_; }
  const void* last_data = nullptr;

 private:
  InProcessTransport inner_;
  const int most_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

TEST(NetworkMemory, GivesBlocksOfRegionsAgain) {
  CountingTransport transport(std::make_shared<InProcessHub>(1), 100);
  NetworkMemory memory(transport);
  std::set<void*> blocks;
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> taken;
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}, size_t{5100}, size_t{3} << 20}) {
      void* const block = memory.Allocate(bytes);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % Allocator::kAlignment, 0u);
      std::memset(block, round, bytes);
      EXPECT_TRUE(memory.Holds(block));
      taken.push_back(block);
    }
    EXPECT_EQ(std::set<void*>(taken.begin(), taken.end()).size(), taken.size());
    blocks.insert(taken.begin(), taken.end());
    const size_t sizes[] = {0, 1, 100, 5000, 5100, size_t{3} << 20};
    for (size_t i = 0; i < taken.size(); ++i) memory.Free(taken[i], sizes[i]);
  }
  EXPECT_EQ(blocks.size(), 6u) << "freed blocks are given again";
  EXPECT_EQ(transport.counts()->registered, 1);
  EXPECT_EQ(memory.Stats().bytes_in_use, 0);
  EXPECT_EQ(memory.Stats().allocations, 18);
  const int elsewhere = 0;
  EXPECT_FALSE(memory.Holds(&elsewhere));
}

TEST(NetworkMemory, ALargeBlockHasARegionOfItsOwn) {
  CountingTransport transport(std::make_shared<InProcessHub>(1), 100);
  NetworkMemory memory(transport);
  constexpr size_t kLarge = size_t{40} << 20;
  char* const block = static_cast<char*>(memory.Allocate(kLarge));
  EXPECT_TRUE(memory.Holds(block));
  EXPECT_TRUE(memory.Holds(block + kLarge - 1));
  EXPECT_GE(memory.Stats().bytes_reserved, static_cast<int64_t>(kLarge));
  memory.Free(block, kLarge);
}

TEST(NetworkMemory, TakesOtherMemoryWhereTheNetworkHasNoMore) {
  CountingTransport transport(std::make_shared<InProcessHub>(1), 1);
  NetworkMemory memory(transport);
  constexpr size_t kLarge = size_t{12} << 20;
  void* const first = memory.Allocate(kLarge);
  void* const second = memory.Allocate(kLarge);
  EXPECT_TRUE(memory.Holds(first));
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(memory.Holds(second));
  std::memset(second, 1, kLarge);
  memory.Free(second, kLarge);
  memory.Free(first, kLarge);
}

TEST(NetworkMemory, MayOutliveItsTransport) {
  auto transport = std::make_unique<CountingTransport>(std::make_shared<InProcessHub>(1), 100);
  const auto counts = transport->counts();
  std::optional<NetworkMemory> memory(std::in_place, *transport);
  void* const block = memory->Allocate(1000);
  transport.reset();
  std::memset(block, 1, 1000);
  memory->Free(block, 1000);
  EXPECT_EQ(counts->unregistered, 0);
  memory.reset();
  EXPECT_EQ(counts->registered, 1);
  EXPECT_EQ(counts->unregistered, 1);
}

// The self transport registers too, though its key opens nothing.
TEST(Region, EndsItsRegistration) {
  const auto hub = std::make_shared<InProcessHub>(1);
  InProcessTransport transport(hub, 0);
  char bytes[10] = {1, 2, 3};
  std::optional<Region> region(*transport.Register(bytes, sizeof bytes));
  const std::string key = region->key();
  const auto read = [&] {
    Status status;
    char got = 0;
    transport.Get(0, key, 2, &got, 1,
                  {[](void* arg, Status s) { *static_cast<Status*>(arg) = std::move(s); }, &status});
    while (transport.Poll()) {
    }
    EXPECT_EQ(got, status.ok() ? 3 : 0);
    return status.code();
  };
  EXPECT_EQ(read(), Code::kOk);
  region.reset();
  EXPECT_EQ(read(), Code::kInvalidArgument);
}

class StagedTransportTest : public ::testing::Test {
 protected:
  // Sends the bytes at `from` to this rank itself, and receives them at `to`. Returns both addresses as the network saw
  // them.
  std::pair<const void*, const void*> Move(const char* from, char* to, size_t bytes) {
    int ended = 0;
    const Callback count{[](void* arg, Status s) {
                           EXPECT_TRUE(s.ok()) << s.ToString();
                           ++*static_cast<int*>(arg);
                         },
                         &ended};
    staged_.Send(0, 1, from, bytes, count);
    const void* const sent = inner_->last_data;
    staged_.Recv(0, 1, to, bytes, count);
    const void* const received = inner_->last_data;
    while (staged_.Poll()) {
    }
    EXPECT_EQ(ended, 2);
    EXPECT_EQ(std::memcmp(from, to, bytes), 0);
    return {sent, received};
  }

  CountingTransport* const inner_ = new CountingTransport(std::make_shared<InProcessHub>(1), 100);
  NetworkMemory memory_{*inner_};
  StagedTransport staged_{std::unique_ptr<Transport>(inner_), memory_};
};

TEST_F(StagedTransportTest, MovesRegisteredMemoryStraightAndOtherThroughIt) {
  std::vector<char> other(1000, 7);
  std::vector<char> place(1000);
  auto* const registered = static_cast<char*>(memory_.Allocate(1000));
  std::memset(registered, 8, 1000);
  {
    const auto [sent, received] = Move(registered, place.data(), 1000);
    EXPECT_EQ(sent, registered);
    EXPECT_NE(received, place.data());
    EXPECT_TRUE(memory_.Holds(received));
  }
  {
    const auto [sent, received] = Move(other.data(), registered, 1000);
    EXPECT_NE(sent, other.data());
    EXPECT_TRUE(memory_.Holds(sent));
    EXPECT_EQ(received, registered);
  }
  {
    const auto [sent, received] = Move(other.data(), place.data(), 99);  // too small to matter
    EXPECT_EQ(sent, other.data());
    EXPECT_EQ(received, place.data());
  }
  memory_.Free(registered, 1000);
  EXPECT_EQ(memory_.Stats().bytes_in_use, 0);
}

}  // namespace
}  // namespace dfrun::comm
