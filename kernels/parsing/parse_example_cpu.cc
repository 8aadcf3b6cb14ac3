#include "kernels/device/cpu_kernel.h"
#include "kernels/parsing/example_features.h"

namespace dfrun {
namespace {

// The parser of the three ops, wherever their keys come from. Outputs: the indices of all sparse features, their
// values, their shapes, the dense values, the ragged values and the ragged splits.
class ExampleParser {
 public:
  std::vector<std::string> sparse_keys;
  std::vector<std::string> ragged_keys;
  std::vector<DType> sparse_types;
  std::vector<DType> ragged_types;
  std::vector<DType> split_types;
  std::vector<DenseFeature> dense;

  // `serialized`: one message or a vector of them. Input first_default + i is the default of dense feature i.
  Status Parse(OpContext& ctx, const Tensor& serialized, int first_default) const {
    DF_ASSIGN(const std::vector<proto::Example> examples, ParseMessages(serialized));
    const Shape& batch = serialized.shape();
    const int sparse = static_cast<int>(sparse_keys.size());
    for (int i = 0; i < sparse; ++i) {
      const auto k = static_cast<size_t>(i);
      DF_ASSIGN(SparseValues values, ReadSparse(sparse_keys[k], sparse_types[k], examples, batch, ctx.allocator()));
      ctx.SetOutput(i, std::move(values.indices));
      ctx.SetOutput(sparse + i, std::move(values.values));
      ctx.SetOutput(2 * sparse + i, std::move(values.shape));
    }
    int next = 3 * sparse;
    for (const DenseFeature& feature : dense) {
      const Tensor& fallback = ctx.input(first_default++);
      DF_ASSIGN(Tensor values, DenseValues(feature, fallback, examples, batch, ctx.allocator()));
      ctx.SetOutput(next++, std::move(values));
    }
    const int ragged = static_cast<int>(ragged_keys.size());
    for (int i = 0; i < ragged; ++i) {
      const auto k = static_cast<size_t>(i);
      DF_ASSIGN(RaggedValues values,
                ReadRagged(ragged_keys[k], ragged_types[k], split_types[k], examples, batch, ctx.allocator()));
      ctx.SetOutput(next + i, std::move(values.values));
      ctx.SetOutput(next + ragged + i, std::move(values.row_splits));
    }
    return Status();
  }

 private:
  static Result<std::vector<proto::Example>> ParseMessages(const Tensor& serialized) {
    std::vector<proto::Example> examples(static_cast<size_t>(serialized.num_elements()));
    for (size_t i = 0; i < examples.size(); ++i) {
      if (examples[i].ParseFromString(serialized.data<std::string>()[i])) continue;
      return InvalidArgument("element ", i, " of the input is not a serialised Example");
    }
    return examples;
  }
};

// Reads the attrs that all three ops have; keys of dense features are set later.
ExampleParser ReadParser(KernelSetup& setup) {
  ExampleParser parser;
  parser.sparse_types = setup.attr<std::vector<DType>>("sparse_types");
  const auto types = setup.attr<std::vector<DType>>("Tdense");
  const auto shapes = setup.attr<std::vector<PartialShape>>("dense_shapes");
  if (types.size() != shapes.size()) {
    setup.Fail(InvalidArgument("Tdense has ", types.size(), " entries, but dense_shapes ", shapes.size()));
    return parser;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    parser.dense.push_back({"", types[i], shapes[i]});
    const Result<int64_t> stride = parser.dense.back().Stride();
    if (!stride.ok()) setup.Fail(stride.status());
  }
  return parser;
}

// InvalidArgument unless there are as many keys as types.
Status SetKeys(std::vector<std::string> sparse, const std::vector<std::string>& dense, std::vector<std::string> ragged,
               ExampleParser& parser) {
  if (sparse.size() != parser.sparse_types.size() || dense.size() != parser.dense.size() ||
      ragged.size() != parser.ragged_types.size() || ragged.size() != parser.split_types.size()) {
    return InvalidArgument("there are ", sparse.size(), " sparse, ", dense.size(), " dense and ", ragged.size(),
                           " ragged keys for ", parser.sparse_types.size(), ", ", parser.dense.size(), " and ",
                           parser.ragged_types.size(), " features");
  }
  parser.sparse_keys = std::move(sparse);
  parser.ragged_keys = std::move(ragged);
  for (size_t i = 0; i < dense.size(); ++i) parser.dense[i].key = dense[i];
  return Status();
}

std::vector<std::string> Strings(const Tensor& tensor) {
  return {tensor.data<std::string>(), tensor.data<std::string>() + tensor.num_elements()};
}

// Names are for messages: none, or one a message.
Status CheckNames(const Tensor& serialized, const Tensor& names) {
  if (names.num_elements() == 0 || names.shape() == serialized.shape()) return Status();
  return InvalidArgument("names of shape ", names.shape(), " do not fit messages of shape ", serialized.shape());
}

class ParseExampleKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ParseExampleKernel(KernelSetup& setup)
      : parser_(ReadParser(setup)), sparse_(setup.attr<int64_t>("Nsparse")), dense_(setup.attr<int64_t>("Ndense")) {}

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() != 1) {
      return InvalidArgument("serialized must be a vector, but has shape ", ctx.input(0).shape());
    }
    DF_TRY(CheckNames(ctx.input(0), ctx.input(1)));
    ExampleParser parser = parser_;
    DF_ASSIGN(std::vector<std::string> sparse, Keys(ctx, 2, sparse_));
    DF_ASSIGN(const std::vector<std::string> dense, Keys(ctx, 2 + sparse_, dense_));
    DF_TRY(SetKeys(std::move(sparse), dense, {}, parser));
    return parser.Parse(ctx, ctx.input(0), static_cast<int>(2 + sparse_ + dense_));
  }
  bool IsExpensive() const override { return true; }

 private:
  static Result<std::vector<std::string>> Keys(const OpContext& ctx, int64_t first, int64_t count) {
    std::vector<std::string> keys;
    for (int64_t i = first; i < first + count; ++i) {
      const Tensor& key = ctx.input(static_cast<int>(i));
      if (key.num_elements() != 1) return InvalidArgument("a key must be a scalar, but has shape ", key.shape());
      keys.push_back(*key.data<std::string>());
    }
    return keys;
  }

  const ExampleParser parser_;
  const int64_t sparse_;
  const int64_t dense_;
};

class ParseExampleV2Kernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ParseExampleV2Kernel(KernelSetup& setup) : parser_(ReadParser(setup)) {
    parser_.ragged_types = setup.attr<std::vector<DType>>("ragged_value_types");
    parser_.split_types = setup.attr<std::vector<DType>>("ragged_split_types");
  }

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() > 1) {
      return InvalidArgument("serialized must be a scalar or a vector, but has shape ", ctx.input(0).shape());
    }
    DF_TRY(CheckNames(ctx.input(0), ctx.input(1)));
    ExampleParser parser = parser_;
    DF_TRY(SetKeys(Strings(ctx.input(2)), Strings(ctx.input(3)), Strings(ctx.input(4)), parser));
    return parser.Parse(ctx, ctx.input(0), 5);
  }
  bool IsExpensive() const override { return true; }

 private:
  ExampleParser parser_;
};

class ParseSingleExampleKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ParseSingleExampleKernel(KernelSetup& setup) : parser_(ReadParser(setup)) {
    const auto sparse = setup.attr<std::vector<std::string>>("sparse_keys");
    const Status keys = SetKeys(sparse, setup.attr<std::vector<std::string>>("dense_keys"), {}, parser_);
    if (!keys.ok()) setup.Fail(keys);
    if (static_cast<int64_t>(sparse.size()) != setup.attr<int64_t>("num_sparse")) {
      setup.Fail(InvalidArgument("num_sparse is not the number of sparse_keys, ", sparse.size()));
    }
  }

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() == 0) return parser_.Parse(ctx, ctx.input(0), 1);
    return InvalidArgument("serialized must be a scalar, but has shape ", ctx.input(0).shape());
  }
  bool IsExpensive() const override { return true; }

 private:
  ExampleParser parser_;
};

CPU_KERNEL_ANY("ParseExample", ParseExampleKernel);
CPU_KERNEL_ANY("ParseExampleV2", ParseExampleV2Kernel);
CPU_KERNEL_ANY("ParseSingleExample", ParseSingleExampleKernel);

}  // namespace
}  // namespace dfrun
