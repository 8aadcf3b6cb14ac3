#include "kernels/parsing/example_wire.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/base/sort_unique.h"
#include "src/base/utf8.h"
#include "src/storage/example.pb.h"

namespace dfrun {
namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr uint32_t TagOf(uint32_t field, WireType type) {
  return field << 3 | type;
}
// Field 1 of every list is its values, of a map's entry its key; of Example and Features their one field.
constexpr uint32_t kFirst = TagOf(1, kBytes);
constexpr uint32_t kSecond = TagOf(2, kBytes);
constexpr uint32_t kThird = TagOf(3, kBytes);
constexpr uint32_t kOneFloat = TagOf(1, kFixed32);
constexpr uint32_t kOneInt64 = TagOf(1, kVarint);

// Bytes of a number of 64 bits, and of a tag or a size.
constexpr int kMaxVarint = 10;
constexpr int kMaxShortVarint = 5;
constexpr uint64_t kMaxBytes = std::numeric_limits<int32_t>::max();

// The unread rest of a message. Its methods are false where it ends too early or is not written as usual.
class Wire {
 public:
  explicit Wire(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool empty() const { return at_ == end_; }

  bool Varint(uint64_t& value) { return ReadVarint(kMaxVarint, value); }

  bool Tag(uint32_t& tag) {
    uint64_t value = 0;
    if (!ReadVarint(kMaxShortVarint, value) || value < 8 || value > std::numeric_limits<uint32_t>::max()) return false;
    tag = static_cast<uint32_t>(value);
    return true;
  }

  bool Bytes(std::string_view& bytes) {
    uint64_t size = 0;
    if (!ReadVarint(kMaxShortVarint, size) || size > kMaxBytes) return false;
    return Take(size, bytes);
  }

  bool Take(uint64_t size, std::string_view& bytes) {
    if (size > static_cast<uint64_t>(end_ - at_)) return false;
    bytes = {at_, static_cast<size_t>(size)};
    at_ += size;
    return true;
  }

  // A field that nobody asks for; groups are unusual.
  bool Skip(uint32_t tag) {
    uint64_t number = 0;
    std::string_view bytes;
    switch (tag & 7U) {
      case kVarint:
        return Varint(number);
      case kFixed64:
        return Take(8, bytes);
      case kBytes:
        return Bytes(bytes);
      case kFixed32:
        return Take(4, bytes);
      default:
        return false;
    }
  }

 private:
  bool ReadVarint(int most, uint64_t& value) {
    value = 0;
    for (int i = 0; i < most && at_ != end_; ++i) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7fU) << (7 * i);
      if (byte < 0x80) return i < kMaxVarint - 1 || byte <= 1;  // the tenth byte has one bit
    }
    return false;
  }

  const char* at_;
  const char* end_;
};

// Calls use(tag, bytes) -> bool for every field that is bytes, and skips the others.
template <class Use>
bool ForEachBytes(std::string_view message, Use&& use) {
  Wire wire(message);
  while (!wire.empty()) {
    uint32_t tag = 0;
    std::string_view bytes;
    if (!wire.Tag(tag)) return false;
    if ((tag & 7U) != kBytes) {
      if (!wire.Skip(tag)) return false;
    } else if (!wire.Bytes(bytes) || !use(tag, bytes)) {
      return false;
    }
  }
  return true;
}

// Calls use(value) for every number of a list, packed or not. False where it is damaged.
template <class Use>
bool ForEachInt64(std::string_view list, Use&& use) {
  Wire wire(list);
  while (!wire.empty()) {
    uint32_t tag = 0;
    uint64_t value = 0;
    std::string_view packed;
    if (!wire.Tag(tag)) return false;
    if (tag == kOneInt64) {
      if (!wire.Varint(value)) return false;
      use(value);
    } else if (tag == kFirst) {
      if (!wire.Bytes(packed)) return false;
      for (Wire values(packed); !values.empty(); use(value)) {
        if (!values.Varint(value)) return false;
      }
    } else if (!wire.Skip(tag)) {
      return false;
    }
  }
  return true;
}

// Calls use(run) for the bytes of floats that lie one after the other.
template <class Use>
bool ForEachFloats(std::string_view list, Use&& use) {
  Wire wire(list);
  while (!wire.empty()) {
    uint32_t tag = 0;
    std::string_view run;
    if (!wire.Tag(tag)) return false;
    if (tag != kFirst && tag != kOneFloat) {
      if (!wire.Skip(tag)) return false;
      continue;
    }
    if (!(tag == kFirst ? wire.Bytes(run) : wire.Take(sizeof(float), run))) return false;
    if (run.size() % sizeof(float) != 0) return false;
    use(run);
  }
  return true;
}

template <class Use>
bool ForEachString(std::string_view list, Use&& use) {
  return ForEachBytes(list, [&](uint32_t tag, std::string_view bytes) {
    if (tag == kFirst) use(bytes);
    return true;
  });
}

bool CheckList(WireFeature& feature) {
  switch (feature.dtype) {
    case DType::kString:
      return ForEachString(feature.list, [&](std::string_view) { ++feature.values; });
    case DType::kFloat:
      return ForEachFloats(feature.list, [&](std::string_view run) {
        feature.values += static_cast<int64_t>(run.size() / sizeof(float));
      });
    default:
      return ForEachInt64(feature.list, [&](uint64_t) { ++feature.values; });
  }
}

// A second list in a feature is unusual: the first is dropped, or both are joined.
bool ParseFeature(std::string_view message, WireFeature& feature) {
  const bool ok = ForEachBytes(message, [&](uint32_t tag, std::string_view bytes) {
    if (tag != kFirst && tag != kSecond && tag != kThird) return true;
    if (feature.dtype != DType::kInvalid) return false;
    feature.dtype = tag == kFirst ? DType::kString : tag == kSecond ? DType::kFloat : DType::kInt64;
    feature.list = bytes;
    return true;
  });
  return ok && (feature.dtype == DType::kInvalid || CheckList(feature));
}

// An entry of a map has one key and one value, in any order.
bool SplitEntry(std::string_view entry, std::string_view& key, std::string_view& value) {
  int fields = 0;
  const bool ok = ForEachBytes(entry, [&](uint32_t tag, std::string_view bytes) {
    if (tag != kFirst && tag != kSecond) return true;
    (tag == kFirst ? key : value) = bytes;
    fields += tag == kFirst ? 1 : 4;
    return true;
  });
  return ok && fields == 5 && IsWellFormedUtf8(key);
}

bool ParseEntry(std::string_view entry, std::span<const std::string> keys, std::span<WireFeature> found) {
  std::string_view key;
  std::string_view value;
  WireFeature feature;
  if (!SplitEntry(entry, key, value) || !ParseFeature(value, feature)) return false;
  for (size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == key) found[k] = feature;  // the last entry of a key counts
  }
  return true;
}

bool ParseListEntry(std::string_view entry, std::span<const std::string> keys, std::span<WireFeatureList> found) {
  std::string_view key;
  std::string_view value;
  if (!SplitEntry(entry, key, value)) return false;
  WireFeatureList list{.is_there = true, .steps = {}};
  const bool ok = ForEachBytes(value, [&](uint32_t tag, std::string_view bytes) {
    return tag != kFirst || ParseFeature(bytes, list.steps.emplace_back());
  });
  for (size_t k = 0; ok && k < keys.size(); ++k) {
    if (keys[k] == key) found[k] = list;
  }
  return ok;
}

// Calls use(entry) -> bool for the entries of the map that field `map` of the message holds in its field 1.
template <class Use>
bool ForEachEntry(std::string_view message, uint32_t map, Use&& use) {
  return ForEachBytes(message, [&](uint32_t tag, std::string_view entries) {
    if (tag != map) return true;
    return ForEachBytes(entries,
                        [&](uint32_t entry_tag, std::string_view entry) { return entry_tag != kFirst || use(entry); });
  });
}

// Parses the bytes with the full parser and writes the message again.
template <class Message>
bool Canonical(std::string_view bytes, std::string& canonical) {
  Message message;
  if (bytes.size() > kMaxBytes) return false;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  message.DiscardUnknownFields();
  return message.SerializeToString(&canonical);
}

}  // namespace

bool FindWireFeatures(std::string_view message, std::span<const std::string> keys, std::span<WireFeature> found) {
  std::fill(found.begin(), found.end(), WireFeature());
  if (message.size() > kMaxBytes) return false;
  return ForEachEntry(message, kFirst, [&](std::string_view entry) { return ParseEntry(entry, keys, found); });
}

bool FindWireFeatureLists(std::string_view message, std::span<const std::string> keys,
                          std::span<WireFeatureList> found) {
  std::fill(found.begin(), found.end(), WireFeatureList());
  if (message.size() > kMaxBytes) return false;
  return ForEachEntry(message, kSecond, [&](std::string_view entry) { return ParseListEntry(entry, keys, found); });
}

std::vector<std::string> FeatureNames(std::string_view message) {
  std::vector<std::string> names;
  for (const uint32_t map : {kFirst, kSecond}) {
    static_cast<void>(ForEachEntry(message, map, [&](std::string_view entry) {
      std::string_view key;
      std::string_view value;
      if (SplitEntry(entry, key, value)) names.emplace_back(key);
      return true;
    }));
  }
  SortUnique(names);
  return names;
}

bool CanonicalExample(std::string_view message, std::string& canonical) {
  return Canonical<proto::Example>(message, canonical);
}

bool CanonicalSequenceExample(std::string_view message, std::string& canonical) {
  return Canonical<proto::SequenceExample>(message, canonical);
}

void CopyFloats(const WireFeature& feature, float* to) {
  static_cast<void>(ForEachFloats(feature.list, [&](std::string_view run) {
    if (!run.empty()) std::memcpy(to, run.data(), run.size());
    to += run.size() / sizeof(float);
  }));
}

void CopyInt64s(const WireFeature& feature, int64_t* to) {
  static_cast<void>(ForEachInt64(feature.list, [&](uint64_t value) { *to++ = static_cast<int64_t>(value); }));
}

void CopyStrings(const WireFeature& feature, std::string* to) {
  static_cast<void>(ForEachString(feature.list, [&](std::string_view bytes) { *to++ = bytes; }));
}

std::string_view OnlyString(const WireFeature& feature) {
  std::string_view only;
  static_cast<void>(ForEachString(feature.list, [&](std::string_view bytes) { only = bytes; }));
  return only;
}

}  // namespace dfrun
