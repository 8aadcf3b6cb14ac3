// Threads of a block as contexts that take turns on one thread of the host.
#include <ucontext.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/device/cuda/block.h"

namespace dfrun::cuda::emulated {

Place place;
Mutex running;

namespace {

constexpr size_t kStack = size_t{64} << 10;

struct Fiber {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStack);
  bool has_ended = false;
};

// The block that runs now.
struct Block {
  ucontext_t scheduler;
  std::vector<Fiber> fibers = std::vector<Fiber>(kBlockThreads);
  FunctionRef<void()>* thread = nullptr;
};

Block& TheBlock() {
  static Block& block = *new Block();
  return block;
}

void RunThread() {
  Block& block = TheBlock();
  (*block.thread)();
  Fiber& fiber = block.fibers[static_cast<size_t>(place.thread)];
  fiber.has_ended = true;
  swapcontext(&fiber.context, &block.scheduler);
}

}  // namespace

void Meet() {
  Block& block = TheBlock();
  swapcontext(&block.fibers[static_cast<size_t>(place.thread)].context, &block.scheduler);
}

void RunTogether(FunctionRef<void()> thread) {
  static std::minstd_rand& random = *new std::minstd_rand(1);
  Block& block = TheBlock();
  block.thread = &thread;
  std::vector<int> order(kBlockThreads);
  std::iota(order.begin(), order.end(), 0);
  for (Fiber& fiber : block.fibers) {
    fiber.has_ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &RunThread, 0);
  }
  while (!order.empty()) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int i : order) {
      place.thread = i;
      swapcontext(&block.scheduler, &block.fibers[static_cast<size_t>(i)].context);
    }
    std::erase_if(order, [&](int i) { return block.fibers[static_cast<size_t>(i)].has_ended; });
  }
}

}  // namespace dfrun::cuda::emulated
