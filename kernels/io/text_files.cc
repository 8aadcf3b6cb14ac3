#include "kernels/io/text_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kernels/io/record_source.h"
#include "kernels/strings/parse_number.h"

namespace dfrun {
namespace {

constexpr size_t kHeadBytes = 512;

std::vector<std::string> SplitNames(std::string_view names) {
  if (names.size() > 2 && names.front() == '[' && names.back() == ']') names = names.substr(1, names.size() - 2);
  std::vector<std::string> out;
  for (size_t at = 0; at <= names.size();) {
    const size_t end = std::min(names.find(',', at), names.size());
    if (const std::string_view name = Trimmed(names.substr(at, end - at)); !name.empty()) out.emplace_back(name);
    at = end + 1;
  }
  return out;
}

// RFC 1950: the method is 8, the window is at most 32 KiB, and the first two bytes are a multiple of 31.
bool MayBeZlib(std::string_view head) {
  if (head.size() < 2) return false;
  const auto cmf = static_cast<unsigned char>(head[0]);
  const auto flags = static_cast<unsigned char>(head[1]);
  return (cmf & 0x0fU) == 8 && cmf >> 4 <= 7 && (cmf * 256U + flags) % 31 == 0;
}

// Compressed data soon has a byte that no text has.
bool LooksLikeText(std::string_view head) {
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && (byte < '\t' || byte > '\r');
  });
}

}  // namespace

Result<std::vector<std::string>> NamedTextFiles(const std::vector<std::string>& names, const FileAccess& access) {
  std::vector<std::string> patterns;
  std::error_code error;
  for (const std::string& name : names) {
    if (std::filesystem::exists(name, error)) {
      patterns.push_back(name);
      continue;
    }
    const std::vector<std::string> several = SplitNames(name);
    if (several.empty()) return NotFound("a file has no name");
    patterns.insert(patterns.end(), several.begin(), several.end());
  }
  for (const std::string& pattern : patterns) DF_TRY(access.CheckPattern(pattern));
  return ExpandFiles(patterns);
}

Result<ByteFile> OpenText(const std::string& path, const FileAccess& access) {
  const auto open = [&](Compression compression) -> Result<ByteFile> {
    DF_ASSIGN(FileDescriptor file, access.OpenForReading(path));
    return ByteFile::Open(std::move(file), compression, 0);
  };
  DF_ASSIGN(ByteFile plain, open(Compression::kNone));
  FileCursor cursor(plain);
  DF_ASSIGN(const std::string_view head, cursor.View(0, std::min<uint64_t>(plain.size(), kHeadBytes)));
  if (head.starts_with("\x1f\x8b\x08")) return open(Compression::kGzip);
  if (!MayBeZlib(head)) return plain;
  Result<ByteFile> inflated = open(Compression::kZlib);
  if (inflated.ok() || !LooksLikeText(head)) return inflated;
  return plain;
}

Result<uint64_t> NextToken(FileCursor& text, uint64_t offset, const Letters& letters) {
  const uint64_t size = text.file().size();
  if (offset == 0 || offset >= size) return std::min(offset, size);
  // The search begins at the character before `offset`: its first byte is the last one that does not continue another.
  const uint64_t least = offset - std::min<uint64_t>(offset, Letters::kMaxBytes);
  DF_ASSIGN(const std::string_view before, text.View(least, offset - least));
  uint64_t at = offset - 1;
  if (letters.are_unicode()) {
    const auto lead = std::find_if(before.rbegin(), before.rend(),
                                   [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
    if (lead != before.rend()) at = offset - 1 - static_cast<uint64_t>(lead - before.rbegin());
  }
  for (bool after_letter = true; at < size;) {
    DF_ASSIGN(const std::string_view next, text.View(at, std::min<uint64_t>(size - at, Letters::kMaxBytes)));
    const Letters::Character first = letters.First(next);
    if (first.is_letter && !after_letter && at >= offset) return at;
    after_letter = first.is_letter;
    at += first.bytes;
  }
  return size;
}

}  // namespace dfrun
