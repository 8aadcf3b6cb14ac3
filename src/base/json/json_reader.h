// Reads JSON whose form is known beforehand: the caller asks for what must come next, and anything else is an error.
// Parts whose form is not known are read as trees.
//
//   JsonReader reader(text);
//   reader.BeginObject();
//   reader.Name("step");
//   const uint64_t step = reader.QuotedNumber();
//   reader.EndObject();
//   DF_TRY(reader.Finish());
#ifndef DFRUN_SRC_BASE_JSON_JSON_READER_H_
#define DFRUN_SRC_BASE_JSON_JSON_READER_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "src/base/json/json_value.h"
#include "src/base/status.h"

namespace dfrun {

// The first error is kept. After it every method returns an empty value or 0, and NextElement() false, so that the
// caller may check once, at the end. Members are read by name in their order; a member that is missing, unknown or
// doubled is an error.
// Thread safety: one thread.
class JsonReader {
 public:
  // `text` outlives it.
  explicit JsonReader(std::string_view text) : text_(text) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  // Reads the name of the next member, which must be this one.
  void Name(std::string_view name);
  // Reads the name of the next member and returns true if it is this one; else reads nothing.
  bool TryName(std::string_view name);

  void BeginArray() { Open('['); }
  // Returns true if a further element follows. After the last element it reads the end of the array.
  bool NextElement();

  // Reads the name of the next member, whatever it is, into `name`. After the last member it reads the end of the
  // object and returns false.
  bool NextName(std::string* name);

  // Reads a value of any form, and of about so many bytes at most. An error where it is longer or nested deeper than
  // JsonValue::kMaxDepth, and where an object has a member twice.
  JsonValue Value(size_t most_bytes = std::numeric_limits<size_t>::max());
  std::string String();
  // Read a whole number from 0 to `most` without leading zeros; QuotedNumber() one in quotes, as protobuf writes
  // numbers of 64 bits.
  uint64_t Number(uint64_t most);
  uint64_t QuotedNumber(uint64_t most = std::numeric_limits<int64_t>::max());

  bool ok() const { return status_.ok(); }
  // Returns the first error: DataLoss names the byte at which the text differs from the expected form, also where text
  // is left over.
  Status Finish();

 private:
  void Open(char bracket);
  void Close(char bracket);
  // Skips white space.
  char Peek();
  void Expect(char c);
  void Separate();
  JsonValue ValueAt(int depth);
  JsonValue ObjectAt(int depth);
  // Reads true, false, null or a number.
  JsonValue Word();
  void AppendEscape(std::string& out);
  uint32_t Hex4();
  void Fail(std::string_view wanted);

  const std::string_view text_;
  size_t at_ = 0;
  size_t value_end_ = 0;  // the largest end of the value that Value() reads
  bool first_ = true;     // in the current object or array: no comma comes first
  Status status_;
};

// Reads a text that is one value. DataLoss where it is no JSON, where an object has a member twice, and beyond
// JsonValue::kMaxDepth. Safe on hostile text.
Result<JsonValue> ParseJson(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_JSON_JSON_READER_H_
