// Stand-ins for variables in calls of the sealed device's kernels: objects whose values are at the alias.
#ifndef DFRUN_TESTS_DEVICE_VARIABLE_ALIASES_H_
#define DFRUN_TESTS_DEVICE_VARIABLE_ALIASES_H_

#include <vector>

#include "src/framework/kernel/variable.h"
#include "tests/device/sealed_device.h"

namespace dfrun::sealed {

// Holds the stand-ins of one call of a kernel. A variable shares its value with its stand-in, so a kernel that changes
// it makes a value of its own first.
// Thread safety: the stream's thread.
class VariableAliases {
 public:
  explicit VariableAliases(SealedDevice& device) : device_(device) {}

  // Returns the stand-in of the variable, valid until the call ends.
  Variable& Find(Variable& variable);
  // Returns the variable that `alias` stands for; `alias` itself if it stands for none.
  Variable& Original(Variable& alias) const;
  // Replace the handles to variables among `handles` by their aliases, or the other way round.
  Tensor HandlesToAliases(const Tensor& handles);
  Tensor HandlesToOriginals(const Tensor& handles) const;
  // Gives the variables, after the call, the values of their aliases.
  Status WriteBack();

 private:
  struct Entry {
    RefPtr<Variable> variable;  // keeps it alive, since a kernel may remove it from its container
    RefPtr<Variable> alias;
    const void* data;  // address of the value that they share; null: none
  };
  template <class Replace>
  static Tensor WithHandles(const Tensor& handles, Replace replace);

  SealedDevice& device_;
  std::vector<Entry> entries_;
};

}  // namespace dfrun::sealed

#endif  // DFRUN_TESTS_DEVICE_VARIABLE_ALIASES_H_
