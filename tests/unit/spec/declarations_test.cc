// docs/spec.md has what the spec's declarations have.
#include <gtest/gtest.h>

#include "src/base/file.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/node_keys.h"
#include "src/spec/schema/section_def.h"

namespace dfrun {
namespace {

class DeclarationsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto text = ReadFile("docs/spec.md", size_t{1} << 20);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    docs_ = *text;
  }

  bool Names(const std::string& word) const {
    for (const char* const end : {"`", ":", " "}) {
      if (docs_.find("`" + word + end) != std::string::npos) return true;
    }
    return docs_.find(word + ":") != std::string::npos;
  }

  std::string docs_;
};

TEST_F(DeclarationsTest, TheTablesOfOptimizersAndStrategiesAreInTheDocs) {
  for (const Alternatives* all : {&Optimizers(), &Strategies()}) {
    EXPECT_NE(docs_.find(all->Table()), std::string::npos) << "docs/spec.md lacks this table:\n" << all->Table();
  }
}

TEST_F(DeclarationsTest, EverySectionAndKeyIsInTheDocs) {
  for (const SectionDef* section : Sections::List()) {
    EXPECT_TRUE(Names(section->key.name)) << section->key.name;
    for (const KeyDef& key : WithAlternatives(section->key.keys)) {
      EXPECT_TRUE(Names(key.name)) << section->key.name << ": " << key.name;
      for (const KeyDef& inner : key.keys) EXPECT_TRUE(Names(inner.name)) << key.name << ": " << inner.name;
    }
  }
}

TEST_F(DeclarationsTest, EveryKeyOfANodeIsInTheDocs) {
  for (const auto& keys : {NodeKeys(), VariableKeys(), CondKeys(), WhileKeys()}) {
    for (const KeyDef& key : keys) EXPECT_TRUE(Names(key.name)) << key.name;
  }
}

TEST_F(DeclarationsTest, SectionsHaveOrdersOfTheirOwn) {
  const std::vector<const SectionDef*> sections = Sections::List();
  for (size_t i = 1; i < sections.size(); ++i) {
    EXPECT_LT(sections[i - 1]->order, sections[i]->order) << sections[i]->key.name;
  }
}

// The schema has one property a key, whichever optimizer it belongs to.
TEST_F(DeclarationsTest, KeysOfAlternativesAreNumbersAndBoolsOfOneKind) {
  for (const Alternatives* all : {&Optimizers(), &Strategies()}) {
    const std::vector<KeyDef> keys = all->Keys();
    for (const std::string& name : all->Names()) {
      for (const KeyDef& key : all->Find(name)->keys) {
        EXPECT_TRUE(key.fallback.has_value()) << name << ": " << key.name;
        EXPECT_EQ(key.kind, FindKeyDef(keys, key.name)->kind) << name << ": " << key.name;
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
