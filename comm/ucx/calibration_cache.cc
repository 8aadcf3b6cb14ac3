#include "comm/ucx/calibration_cache.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "comm/transport.h"
#include "src/base/crc32c.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/base/user_cache.h"

namespace dfrun::comm {
namespace {

constexpr std::string_view kMark = "dfrun UCX reading ";
constexpr std::string_view kVersion = "1 ";
constexpr size_t kMaxFileBytes = size_t{256} << 10;
constexpr size_t kMaxThresholds = 200;
constexpr std::string_view kNever = "never";
constexpr size_t kFields = 7;

std::string Checksum(std::string_view lines) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", Crc32c(lines.data(), lines.size()));
  return text;
}

std::array<std::string CalibrationKey::*, kFields - 1> KeyFields() {
  return {&CalibrationKey::version, &CalibrationKey::pair, &CalibrationKey::lanes,
          &CalibrationKey::cpu,     &CalibrationKey::load, &CalibrationKey::settings};
}

// Removes the text before the next `end`, and `end` itself, from `text` and returns it; nullopt if there is no `end`.
std::optional<std::string_view> TakeUntil(char end, std::string_view& text) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

std::optional<CachedThreshold> ParseLine(std::string_view line) {
  CachedThreshold reading;
  for (std::string CalibrationKey::*const field : KeyFields()) {
    const std::optional<std::string_view> text = TakeUntil('\t', line);
    if (!text) return {};
    reading.key.*field = *text;
  }
  const std::optional<size_t> from = line == kNever ? Capabilities::kNever : ParseAs<size_t>(line);
  if (!from) return {};
  reading.from = *from;
  return reading;
}

// Returns whether the text is what a full disk or a crash of the host leaves of a file.
bool IsUnwritten(std::string_view text) {
  return kMark.starts_with(text) || text.find_first_not_of('\0') == std::string_view::npos;
}

// Replaces characters that would end a field: names come from outside.
std::string OneField(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

}  // namespace

std::string PrintThresholds(const std::vector<CachedThreshold>& readings) {
  std::string lines;
  for (const CachedThreshold& reading : readings) {
    for (std::string CalibrationKey::*const field : KeyFields()) lines += OneField(reading.key.*field) + "\t";
    lines += reading.from == Capabilities::kNever ? kNever : std::to_string(reading.from);
    lines += "\n";
  }
  return StrCat(kMark, kVersion, Checksum(lines), "\n", lines);
}

Result<std::vector<CachedThreshold>> ParseThresholds(std::string_view text) {
  if (IsUnwritten(text)) return Error(Code::kDataLoss, "it ends before its first line does: it was not written out");
  if (!text.starts_with(kMark)) return FailedPrecondition("dfrun has not written this file");
  const std::optional<std::string_view> first = TakeUntil('\n', text);
  if (!first) return Error(Code::kDataLoss, "its first line has no end");
  if (!first->substr(kMark.size()).starts_with(kVersion)) {
    return FailedPrecondition("another version of dfrun has written this file");
  }
  if (first->substr(kMark.size() + kVersion.size()) != Checksum(text)) {
    return Error(Code::kDataLoss, "it is not as it was written: its checksum differs");
  }
  std::vector<CachedThreshold> readings;
  while (!text.empty()) {
    const std::optional<std::string_view> line = TakeUntil('\n', text);
    std::optional<CachedThreshold> reading = line ? ParseLine(*line) : std::nullopt;
    if (!reading)
      return Error(Code::kDataLoss, "line ", readings.size() + 2, " does not have its ", kFields, " fields");
    readings.push_back(*std::move(reading));
  }
  return readings;
}

std::string DescribeRndvFrom(size_t from) {
  return from == Capabilities::kNever ? "never read" : StrCat("read from ", from, " bytes on");
}

CalibrationCache CalibrationCache::OfUser() {
  const std::string folder = UserCacheFolder();
  return CalibrationCache(folder.empty() ? "" : folder + "/ucx-reading");
}

Result<std::vector<CachedThreshold>> CalibrationCache::Read() const {
  Result<std::string> text = ReadFile(path_, kMaxFileBytes);
  if (!text.ok() && text.status().code() == Code::kNotFound) return std::vector<CachedThreshold>();
  DF_TRY(text.status());
  if (text->empty()) return std::vector<CachedThreshold>();  // a full disk has left an empty file
  Result<std::vector<CachedThreshold>> readings = ParseThresholds(*text);
  if (!readings.ok()) return readings.status().Annotate(path_);
  return readings;
}

Status CalibrationCache::Keep(const std::vector<CachedThreshold>& readings) const {
  Result<std::vector<CachedThreshold>> earlier = Read();
  if (!earlier.ok() && earlier.status().code() != Code::kDataLoss) return earlier.status();
  std::vector<CachedThreshold> all = earlier.ok() ? *std::move(earlier) : std::vector<CachedThreshold>();
  for (const CachedThreshold& reading : readings) {
    std::erase_if(all, [&](const CachedThreshold& old) { return old.key == reading.key; });
    all.push_back(reading);
  }
  if (all.size() > kMaxThresholds) all.erase(all.begin(), all.end() - kMaxThresholds);
  DF_TRY(MakeDirectories(ParentDirectory(path_)));
  return WriteFileAtomically(path_, PrintThresholds(all));
}

}  // namespace dfrun::comm
