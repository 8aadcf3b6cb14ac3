// A list of texts in one string, in which ranks exchange texts at start.
#ifndef DFRUN_COMM_UCX_PART_UCX_TEXTS_H_
#define DFRUN_COMM_UCX_PART_UCX_TEXTS_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dfrun::comm {

// Appends a text; its size stands before it.
inline void AppendText(std::string& texts, std::string_view text) {
  const uint64_t size = text.size();
  texts.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
}

// Reads the texts in their order.
class UcxTexts {
 public:
  explicit UcxTexts(std::string_view bytes) : bytes_(bytes) {}
  // Returns the next text; an empty one if the bytes end before it.
  std::string Next() {
    uint64_t size = 0;
    if (bytes_.size() < sizeof size) return "";
    std::memcpy(&size, bytes_.data(), sizeof size);
    bytes_.remove_prefix(sizeof size);
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view bytes_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_TEXTS_H_
