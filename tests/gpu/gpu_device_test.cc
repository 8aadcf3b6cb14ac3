// Tests that need a GPU: products and convolutions that are large enough for the libraries, against those of CPUs;
// kernels that share a GPU's memory and must not disturb each other; and captured steps, which must give the results of
// steps node by node. Without a GPU the tests are skipped.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <utility>

#include "src/checkpoint/fingerprint.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_part.h"
#include "src/framework/op/arithmetic.h"
#include "tests/gpu/gpu_steps.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";

bool HasGpu() {
  static const bool has_gpu = [] {
    if (!LoadDeviceParts().ok()) return false;
    const Result<DeviceList> devices = MakeDevices(*DeviceName::Parse("/job:worker/task:0"));
    if (!devices.ok()) return false;
    for (const auto& device : *devices) {
      if (device->type() == kType) return true;
    }
    return false;
  }();
  return has_gpu;
}

// Numbers in [-1, 1) that bfloat16 holds, so that all dtypes multiply the same ones.
template <class T>
Tensor RandomTensor(const Shape& shape, unsigned seed) {
  std::minstd_rand random(seed);
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.data<T>()[i] = static_cast<T>((static_cast<float>(random() % 256) - 128) / 128);
  }
  return tensor;
}

template <class T>
double LargestDifference(const Tensor& a, const Tensor& b) {
  double difference = 0;
  double size = 1;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const auto x = static_cast<double>(a.data<T>()[i]);
    const auto y = static_cast<double>(b.data<T>()[i]);
    if (!std::isfinite(x)) return INFINITY;
    difference = std::max(difference, std::abs(x - y));
    size = std::max(size, std::abs(y));
  }
  return difference / size;
}

// The elements as real numbers, each part of a complex one by itself.
template <class T>
Tensor Parts(const Tensor& numbers) {
  Tensor parts(DTypeOf<T>, Shape({static_cast<int64_t>(numbers.num_bytes() / sizeof(T))}));
  std::memcpy(parts.raw(), numbers.raw(), numbers.num_bytes());
  return parts;
}

template <class T>
double Tolerance() {
  return sizeof(T) == 8 ? 1e-12 : sizeof(T) == 4 ? 1e-5 : std::is_same_v<T, float16> ? 0x1p-10 : 0x1p-7;
}

class GpuDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasGpu()) GTEST_SKIP() << "there is no GPU";
  }

  // Compares a node's results. It runs on the GPU twice, with the same bits, and on the host, whose results must be
  // near. The factors have 8 bits, so that TF32 multiplies them exactly. Each part of complex results is compared.
  // `result` gets the host's result; the first `outputs` outputs are compared.
  template <class T>
  void Compare(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs, Tensor* result = nullptr,
               size_t outputs = 1) {
    NodeRunner gpu(kType);
    NodeRunner host{std::string(HostDeviceType())};
    const auto first = gpu.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    ASSERT_TRUE(first.ok()) << first.status().ToString();
    const auto second = gpu.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    ASSERT_TRUE(second.ok()) << second.status().ToString();
    const auto expected = host.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (size_t i = 0; i < outputs; ++i) {
      SCOPED_TRACE(StrCat(op, " output ", i));
      EXPECT_TRUE((*first)[i].Identical((*second)[i])) << op << " has other bits each time";
      ASSERT_EQ((*first)[i].shape(), (*expected)[i].shape());
      EXPECT_LT(LargestDifference<T>(Parts<T>((*first)[i]), Parts<T>((*expected)[i])), Tolerance<T>());
    }
    if (result != nullptr) {  // which outlives the device
      *result = Tensor((*expected)[0].dtype(), (*expected)[0].shape());
      CopyElements((*expected)[0], *result);
    }
  }

  static AttrMap With(AttrMap attrs, const Arithmetic& arithmetic) {
    arithmetic.SetOn(attrs);
    return attrs;
  }

  template <class T>
  void CompareProducts(const Arithmetic& arithmetic = {}) {
    constexpr int64_t kM = 192;
    constexpr int64_t kK = 320;
    constexpr int64_t kN = 136;
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        SCOPED_TRACE(StrCat(DTypeOf<T>, " transposed: ", a, " ", b));
        Compare<T>("MatMul", With({{"transpose_a", a}, {"transpose_b", b}}, arithmetic),
                   {RandomTensor<T>(a ? Shape({kK, kM}) : Shape({kM, kK}), 1),
                    RandomTensor<T>(b ? Shape({kN, kK}) : Shape({kK, kN}), 2)});
      }
    }
    Compare<T>("BatchMatMulV2", With({}, arithmetic),
               {RandomTensor<T>(Shape({3, kM, kK}), 3), RandomTensor<T>(Shape({kK, kN}), 4)});
  }

  template <class T>
  void CompareConvolutions(const std::string& padding, int64_t stride, const std::string& format,
                           const Arithmetic& arithmetic = {}) {
    SCOPED_TRACE(StrCat(DTypeOf<T>, " ", padding, " stride ", stride, " ", format));
    const bool first = format == "NCHW";
    const auto image = [&](int64_t n, int64_t c, int64_t size) {
      return first ? Shape({n, c, size, size}) : Shape({n, size, size, c});
    };
    const std::vector<int64_t> strides =
        first ? std::vector<int64_t>{1, 1, stride, stride} : std::vector<int64_t>{1, stride, stride, 1};
    constexpr int64_t kSize = 17;
    const int64_t out = padding == "SAME" ? (kSize + stride - 1) / stride : (kSize - 3) / stride + 1;
    AttrMap attrs = With({{"strides", strides}, {"padding", padding}, {"data_format", format}}, arithmetic);
    const Tensor x = RandomTensor<T>(image(4, 32, kSize), 5);
    const Tensor filter = RandomTensor<T>(Shape({3, 3, 32, 48}), 6);
    const Tensor dy = RandomTensor<T>(image(4, 48, out), 7);
    const Shape sizes = image(4, 32, kSize);
    const Tensor input_sizes =
        Tensor::Vector<int32_t>({static_cast<int32_t>(sizes[0]), static_cast<int32_t>(sizes[1]),
                                 static_cast<int32_t>(sizes[2]), static_cast<int32_t>(sizes[3])});
    Compare<T>("Conv2DBackpropInput", attrs, {input_sizes, filter, dy});
    Compare<T>("Conv2DBackpropFilter", attrs, {x, Tensor::Vector<int32_t>({3, 3, 32, 48}), dy});
    Compare<T>("Conv2D", attrs, {x, filter});
    if (first) return;
    attrs.Set("num_args", int64_t{1});
    for (const std::vector<std::string>& ops : {std::vector<std::string>{"BiasAdd"}, {"BiasAdd", "Relu"}}) {
      attrs.Set("fused_ops", ops);
      Compare<T>("_FusedConv2D", attrs, {x, filter, RandomTensor<T>(Shape({48}), 8)});
    }
  }

  // Compares attention and its gradient, with as many keys as queries and with more.
  template <class T>
  void CompareAttention() {
    constexpr int64_t kQueries = 192;
    constexpr int64_t kDepth = 64;
    for (const bool causal : {false, true}) {
      for (const int64_t keys : {kQueries, kQueries + 77}) {
        SCOPED_TRACE(StrCat(DTypeOf<T>, " causal: ", causal, ", keys: ", keys));
        const AttrMap attrs = {{"causal", causal}};
        const Tensor q = RandomTensor<T>(Shape({2, 3, kQueries, kDepth}), 5);
        const Tensor k = RandomTensor<T>(Shape({2, 3, keys, kDepth}), 6);
        const Tensor v = RandomTensor<T>(Shape({2, 3, keys, kDepth}), 7);
        Compare<T>("ScaledDotProductAttention", attrs, {q, k, v});
        NodeRunner host{std::string(HostDeviceType())};
        const auto outputs = host.Run(NodeRunner::Way::kStaticShapes, "ScaledDotProductAttention", attrs, {q, k, v});
        ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
        const Tensor dy = RandomTensor<T>(q.shape(), 8);
        Compare<T>("ScaledDotProductAttentionGrad", attrs, {dy, q, k, v, (*outputs)[0], (*outputs)[1]}, nullptr, 3);
      }
    }
  }

  // Compares transforms of real numbers to complex ones and back, with both signs.
  template <class T>
  void CompareTransforms() {
    for (const auto& [shape, lengths] :
         std::vector<std::pair<Shape, std::vector<int32_t>>>{{Shape({8, 1024}), {1024}},
                                                             {Shape({3, 1009}), {1009}},
                                                             {Shape({2, 700}), {670}},
                                                             {Shape({5, 60, 96}), {60, 96}},
                                                             {Shape({2, 40, 50}), {30, 45}},
                                                             {Shape({2, 16, 18, 20}), {16, 18, 20}}}) {
      SCOPED_TRACE(StrCat(DTypeOf<T>, " ", shape));
      const std::string suffix = lengths.size() == 1 ? "" : StrCat(lengths.size(), "D");
      const Tensor sizes = Tensor::Vector<int32_t>(lengths);
      const Tensor x = RandomTensor<T>(shape, 9);
      const DType complex = DTypeOf<std::complex<T>>;
      Tensor spectrum;
      Compare<T>("RFFT" + suffix, {{"Tcomplex", complex}}, {x, sizes}, &spectrum);
      Compare<T>("FFT" + suffix, {}, {spectrum});
      Compare<T>("IFFT" + suffix, {}, {spectrum});
      Compare<T>("IRFFT" + suffix, {{"Treal", DTypeOf<T>}}, {spectrum, sizes});
    }
  }
};

TEST_F(GpuDeviceTest, ProductsOfFloat) {
  CompareProducts<float>();
}
TEST_F(GpuDeviceTest, ProductsOfDouble) {
  CompareProducts<double>();
}
TEST_F(GpuDeviceTest, ProductsOfHalf) {
  CompareProducts<float16>();
}
TEST_F(GpuDeviceTest, ProductsOfBfloat16) {
  CompareProducts<bfloat16>();
}
TEST_F(GpuDeviceTest, ProductsInTf32) {
  CompareProducts<float>({.tf32 = true, .deterministic = true});
}
TEST_F(GpuDeviceTest, ConvolutionsInTf32) {
  for (const int64_t stride : {1, 2}) {
    CompareConvolutions<float>("SAME", stride, "NHWC", {.tf32 = true, .deterministic = true});
  }
}
TEST_F(GpuDeviceTest, ConvolutionsOfFloat) {
  for (const char* padding : {"SAME", "VALID"}) {
    for (const int64_t stride : {1, 2}) CompareConvolutions<float>(padding, stride, "NHWC");
  }
}
TEST_F(GpuDeviceTest, ConvolutionsOfHalf) {
  for (const int64_t stride : {1, 2}) CompareConvolutions<float16>("SAME", stride, "NHWC");
}
TEST_F(GpuDeviceTest, ConvolutionsOfBfloat16) {
  CompareConvolutions<bfloat16>("SAME", 1, "NHWC");
}
TEST_F(GpuDeviceTest, ConvolutionsOfDouble) {
  CompareConvolutions<double>("SAME", 1, "NHWC");
}

// The library's attention is used if a plan can be compiled, which needs NVRTC; otherwise the product's own kernel is.
TEST_F(GpuDeviceTest, AttentionOfBfloat16) {
  CompareAttention<bfloat16>();
}
TEST_F(GpuDeviceTest, AttentionOfHalf) {
  CompareAttention<float16>();
}
TEST_F(GpuDeviceTest, AttentionOfFloat) {
  CompareAttention<float>();
}

TEST_F(GpuDeviceTest, BatchNormalisation) {
  const Tensor scale = RandomTensor<float>(Shape({64}), 3);
  const Tensor none(DType::kFloat, Shape({0}));
  for (const char* data_format : {"NHWC", "NCHW"}) {
    const AttrMap attrs = {{"data_format", data_format}};
    const Shape shape = data_format[1] == 'C' ? Shape({8, 64, 17, 17}) : Shape({8, 17, 17, 64});
    const Tensor x = RandomTensor<float>(shape, 4);
    Compare<float>("FusedBatchNormV3", attrs, {x, scale, scale, none, none}, nullptr, 5);
    const Tensor mean = RandomTensor<float>(Shape({64}), 5);
    Tensor variance(DType::kFloat, Shape({64}));
    std::fill_n(variance.data<float>(), 64, 0.5F);
    Compare<float>("FusedBatchNormGradV3", attrs, {RandomTensor<float>(shape, 6), x, scale, mean, variance, none},
                   nullptr, 3);
  }
}

// Sizes with small factors, with a large prime one, and one that is prime; the part of an input; several dimensions.
TEST_F(GpuDeviceTest, TransformsOfFloatAndDouble) {
  CompareTransforms<float>();
  CompareTransforms<double>();
}

// Sums over a large tensor, by blocks, by threads, in chunks.
TEST_F(GpuDeviceTest, Reductions) {
  const Tensor x = RandomTensor<float>(Shape({64, 33, 1025}), 8);
  for (const std::vector<int32_t>& axes : {std::vector<int32_t>{0, 1, 2}, {2}, {0}, {1}, {0, 2}, {0, 1}}) {
    Tensor axis(DType::kInt32, Shape({static_cast<int64_t>(axes.size())}));
    std::copy(axes.begin(), axes.end(), axis.data<int32_t>());
    for (const char* op : {"Sum", "Mean", "Max"}) Compare<float>(op, {}, {x, axis});
  }
}

// Values have words of each size, more than a block of the grid takes, and none.
TEST_F(GpuDeviceTest, FingerprintsOfVariables) {
  std::vector<Tensor> values = {RandomTensor<float>(Shape({3, 70001}), 1),  RandomTensor<double>(Shape({513}), 2),
                                RandomTensor<float16>(Shape({9999}), 3),    RandomTensor<bfloat16>(Shape({1}), 4),
                                Tensor::Vector<int64_t>({5, -6, 7}),        Tensor(DType::kFloat, Shape({0, 4})),
                                Tensor::Vector<uint8_t>({1, 2, 0, 255, 9}), Tensor(DType::kBool, Shape({300}))};
  for (int64_t i = 0; i < 300; ++i) values.back().data<bool>()[i] = i % 3 == 0;
  for (int i = 0; i < 30; ++i) values.push_back(RandomTensor<float>(Shape({17 * i + 1}), 5));
  std::vector<DType> dtypes;
  for (const Tensor& value : values) dtypes.push_back(value.dtype());
  NodeRunner runner(kType);
  const auto made = runner.Run(NodeRunner::Way::kStaticShapes, "_VariableFingerprints", {{"T", dtypes}},
                               std::vector<Input>(values.begin(), values.end()));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ((*made)[0].data<uint64_t>()[i], FingerprintOf(values[i])) << "value " << i << ", " << dtypes[i];
  }
}

// A number that is not finite is found wherever it stands, and its value is told by its number.
TEST_F(GpuDeviceTest, TheFirstValueThatIsNotFinite) {
  NodeRunner runner(kType);
  const auto check = [&](const std::vector<Tensor>& values, int32_t wanted) {
    std::vector<DType> dtypes;
    for (const Tensor& value : values) dtypes.push_back(value.dtype());
    const auto made = runner.Run(NodeRunner::Way::kStaticShapes, "_FirstNotFinite", {{"T", dtypes}},
                                 std::vector<Input>(values.begin(), values.end()));
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    EXPECT_EQ((*made)[0].scalar<int32_t>(), wanted);
  };
  const auto plant = [&](auto zero) {
    using T = decltype(zero);
    for (const int64_t at : {0, 1, 2, 3, 8191, 8192, 40000, 70000}) {
      std::vector<Tensor> values = {RandomTensor<float>(Shape({100000}), 1), RandomTensor<T>(Shape({70001}), 2)};
      check(values, 0);
      values[1].data<T>()[at] = static_cast<T>(at % 2 == 0 ? INFINITY : NAN);
      check(values, 2);
    }
  };
  plant(0.0F);
  plant(0.0);
  plant(float16());
  plant(bfloat16());
}

// Each sum takes memory of one before it as soon as that is enqueued, not done.
TEST_F(GpuDeviceTest, MemoryIsUsedAgainInTheOrderOfTheStream) {
  const std::unique_ptr<Device> device = MakeDeviceOf(kType);
  const Tensor host = RandomTensor<float>(Shape({1 << 20}), 9);
  for (int i = 0; i < 50; ++i) {
    Result<Tensor> first = device->ToOwnMemory(host);
    ASSERT_TRUE(first.ok());
    Result<Tensor> copy = device->Clone(*first, device->allocator());
    ASSERT_TRUE(copy.ok());
    first->Reset();
    const Result<Tensor> other = device->ToOwnMemory(RandomTensor<float>(Shape({1 << 20}), 10));
    ASSERT_TRUE(other.ok());
    const Result<Tensor> back = device->ToHostMemory(*copy);
    ASSERT_TRUE(back.ok());
    ASSERT_TRUE(back->Identical(host)) << i;
  }
  EXPECT_TRUE(device->Synchronize().ok());
}

// Compares captured and other steps of one graph, whose values must have the same bits. Each captured step but the
// first must be one launch.
void CompareRecorded(const GraphMaker& maker, Output x, const std::vector<Output>& fetches, const Shape& fed) {
  const std::unique_ptr<Device> device = MakeDeviceOf(kType);
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {PartialShape(fed)};
  signature.fetches = fetches;
  GpuSteps recorded(*device, maker.graph, signature);
  GpuSteps plain(*device, maker.graph, signature, /*records=*/false);
  constexpr int kSteps = 20;
  const int64_t launches = CapturingDevice::Of(*device)->counters().launches;
  for (int step = 1; step <= kSteps; ++step) {
    const Tensor value = RandomTensor<float>(fed, static_cast<unsigned>(step));
    const auto made = recorded.Run({value});
    const auto expected = plain.Run({value});
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (size_t i = 0; i < fetches.size(); ++i) ASSERT_TRUE((*made)[i].Identical((*expected)[i])) << "step " << step;
  }
  EXPECT_EQ(CapturingDevice::Of(*device)->counters().launches - launches, kSteps - 1) << recorded.text();
  ::testing::Test::RecordProperty("recorded", recorded.text());
}

TEST_F(GpuDeviceTest, RecordedProductsOfOursAndOfTheLibrary) {
  GraphMaker maker;
  const Output x = maker.Placeholder("x", PartialShape(), DType::kFloat);
  const Output wide = maker.Const("wide", RandomTensor<float>(Shape({256, 512}), 100));
  const Output narrow = maker.Const("narrow", RandomTensor<float>(Shape({512, 10}), 101));
  const Output bias = maker.Const("bias", RandomTensor<float>(Shape({512}), 102));
  const Output hidden =
      maker.Add("relu", "Relu", {maker.Add("add", "BiasAdd", {maker.Add("h", "MatMul", {x, wide}), bias})});
  const Output y = maker.Add("y", "Softmax", {maker.Add("logits", "MatMul", {hidden, narrow})});
  const Output axes = maker.Const("axes", Tensor::Vector<int32_t>({0}));
  CompareRecorded(maker, x, {y, maker.Add("sums", "Sum", {hidden, axes})}, Shape({128, 256}));
}

TEST_F(GpuDeviceTest, RecordedConvolutions) {
  GraphMaker maker;
  const Output x = maker.Placeholder("x", PartialShape(), DType::kFloat);
  const Output filter = maker.Const("filter", RandomTensor<float>(Shape({3, 3, 32, 48}), 100));
  const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Output y = maker.Add("y", "Conv2D", {x, filter}, attrs);
  const Output sizes = maker.Const("sizes", Tensor::Vector<int32_t>({8, 16, 16, 32}));
  const Output filter_sizes = maker.Const("filter_sizes", Tensor::Vector<int32_t>({3, 3, 32, 48}));
  const Output dx = maker.Add("dx", "Conv2DBackpropInput", {sizes, filter, y}, attrs);
  const Output dw = maker.Add("dw", "Conv2DBackpropFilter", {x, filter_sizes, y}, attrs);
  CompareRecorded(maker, x, {y, dx, dw}, Shape({8, 16, 16, 32}));
}

TEST_F(GpuDeviceTest, RecordedTransforms) {
  GraphMaker maker;
  const Output x = maker.Placeholder("x", PartialShape(), DType::kFloat);
  const Output lengths = maker.Const("lengths", Tensor::Vector<int32_t>({60, 134}));
  const Output spectrum = maker.Add("spectrum", "RFFT2D", {x, lengths});
  const Output turned = maker.Add("turned", "IFFT2D", {maker.Add("whole", "FFT2D", {spectrum})});
  const Output size = maker.Add("size", "ComplexAbs", {maker.Add("square", "Mul", {turned, spectrum})});
  CompareRecorded(maker, x, {maker.Add("back", "IRFFT2D", {spectrum, lengths}), size}, Shape({4, 60, 134}));
}

// A batch that is too large for a function of ours to copy.
TEST_F(GpuDeviceTest, RecordedLargeInputs) {
  GraphMaker maker;
  const Output x = maker.Placeholder("x", PartialShape(), DType::kFloat);
  const Output minus = maker.Add("minus", "Neg", {x});
  CompareRecorded(maker, x, {maker.Add("square", "Square", {minus})}, Shape({3, 1 << 20}));
}

TEST_F(GpuDeviceTest, NoMoreMemoryIsAnError) {
  const std::unique_ptr<Device> device = MakeDeviceOf(kType);
  const Result<Tensor> huge = Tensor::Allocate(device->allocator(), DType::kFloat, Shape({int64_t{1} << 40}));
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.status().code(), Code::kResourceExhausted) << huge.status().ToString();
  EXPECT_TRUE(device->ToOwnMemory(Tensor::Scalar<float>(1)).ok());
  EXPECT_TRUE(device->Synchronize().ok());
}

}  // namespace
}  // namespace dfrun::testing
