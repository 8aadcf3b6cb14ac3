#include "jobs/bench/bench_kernels_limits.h"

#include <thread>
#include <vector>

#include "jobs/timing.h"
#include "kernels/gemm/amx_tiles.h"
#include "kernels/gemm/simd.h"
#include "src/base/threads.h"

namespace dfrun::jobs {
namespace {

// Number of independent sums. It exceeds the latency of a multiply-add times the number that begin in a cycle.
constexpr int kSums = 12;
constexpr int64_t kFmaRounds = 2'000'000;  // about 4 ms

// Calls body(i) for each i < threads, on as many threads.
void OnThreads(int threads, FunctionRef<void(int)> body) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&body, i] { body(i); });
  if (threads > 1) BindOthers();
  body(0);
  for (std::thread& other : others) other.join();
}

// Runs kFmaRounds rounds of kSums steps `multiply_add(sum, a, b)`, each of `flops` operations, and returns the number
// of operations.
template <class V, class Factor, class Step>
double RunSteps(int threads, double flops, Factor a, Factor b, Step multiply_add) {
  OnThreads(threads, [&](int) {
    const Factor own_a = a;  // keeps it in registers
    const Factor own_b = b;
    V sums[kSums] = {};
#pragma GCC unroll 16
    for (int i = 0; i < kSums; ++i) sums[i][0] = static_cast<float>(i);  // otherwise the compiler would merge the sums
    for (int64_t round = 0; round < kFmaRounds; ++round) {
#pragma GCC unroll 16
      for (int i = 0; i < kSums; ++i) sums[i] = multiply_add(sums[i], own_a, own_b);
    }
#pragma GCC unroll 16
    for (int i = 1; i < kSums; ++i) sums[0] += sums[i];
    [[maybe_unused]] const volatile float used = sums[0][0];
  });
  return flops * kSums * static_cast<double>(kFmaRounds) * threads;
}

#ifdef DFRUN_AMX
// Runs four sums of tiles, each of 16 x 16 x 32 multiply-adds per step. Tiles that were not loaded hold zeros.
double RunTiles(int threads) {
  constexpr int64_t kRounds = kFmaRounds / 32;
  OnThreads(threads, [](int) {
    const TileScope scope;
    for (int64_t round = 0; round < kRounds; ++round) {
      _tile_dpbf16ps(0, 4, 5);
      _tile_dpbf16ps(1, 4, 6);
      _tile_dpbf16ps(2, 7, 5);
      _tile_dpbf16ps(3, 7, 6);
    }
  });
  return 2.0 * 16 * 16 * 32 * 4 * static_cast<double>(kRounds) * threads;
}
#endif

// The range [begin, end) of `count` elements that thread `i` has, in whole cache lines.
struct Part {
  Part(int64_t count, int threads, int i) : begin(count * i / threads / 16 * 16), end(count) {
    if (i + 1 < threads) end = count * (i + 1) / threads / 16 * 16;
  }
  int64_t begin;
  int64_t end;
};

// Stores a vector and bypasses the caches if the machine can; `to` is aligned.
inline void Stream(float* to, Vec<float> v) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, v);
#elif defined(__AVX__)
  _mm256_stream_ps(to, v);
#else
  Store(to, v);
#endif
}

// Sets to[i] = value(i), a vector at a time; the elements beyond the last whole vector are left out.
template <class Value>
void StreamAll(int threads, Tensor& to, Value&& value) {
  OnThreads(threads, [&](int i) {
    const Part part(to.num_elements(), threads, i);
    float* out = to.data<float>();
    for (int64_t at = part.begin; at + kLanes<float> <= part.end; at += kLanes<float>) Stream(out + at, value(at));
  });
}

}  // namespace

double RunFloatFma(int threads) {
  return RunSteps<Vec<float>>(threads, 2.0 * kLanes<float>, Broadcast(0.999F), Broadcast(0.001F),
                              [](Vec<float> sum, Vec<float> a, Vec<float> b) { return MulAdd<float>(sum, a, b); });
}

double RunBfloat16Dot(int threads) {
#ifdef DFRUN_AMX
  if (MayUseTiles()) return RunTiles(threads);
#endif
#if defined(__AVX512BF16__)
  const __m512bh half = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5F), _mm512_set1_ps(0.5F));
  return RunSteps<__m512>(threads, 4.0 * kLanes<float>, half, half,
                          [](__m512 sum, __m512bh a, __m512bh b) { return _mm512_dpbf16_ps(sum, a, b); });
#else
  static_cast<void>(threads);
  return 0;
#endif
}

float ReadAll(int threads, const Tensor& x) {
  std::vector<float> totals(static_cast<size_t>(threads));
  OnThreads(threads, [&](int i) {
    const Part part(x.num_elements(), threads, i);
    constexpr int64_t kStep = 8 * kLanes<float>;
    Vec<float> sums[8] = {};
    for (int64_t at = part.begin; at + kStep <= part.end; at += kStep) {
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) sums[k] += Load(x.data<float>() + at + k * kLanes<float>);
    }
#pragma GCC unroll 8
    for (int k = 1; k < 8; ++k) sums[0] += sums[k];
    totals[static_cast<size_t>(i)] = sums[0][0];
  });
  return totals[0];
}

void CopyAll(int threads, const Tensor& x, Tensor& to) {
  StreamAll(threads, to, [from = x.data<float>()](int64_t at) { return Load(from + at); });
}

void AddAll(int threads, const Tensor& x, const Tensor& y, Tensor& to) {
  StreamAll(threads, to,
            [a = x.data<float>(), b = y.data<float>()](int64_t at) { return Load(a + at) + Load(b + at); });
}

}  // namespace dfrun::jobs
