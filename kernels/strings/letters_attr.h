// The attr `letters` of the ops on words.
#ifndef DFRUN_KERNELS_STRINGS_LETTERS_ATTR_H_
#define DFRUN_KERNELS_STRINGS_LETTERS_ATTR_H_

#include <string>

#include "kernels/strings/letters.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

inline Letters LettersOf(KernelSetup& setup) {
  Result<Letters> letters = Letters::Parse(setup.attr<std::string>("letters"));
  if (letters.ok()) return *letters;
  setup.Fail(letters.status().Annotate("attr 'letters'"));
  return Letters();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_LETTERS_ATTR_H_
