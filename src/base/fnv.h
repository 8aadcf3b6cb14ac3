// FNV-1a of 64 bits (Fowler, Noll and Vo), a hash that is the same in every process and build.
#ifndef DFRUN_SRC_BASE_FNV_H_
#define DFRUN_SRC_BASE_FNV_H_

#include <cstdint>
#include <string_view>

namespace dfrun {

// Thread safety: one thread.
class Fnv1a {
 public:
  void Add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_FNV_H_
