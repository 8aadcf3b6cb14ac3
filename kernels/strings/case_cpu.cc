#include <algorithm>
#include <clocale>
#include <cwctype>

#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/special_capitals.h"
#include "kernels/strings/string_map.h"

namespace dfrun {
namespace {

// Unicode's mapping of one character to one, from the C library.
class UnicodeCase {
 public:
  UnicodeCase() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
  UnicodeCase(const UnicodeCase&) = delete;
  UnicodeCase& operator=(const UnicodeCase&) = delete;
  ~UnicodeCase() {
    if (locale_ != nullptr) freelocale(locale_);
  }
  bool known() const { return locale_ != nullptr; }
  uint32_t Upper(uint32_t c) const { return towupper_l(c, locale_); }
  uint32_t Lower(uint32_t c) const { return towlower_l(c, locale_); }
  bool IsCased(uint32_t c) const { return Upper(c) != c || Lower(c) != c; }

 private:
  locale_t locale_;
};

constexpr uint32_t kReplacement = 0xFFFD;

// True if `second` may follow `first` in UTF-8: no character in more bytes than it needs, no surrogate, none above
// U+10FFFF.
bool MayFollow(unsigned char first, unsigned char second) {
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}

// The character at byte `at`, which moves past it; kReplacement for the longest piece that could begin one but does not
// end it.
uint32_t TakeCharacter(const std::string& text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  if (first < 0xC2 || first > 0xF4) return kReplacement;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  uint32_t code = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || !MayFollow(i == 0 ? first : 0x80, byte(at))) return kReplacement;
    code = code << 6U | (byte(at++) & 0x3FU);
  }
  return code;
}

void AppendCharacter(uint32_t code, std::string& text) {
  const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0U | code >> 6U);
  } else if (code < 0x10000) {
    add(0xE0U | code >> 12U);
    add(0x80U | (code >> 6U & 0x3FU));
  } else {
    add(0xF0U | code >> 18U);
    add(0x80U | (code >> 12U & 0x3FU));
    add(0x80U | (code >> 6U & 0x3FU));
  }
  add(0x80U | (code & 0x3FU));
}

const UnicodeCase& Mapping() {
  static const UnicodeCase mapping;
  return mapping;
}

void AppendUpper(uint32_t code, std::string& text) {
  const auto* const at = std::lower_bound(std::begin(kSpecialCapitals), std::end(kSpecialCapitals), code,
                                          [](const SpecialCapital& s, uint32_t c) { return s.character < c; });
  if (at == std::end(kSpecialCapitals) || at->character != code) return AppendCharacter(Mapping().Upper(code), text);
  for (uint32_t capital : at->capitals) {
    if (capital != 0) AppendCharacter(capital, text);
  }
}

std::string UnicodeUpper(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size();) AppendUpper(TakeCharacter(text, at), result);
  return result;
}

constexpr uint32_t kSigma = 0x3A3;
constexpr uint32_t kFinalSigma = 0x3C2;
constexpr uint32_t kDottedI = 0x130;
constexpr uint32_t kDotAbove = 0x307;

// A capital sigma at the end of a word has a small letter of its own, and an I with a dot keeps its dot.
std::string UnicodeLower(const std::string& text) {
  std::string result;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const uint32_t code = TakeCharacter(text, at);
    size_t next = at;
    const bool ends_word = next >= text.size() || !Mapping().IsCased(TakeCharacter(text, next));
    if (code == kSigma && in_word && ends_word) {
      AppendCharacter(kFinalSigma, result);
    } else if (code == kDottedI) {
      result += 'i';
      AppendCharacter(kDotAbove, result);
    } else {
      AppendCharacter(Mapping().Lower(code), result);
    }
    in_word = Mapping().IsCased(code);
  }
  return result;
}

template <bool kUpper>
class ChangeCase {
 public:
  explicit ChangeCase(KernelSetup& setup) {
    const auto encoding = setup.attr<std::string>("encoding");
    unicode_ = encoding == "utf-8";
    if (!encoding.empty() && !unicode_) {
      setup.Fail(InvalidArgument("unknown encoding '", encoding, "': it is empty or 'utf-8'"));
    }
    if (unicode_ && !Mapping().known()) setup.Fail(Unimplemented("this system has no locale C.UTF-8"));
  }

  std::string operator()(const std::string& text) const {
    if (unicode_) return kUpper ? UnicodeUpper(text) : UnicodeLower(text);
    std::string result = text;
    for (char& c : result) {
      const bool changes = kUpper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
      if (changes) c = static_cast<char>(c ^ 0x20);
    }
    return result;
  }

 private:
  bool unicode_ = false;
};

struct Strip {
  explicit Strip(KernelSetup&) {}
  std::string operator()(const std::string& text) const {
    constexpr const char* kSpace = " \t\n\v\f\r";
    const size_t first = text.find_first_not_of(kSpace);
    if (first == std::string::npos) return std::string();
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  }
};

CPU_KERNEL_ANY("StringLower", MapStrings<ChangeCase<false>>);
CPU_KERNEL_ANY("StringUpper", MapStrings<ChangeCase<true>>);
CPU_KERNEL_ANY("StringStrip", MapStrings<Strip>);

}  // namespace
}  // namespace dfrun
