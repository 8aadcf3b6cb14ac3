// The content behind a handle that is an op's output 0: the node that made a handle to a variable, list, array or table
// states the shape behind it.
#ifndef DFRUN_SRC_FRAMEWORK_OP_HANDLE_CONTENT_H_
#define DFRUN_SRC_FRAMEWORK_OP_HANDLE_CONTENT_H_

#include <cstdint>

namespace dfrun {

// The source of the shape of the elements behind the handle.
struct HandleContent {
  enum class Kind : uint8_t {
    kNone,     // output 0 is no handle, or its content is not known
    kScalars,  // values of a table
    kAttr,     // the shape that `attr` is
    kValue,    // the shape that the integer vector input `input` spells
    kLike,     // the shape of the list or array behind input `input`, which the op changes or copies
    kJoined,   // the shape of both lists behind inputs 0 and 1
  };

  Kind kind = Kind::kNone;
  int input = 0;
  const char* attr = "";  // a literal

  static constexpr HandleContent Scalars() { return {Kind::kScalars, 0, ""}; }
  static constexpr HandleContent Attr(const char* attr) { return {Kind::kAttr, 0, attr}; }
  static constexpr HandleContent Value(int input) { return {Kind::kValue, input, ""}; }
  static constexpr HandleContent Like(int input) { return {Kind::kLike, input, ""}; }
  static constexpr HandleContent Joined() { return {Kind::kJoined, 0, ""}; }
};

// The kind of queue that output 0 is a handle of.
enum class QueueKind : uint8_t { kNone, kFirstInFirstOut, kPadding, kShuffling, kPriority };

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_HANDLE_CONTENT_H_
