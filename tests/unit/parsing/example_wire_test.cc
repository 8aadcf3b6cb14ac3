// Features taken from the bytes of Example messages, against the full parser.
#include "kernels/parsing/example_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "src/storage/example.pb.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;

// The content of a feature, whichever parser read it.
struct Feature {
  DType dtype = DType::kInvalid;
  std::vector<std::string> strings;
  std::vector<uint32_t> float_bits;  // bits, so that NaN equals itself
  std::vector<int64_t> numbers;
  bool operator==(const Feature&) const = default;
};

const std::array<std::string, 4> kKeys = {"a", "image", "label", ""};

Feature Copied(const WireFeature& wire) {
  Feature feature;
  feature.dtype = wire.dtype;
  const auto values = static_cast<size_t>(wire.values);
  if (wire.dtype == DType::kString) {
    feature.strings.resize(values);
    CopyStrings(wire, feature.strings.data());
  } else if (wire.dtype == DType::kInt64) {
    feature.numbers.resize(values);
    CopyInt64s(wire, feature.numbers.data());
  } else if (wire.dtype == DType::kFloat) {
    std::vector<float> floats(values);
    CopyFloats(wire, floats.data());
    feature.float_bits.resize(values);
    if (values > 0) std::memcpy(feature.float_bits.data(), floats.data(), values * sizeof(float));
  }
  return feature;
}

Feature Parsed(const proto::Example& example, const std::string& key) {
  Feature feature;
  const auto at = example.features().feature().find(key);
  if (at == example.features().feature().end()) return feature;
  const proto::Feature& from = at->second;
  if (from.has_bytes_list()) {
    feature.dtype = DType::kString;
    feature.strings = {from.bytes_list().value().begin(), from.bytes_list().value().end()};
  } else if (from.has_float_list()) {
    feature.dtype = DType::kFloat;
    for (const float value : from.float_list().value()) {
      uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      feature.float_bits.push_back(bits);
    }
  } else if (from.has_int64_list()) {
    feature.dtype = DType::kInt64;
    feature.numbers = {from.int64_list().value().begin(), from.int64_list().value().end()};
  }
  return feature;
}

enum class Read { kDamaged, kUnusual, kFast };

// Reads a message by both parsers, which must agree.
Read ReadBothWays(const std::string& message) {
  // The memory has exactly the message's size, so that a sanitizer finds reads beyond it.
  const std::vector<char> exact(message.begin(), message.end());
  const std::string_view bytes(exact.data(), exact.size());
  proto::Example example;
  const bool is_good = example.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  std::array<WireFeature, kKeys.size()> found;
  const bool is_fast = FindWireFeatures(bytes, kKeys, found);
  std::string canonical;
  const bool is_read = is_fast || (CanonicalExample(bytes, canonical) && FindWireFeatures(canonical, kKeys, found));
  EXPECT_EQ(is_read, is_good) << testing::PrintToString(message);
  if (!is_read || !is_good) return Read::kDamaged;
  for (size_t k = 0; k < kKeys.size(); ++k) {
    EXPECT_EQ(Copied(found[k]), Parsed(example, kKeys[k]))
        << "'" << kKeys[k] << "' of " << testing::PrintToString(message);
  }
  return is_fast ? Read::kFast : Read::kUnusual;
}

std::string Field(char tag, const std::string& bytes) {
  return std::string({tag, static_cast<char>(bytes.size())}) + bytes;
}
constexpr char kFirst = 0x0a;
constexpr char kSecond = 0x12;
constexpr char kThird = 0x1a;
std::string Entry(const std::string& key, const std::string& feature) {
  return Field(kFirst, Field(kFirst, key) + Field(kSecond, feature));
}
std::string Message(const std::string& entries) {
  return Field(kFirst, entries);
}

TEST(ExampleWireTest, TakesWhatIsAskedFor) {
  proto::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  features["image"].mutable_bytes_list()->add_value("pixels");
  features["label"].mutable_int64_list()->add_value(-7);
  for (const float v : {1.5f, -2.0f}) features["a"].mutable_float_list()->add_value(v);
  features["other"].mutable_int64_list()->add_value(1);
  const std::string message = example.SerializeAsString();
  std::array<WireFeature, kKeys.size()> found;
  ASSERT_TRUE(FindWireFeatures(message, kKeys, found));
  EXPECT_EQ(OnlyString(found[1]), "pixels");
  EXPECT_THAT(Copied(found[2]).numbers, ElementsAre(-7));
  EXPECT_EQ(found[0].values, 2);
  EXPECT_EQ(found[3].dtype, DType::kInvalid);
  EXPECT_EQ(ReadBothWays(message), Read::kFast);
  EXPECT_EQ(ReadBothWays(""), Read::kFast);
}

TEST(ExampleWireTest, ListsMayBePackedOrNot) {
  const std::string packed = Field(kThird, Field(kFirst, std::string("\x01\xff\x7f\x00", 4)));
  const std::string one_by_one = Field(kThird, std::string("\x08\x01\x08\xff\x7f\x08\x00", 7));
  const std::string mixed = Field(kThird, "\x08\x01" + Field(kFirst, std::string("\xff\x7f\x00", 3)));
  for (const std::string& list : {packed, one_by_one, mixed}) {
    const std::string message = Message(Entry("label", list));
    EXPECT_EQ(ReadBothWays(message), Read::kFast);
    std::array<WireFeature, kKeys.size()> found;
    ASSERT_TRUE(FindWireFeatures(message, kKeys, found));
    EXPECT_THAT(Copied(found[2]).numbers, ElementsAre(1, 16383, 0));
  }
  const std::string floats =
      Field(kSecond, std::string("\x0d\0\0\x80\x3f", 5) + Field(kFirst, std::string("\0\0\0\x40", 4)));
  EXPECT_EQ(ReadBothWays(Message(Entry("a", floats))), Read::kFast);
}

TEST(ExampleWireTest, WhatIsWrittenUnusuallyIsReadByTheFullParser) {
  const std::string one = Field(kThird, std::string("\x08\x01", 2));
  const std::string two = Field(kThird, std::string("\x08\x02", 2));
  const std::string text = Field(kFirst, Field(kFirst, "x"));
  EXPECT_EQ(ReadBothWays(Message(Entry("label", one) + Entry("label", text))), Read::kFast);  // the last counts
  EXPECT_EQ(ReadBothWays(Message(Entry("label", one)) + Message(Entry("a", two))), Read::kFast);
  EXPECT_EQ(ReadBothWays(Message(Entry("label", one + two))), Read::kUnusual);                 // lists are joined
  EXPECT_EQ(ReadBothWays(Message(Entry("label", one + text))), Read::kUnusual);                // the last kind counts
  EXPECT_EQ(ReadBothWays(Message(Field(kFirst, Field(kSecond, one)))), Read::kUnusual);        // without a key
  EXPECT_EQ(ReadBothWays(Message(Field(kFirst, Field(kFirst, "a")))), Read::kUnusual);         // without a value
  EXPECT_EQ(ReadBothWays(Message(Entry("label", one)) + "\x13\x08\x01\x14"), Read::kUnusual);  // an unknown group
  EXPECT_EQ(ReadBothWays(Message(Entry("label", one)) + "\x10\x05"), Read::kFast);             // an unknown field
  EXPECT_EQ(ReadBothWays(Message(Entry("\xc3\xa4", one))), Read::kFast);
}

TEST(ExampleWireTest, DamageIsNoticed) {
  const std::string one = Field(kThird, std::string("\x08\x01", 2));
  const std::string message = Message(Entry("label", one));
  for (size_t cut = 1; cut < message.size(); ++cut) EXPECT_EQ(ReadBothWays(message.substr(0, cut)), Read::kDamaged);
  EXPECT_EQ(ReadBothWays(Message(Entry("label", Field(kThird, "\x08\xff")))), Read::kDamaged);
  EXPECT_EQ(ReadBothWays(Message(Entry("label", Field(kThird, Field(kFirst, "\xff\xff"))))), Read::kDamaged);
  EXPECT_EQ(ReadBothWays(Message(Entry("label", Field(kThird, "\x08" + std::string(10, '\xff') + "\x01")))),
            Read::kDamaged);
  EXPECT_EQ(ReadBothWays(Message(Entry("a", Field(kSecond, Field(kFirst, "12345"))))), Read::kDamaged);
  EXPECT_EQ(ReadBothWays(Message(Entry("unasked", Field(kSecond, Field(kFirst, "12345"))))), Read::kDamaged);
  EXPECT_EQ(ReadBothWays("\x0a\xff\xff\xff\xff\x07"), Read::kDamaged);  // longer than the message
  EXPECT_EQ(ReadBothWays("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x01"), Read::kDamaged);
  for (const char* key : {"\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(ReadBothWays(Message(Entry(key, one))), Read::kDamaged);
  }
}

class RandomMessages {
 public:
  std::string Next() {
    proto::Example example;
    auto& features = *example.mutable_features()->mutable_feature();
    for (const char* key : {"a", "image", "label", "", "else"}) {
      if (Below(3) == 0) continue;
      proto::Feature& feature = features[key];
      const uint32_t kind = Below(4);
      for (uint32_t n = Below(4); n > 0; --n) {
        if (kind == 0) feature.mutable_bytes_list()->add_value(std::string(Below(5), 'x'));
        if (kind == 1) feature.mutable_float_list()->add_value(static_cast<float>(Below(100)));
        if (kind == 2) feature.mutable_int64_list()->add_value(static_cast<int64_t>(random_()) << Below(60));
      }
    }
    std::string message = example.SerializeAsString();
    for (uint32_t n = Below(4); n > 0 && !message.empty(); --n) Damage(message);
    return message;
  }

 private:
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void Damage(std::string& message) {
    const size_t at = Below(static_cast<uint32_t>(message.size()));
    constexpr char kBytes[] = {0x0a, 0x12, 0x1a, 0x08, 0x0d, 0x0b, 0x0c, 0x00, 0x01, 0x02, 0x04, '\x80', '\xff'};
    switch (Below(5)) {
      case 0:
        message[at] = static_cast<char>(message[at] ^ 1 << Below(8));
        break;
      case 1:
        message[at] = kBytes[Below(sizeof(kBytes))];
        break;
      case 2:
        message.insert(at, 1, kBytes[Below(sizeof(kBytes))]);
        break;
      case 3:
        message.erase(at, 1 + Below(3));
        break;
      default:
        message.insert(at, message.substr(Below(static_cast<uint32_t>(message.size())), Below(12)));
    }
  }

  std::mt19937_64 random_{7};
};

TEST(ExampleWireTest, AgreesWithTheFullParserOnDamagedMessages) {
  RandomMessages messages;
  std::array<int, 3> seen = {};
  for (int i = 0; i < 300'000 && !HasFailure(); ++i) ++seen[static_cast<size_t>(ReadBothWays(messages.Next()))];
  for (const int count : seen) EXPECT_GT(count, 1000);  // each kind of outcome occurred often
}

}  // namespace
}  // namespace dfrun
