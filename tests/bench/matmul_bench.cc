// Products of matrices against bare oneDNN and a plain loop, turn about in one run on one thread, as ratios: neighbours
// on the machine slow all three alike.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "kernels/device/onednn_call.h"
#include "kernels/gemm/gemm.h"
#include "src/framework/values/allocator.h"

namespace dfrun {
namespace {

struct Case {
  const char* what;
  GemmShape shape;
};
const Case kCases[] = {
    {"64-100-10 layer 1", {32, 64, 100, false, false}},
    {"64-100-10 layer 2", {32, 100, 10, false, false}},
    {"gradient of W1", {64, 32, 100, true, false}},
    {"gradient of W2", {100, 32, 10, true, false}},
    {"gradient of h1", {32, 10, 100, false, true}},
    {"vector", {1, 1024, 1024, false, false}},
    {"64", {64, 64, 64, false, false}},
    {"128", {128, 128, 128, false, false}},
    {"256", {256, 256, 256, false, false}},
    {"256, B transposed", {256, 256, 256, false, true}},
    {"1024", {1024, 1024, 1024, false, false}},
};

class Operands {
 public:
  explicit Operands(const GemmShape& s) : a(Random(s.m * s.k)), b(Random(s.k * s.n)), c(Random(s.m * s.n)) {}
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;

 private:
  static std::vector<float> Random(int64_t n) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(static_cast<size_t>(n));
    for (float& value : values) value = uniform(random);
    return values;
  }
};

// A row of C, one term at a time; the compiler vectorises it.
void AddTerm(float factor, const float* __restrict from, int64_t n, float* __restrict row) {
  for (int64_t j = 0; j < n; ++j) row[j] += factor * from[j];
}

// The loop that one would write by hand: rows of C as sums of rows of B. A transposed B is transposed first.
void PlainLoop(const GemmShape& s, Operands& o) {
  std::vector<float> turned;
  const float* b = o.b.data();
  if (s.transpose_b) {
    turned.resize(o.b.size());
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t p = 0; p < s.k; ++p) turned[static_cast<size_t>(p * s.n + j)] = b[j * s.k + p];
    }
    b = turned.data();
  }
  std::fill(o.c.begin(), o.c.end(), 0.0F);
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t p = 0; p < s.k; ++p) {
      const float factor = o.a[static_cast<size_t>(s.transpose_a ? p * s.m + i : i * s.k + p)];
      AddTerm(factor, b + p * s.n, s.n, o.c.data() + i * s.n);
    }
  }
}

// The library alone: everything is made before the clock starts.
class BareOneDnn {
 public:
  BareOneDnn(const GemmShape& s, Operands& o)
      : stream_(OneDnnEngine()),
        a_(Desc(s.m, s.k, s.transpose_a), OneDnnEngine(), o.a.data()),
        b_(Desc(s.k, s.n, s.transpose_b), OneDnnEngine(), o.b.data()),
        c_(Desc(s.m, s.n, false), OneDnnEngine(), o.c.data()) {
    const dnnl::matmul::primitive_desc made({a_.get_desc(), b_.get_desc(), c_.get_desc()}, OneDnnAttributes(),
                                            OneDnnEngine());
    primitive_ = dnnl::matmul(made);
    scratch_ = dnnl::memory(made.scratchpad_desc(), OneDnnEngine());
    args_ = {{DNNL_ARG_SRC, a_.get()},
             {DNNL_ARG_WEIGHTS, b_.get()},
             {DNNL_ARG_DST, c_.get()},
             {DNNL_ARG_SCRATCHPAD, scratch_.get()}};
  }
  void Run() { dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(args_.size()), args_.data()); }

 private:
  static dnnl::memory::desc Desc(int64_t rows, int64_t columns, bool transposed) {
    return {{rows, columns},
            dnnl::memory::data_type::f32,
            transposed ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1}};
  }
  dnnl::stream stream_;
  dnnl::memory a_;
  dnnl::memory b_;
  dnnl::memory c_;
  dnnl::memory scratch_;
  dnnl::primitive primitive_;
  std::vector<dnnl_exec_arg_t> args_;
};

template <class Run>
double TimeNs(int repeats, Run&& run) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) run();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / repeats;
}

void Compare(const Case& c) {
  const GemmShape& s = c.shape;
  Operands o(s);
  auto gemm = Gemm<float>::Create(s);
  if (!gemm.ok()) {
    std::printf("%-20s %s\n", c.what, gemm.status().ToString().c_str());
    return;
  }
  BareOneDnn bare(s, o);
  InlineThreadPool pool;
  const int repeats = static_cast<int>(std::max<int64_t>(1, 4'000'000 / s.work()));
  const int plain_repeats = std::max(1, repeats / 8);
  // The best of many turns: what the code costs where nobody interferes.
  constexpr int kTurns = 25;
  double ours = 1e30;
  double library = 1e30;
  double plain = 1e30;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours = std::min(ours, TimeNs(repeats, [&] {
                      const Status status = (*gemm)->Run(o.a.data(), o.b.data(), o.c.data(), pool, SystemAllocator());
                      DF_CHECK(status.ok());
                    }));
    library = std::min(library, TimeNs(repeats, [&] { bare.Run(); }));
    if (turn % 5 == 0) plain = std::min(plain, TimeNs(plain_repeats, [&] { PlainLoop(s, o); }));
  }
  std::printf(
      "%-20s %4ldx%4ldx%4ld  %10.0f ns %6.1f GF  oneDNN %10.0f ns  ratio %.2f  plain loop %10.0f ns  ratio %.2f\n",
      c.what, static_cast<long>(s.m), static_cast<long>(s.k), static_cast<long>(s.n), ours,
      2 * static_cast<double>(s.work()) / ours, library, ours / library, plain, ours / plain);
}

}  // namespace
}  // namespace dfrun

int main() {
  dfrun::UseOneOpenMpThread();
  for (const dfrun::Case& c : dfrun::kCases) dfrun::Compare(c);
  return 0;
}
