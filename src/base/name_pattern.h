// A shell's pattern over whole names of variables and the like.
//
//   *      any run of characters, '/' too
//   ?      one character
//   [a-c]  one of these; [!a-c] and [^a-c] one that is none of these
//   \x     x itself
//
// A '[' that is not closed stands for itself. A name that equals the text of the pattern matches whatever it holds.
// Paths of files are another matter: there `*` ends at a '/'.
#ifndef DFRUN_SRC_BASE_NAME_PATTERN_H_
#define DFRUN_SRC_BASE_NAME_PATTERN_H_

#include <bitset>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

// Thread safety: const methods from any thread.
class NamePattern {
 public:
  explicit NamePattern(std::string text);

  const std::string& text() const { return text_; }
  // The number of its stars.
  size_t num_stars() const;
  // Takes time of at most the product of both lengths.
  bool Matches(std::string_view name) const { return Captures(name).has_value(); }
  // The text of each star, each but the last as short as can be; nothing where the name does not match.
  std::optional<std::vector<std::string>> Captures(std::string_view name) const;
  // The text with the stars replaced, in their order. `runs` has num_stars() texts. The pattern has no other specials.
  std::string Fill(const std::vector<std::string>& runs) const;
  // Whether it has specials other than stars.
  bool HasOtherSpecials() const;
  // The least number of characters to change, add or take away before the name matches.
  size_t DistanceTo(std::string_view name) const;

 private:
  struct Piece {
    bool is_star = false;
    std::bitset<256> bytes = {};  // else: one byte of these
    bool is_plain = true;         // the one byte is written as itself
  };
  static Piece One(unsigned char byte);
  size_t AddSet(size_t at);

  std::string text_;
  std::vector<Piece> pieces_;
};

// At most `most` of the names, the nearest to the pattern first.
std::vector<std::string> NearestNames(const NamePattern& pattern, const std::vector<std::string>& names,
                                      size_t most = 3);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_NAME_PATTERN_H_
