// Threads of a block as stacks that take turns on one thread of the host.
//
// A fault can be planted: DFRUN_EMULATED_MISSING_BARRIER=n has threads go on at their n-th barrier (from 0).
#include <sanitizer/asan_interface.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/gpu/emulated_settings.h"

namespace dfrun::cuda::emulated {

Place place;
Mutex running;

namespace {

constexpr size_t kStack = size_t{64} << 10;

// Leaves the stack that is in use, whose pointer goes to *from, for another, on which a call of this returns or whose
// first function begins. What a callee keeps (System V ABI) lies on the stacks. ucontext asks the kernel for the signal
// mask at each switch, which makes a kernel with barriers 30 times as slow.
extern "C" void SwitchEmulatedStack(void** from, void* to);
asm(R"(
.pushsection .text
.type SwitchEmulatedStack, @function
SwitchEmulatedStack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size SwitchEmulatedStack, .-SwitchEmulatedStack
.popsection
)");

struct Fiber {
  std::vector<char> stack = std::vector<char>(kStack);
  void* top = nullptr;  // while it waits
  bool has_ended = false;
  int64_t barriers = 0;  // number of barriers that it has reached
};

// The block that runs now.
struct Block {
  void* scheduler = nullptr;  // its stack, while a fiber runs
  std::vector<Fiber> fibers = std::vector<Fiber>(kBlockThreads);
  FunctionRef<void()>* thread = nullptr;
};

// Blocks that have begun: one may have another run before it goes on (GridDependencySync()).
int blocks_begun = 0;

Block& TheBlock() {
  static auto& blocks = *new std::deque<Block>();
  while (blocks.size() < static_cast<size_t>(blocks_begun)) blocks.emplace_back();
  return blocks[static_cast<size_t>(blocks_begun) - 1];
}

void RunThread() {
  Block& block = TheBlock();
  (*block.thread)();
  Fiber& fiber = block.fibers[static_cast<size_t>(place.thread)];
  fiber.has_ended = true;
  SwitchEmulatedStack(&fiber.top, block.scheduler);
}

// Prepares the fiber's stack as if RunThread() were about to be called: with a return address above it that is never
// used, and registers below.
void Begin(Fiber& fiber) {
  // The previous thread on this stack never returned
  ASAN_UNPOISON_MEMORY_REGION(fiber.stack.data(), fiber.stack.size());
  constexpr size_t kRegisters = 6;
  constexpr uintptr_t kAlignment = 16;
  const uintptr_t end = reinterpret_cast<uintptr_t>(fiber.stack.data() + fiber.stack.size()) / kAlignment * kAlignment;
  auto* const words = reinterpret_cast<uintptr_t*>(end) - 2;
  words[1] = 0;
  words[0] = reinterpret_cast<uintptr_t>(&RunThread);
  std::memset(words - kRegisters, 0, kRegisters * sizeof(uintptr_t));
  fiber.top = words - kRegisters;
  fiber.has_ended = false;
  fiber.barriers = 0;
}

}  // namespace

void Meet() NO_THREAD_SAFETY_ANALYSIS {
  Block& block = TheBlock();
  Fiber& fiber = block.fibers[static_cast<size_t>(place.thread)];
  if (fiber.barriers++ == MissingBarrier()) return;
  SwitchEmulatedStack(&fiber.top, block.scheduler);
}

void RunTogether(FunctionRef<void()> thread) {
  ++blocks_begun;
  Block& block = TheBlock();
  block.thread = &thread;
  std::vector<int> order(kBlockThreads);
  std::iota(order.begin(), order.end(), 0);
  for (Fiber& fiber : block.fibers) Begin(fiber);
  while (!order.empty()) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[Random() % i]);
    for (const int i : order) {
      place.thread = i;
      SwitchEmulatedStack(&block.scheduler, block.fibers[static_cast<size_t>(i)].top);
    }
    std::erase_if(order, [&](int i) { return block.fibers[static_cast<size_t>(i)].has_ended; });
  }
  --blocks_begun;
}

}  // namespace dfrun::cuda::emulated
