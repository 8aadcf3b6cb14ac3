// Makes text safe to show that may hold names and bytes of files: on a terminal, control characters would move the
// cursor, hide text or forge lines.
#ifndef DFRUN_SRC_BASE_PRINTABLE_H_
#define DFRUN_SRC_BASE_PRINTABLE_H_

#include <string>
#include <string_view>

namespace dfrun {

// Returns one line. Control characters, characters that cannot be seen or change the direction of writing, and bytes
// that are not UTF-8 become escapes (\n, \x1b, \u202e, \u00a0). A word of more than 512 bytes and a line of more than
// 16 KiB lose their middle.
std::string PrintableLine(std::string_view text);

// The text with its line feeds and tabs and all of its length; other control characters, those that change the
// direction of writing, and bytes that are not UTF-8 become escapes as above.
std::string WithoutControls(std::string_view text);

// Does the same as PrintableLine() for each line of a text. All lines but the first begin with two blanks, so that none
// looks like a message of its own.
std::string PrintableText(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_PRINTABLE_H_
