// A list of completed calls, whose callbacks are run later.
#ifndef DFRUN_COMM_COMPLETIONS_H_
#define DFRUN_COMM_COMPLETIONS_H_

#include <new>
#include <utility>
#include <vector>

#include "src/framework/step/rendezvous.h"

namespace dfrun::comm {

// Stores the first few completions in the object itself, whose memory is not touched before there is one: most polls
// find nothing.
// Thread safety: none.
class Completions {
 public:
  Completions() = default;
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;
  ~Completions() {
    for (size_t i = 0; i < count_; ++i) first_[i].value.~Completion();
  }

  void Add(Callback done, Status status) {
    if (count_ < kFew) {
      new (&first_[count_++].value) Completion{done, std::move(status)};
    } else {
      rest_.push_back({done, std::move(status)});
    }
  }
  // Runs all callbacks in the order in which they were added. Must be called once at most.
  void Run() {
    for (size_t i = 0; i < count_; ++i) first_[i].value.done(std::move(first_[i].value.status));
    for (Completion& completion : rest_) completion.done(std::move(completion.status));
  }

 private:
  struct Completion {
    Callback done;
    Status status;
  };
  union Storage {
    Storage() {}   // NOLINT(modernize-use-equals-default): nothing is made
    ~Storage() {}  // NOLINT(modernize-use-equals-default): nor ended
    Completion value;
  };
  static constexpr size_t kFew = 4;

  Storage first_[kFew];
  size_t count_ = 0;
  std::vector<Completion> rest_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_COMPLETIONS_H_
