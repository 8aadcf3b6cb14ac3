#include "src/base/units.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "src/base/text.h"

namespace dfrun {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kSizes[] = {{"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}};
constexpr Unit kTimes[] = {{"d", 86'400}, {"h", 3'600}, {"m", 60}, {"s", 1}};

// Spellings of other programs, in lower case, and the unit that they may stand for.
struct Spelling {
  std::string_view written;
  std::string_view unit;
};
constexpr Spelling kOtherSizes[] = {{"k", "KiB"}, {"kb", "KiB"}, {"ki", "KiB"}, {"kib", "KiB"}, {"kbyte", "KiB"},
                                    {"m", "MiB"}, {"mb", "MiB"}, {"mi", "MiB"}, {"mib", "MiB"}, {"mbyte", "MiB"},
                                    {"g", "GiB"}, {"gb", "GiB"}, {"gi", "GiB"}, {"gib", "GiB"}, {"gbyte", "GiB"}};
constexpr Spelling kOtherTimes[] = {{"sec", "s"}, {"second", "s"}, {"min", "m"}, {"minute", "m"},
                                    {"hr", "h"},  {"hour", "h"},   {"day", "d"}};

// A kind of quantity: its units, their other spellings, and the sentence that lists its forms.
struct Kind {
  std::span<const Unit> units;
  std::span<const Spelling> others;
  std::string_view forms;
};
constexpr Kind kBytes{kSizes, kOtherSizes, kBytesForms};
constexpr Kind kSeconds{kTimes, kOtherTimes, kSecondsForms};

// A number and the text behind it, less one blank between them.
struct Parts {
  double number = 0;
  std::string_view number_text;
  std::string_view unit;
};

std::optional<Parts> Split(std::string_view text) {
  Parts parts;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), parts.number);
  if (error != std::errc() || !std::isfinite(parts.number)) return {};
  parts.number_text = text.substr(0, static_cast<size_t>(at - text.data()));
  parts.unit = text.substr(parts.number_text.size());
  if (parts.unit.size() > 1 && parts.unit[0] == ' ') parts.unit.remove_prefix(1);
  return parts;
}

const Unit* FindUnit(std::span<const Unit> units, std::string_view name) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

std::optional<double> ValueOf(const Kind& kind, std::string_view text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts) return {};
  if (parts->unit.empty()) return parts->number;
  const Unit* const unit = FindUnit(kind.units, parts->unit);
  return unit == nullptr ? std::nullopt : std::optional(parts->number * unit->factor);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::string NumberText(double number) {
  char text[512];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed);
  return std::string(text, end);
}

// The seconds of several numbers with units, "1h30m" or "1h 30m"; nothing for another text.
std::optional<double> SumOf(std::string_view text) {
  double sum = 0;
  while (!text.empty()) {
    const std::optional<Parts> first = Split(text);
    if (!first) return {};
    const size_t end = std::min(first->unit.find_first_of("0123456789 "), first->unit.size());
    const Unit* const unit = FindUnit(kTimes, first->unit.substr(0, end));
    if (unit == nullptr) return {};
    sum += first->number * unit->factor;
    text = first->unit.substr(end);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  return sum;
}

// The seconds in the largest unit that makes them a whole number: "90m".
std::string TimeText(double seconds) {
  for (const Unit& unit : kTimes) {
    const double count = seconds / unit.factor;
    if (count >= 1 && count == std::floor(count)) return StrCat(NumberText(count), unit.name);
  }
  return NumberText(seconds);
}

// Finds the unit that a spelling in lower case may stand for; "" where there is none.
std::string_view UnitNear(const Kind& kind, std::string_view written) {
  if (const Unit* const unit = FindUnit(kind.units, written)) return unit->name;
  const auto named = [&](const Spelling& other) { return other.written == written; };
  const auto found = std::find_if(kind.others.begin(), kind.others.end(), named);
  if (found != kind.others.end()) return found->unit;
  return written.size() > 2 && written.ends_with('s') ? UnitNear(kind, written.substr(0, written.size() - 1)) : "";
}

std::string AdviceOnBytes(const Parts& parts) {
  const std::string written = Lower(parts.unit);
  if (written == "b" || written == "byte" || written == "bytes") return StrCat(": write ", parts.number_text);
  const std::string_view near = UnitNear(kBytes, written);
  if (near.empty()) return "";
  if (written.find('i') != std::string::npos) return StrCat(", did you mean '", parts.number_text, near, "'?");
  const double of_thousands = near == "KiB" ? 1e3 : near == "MiB" ? 1e6 : 1e9;
  return StrCat(": ", parts.unit, " may stand for a power of 1,000 or of 1,024; write ", parts.number_text, near,
                ", or ", NumberText(std::round(parts.number * of_thousands)));
}

std::string AdviceOnSeconds(const Parts& parts, std::string_view text) {
  const std::string written = Lower(parts.unit);
  if (written == "ms") return StrCat(": write ", NumberText(parts.number / 1000), "s");
  if (const std::optional<double> sum = SumOf(text)) return StrCat(": it has one unit, write ", TimeText(*sum));
  const std::string_view near = UnitNear(kSeconds, written);
  return near.empty() ? "" : StrCat(", did you mean '", parts.number_text, near, "'?");
}

std::string AdviceOn(const Kind& kind, std::string_view text) {
  const std::optional<Parts> parts = Split(text);
  if (!parts || parts->unit.empty()) return "";
  return kind.forms == kBytesForms ? AdviceOnBytes(*parts) : AdviceOnSeconds(*parts, text);
}

Result<double> Parse(const Kind& kind, std::string_view text) {
  const std::optional<double> value = ValueOf(kind, text);
  if (!value) return InvalidArgument("must be ", kind.forms, ", not '", text, "'", AdviceOn(kind, text));
  if (*value < 0) return InvalidArgument("must be ", kind.forms, ", and not below 0, but is '", text, "'");
  if (!std::isfinite(*value)) return InvalidArgument("is '", text, "', beyond all numbers");
  return *value;
}

}  // namespace

Result<int64_t> ParseBytes(std::string_view text) {
  if (const std::optional<int64_t> whole = ParseAs<int64_t>(text); whole && *whole >= 0) return *whole;
  DF_ASSIGN(const double bytes, Parse(kBytes, text));
  if (bytes >= 0x1p63) return InvalidArgument("is '", text, "', more bytes than can be counted");
  if (bytes != std::floor(bytes)) return InvalidArgument("is '", text, "', which is no whole number of bytes");
  return static_cast<int64_t>(bytes);
}

Result<double> ParseSeconds(std::string_view text) {
  return Parse(kSeconds, text);
}

std::string BytesText(int64_t bytes) {
  for (const Unit& unit : kSizes) {
    const double count = static_cast<double>(bytes) / unit.factor;
    char text[64];
    std::snprintf(text, sizeof text, "%.*f ", count < 10 ? 2 : count < 100 ? 1 : 0, count);
    if (count >= 1) return StrCat(text, unit.name);
  }
  return StrCat(bytes, bytes == 1 ? " byte" : " bytes");
}

}  // namespace dfrun
