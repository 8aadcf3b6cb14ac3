#include "src/checkpoint/manifest_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "src/base/crc32c.h"
#include "src/checkpoint/manifest_file.h"

namespace dfrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Its checksum was worked out by another program.
constexpr const char* kText = R"json({
 "format": 3,
 "step": "7",
 "shards": [
  {"file": "shard-0.h5", "bytes": "2072", "crc32c": 3758096385, "variables": [
    {"name": "a/\u003cw\u00e9", "dtype": "DT_FLOAT", "shape": ["2", "3"], "crc32c": 4026531839, "offset": "2048"},
    {"name": "n", "dtype": "DT_INT64", "shape": [], "crc32c": 0, "offset": "800", "fingerprint": "00ff00ff00ff00fe"},
    {"name": "words", "dtype": "DT_STRING", "shape": ["1"], "crc32c": 7}
  ]}
 ],
 "inputs": [{"name": "batch", "samples": "10", "files": [{"path": "a b.csv", "samples": "10"}]}],
 "settings": [{"name": "seed", "value": "3"}, {"name": "train.loss", "value": "a \"b\""}],
 "state": {"skipped": {"steps": "2"}, "of a later program": {"x": [1, null, {"y": "z"}]}},
 "files": [
  {"name": "tf.data-00000-of-00002", "link": "shard-0.h5"},
  {"name": "tf.data-00001-of-00002", "bytes": "10", "crc32c": 5},
  {"name": "tf.index", "bytes": "100", "crc32c": 6}
 ],
 "checksum": "crc32c:5668f56c"
}
)json";

constexpr const char* kFirstText = R"json({
 "format": 3,
 "step": "7",
 "shards": [
  {"file": "shard-0.h5", "bytes": "2072", "crc32c": 4026531839, "variables": [
    {"name": "a/\u003cw\u00e9", "dtype": "DT_FLOAT", "shape": ["2", "3"]},
    {"name": "n", "dtype": "DT_INT64", "shape": []}
  ]}
 ],
 "inputs": [{"name": "batch", "samples": "10", "files": [{"path": "a b.csv", "samples": "10"}]}],
 "settings": [{"name": "seed", "value": "3"}, {"name": "train.loss", "value": "a \"b\""}],
 "skipped_steps": "3",
 "checksum": "crc32c:6907983e"
}
)json";

// Returns the text with one part replaced and the checksum that belongs to it.
std::string With(const std::string& part, const std::string& other) {
  std::string body = kText;
  body.erase(body.find(" \"checksum\""));
  const size_t at = body.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  body.replace(at, part.size(), other);
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", Crc32c(body.data(), body.size()));
  return body + " \"checksum\": \"crc32c:" + digits + "\"\n}\n";
}

std::string WhyRefused(const std::string& text) {
  const Result<Manifest> manifest = ParseManifest(text);
  if (manifest.ok()) return "";
  EXPECT_EQ(manifest.status().code(), Code::kDataLoss) << manifest.status().ToString();
  return manifest.status().message();
}

TEST(ManifestText, IsReadAsItIsWritten) {
  const Result<Manifest> manifest = ParseManifest(kText);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ(manifest->step, 7);
  EXPECT_EQ(manifest->format, 3U);
  ASSERT_EQ(manifest->shards.size(), 1U);
  EXPECT_EQ(manifest->shards[0].bytes, 2072U);
  EXPECT_EQ(manifest->shards[0].crc32c, 3758096385U);
  EXPECT_EQ(manifest->shards[0].variables[0].name, "a/<w\xc3\xa9");
  EXPECT_EQ(manifest->shards[0].variables[0].shape, Shape({2, 3}));
  EXPECT_EQ(manifest->shards[0].variables[0].crc32c, 4026531839U);
  EXPECT_EQ(manifest->shards[0].variables[0].offset, 2048U);
  EXPECT_FALSE(manifest->shards[0].variables[0].fingerprint.has_value());
  EXPECT_EQ(manifest->shards[0].variables[1].fingerprint, 0x00ff00ff00ff00feU);
  EXPECT_EQ(manifest->shards[0].variables[2].crc32c, 7U);
  EXPECT_FALSE(manifest->shards[0].variables[2].offset.has_value());
  EXPECT_EQ(manifest->inputs[0].files[0].path, "a b.csv");
  ASSERT_EQ(manifest->settings.size(), 2U);
  EXPECT_EQ(manifest->settings[1].name, "train.loss");
  EXPECT_EQ(manifest->settings[1].value, "a \"b\"");
  EXPECT_EQ(manifest->skipped_steps(), 2);
  EXPECT_EQ(manifest->state.Find("of a later program")->Print(), R"({"x": [1, null, {"y": "z"}]})");
  ASSERT_EQ(manifest->files.size(), 3U);
  EXPECT_EQ(manifest->files[0].link, "shard-0.h5");
  EXPECT_FALSE(manifest->files[1].link.has_value());
  EXPECT_EQ(manifest->files[2].bytes, 100U);
  EXPECT_EQ(manifest->files[2].crc32c, 6U);
  const Result<Manifest> again = ParseManifest(PrintManifest(*manifest));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(PrintManifest(*again), PrintManifest(*manifest));
}

// The first programs of format 3 wrote no state, no files, and of variables no more than their shapes.
TEST(ManifestText, TheFirstFormOfFormatThreeIsRead) {
  const Result<Manifest> manifest = ParseManifest(kFirstText);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ(manifest->format, 3U);
  EXPECT_EQ(manifest->skipped_steps(), 3);
  EXPECT_EQ(manifest->state.Print(), R"({"skipped": {"steps": "3"}})");
  EXPECT_FALSE(manifest->shards[0].variables[0].crc32c.has_value());
  EXPECT_FALSE(manifest->shards[0].variables[0].offset.has_value());
  EXPECT_TRUE(manifest->files.empty());
  EXPECT_EQ(ParseManifest(PrintManifest(*manifest))->skipped_steps(), 3);
}

TEST(ManifestText, StateAndFilesAreThereWhereThereAreAny) {
  Manifest manifest = *ParseManifest(kText);
  manifest.set_skipped_steps(7);
  manifest.state.Remove("of a later program");
  EXPECT_THAT(PrintManifest(manifest), HasSubstr("\n \"state\": {\"skipped\": {\"steps\": \"7\"}},\n"));
  manifest.set_skipped_steps(0);
  manifest.files.clear();
  EXPECT_THAT(PrintManifest(manifest), Not(HasSubstr("state")));
  EXPECT_THAT(PrintManifest(manifest), Not(HasSubstr("files\": [\n")));
  EXPECT_EQ(ParseManifest(PrintManifest(manifest))->skipped_steps(), 0);
}

TEST(ManifestText, StateIsObjectsByName) {
  const std::string steps = "{\"steps\": \"2\"}";
  EXPECT_THAT(WhyRefused(With(steps, "{\"steps\": \"8\"}")), HasSubstr("8 of its 7 steps"));
  EXPECT_NE(WhyRefused(With(steps, "{\"steps\": \"-1\"}")), "");
  EXPECT_THAT(WhyRefused(With(steps, "{}")), HasSubstr("\"steps\" is missing"));
  EXPECT_THAT(WhyRefused(With(steps, "[]")), HasSubstr("the state 'skipped' is no object"));
  EXPECT_THAT(WhyRefused(With("{\"skipped\": " + steps, "[{\"skipped\": " + steps)), HasSubstr("expected"));
  EXPECT_NE(WhyRefused(With("\"of a later program\"", "\"skipped\"")), "");
  EXPECT_NE(WhyRefused(With("\"z\"", std::string(JsonValue::kMaxDepth, '[') + std::string(JsonValue::kMaxDepth, ']'))),
            "");
  EXPECT_NE(WhyRefused(With("\"z\"", "\"" + std::string(1 << 20, 'z') + "\"")), "");
  Manifest manifest = *ParseManifest(kText);
  manifest.state.Set("best", JsonValue::Int(3));
  EXPECT_EQ(CheckManifest(manifest).code(), Code::kDataLoss);
}

TEST(ManifestText, FurtherFilesStandBesideTheShards) {
  for (const char* name : {"../tf.index", "notes", "", "manifest.json", "index.h5", "tf.a/b", "tf.\\u0000"}) {
    EXPECT_THAT(WhyRefused(With("\"tf.index\"", StrCat("\"", name, "\""))), HasSubstr("a further file is named"))
        << name;
  }
  EXPECT_THAT(WhyRefused(With("\"tf.index\"", "\"tf.data-00000-of-00002\"")), HasSubstr("two files"));
  EXPECT_THAT(WhyRefused(With("\"tf.index\"", "\"tf.data-00001-of-00002\"")), HasSubstr("two files"));
  for (const char* target :
       {"", "/etc/passwd", "../shard-0.h5", "shard-1.h5", "manifest.json", "tf.data-00000-of-00002"}) {
    EXPECT_THAT(WhyRefused(With("\"link\": \"shard-0.h5\"", StrCat("\"link\": \"", target, "\""))),
                HasSubstr("which is no file of it"))
        << target;
  }
  EXPECT_EQ(WhyRefused(With("\"link\": \"shard-0.h5\"", "\"link\": \"tf.index\"")), "");
}

TEST(ManifestText, BytesOfVariablesLieInTheirShard) {
  EXPECT_EQ(WhyRefused(With("\"2048\"", "\"0\"")), "");
  EXPECT_THAT(WhyRefused(With("\"2048\"", "\"2049\"")), HasSubstr("behind the end of shard-0.h5"));
  EXPECT_NE(WhyRefused(With("\"2048\"", "\"9223372036854775807\"")), "");
  EXPECT_NE(WhyRefused(With("\"crc32c\": 7", "\"crc32c\": 7, \"offset\": \"0\"")), "");
  EXPECT_NE(WhyRefused(With("\"crc32c\": 7", "\"crc32c\": 4294967296")), "");
  for (const char* digits : {"", "00ff00ff00ff00f", "00FF00ff00ff00fe", "000ff00ff00ff00fe", "00ff00ff00ff00fg"}) {
    EXPECT_THAT(WhyRefused(With("00ff00ff00ff00fe", digits)), HasSubstr("has the fingerprint")) << digits;
  }
}

TEST(ManifestText, EveryFlippedBitIsFound) {
  const std::string text = kText;
  for (size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_NE(WhyRefused(flipped), "") << "byte " << i << ", bit " << bit;
    }
  }
}

TEST(ManifestText, EveryPrefixAndWhatFollowsIsRefused) {
  const std::string text = kText;
  for (size_t size = 0; size < text.size(); ++size) EXPECT_NE(WhyRefused(text.substr(0, size)), "") << size;
  EXPECT_NE(WhyRefused(text + "\n"), "");
  EXPECT_NE(WhyRefused(text + text), "");
  EXPECT_NE(WhyRefused(std::string(1 << 20, '[')), "");
  EXPECT_NE(WhyRefused(std::string(1 << 20, '\0')), "");
}

TEST(ManifestText, MembersAreThoseOfTheFormat) {
  EXPECT_THAT(WhyRefused(With("\"step\": \"7\",", "")), HasSubstr("\"step\""));
  EXPECT_NE(WhyRefused(With("\"step\": \"7\",", "\"step\": \"7\", \"extra\": 1,")), "");
  EXPECT_NE(WhyRefused(With("\"step\": \"7\",", "\"step\": \"7\", \"step\": \"8\",")), "");
  EXPECT_NE(WhyRefused(With("\"7\"", "7")), "");
  EXPECT_NE(WhyRefused(With("\"7\"", "\"-7\"")), "");
  EXPECT_NE(WhyRefused(With("\"7\"", "\"07\"")), "");
  EXPECT_NE(WhyRefused(With("\"7\"", "\" 7\"")), "");
  EXPECT_NE(WhyRefused(With("\"7\"", "\"7e0\"")), "");
  EXPECT_NE(WhyRefused(With("\"7\"", "\"9223372036854775808\"")), "");
  EXPECT_NE(WhyRefused(With("4026531839", "\"4026531839\"")), "");
  EXPECT_NE(WhyRefused(With("4026531839", "4294967296")), "");
  EXPECT_NE(WhyRefused(With("\"shape\": []", "\"shape\": {}")), "");
  EXPECT_NE(WhyRefused(With("\"shape\": []", "\"shape\": null")), "");
  EXPECT_NE(WhyRefused(With("\"n\"", "7")), "");
}

TEST(ManifestText, ContentIsWhatACheckpointCanHave) {
  EXPECT_THAT(WhyRefused(With("\"n\"", "\"a/<w\\u00e9\"")), HasSubstr("two variables"));
  EXPECT_THAT(WhyRefused(With("\"n\"", "\"\"")), HasSubstr("a variable is named ''"));
  EXPECT_NE(WhyRefused(With("\"n\"", "\"n\\u0000\"")), "");
  for (const char* file : {"../shard-0.h5", "/etc/passwd", "", ".", "..", "manifest.json", "a\\u0000b"}) {
    EXPECT_THAT(WhyRefused(With("shard-0.h5", file)), HasSubstr("a shard is named")) << file;
  }
  EXPECT_NE(WhyRefused(With("shard-0.h5", std::string(300, 'x'))), "");
  EXPECT_THAT(WhyRefused(With("DT_INT64", "DT_NONE")), HasSubstr("unknown dtype"));
  EXPECT_THAT(WhyRefused(With("DT_INT64", "int64")), HasSubstr("unknown dtype"));
  EXPECT_THAT(WhyRefused(With("DT_INT64", "DT_VARIANT")), HasSubstr("unknown dtype"));
  EXPECT_NE(WhyRefused(With("[\"2\", \"3\"]", "[\"2\", \"-3\"]")), "");
  EXPECT_THAT(WhyRefused(With("[\"2\", \"3\"]", "[\"2\", \"300\"]")), HasSubstr("too large"));
  EXPECT_NE(WhyRefused(With("[\"2\", \"3\"]", "[\"9223372036854775807\", \"9\"]")), "");
  EXPECT_THAT(
      WhyRefused(With("{\"name\": \"batch\"", R"({"name": "batch", "samples": "1", "files": []}, {"name": "batch")")),
      HasSubstr("two inputs"));
  EXPECT_THAT(WhyRefused(With("train.loss", "seed")), HasSubstr("two settings"));
  const std::string shard = R"({"file": "shard-0.h5", "bytes": "1", "crc32c": 0, "variables": []}, )";
  EXPECT_THAT(WhyRefused(With("{\"file\"", shard + "{\"file\"")), HasSubstr("two shards"));
}

TEST(ManifestText, AnotherFormatIsNoDamageWhereItsChecksumFits) {
  const Status status = ParseManifest(With("\"format\": 3", "\"format\": 4")).status();
  EXPECT_EQ(status.code(), Code::kBadSpec);
  EXPECT_THAT(status.message(), HasSubstr("it has format 4, and this program reads 1 to 3"));
  std::string text = kText;
  text[text.find("\"format\": 3") + 10] = '4';
  EXPECT_THAT(WhyRefused(text), HasSubstr("checksum"));
}

TEST(ManifestText, AnInputMayNumberClasses) {
  const Result<Manifest> plain = ParseManifest(kText);
  ASSERT_TRUE(plain.ok());
  Manifest labelled = *plain;
  labelled.inputs[0].classes = {"cat", "a \"dog\""};
  const Result<Manifest> again = ParseManifest(PrintManifest(labelled));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->inputs[0].classes, labelled.inputs[0].classes);
  EXPECT_TRUE(plain->inputs[0].classes.empty());
}

// Format 2 has no settings.
TEST(ManifestText, FormatTwoIsReadAsStrictly) {
  EXPECT_NE(WhyRefused(With("\"format\": 3", "\"format\": 2")), "");
  std::string text = kFirstText;
  text.replace(text.find("\"format\": 3"), 11, "\"format\": 2");
  text.erase(text.find(" \"settings\""));
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", Crc32c(text.data(), text.size()));
  const Result<Manifest> manifest = ParseManifest(text + " \"checksum\": \"crc32c:" + digits + "\"\n}\n");
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ(manifest->format, 2U);
  EXPECT_EQ(manifest->inputs.size(), 1U);
}

// Format 1 has no checksum, nor the members of later ones.
TEST(ManifestText, FormatOneIsReadAsStrictly) {
  const std::string head = R"({"format": 1, "step": "3", "shards": [])";
  EXPECT_TRUE(ParseManifest(head + "}").ok());
  const Result<Manifest> manifest = ParseManifest(head + ", \"inputs\": []}");
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ(manifest->format, 1U);
  EXPECT_NE(WhyRefused(head + ", \"inputs\": [], \"checksum\": \"crc32c:00000000\"}"), "");
  EXPECT_NE(WhyRefused(With("\"format\": 3", "\"format\": 1")), "");
  EXPECT_NE(WhyRefused(R"({"format": 1, "shards": []})"), "");
}

TEST(ManifestText, WhatCouldNotBeReadBackIsNotWritten) {
  Manifest manifest;
  manifest.shards = {{"shard-0.h5", 100, 0, {{"bad\xff", DType::kFloat, Shape()}}}};
  EXPECT_EQ(WriteManifest("/nonexistent", manifest).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
