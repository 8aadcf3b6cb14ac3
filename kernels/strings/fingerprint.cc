// The algorithm is that of FarmHash's Fingerprint64; its constants and the order of its steps are the definition.
#include "kernels/strings/fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace dfrun {
namespace {

constexpr uint64_t kPrime0 = 0xc3a5c85c97cb3127ULL;
constexpr uint64_t kPrime1 = 0xb492b66fbe98f273ULL;
constexpr uint64_t kPrime2 = 0x9ae16a3b2f90404fULL;

// Little-endian numbers of the bytes.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : data_(bytes.data()), size_(bytes.size()) {}
  uint64_t size() const { return size_; }
  uint64_t Word(size_t at) const { return Load<uint64_t>(at); }
  uint64_t Half(size_t at) const { return Load<uint32_t>(at); }
  uint64_t Byte(size_t at) const { return static_cast<unsigned char>(data_[at]); }

 private:
  template <class T>
  uint64_t Load(size_t at) const {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, data_ + at, sizeof value);
    return value;
  }
  const char* data_;
  size_t size_;
};

uint64_t Mixed(uint64_t x) {
  return x ^ (x >> 47U);
}

uint64_t Combine(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = Mixed((u ^ v) * factor);
  return Mixed((v ^ a) * factor) * factor;
}

uint64_t UpTo16(const Bytes& s) {
  const uint64_t size = s.size();
  const uint64_t factor = kPrime2 + size * 2;
  if (size >= 8) {
    const uint64_t a = s.Word(0) + kPrime2;
    const uint64_t b = s.Word(size - 8);
    const uint64_t c = std::rotr(b, 37) * factor + a;
    const uint64_t d = (std::rotr(a, 25) + b) * factor;
    return Combine(c, d, factor);
  }
  if (size >= 4) return Combine(size + (s.Half(0) << 3U), s.Half(size - 4), factor);
  if (size == 0) return kPrime2;
  const uint64_t y = s.Byte(0) + (s.Byte(size >> 1U) << 8U);
  const uint64_t z = size + (s.Byte(size - 1) << 2U);
  return Mixed(y * kPrime2 ^ z * kPrime0) * kPrime2;
}

uint64_t From17To32(const Bytes& s) {
  const uint64_t size = s.size();
  const uint64_t factor = kPrime2 + size * 2;
  const uint64_t a = s.Word(0) * kPrime1;
  const uint64_t b = s.Word(8);
  const uint64_t c = s.Word(size - 8) * factor;
  const uint64_t d = s.Word(size - 16) * kPrime2;
  return Combine(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kPrime2, 18) + c, factor);
}

uint64_t From33To64(const Bytes& s) {
  const uint64_t size = s.size();
  const uint64_t factor = kPrime2 + size * 2;
  const uint64_t a = s.Word(0) * kPrime2;
  const uint64_t b = s.Word(8);
  const uint64_t c = s.Word(size - 8) * factor;
  const uint64_t d = s.Word(size - 16) * kPrime2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = Combine(y, a + std::rotr(b + kPrime2, 18) + c, factor);
  const uint64_t e = s.Word(16) * factor;
  const uint64_t f = s.Word(24);
  const uint64_t g = (y + s.Word(size - 32)) * factor;
  const uint64_t h = (z + s.Word(size - 24)) * factor;
  return Combine(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

using Pair = std::pair<uint64_t, uint64_t>;

// Takes 32 bytes into a pair of sums.
Pair Take32(const Bytes& s, size_t at, uint64_t a, uint64_t b) {
  const uint64_t z = s.Word(at + 24);
  a += s.Word(at);
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += s.Word(at + 8) + s.Word(at + 16);
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

// The state that blocks of 64 bytes go through.
struct LongState {
  uint64_t x;
  uint64_t y;
  uint64_t z;
  Pair v;
  Pair w;

  void TakeBlock(const Bytes& s, size_t at) {
    x = std::rotr(x + y + v.first + s.Word(at + 8), 37) * kPrime1;
    y = std::rotr(y + v.second + s.Word(at + 48), 42) * kPrime1;
    x ^= w.second;
    y += v.first + s.Word(at + 40);
    z = std::rotr(z + w.first, 33) * kPrime1;
    v = Take32(s, at, v.second * kPrime1, x + w.first);
    w = Take32(s, at + 32, z + w.second, y + s.Word(at + 16));
    std::swap(z, x);
  }

  // The last 64 bytes, which may have been seen in part.
  uint64_t Finish(const Bytes& s, size_t at) {
    const uint64_t factor = kPrime1 + ((z & 0xffU) << 1U);
    w.first += (s.size() - 1) & 63U;
    v.first += w.first;
    w.first += v.first;
    x = std::rotr(x + y + v.first + s.Word(at + 8), 37) * factor;
    y = std::rotr(y + v.second + s.Word(at + 48), 42) * factor;
    x ^= w.second * 9;
    y += v.first * 9 + s.Word(at + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = Take32(s, at, v.second * factor, x + w.first);
    w = Take32(s, at + 32, z + w.second, y + s.Word(at + 16));
    std::swap(z, x);
    return Combine(Combine(v.first, w.first, factor) + Mixed(y) * kPrime0 + z, Combine(v.second, w.second, factor) + x,
                   factor);
  }
};

uint64_t Above64(const Bytes& s) {
  constexpr uint64_t kSeed = 81;
  LongState state{};
  state.x = kSeed * kPrime2 + s.Word(0);
  state.y = kSeed * kPrime1 + 113;
  state.z = Mixed(state.y * kPrime2 + 113) * kPrime2;
  const size_t last = (s.size() - 1) / 64 * 64;
  for (size_t at = 0; at < last; at += 64) state.TakeBlock(s, at);
  return state.Finish(s, s.size() - 64);
}

}  // namespace

uint64_t Fingerprint64(std::string_view bytes) {
  const Bytes s(bytes);
  if (bytes.size() <= 16) return UpTo16(s);
  if (bytes.size() <= 32) return From17To32(s);
  if (bytes.size() <= 64) return From33To64(s);
  return Above64(s);
}

}  // namespace dfrun
