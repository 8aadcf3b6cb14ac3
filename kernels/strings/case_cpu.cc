#include <clocale>
#include <cwctype>

#include "kernels/strings/string_map.h"

namespace dfrun {
namespace {

// Unicode's mapping of single characters, from the C library.
class UnicodeCase {
 public:
  UnicodeCase() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
  UnicodeCase(const UnicodeCase&) = delete;
  UnicodeCase& operator=(const UnicodeCase&) = delete;
  ~UnicodeCase() {
    if (locale_ != nullptr) freelocale(locale_);
  }
  bool known() const { return locale_ != nullptr; }
  wchar_t Map(wchar_t c, bool upper) const {
    return static_cast<wchar_t>(upper ? towupper_l(static_cast<wint_t>(c), locale_)
                                      : towlower_l(static_cast<wint_t>(c), locale_));
  }

 private:
  locale_t locale_;
};

constexpr uint32_t kReplacement = 0xFFFD;

// The character at byte `at`, which moves past it; kReplacement for what is no UTF-8.
uint32_t TakeCharacter(const std::string& text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4) return kReplacement;
  uint32_t code = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0U) != 0x80U) return kReplacement;
    code = code << 6U | (byte(at++) & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool valid = code >= kLeast[more - 1] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? code : kReplacement;
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
    std::string result;
    result.reserve(text.size());
    if (!unicode_) {
      for (char c : text) result += Ascii(c);
      return result;
    }
    for (size_t at = 0; at < text.size();) {
      const uint32_t code = TakeCharacter(text, at);
      AppendCharacter(static_cast<uint32_t>(Mapping().Map(static_cast<wchar_t>(code), kUpper)), result);
    }
    return result;
  }

 private:
  static const UnicodeCase& Mapping() {
    static const UnicodeCase mapping;
    return mapping;
  }
  static char Ascii(char c) {
    const bool changes = kUpper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    return changes ? static_cast<char>(c ^ 0x20) : c;
  }

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
