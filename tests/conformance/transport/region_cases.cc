// Tests of the promises of comm/CONTRACT.md about registered memory and remote reads.
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

constexpr uint32_t kKeyTag = 31;

// Byte `i` of the memory of `rank`.
char ByteOf(int rank, size_t i) {
  const uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ULL + static_cast<uint64_t>(rank) * 0xD1B54A32D192ED03ULL;
  return static_cast<char>(mixed >> 53);
}

void Fill(const Region& region, int rank) {
  for (size_t i = 0; i < region.bytes(); ++i) region.data()[i] = ByteOf(rank, i);
}

bool IsPartOf(int rank, size_t offset, const char* got, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    if (got[i] != ByteOf(rank, offset + i)) return false;
  }
  return true;
}

// Sends a message of a stated size to the next rank, and receives one from the previous rank.
void Exchange(Transport& t, const void* sent, void* got, size_t bytes) {
  Pending send;
  Pending recv;
  t.Send(Next(t), kKeyTag, sent, bytes, send.callback());
  t.Recv(Previous(t), kKeyTag, got, bytes, recv.callback());
  Wait(t, send);
  Wait(t, recv);
  ASSERT_TRUE(send.status.ok()) << send.status.ToString();
  ASSERT_TRUE(recv.status.ok()) << recv.status.ToString();
}

// Returns the key of the previous rank.
std::string ExchangeKeys(Transport& t, const Region& region) {
  const uint64_t own_size = region.key().size();
  uint64_t size = 0;
  Exchange(t, &own_size, &size, sizeof size);
  // Keys have different sizes, so the message has room for any of them.
  std::string own = region.key();
  own.resize(Region::kMaxKeyBytes);
  std::string key(Region::kMaxKeyBytes, '\0');
  Exchange(t, own.data(), key.data(), key.size());
  key.resize(size);
  return key;
}

// Waits until the rank that reads this rank's region reports that it has done so; the region may be destroyed then.
void AwaitReader(Transport& t) {
  Pending told;
  Pending heard;
  t.Send(Previous(t), kKeyTag, nullptr, 0, told.callback());
  t.Recv(Next(t), kKeyTag, nullptr, 0, heard.callback());
  Wait(t, told);
  Wait(t, heard);
}

// Keeps a region for ever, because an aborted transport cannot report any more that a reader has read it.
const Region& KeepForEver(Region region) {
  static Mutex& mu = *new Mutex();
  static std::deque<Region>& kept = *new std::deque<Region>();
  MutexLock lock(mu);
  return kept.emplace_back(std::move(region));
}

Region NewRegion(Transport& t, size_t bytes) {
  Result<Region> region = t.NewRegion(bytes);
  EXPECT_TRUE(region.ok()) << region.status().ToString();
  if (!region.ok()) return {};
  EXPECT_EQ(region->bytes(), bytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(region->data()) % Allocator::kAlignment, 0u);
  EXPECT_LE(region->key().size(), Region::kMaxKeyBytes);
  return *std::move(region);
}

void CapabilitiesAreTrue(Transport& t) {
  const Capabilities can = t.capabilities();
  EXPECT_EQ(can.wants_registered(), can.registered_from != Capabilities::kNever);
  const Region region = NewRegion(t, 64);
  Fill(region, t.rank());
  EXPECT_EQ(!region.key().empty(), can.remote_read) << "a key is for remote reads";
  const std::string key = ExchangeKeys(t, region);
  char got[64];
  std::memset(got, 0x55, sizeof got);
  Pending read;
  t.Get(Previous(t), key, 0, got, sizeof got, read.callback());
  Wait(t, read);
  if (can.remote_read) {
    EXPECT_TRUE(read.status.ok()) << read.status.ToString();
    EXPECT_TRUE(IsPartOf(Previous(t), 0, got, sizeof got));
  } else {
    EXPECT_EQ(read.status.code(), Code::kUnimplemented) << read.status.ToString();
    for (const char byte : got) EXPECT_EQ(byte, 0x55);
  }
  AwaitReader(t);
}

// Sends from and to memory of both kinds of Region, at any offset, and again after other regions of the same memory are
// destroyed.
void RegisteredMemoryIsSent(Transport& t) {
  for (const size_t bytes : {size_t{1}, size_t{300}, size_t{70001}, size_t{3} << 20}) {
    std::vector<char> own(bytes + 5);
    for (int time = 0; time < 2; ++time) {
      const Result<Region> registered = t.Register(own.data(), own.size());
      ASSERT_TRUE(registered.ok()) << registered.status().ToString();
      EXPECT_EQ(registered->data(), own.data());
      EXPECT_EQ(registered->bytes(), own.size());
      Fill(*registered, t.rank());
      const Region made = NewRegion(t, bytes + 3);
      Pending calls[2];
      t.Send(Next(t), 8, own.data() + 5, bytes, calls[0].callback());
      t.Recv(Previous(t), 8, made.data() + 3, bytes, calls[1].callback());
      for (const Pending& call : calls) {
        Wait(t, call);
        EXPECT_TRUE(call.status.ok()) << call.status.ToString();
      }
      EXPECT_TRUE(IsPartOf(Previous(t), 5, made.data() + 3, bytes)) << bytes << " bytes";
    }
  }
}

void ReadsOfAllSizes(Transport& t) {
  if (!t.capabilities().remote_read) return;
  constexpr size_t kMax = size_t{64} << 20;
  const Region region = NewRegion(t, kMax + 7);
  Fill(region, t.rank());
  const std::string key = ExchangeKeys(t, region);
  std::vector<char> got(kMax + 16);
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{7}, size_t{64}, size_t{4096}, size_t{70001}, kMax}) {
    for (const size_t offset : {size_t{0}, size_t{3}, region.bytes() - bytes}) {
      if (offset + bytes > region.bytes()) continue;
      got[offset % 8 + bytes] = 0x55;
      Pending read;
      t.Get(Previous(t), key, offset, got.data() + offset % 8, bytes, read.callback());
      Wait(t, read);
      ASSERT_TRUE(read.status.ok()) << bytes << " bytes at " << offset << ": " << read.status.ToString();
      EXPECT_TRUE(IsPartOf(Previous(t), offset, got.data() + offset % 8, bytes)) << bytes << " bytes at " << offset;
      EXPECT_EQ(got[offset % 8 + bytes], 0x55);
    }
  }
  AwaitReader(t);
}

void ManyReadsInFlight(Transport& t) {
  if (!t.capabilities().remote_read) return;
  constexpr size_t kReads = 1000;
  const Region region = NewRegion(t, 1 << 20);
  Fill(region, t.rank());
  const std::string key = ExchangeKeys(t, region);
  struct Read {
    size_t offset;
    std::vector<char> got;
    Pending call;
  };
  std::deque<Read> reads(kReads);
  for (size_t i = 0; i < kReads; ++i) {
    reads[i].offset = i * 1013;
    reads[i].got.resize(i % 50 == 0 ? 30001 : i % 97);
    t.Get(Previous(t), key, reads[i].offset, reads[i].got.data(), reads[i].got.size(), reads[i].call.callback());
    if (i % 64 == 0) t.Poll();
  }
  for (const Read& read : reads) {
    Wait(t, read.call);
    EXPECT_TRUE(read.call.status.ok()) << read.call.status.ToString();
    EXPECT_TRUE(IsPartOf(Previous(t), read.offset, read.got.data(), read.got.size())) << "at " << read.offset;
  }
  AwaitReader(t);
}

void ReadsOutOfRangeAreRefused(Transport& t) {
  if (!t.capabilities().remote_read) return;
  const Region region = NewRegion(t, 1000);
  Fill(region, t.rank());
  const std::string key = ExchangeKeys(t, region);
  std::vector<char> got(2000, 0x55);
  const auto refused = [&](const std::string& of_key, size_t offset, size_t bytes) {
    Pending read;
    t.Get(Previous(t), of_key, offset, got.data(), bytes, read.callback());
    Wait(t, read);
    return read.status.code();
  };
  EXPECT_EQ(refused(key, 0, 1001), Code::kOutOfRange);
  EXPECT_EQ(refused(key, 1000, 1), Code::kOutOfRange);
  EXPECT_EQ(refused(key, 999, 2), Code::kOutOfRange);
  EXPECT_EQ(refused(key, SIZE_MAX, 2), Code::kOutOfRange);
  EXPECT_EQ(refused(key, 2, SIZE_MAX - 1), Code::kOutOfRange);
  EXPECT_EQ(refused("", 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(refused("no key of this transport", 0, 1), Code::kInvalidArgument);
  for (const char byte : got) EXPECT_EQ(byte, 0x55);
  EXPECT_EQ(refused(key, 1000, 0), Code::kOk);
  AwaitReader(t);
}

void AbortEndsReads(Transport& t) {
  if (!t.capabilities().remote_read) return;
  const Region& region = KeepForEver(NewRegion(t, 1 << 20));
  const std::string key = ExchangeKeys(t, region);
  const Status reason = InvalidArgument("the step failed");
  std::deque<Pending> calls(20);
  std::vector<std::vector<char>> got(calls.size(), std::vector<char>(300000));
  for (size_t i = 0; i < calls.size(); ++i) {
    t.Get(Previous(t), key, i, got[i].data(), got[i].size(), calls[i].callback());
  }
  t.Abort(reason);
  for (const Pending& call : calls) {
    Wait(t, call);
    EXPECT_TRUE(call.status.ok() || call.status == reason) << call.status.ToString();
  }
  Pending late;
  t.Get(Previous(t), key, 0, got[0].data(), 8, late.callback());
  Wait(t, late);
  EXPECT_EQ(late.status, reason);
}

constexpr TransportCase kCases[] = {
    {"CapabilitiesAreTrue", &CapabilitiesAreTrue},
    {"RegisteredMemoryIsSent", &RegisteredMemoryIsSent},
    {"ReadsOfAllSizes", &ReadsOfAllSizes},
    {"ManyReadsInFlight", &ManyReadsInFlight},
    {"ReadsOutOfRangeAreRefused", &ReadsOutOfRangeAreRefused},
    {"AbortEndsReads", &AbortEndsReads},
};

}  // namespace

std::span<const TransportCase> RegionCases() {
  return kCases;
}

}  // namespace dfrun::comm
