#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/io/record_format.h"
#include "src/base/crc32c.h"

namespace dfrun {
namespace {

constexpr uint64_t kHeaderBytes = sizeof(uint64_t) + sizeof(uint32_t);
constexpr uint64_t kFooterBytes = sizeof(uint32_t);
constexpr uint64_t kSearchBytes = uint64_t{256} << 10;

uint32_t MaskedCrc(std::string_view bytes) {
  return MaskCrc32c(Crc32c(bytes.data(), bytes.size()));
}

template <class T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <class T>
void Store(T value, std::string& to) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

Status Damaged(uint64_t at, std::string_view what) {
  return Error(Code::kDataLoss, "the record at byte ", at, " ", what);
}

class TfRecordFormat final : public RecordFormat {
 public:
  bool BeginsWithAnything() const override { return false; }

  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    const uint64_t left = file.file().size() - std::min(at, file.file().size());
    if (left == 0) return false;
    if (left < kHeaderBytes) return Damaged(at, "is cut short within its header");
    DF_ASSIGN(const std::string_view header, file.View(at, kHeaderBytes));
    const auto bytes = Load<uint64_t>(header);
    if (MaskedCrc(header.substr(0, sizeof(uint64_t))) != Load<uint32_t>(header.substr(sizeof(uint64_t)))) {
      return Damaged(at, "has a damaged length");
    }
    if (left - kHeaderBytes < kFooterBytes || bytes > left - kHeaderBytes - kFooterBytes) {
      return Damaged(at, StrCat("is cut short: it has ", bytes, " bytes"));
    }
    record = {at + kHeaderBytes, bytes};
    at += kHeaderBytes + bytes + kFooterBytes;
    return true;
  }

  // Counts the records that are lost. A record after a damaged length is recognised by the checksums of its own length
  // and bytes.
  Result<int64_t> CountLost(FileCursor& file, uint64_t at) const override {
    int64_t lost = 0;
    const uint64_t size = file.file().size();
    while (at < size && size - at > kHeaderBytes) {
      DF_ASSIGN(const std::optional<uint64_t> next, FindHeader(file, at + 1));
      if (!next) break;
      at = *next;
      RecordSpan record;
      Result<bool> found = Find(file, at, record);
      for (; found.ok() && *found; found = Find(file, at, record)) {
        if (Read(file, record).ok()) ++lost;
      }
      if (found.ok()) break;
    }
    return lost;
  }

  Result<std::string_view> Read(FileCursor& file, const RecordSpan& record) const override {
    DF_ASSIGN(const std::string_view all, file.View(record.offset, record.bytes + kFooterBytes));
    const std::string_view bytes = all.substr(0, record.bytes);
    if (MaskedCrc(bytes) != Load<uint32_t>(all.substr(record.bytes))) {
      return Damaged(record.offset - kHeaderBytes, "has a wrong checksum");
    }
    return bytes;
  }

 private:
  // The first offset from `at` on at which a length with its checksum is found.
  static Result<std::optional<uint64_t>> FindHeader(FileCursor& file, uint64_t at) {
    const uint64_t size = file.file().size();
    while (at < size && size - at >= kHeaderBytes) {
      DF_ASSIGN(const std::string_view bytes, file.View(at, std::min(kSearchBytes, size - at)));
      for (size_t i = 0; i + kHeaderBytes <= bytes.size(); ++i) {
        const std::string_view header = bytes.substr(i, kHeaderBytes);
        if (MaskedCrc(header.substr(0, sizeof(uint64_t))) != Load<uint32_t>(header.substr(sizeof(uint64_t)))) continue;
        return std::optional<uint64_t>(at + i);
      }
      at += bytes.size() - kHeaderBytes + 1;
    }
    return std::optional<uint64_t>();
  }
};

}  // namespace

std::unique_ptr<RecordFormat> TfRecords() {
  return std::make_unique<TfRecordFormat>();
}

std::string FramedTfRecord(std::string_view record) {
  std::string framed;
  Store<uint64_t>(record.size(), framed);
  Store(MaskedCrc(framed), framed);
  framed += record;
  Store(MaskedCrc(record), framed);
  return framed;
}

}  // namespace dfrun
