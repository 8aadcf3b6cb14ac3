// The words of errors for the keys by which replicas run for themselves.
#ifndef DFRUN_SRC_TRAINING_APART_WORDS_H_
#define DFRUN_SRC_TRAINING_APART_WORDS_H_

#include "src/spec/job_spec.h"

namespace dfrun {

struct ApartWords {
  const char* with;     // "'backup' of 'train'"
  const char* instead;  // "leave out 'backup'"
};

inline ApartWords WordsOfApart(const TrainSpec& train) {
  if (train.strategy.name() == "async") return {"'strategy: async' of 'train'", "write 'strategy: sync'"};
  return {"'backup' of 'train'", "leave out 'backup'"};
}

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_APART_WORDS_H_
