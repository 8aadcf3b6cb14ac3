#include "src/base/user_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>
#include <string>

namespace dfrun {
namespace {

// A variable of the environment, as it was when this ends.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const was = ::getenv(name); was != nullptr) was_ = was;
    Set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { Set(was_ ? was_->c_str() : nullptr); }

 private:
  void Set(const char* value) { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }

  const char* const name_;
  std::optional<std::string> was_;
};

std::string FolderOf(const char* named, const char* caches, const char* home) {
  const Variable cache("DFRUN_CACHE", named);
  const Variable xdg("XDG_CACHE_HOME", caches);
  const Variable user("HOME", home);
  return UserCacheFolder();
}

TEST(UserCacheTest, TheMostParticularVariableCounts) {
  EXPECT_EQ(FolderOf("/scratch/x", "/caches", "/home/a"), "/scratch/x");
  EXPECT_EQ(FolderOf(nullptr, "/caches", "/home/a"), "/caches/dfrun");
  EXPECT_EQ(FolderOf(nullptr, nullptr, "/home/a"), "/home/a/.cache/dfrun");
}

TEST(UserCacheTest, EmptyAndRelativeOnesAreNone) {
  EXPECT_EQ(FolderOf("", "", "/home/a"), "/home/a/.cache/dfrun");
  EXPECT_EQ(FolderOf("", "caches", "/home/a"), "/home/a/.cache/dfrun");
  EXPECT_EQ(FolderOf(nullptr, nullptr, nullptr), "");
  EXPECT_EQ(FolderOf(nullptr, nullptr, "a"), "");
}

TEST(UserCacheTest, OffIsNone) {
  EXPECT_EQ(FolderOf("off", "/caches", "/home/a"), "");
}

}  // namespace
}  // namespace dfrun
