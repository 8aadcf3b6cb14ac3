#include "kernels/io/sample_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dfrun {
namespace {

// One that some readers have not finished, the next, and the one after that.
constexpr size_t kKeptEpochs = 3;

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every platform.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t state) : state_(state) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // A uniform number in [0, n). Numbers beyond the last multiple of n are rejected.
  uint64_t Below(uint64_t n) {
    uint64_t x = Next();
    while (x > UINT64_MAX - n && x >= UINT64_MAX - UINT64_MAX % n) x = Next();
    return x % n;
  }

 private:
  uint64_t state_;
};

}  // namespace

int64_t SampleOrder::RowAt(int64_t position) {
  int64_t row = 0;
  RowsFrom(position, {&row, 1});
  return row;
}

void SampleOrder::RowsFrom(int64_t position, std::span<int64_t> rows) {
  while (!rows.empty()) {
    const int64_t offset = position % samples_;
    const auto count = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(rows.size()), samples_ - offset));
    if (shuffle_) {
      MutexLock lock(mu_);
      std::copy_n(PermutationOf(position / samples_).begin() + offset, count, rows.begin());
    } else {
      std::iota(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), offset);
    }
    rows = rows.subspan(count);
    position += static_cast<int64_t>(count);
  }
}

std::optional<int64_t> SampleOrder::EpochToDraw(int64_t position) {
  if (!shuffle_) return {};
  const int64_t next = position / samples_ + 1;
  MutexLock lock(mu_);
  if (next == to_draw_ || permutations_.count(next) > 0) return {};
  to_draw_ = next;
  return next;
}

void SampleOrder::Draw(int64_t epoch) {
  Permutation drawn = Drawn(epoch);
  MutexLock lock(mu_);
  if (permutations_.count(epoch) == 0) Keep(epoch, std::move(drawn));
}

const SampleOrder::Permutation& SampleOrder::PermutationOf(int64_t epoch) {
  if (auto it = permutations_.find(epoch); it != permutations_.end()) return it->second;
  return Keep(epoch, Drawn(epoch));
}

const SampleOrder::Permutation& SampleOrder::Keep(int64_t epoch, Permutation permutation) {
  if (permutations_.size() == kKeptEpochs) permutations_.erase(permutations_.begin());
  return permutations_[epoch] = std::move(permutation);
}

SampleOrder::Permutation SampleOrder::Drawn(int64_t epoch) const {
  Permutation rows(static_cast<size_t>(samples_));
  std::iota(rows.begin(), rows.end(), 0);
  SplitMix64 random(seed_ * 0x9e3779b97f4a7c15U + static_cast<uint64_t>(epoch));
  if (buffer_ > 0) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const size_t held = std::min<size_t>(static_cast<size_t>(buffer_), rows.size() - i);
      std::swap(rows[i], rows[i + random.Below(held)]);
    }
  } else {
    for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.Below(i)]);
  }
  return rows;
}

}  // namespace dfrun
