// Callbacks that wait to be run.
#ifndef DFRUN_COMM_MPI_COMPLETIONS_H_
#define DFRUN_COMM_MPI_COMPLETIONS_H_

#include <array>
#include <utility>
#include <vector>

#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// A few take no memory but their own. Thread safety: none.
class Completions {
 public:
  void Add(Callback done, Status status) {
    if (count_ < first_.size()) {
      first_[count_++] = {done, std::move(status)};
    } else {
      rest_.push_back({done, std::move(status)});
    }
  }
  // In the order added. Once.
  void Run() {
    for (size_t i = 0; i < count_; ++i) first_[i].done(std::move(first_[i].status));
    for (Completion& completion : rest_) completion.done(std::move(completion.status));
  }

 private:
  struct Completion {
    Callback done;
    Status status;
  };

  std::array<Completion, 4> first_;
  size_t count_ = 0;
  std::vector<Completion> rest_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_COMPLETIONS_H_
