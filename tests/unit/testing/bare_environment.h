// For tests of what goes by environment variables: as long as it lives there are none, but for a HOME that is empty and
// what the test sets. Thread safety: nothing else reads or changes the environment meanwhile.
#ifndef DFRUN_TESTS_UNIT_TESTING_BARE_ENVIRONMENT_H_
#define DFRUN_TESTS_UNIT_TESTING_BARE_ENVIRONMENT_H_

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/unit/testing/scratch_directory.h"

namespace dfrun {

class BareEnvironment {
 public:
  BareEnvironment() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) before_.emplace_back(*entry);
    ::clearenv();
    Set("HOME", folder());
  }
  ~BareEnvironment() {
    ::clearenv();
    for (const std::string& entry : before_) {
      const size_t equals = entry.find('=');
      if (equals != std::string::npos) Set(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  BareEnvironment(const BareEnvironment&) = delete;
  BareEnvironment& operator=(const BareEnvironment&) = delete;

  void Set(const std::string& name, const std::string& value) { ::setenv(name.c_str(), value.c_str(), 1); }
  // The folder that HOME names.
  std::string folder() const { return directory_.path(); }
  // A file below it.
  void Write(const std::string& name, const std::string& text) const { directory_.Write(name, text); }

 private:
  std::vector<std::string> before_;  // entries NAME=VALUE, by copy: setenv() may free the array that held them
  ScratchDirectory directory_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_TESTING_BARE_ENVIRONMENT_H_
