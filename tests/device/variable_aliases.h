// Variables as a kernel of the sealed device sees them: objects whose values lie at the alias.
#ifndef DFRUN_TESTS_DEVICE_VARIABLE_ALIASES_H_
#define DFRUN_TESTS_DEVICE_VARIABLE_ALIASES_H_

#include <vector>

#include "src/framework/variable.h"
#include "tests/device/sealed_device.h"

namespace dfrun::sealed {

// Of one call of a kernel. A variable's value is shared with its stand-in, so that a kernel which changes it makes a
// value of its own first. Thread safety: the stream's thread.
class VariableAliases {
 public:
  explicit VariableAliases(SealedDevice& device) : device_(device) {}

  // Stands for the variable until the call ends.
  Variable& Find(Variable& variable);
  // The variable that `alias` stands for; itself if it stands for none.
  Variable& Original(Variable& alias) const;
  // Handles to variables, among others, with each replaced by its alias, or the other way round.
  Tensor HandlesToAliases(const Tensor& handles);
  Tensor HandlesToOriginals(const Tensor& handles) const;
  // After the call: the variables get what it made of their aliases.
  Status WriteBack();

 private:
  struct Entry {
    RefPtr<Variable> variable;  // a kernel may take it out of its container
    RefPtr<Variable> alias;
    const void* data;  // of the value that they share; null: none
  };
  template <class Replace>
  static Tensor WithHandles(const Tensor& handles, Replace replace);

  SealedDevice& device_;
  std::vector<Entry> entries_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_VARIABLE_ALIASES_H_
