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
  BareEnvironment() : before_(environ) {
    environ = none_.data();
    Set("HOME", folder());
  }
  ~BareEnvironment() { environ = before_; }
  BareEnvironment(const BareEnvironment&) = delete;
  BareEnvironment& operator=(const BareEnvironment&) = delete;

  void Set(const std::string& name, const std::string& value) { ::setenv(name.c_str(), value.c_str(), 1); }
  // The folder that HOME names.
  std::string folder() const { return directory_.path(); }
  // A file below it.
  void Write(const std::string& name, const std::string& text) const { directory_.Write(name, text); }

 private:
  char** const before_;
  std::vector<char*> none_ = {nullptr};
  ScratchDirectory directory_;
};

}  // namespace dfrun

#endif  // DFRUN_TESTS_UNIT_TESTING_BARE_ENVIRONMENT_H_
