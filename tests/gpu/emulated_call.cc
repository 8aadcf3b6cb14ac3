#include "tests/gpu/emulated_call.h"

#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/gpu/emulated_memory.h"

namespace dfrun::cuda::emulated {
namespace {

struct Function {
  RunBlocks run;
  std::vector<size_t> arg_bytes;
};

struct Functions {
  Mutex mu;
  std::unordered_map<const void*, Function> all GUARDED_BY(mu);
};
Functions& TheFunctions() {
  static Functions& functions = *new Functions();
  return functions;
}

}  // namespace

void Declare(const void* kernel, RunBlocks run, std::vector<size_t> arg_bytes) {
  Functions& functions = TheFunctions();
  const MutexLock lock(functions.mu);
  functions.all.try_emplace(kernel, Function{run, std::move(arg_bytes)});
}

Work KeepCall(const void* kernel, int64_t blocks, void** args) {
  struct alignas(16) Word {
    char bytes[16];
  };
  Function function;
  {
    Functions& functions = TheFunctions();
    const MutexLock lock(functions.mu);
    function = functions.all.at(kernel);
  }
  std::vector<std::vector<Word>> values;
  for (size_t i = 0; i < function.arg_bytes.size(); ++i) {
    values.emplace_back((function.arg_bytes[i] + sizeof(Word) - 1) / sizeof(Word));
    std::memcpy(values.back().data(), args[i], function.arg_bytes[i]);
    PutReach(values.back().data(), function.arg_bytes[i]);
  }
  return [kernel, blocks, run = function.run, values = std::move(values)]() mutable {
    std::vector<void*> addresses;
    for (std::vector<Word>& value : values) addresses.push_back(value.data());
    run(kernel, blocks, addresses.data());
  };
}

Work KeepCopy(void* to, const void* from, size_t bytes) {
  return [to = Reach(to), from = ReachOf(from), bytes] { std::memmove(to, from, bytes); };
}

Work KeepFill(void* to, int value, size_t bytes) {
  return [to = Reach(to), value, bytes] { std::memset(to, value, bytes); };
}

}  // namespace dfrun::cuda::emulated
