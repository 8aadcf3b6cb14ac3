// Text that may hold names and bytes of files, made safe to show: on a terminal control characters would move the
// cursor, hide text or forge lines.
#ifndef DFRUN_SRC_BASE_PRINTABLE_H_
#define DFRUN_SRC_BASE_PRINTABLE_H_

#include <string>
#include <string_view>

namespace dfrun {

// One line. Control characters, those that change the direction of writing, and bytes that are of no UTF-8 character
// are written as escapes (\n, \x1b, \u202e). Of a word of more than 512 bytes, and of a line of more than 16 KiB, the
// middle is left out.
std::string PrintableLine(std::string_view text);

// The same for text of several lines: they stay apart, and all but the first begin with two blanks, so that none can be
// taken for a message of its own.
std::string PrintableText(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_PRINTABLE_H_
