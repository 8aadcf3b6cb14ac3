// Numbers of seven bits a byte, as protobuf and LevelDB write them.
#ifndef DFRUN_SRC_BASE_VARINT_H_
#define DFRUN_SRC_BASE_VARINT_H_

#include <cstdint>
#include <string>

namespace dfrun {

// Appends the number, its lowest bits first.
inline void AppendVarint(uint64_t number, std::string& to) {
  for (; number >= 0x80; number >>= 7) to += static_cast<char>(number | 0x80);
  to += static_cast<char>(number);
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_VARINT_H_
