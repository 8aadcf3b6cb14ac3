// Sizes and times as people write them, in specs and on the command line: a number of bytes or seconds, or a number
// with a unit.
#ifndef DFRUN_SRC_BASE_UNITS_H_
#define DFRUN_SRC_BASE_UNITS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// "4096", "64KiB", "1.5 GiB". The units are KiB, MiB and GiB, of 1,024, 1,024^2 and 1,024^3 bytes.
inline constexpr std::string_view kBytesForms = "a number of bytes, or one with KiB, MiB or GiB";
// "90", "0.5", "90s", "1.5h". The units are s, m, h and d: seconds, minutes, hours and days.
inline constexpr std::string_view kSecondsForms = "a number of seconds, or one with s, m, h or d";

// Returns the bytes, or the seconds, that `text` says. One blank may stand before the unit. InvalidArgument for other
// texts, for numbers below 0, for sizes that are no whole number of bytes and for those beyond int64: the message goes
// on after the name of the value, "must be a number of bytes, ..., not '5M': ...".
// Thread safety: any thread.
Result<int64_t> ParseBytes(std::string_view text);
Result<double> ParseSeconds(std::string_view text);

// "75.1 KiB", "3.00 GiB", "512 bytes", for people.
std::string BytesText(int64_t bytes);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_UNITS_H_
