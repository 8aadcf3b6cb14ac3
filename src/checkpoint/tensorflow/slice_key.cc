#include "src/checkpoint/tensorflow/slice_key.h"

#include <bit>

namespace dfrun {
namespace {

// A number as its length in bytes and these, the highest first.
void AppendOrdered(uint64_t number, std::string& to) {
  const int bytes = (std::bit_width(number) + 7) / 8;
  to += static_cast<char>(bytes);
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(number >> (8 * i));
}

// A text with an end that is none of its parts.
void AppendOrdered(std::string_view text, std::string& to) {
  for (const char c : text) {
    to += c;
    if (c == '\0') to += '\xff';
    if (c == '\xff') to += '\0';
  }
  to += '\0';
  to += '\1';
}

// A number with a sign: its bytes, the highest first, whose leading bits tell how many there are.
void AppendSigned(int64_t number, std::string& to) {
  constexpr int kMaxBytes = 10;
  constexpr unsigned char kHeaders[kMaxBytes + 1][2] = {{0, 0},    {0x80, 0},    {0xc0, 0},   {0xe0, 0},
                                                        {0xf0, 0}, {0xf8, 0},    {0xfc, 0},   {0xfe, 0},
                                                        {0xff, 0}, {0xff, 0x80}, {0xff, 0xc0}};
  const auto magnitude = static_cast<uint64_t>(number < 0 ? ~number : number);
  const int bytes = std::bit_width(magnitude) / 7 + 1;  // each has a bit of the length, and one is the sign
  const unsigned char fill = number < 0 ? 0xff : 0;
  for (int i = 0; i < bytes; ++i) {
    const int place = bytes - 1 - i;
    const unsigned char byte =
        place >= 8 ? fill : static_cast<unsigned char>(static_cast<uint64_t>(number) >> (8 * place));
    to += static_cast<char>(i < 2 ? byte ^ kHeaders[bytes][i] : byte);
  }
}

}  // namespace

std::string SliceKey(std::string_view name, std::span<const SliceExtent> extents) {
  std::string key;
  AppendOrdered(uint64_t{0}, key);
  AppendOrdered(name, key);
  AppendOrdered(static_cast<uint64_t>(extents.size()), key);
  for (const SliceExtent& extent : extents) {
    AppendSigned(extent.start, key);
    AppendSigned(extent.length, key);
  }
  return key;
}

}  // namespace dfrun
