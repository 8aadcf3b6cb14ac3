// Files of TensorFlow, NumPy and safetensors (tests/golden/init_from/make_files.py), whole and damaged.
#include "src/checkpoint/weights/weight_source.h"

#include <gtest/gtest.h>

#include <map>

#include "src/base/file.h"
#include "src/checkpoint/weights/widen.h"
#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {
namespace {

constexpr const char* kGolden = "tests/golden/init_from/";

std::string GoldenFile(const std::string& name) {
  const Result<std::string> bytes = ReadFile(kGolden + name, size_t{1} << 20);
  EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
  return bytes.ok() ? *bytes : "";
}

// All values of a source by their names; an error where one cannot be read.
Result<std::map<std::string, Tensor>> ReadAll(const std::string& path) {
  DF_ASSIGN(const std::unique_ptr<WeightSource> source, OpenWeights(path));
  std::map<std::string, Tensor> values;
  for (size_t i = 0; i < source->entries().size(); ++i) {
    const WeightSource::Entry& entry = source->entries()[i];
    if (entry.dtype == DType::kInvalid) continue;
    DF_ASSIGN(Tensor value, source->Read(i));
    EXPECT_EQ(value.dtype(), entry.dtype) << entry.name;
    EXPECT_EQ(value.shape(), entry.shape) << entry.name;
    values.emplace(entry.name, std::move(value));
  }
  return values;
}

// The values that h5py wrote for one of the files.
std::map<std::string, Tensor> ExpectedOf(const std::string& group) {
  std::map<std::string, Tensor> expected;
  const Result<std::map<std::string, Tensor>> all = ReadAll(std::string(kGolden) + "expected.h5");
  EXPECT_TRUE(all.ok()) << all.status().ToString();
  if (!all.ok()) return expected;
  for (const auto& [name, value] : *all) {
    if (name.starts_with(group + "/")) expected.emplace(name.substr(group.size() + 1), value);
  }
  return expected;
}

class WeightSourceTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(WeightSourceTest, HasTheValuesThatWereWritten) {
  const auto [path, group] = GetParam();
  const Result<std::map<std::string, Tensor>> values = ReadAll(std::string(kGolden) + path);
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  const std::map<std::string, Tensor> expected = ExpectedOf(group);
  EXPECT_GE(expected.size(), 2U);
  for (const auto& [name, value] : expected) {
    const auto found = values->find(name);
    ASSERT_NE(found, values->end()) << name;
    const Result<Tensor> wide = Widen(found->second, value.dtype());
    ASSERT_TRUE(wide.ok()) << wide.status().ToString();
    EXPECT_TRUE(wide->Identical(value)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, WeightSourceTest,
                         testing::Values(std::pair("names", "names"), std::pair("names.index", "names"),
                                         std::pair("parts", "parts"), std::pair("objects", "objects"),
                                         std::pair("arrays.npz", "arrays"), std::pair("packed.npz", "packed"),
                                         std::pair("tensors.safetensors", "tensors")));

TEST(WeightSources, NamesOfObjectsHaveAliases) {
  const Result<std::unique_ptr<WeightSource>> source = OpenWeights(std::string(kGolden) + "objects");
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  size_t found = 0;
  for (const WeightSource::Entry& entry : (*source)->entries()) {
    if (entry.name != "net/first/kernel") continue;
    ++found;
    EXPECT_EQ(entry.aliases, std::vector<std::string>({"net/first/kernel/.ATTRIBUTES/VARIABLE_VALUE", "net/kernel"}));
  }
  EXPECT_EQ(found, 1U);
}

TEST(WeightSources, TypesWithoutADTypeAreNamed) {
  const Result<std::unique_ptr<WeightSource>> source = OpenWeights(std::string(kGolden) + "arrays.npz");
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  for (const WeightSource::Entry& entry : (*source)->entries()) {
    EXPECT_EQ(entry.type == "<U6", entry.name == "words") << entry.name;
    EXPECT_EQ(entry.dtype == DType::kInvalid, entry.name == "words") << entry.name;
  }
}

TEST(WeightSources, OtherFilesAreRefused) {
  const ScratchDirectory directory;
  EXPECT_EQ(OpenWeights(directory.Path("nothing")).status().code(), Code::kNoInput);
  for (const char* text : {"", "x", "PK", "{\"a\": 1}", "\x89HDF"}) {
    EXPECT_EQ(OpenWeights(directory.Write("other", text)).status().code(), Code::kBadSpec) << text;
  }
  EXPECT_EQ(OpenWeights(directory.path()).status().code(), Code::kBadSpec);
  EXPECT_FALSE(OpenWeights(directory.Write("a.npz", "PK\x05\x06" + std::string(18, '\0'))).ok());
}

// One file of a source and the others that it needs.
struct Damaged {
  const char* file;
  std::vector<const char*> beside;
  const char* open;
  bool is_checked;  // each byte of values is under a checksum
};

class DamageTest : public testing::TestWithParam<Damaged> {};

// Cuts and flips: what can still be read is what was written, or an error.
TEST_P(DamageTest, GivesAnErrorOrTheValues) {
  const Damaged& damaged = GetParam();
  const ScratchDirectory directory;
  for (const char* file : damaged.beside) directory.Write(file, GoldenFile(file));
  const std::string whole = GoldenFile(damaged.file);
  const std::string path = directory.Path(damaged.open);
  directory.Write(damaged.file, whole);
  const Result<std::map<std::string, Tensor>> good = ReadAll(path);
  ASSERT_TRUE(good.ok()) << good.status().ToString();
  size_t refused = 0;
  const auto look = [&](const std::string& bytes, const std::string& how) {
    directory.Write(damaged.file, bytes);
    const Result<std::map<std::string, Tensor>> values = ReadAll(path);
    refused += values.ok() ? 0 : 1;
    if (!values.ok() || !damaged.is_checked) return;
    for (const auto& [name, value] : *values) {
      const auto found = good->find(name);
      EXPECT_TRUE(found == good->end() || value.Identical(found->second)) << name << " of a file that is " << how;
    }
  };
  const size_t step = whole.size() / 400 + 1;
  for (size_t size = 0; size < whole.size(); size += step) look(whole.substr(0, size), "cut");
  EXPECT_GT(refused, whole.size() / step / 2);
  for (size_t at = 0; at < whole.size(); at += step) {
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ bits);
      look(bytes, "flipped at byte " + std::to_string(at));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, DamageTest,
    testing::Values(Damaged{"names.index", {"names.data-00000-of-00002", "names.data-00001-of-00002"}, "names", true},
                    Damaged{"names.data-00001-of-00002", {"names.index", "names.data-00000-of-00002"}, "names", true},
                    Damaged{"parts.index", {"parts.data-00000-of-00001"}, "parts", true},
                    Damaged{"objects.data-00000-of-00001", {"objects.index"}, "objects", true},
                    Damaged{"arrays.npz", {}, "arrays.npz", true}, Damaged{"packed.npz", {}, "packed.npz", true},
                    Damaged{"tensors.safetensors", {}, "tensors.safetensors", false}));

TEST(WideningTest, KeepsEachValue) {
  EXPECT_TRUE(HoldsValuesOf(DType::kFloat, DType::kBfloat16));
  EXPECT_TRUE(HoldsValuesOf(DType::kInt64, DType::kUint32));
  EXPECT_FALSE(HoldsValuesOf(DType::kInt64, DType::kUint64));
  EXPECT_FALSE(HoldsValuesOf(DType::kFloat, DType::kDouble));
  EXPECT_FALSE(HoldsValuesOf(DType::kBfloat16, DType::kHalf));
  EXPECT_FALSE(HoldsValuesOf(DType::kFloat, DType::kInt8));
  const Result<Tensor> wide = Widen(Tensor::Vector<int8_t>({-128, 0, 127}), DType::kInt32);
  ASSERT_TRUE(wide.ok());
  EXPECT_TRUE(wide->Identical(Tensor::Vector<int32_t>({-128, 0, 127})));
}

}  // namespace
}  // namespace dfrun
