// A set of bytes in tr's notation: "A-Za-z", "0-9_".
#ifndef DFRUN_KERNELS_STRINGS_BYTE_SET_H_
#define DFRUN_KERNELS_STRINGS_BYTE_SET_H_

#include <array>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

class ByteSet {
 public:
  // InvalidArgument: an empty set, or a range that ends before it begins. A '-' at either end stands for itself.
  static Result<ByteSet> Parse(std::string_view text) {
    ByteSet set;
    for (size_t i = 0; i < text.size(); ++i) {
      const auto first = static_cast<unsigned char>(text[i]);
      const bool is_range = i + 2 < text.size() && text[i + 1] == '-';
      const auto last = is_range ? static_cast<unsigned char>(text[i + 2]) : first;
      if (last < first) return InvalidArgument("in '", text, "' a range ends before it begins");
      for (int byte = first; byte <= last; ++byte) set.holds_[static_cast<size_t>(byte)] = true;
      if (is_range) i += 2;
    }
    if (text.empty()) return InvalidArgument("a set of letters is empty");
    return set;
  }

  bool Holds(char byte) const { return holds_[static_cast<unsigned char>(byte)]; }

 private:
  std::array<bool, 256> holds_ = {};
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_BYTE_SET_H_
