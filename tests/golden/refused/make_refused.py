"""Nodes that cannot be, and what TensorFlow's session makes of runs that need them.

    make_refused.py [--check | --why]

Writes graph.pb, a graph that holds all the nodes, and answers.txt: a line a node, `NAME runs DTYPE[SHAPE]` or
`NAME refused`, or `NAME either` where TensorFlow itself says the one or the other: by whether it rewrites the graph, or
because Python's import refuses what the kernel computes. `first` runs beside all of them. Each node has a reader NAME/out, which is what is fetched. The session is
that of C, by which a graph is run as it is: Python's import_graph_def checks each node, read or not.
"""
import ctypes
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', TF_ENABLE_ONEDNN_OPTS='0')
import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
F, I, L, B, S = tf.float32, tf.int32, tf.int64, tf.bool, tf.string
graph = tf.compat.v1.GraphDef()
graph.versions.producer = 1087
names = []


def set_attr(attr, value):
    if isinstance(value, tf.DType):
        attr.type = value.as_datatype_enum
    elif isinstance(value, tf.TensorShape):
        attr.shape.CopyFrom(value.as_proto())
    elif isinstance(value, bool):
        attr.b = value
    elif isinstance(value, int):
        attr.i = value
    elif isinstance(value, float):
        attr.f = value
    elif isinstance(value, str):
        attr.s = value.encode()
    elif isinstance(value, np.ndarray):
        attr.tensor.CopyFrom(tf.make_tensor_proto(value))
    elif isinstance(value, list):
        attr.list.SetInParent()
        for item in value:
            if isinstance(item, tf.DType):
                attr.list.type.append(item.as_datatype_enum)
            elif isinstance(item, tf.TensorShape):
                attr.list.shape.append(item.as_proto())
            elif isinstance(item, str):
                attr.list.s.append(item.encode())
            else:
                attr.list.i.append(item)


def node(name, op, inputs=(), **attrs):
    made = graph.node.add(name=name, op=op, input=list(inputs))
    for key, value in attrs.items():
        set_attr(made.attr[key], value)
    return name


def const(name, value, dtype):
    array = np.array(value, dtype.as_numpy_dtype)
    return node(name, 'Const', (), dtype=dtype, value=array)


def case(name, op, inputs, out=F, port=0, **attrs):
    """A node NAME whose inputs are names of nodes, or values: numbers are float32, ('i', x) int32 and so on."""
    given = []
    for index, value in enumerate(inputs):
        if isinstance(value, str):
            given.append(value)
            continue
        dtype = F
        if isinstance(value, tuple):
            dtype = {'i': I, 'l': L, 'b': B, 's': S, 'f': F}[value[0]]
            value = value[1]
        given.append(const('%s/in%d' % (name, index), value, dtype))
    node(name, op, given, **attrs)
    node(name + '/out', 'Identity', ['%s:%d' % (name, port)], T=out)
    names.append(name)


def ones(*shape):
    return np.ones(shape, np.float32)


def make():
    const('a', [1, 2], F)
    node('first', 'Square', ['a'], T=F)
    shape = tf.TensorShape
    # Element-wise, and selection.
    case('add', 'AddV2', [ones(2), ones(3)], T=F)
    case('add_n', 'AddN', [ones(2), ones(2, 1)], T=F, N=2)
    case('select', 'Select', [('b', [True]), ones(2), ones(2)], T=F)
    case('select_shapes', 'Select', [('b', [True, False]), ones(2), ones(3)], T=F)
    case('select_v2', 'SelectV2', [('b', [True, False, True]), ones(2), ones(2)], T=F)
    case('clip', 'ClipByValue', [ones(2), ones(3), ones(1)], T=F)
    case('bias', 'BiasAdd', [ones(2, 3), ones(2)], T=F)
    case('bias_rank', 'BiasAdd', [ones(3), ones(3)], T=F)
    case('lerp', 'Betainc', [ones(2), ones(3), ones(2)], T=F)
    # Reductions.
    case('sum_twice', 'Sum', [ones(2, 2), ('i', [0, 0])], T=F, Tidx=I)
    case('sum_both_ways', 'Mean', [ones(2, 2), ('i', [1, -1])], T=F, Tidx=I)
    case('sum_beyond', 'Sum', [ones(2, 2), ('i', [2])], T=F, Tidx=I)
    case('max_matrix_of_axes', 'Max', [ones(2, 2), ('i', [[0, 1]])], T=F, Tidx=I)
    case('arg_max_beyond', 'ArgMax', [ones(2, 2), ('i', 2)], T=F, Tidx=I, output_type=L, out=L)
    case('arg_max_of_none', 'ArgMax', [ones(0), ('i', 0)], T=F, Tidx=I, output_type=L, out=L)
    case('all_twice', 'All', [('b', [[True]]), ('i', [0, 0])], Tidx=I, out=B)
    case('cumsum_beyond', 'Cumsum', [ones(2), ('i', 1)], T=F, Tidx=I)
    case('cumsum_axes', 'Cumsum', [ones(2, 2), ('i', [0, 1])], T=F, Tidx=I)
    # Shapes and movement.
    case('reshape', 'Reshape', [ones(2, 3), ('i', [4, 2])], T=F, Tshape=I)
    case('reshape_two_open', 'Reshape', [ones(2, 3), ('i', [-1, -1])], T=F, Tshape=I)
    case('reshape_below', 'Reshape', [ones(2, 3), ('i', [-2, -3])], T=F, Tshape=I)
    case('reshape_open_beside_0', 'Reshape', [ones(0), ('i', [0, -1])], T=F, Tshape=I)
    case('transpose_twice', 'Transpose', [ones(2, 3), ('i', [0, 0])], T=F, Tperm=I)
    case('transpose_short', 'Transpose', [ones(2, 3), ('i', [0])], T=F, Tperm=I)
    case('transpose_below', 'Transpose', [ones(2, 3), ('i', [-1, 0])], T=F, Tperm=I)
    case('reverse_twice', 'ReverseV2', [ones(2, 3), ('i', [0, 0])], T=F, Tidx=I)
    case('reverse_both_ways', 'ReverseV2', [ones(2, 3), ('i', [1, -1])], T=F, Tidx=I)
    case('expand_beyond', 'ExpandDims', [ones(2), ('i', 3)], T=F, Tdim=I)
    case('squeeze_two', 'Squeeze', [ones(2, 1)], T=F, squeeze_dims=[0])
    case('squeeze_twice', 'Squeeze', [ones(2, 1)], T=F, squeeze_dims=[1, 1])
    case('squeeze_beyond', 'Squeeze', [ones(2, 1)], T=F, squeeze_dims=[2])
    case('concat_ranks', 'ConcatV2', [ones(2), ones(2, 2), ('i', 0)], T=F, N=2, Tidx=I)
    case('concat_sizes', 'ConcatV2', [ones(2, 3), ones(2, 2), ('i', 0)], T=F, N=2, Tidx=I)
    case('concat_scalars', 'ConcatV2', [ones(), ones(), ('i', 0)], T=F, N=2, Tidx=I)
    case('concat_beyond', 'ConcatV2', [ones(2), ones(2), ('i', 1)], T=F, N=2, Tidx=I)
    case('concat_with_empty', 'ConcatV2', [ones(2, 3), ones(0), ('i', 0)], T=F, N=2, Tidx=I)
    case('pack_shapes', 'Pack', [ones(2), ones(3)], T=F, N=2)
    case('pack_beyond', 'Pack', [ones(2), ones(2)], T=F, N=2, axis=3)
    case('unpack_number', 'Unpack', [ones(3, 2)], T=F, num=2)
    case('unpack_scalar', 'Unpack', [ones()], T=F, num=1)
    case('split_uneven', 'Split', [('i', 0), ones(3)], T=F, num_split=2)
    case('split_beyond', 'Split', [('i', 1), ones(2)], T=F, num_split=2)
    case('split_v_sum', 'SplitV', [ones(3), ('i', [1, 1]), ('i', 0)], T=F, num_split=2, Tlen=I)
    case('split_v_open', 'SplitV', [ones(3), ('i', [-1, -1]), ('i', 0)], T=F, num_split=2, Tlen=I)
    case('split_v_number', 'SplitV', [ones(3), ('i', [1, 1, 1]), ('i', 0)], T=F, num_split=2, Tlen=I)
    case('slice_beyond', 'Slice', [ones(3), ('i', [2]), ('i', [2])], T=F, Index=I)
    case('slice_below', 'Slice', [ones(3), ('i', [-1]), ('i', [1])], T=F, Index=I)
    case('slice_rank', 'Slice', [ones(3), ('i', [0, 0]), ('i', [1, 1])], T=F, Index=I)
    strided = dict(T=F, Index=I, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    case('strided_0', 'StridedSlice', [ones(3), ('i', [0]), ('i', [2]), ('i', [0])], **strided)
    case('strided_rank', 'StridedSlice', [ones(3), ('i', [0, 0]), ('i', [1, 1]), ('i', [1, 1])], **strided)
    case('strided_one_beyond', 'StridedSlice', [ones(3), ('i', [3]), ('i', [4]), ('i', [1])],
         **dict(strided, shrink_axis_mask=1))
    case('strided_two_ellipses', 'StridedSlice', [ones(3), ('i', [0, 0]), ('i', [1, 1]), ('i', [1, 1])],
         **dict(strided, ellipsis_mask=3))
    case('pad_rank', 'Pad', [ones(3), ('i', [[1, 1], [1, 1]])], T=F, Tpaddings=I)
    case('pad_below', 'Pad', [ones(3), ('i', [[-1, 1]])], T=F, Tpaddings=I)
    case('mirror_pad_wide', 'MirrorPad', [ones(2), ('i', [[2, 0]])], T=F, Tpaddings=I, mode='REFLECT')
    case('tile_number', 'Tile', [ones(3), ('i', [1, 1])], T=F, Tmultiples=I)
    case('tile_below', 'Tile', [ones(3), ('i', [-1])], T=F, Tmultiples=I)
    case('fill_below', 'Fill', [('i', [-1]), ones()], T=F, index_type=I)
    case('fill_by_vector', 'Fill', [('i', [2]), ones(1)], T=F, index_type=I)
    case('broadcast', 'BroadcastTo', [ones(2), ('i', [3])], T=F, Tidx=I)
    case('broadcast_down', 'BroadcastTo', [ones(2, 2), ('i', [2])], T=F, Tidx=I)
    case('ensure_shape', 'EnsureShape', [ones(2)], T=F, shape=shape([3]))
    case('bitcast', 'Bitcast', [np.array([1, 2, 3], np.float32)], T=F, type=tf.float64, out=tf.float64)
    case('matrix_diag_k', 'MatrixDiagPartV3', [ones(2, 2), ('i', [3]), ones()], T=F)
    case('matrix_set_diag', 'MatrixSetDiag', [ones(2, 2), ones(3)], T=F)
    case('band_beyond', 'MatrixBandPart', [ones(2, 2), ('l', 5), ('l', 0)], T=F, Tindex=L)
    case('space_to_depth', 'SpaceToDepth', [ones(1, 3, 2, 1)], T=F, block_size=2)
    case('depth_to_space', 'DepthToSpace', [ones(1, 2, 2, 3)], T=F, block_size=2)
    case('space_to_batch', 'SpaceToBatchND', [ones(1, 3, 1), ('i', [2]), ('i', [[0, 0]])], T=F, Tblock_shape=I,
         Tpaddings=I)
    # Products and convolutions.
    case('product', 'MatMul', [ones(2, 3), ones(2, 3)], T=F)
    case('product_rank', 'MatMul', [ones(2), ones(2, 2)], T=F)
    case('batch_product', 'BatchMatMulV2', [ones(2, 2, 3), ones(3, 3, 2)], T=F)
    case('einsum', 'Einsum', [ones(2, 3), ones(2, 4)], T=F, N=2, equation='ij,jk->ik')
    case('einsum_unknown', 'Einsum', [ones(2, 3)], T=F, N=1, equation='ij->ik')
    conv = dict(T=F, strides=[1, 1, 1, 1], padding='SAME')
    case('conv_depth', 'Conv2D', [ones(1, 4, 4, 3), ones(2, 2, 2, 1)], **conv)
    case('conv_wide', 'Conv2D', [ones(1, 2, 2, 1), ones(3, 3, 1, 1)], **dict(conv, padding='VALID'))
    case('conv_stride_0', 'Conv2D', [ones(1, 2, 2, 1), ones(1, 1, 1, 1)], **dict(conv, strides=[1, 0, 1, 1]))
    case('pool_wide', 'MaxPool', [ones(1, 2, 2, 1)], T=F, ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding='VALID')
    case('depthwise', 'DepthwiseConv2dNative', [ones(1, 4, 4, 3), ones(2, 2, 2, 1)], **conv)
    case('norm_scale', 'FusedBatchNormV3', [ones(1, 2, 2, 3), ones(2), ones(3), ones(0), ones(0)], T=F, U=F,
         is_training=True)
    case('lrn_rank', 'LRN', [ones(2, 2)], T=F)
    # Linear algebra.
    case('cholesky', 'Cholesky', [ones(2, 3)], T=F)
    case('inverse', 'MatrixInverse', [ones(2, 3)], T=F)
    case('solve', 'MatrixSolve', [ones(2, 2), ones(3, 1)], T=F)
    case('determinant', 'MatrixDeterminant', [ones(2)], T=F)
    # Indices.
    case('gather_beyond', 'GatherV2', [ones(3), ('i', [3]), ('i', 0)], Tparams=F, Tindices=I, Taxis=I)
    case('gather_axis', 'GatherV2', [ones(3), ('i', [0]), ('i', 1)], Tparams=F, Tindices=I, Taxis=I)
    case('gather_nd_deep', 'GatherNd', [ones(3), ('i', [[0, 0]])], Tparams=F, Tindices=I)
    case('scatter_nd', 'ScatterNd', [('i', [[0]]), ones(2), ('i', [3])], T=F, Tindices=I)
    case('tensor_scatter', 'TensorScatterUpdate', [ones(3), ('i', [[0], [1]]), ones(3)], T=F, Tindices=I)
    case('one_hot_axis', 'OneHot', [('i', [0]), ('i', 2), ones(), ones()], T=F, TI=I, axis=3)
    case('one_hot_depth', 'OneHot', [('i', [0]), ('i', -1), ones(), ones()], T=F, TI=I, axis=-1)
    case('segments', 'SegmentSum', [ones(3), ('i', [0, 1])], T=F, Tindices=I)
    case('segments_falling', 'SegmentSum', [ones(2), ('i', [1, 0])], T=F, Tindices=I)
    case('unsorted_segments', 'UnsortedSegmentSum', [ones(3), ('i', [0, 1]), ('i', 2)], T=F, Tindices=I,
         Tnumsegments=I)
    case('unsorted_below', 'UnsortedSegmentSum', [ones(2), ('i', [0, 1]), ('i', -1)], T=F, Tindices=I, Tnumsegments=I)
    case('stitch', 'DynamicStitch', [('i', [0, 1]), ones(3)], T=F, N=1)
    case('partition', 'DynamicPartition', [ones(3), ('i', [0, 1])], T=F, num_partitions=2)
    case('top_k_many', 'TopKV2', [ones(2), ('i', 3)], T=F)
    case('top_k_below', 'TopKV2', [ones(2), ('i', -1)], T=F)
    case('in_top_k', 'InTopKV2', [ones(2, 3), ('i', [0]), ('i', 1)], T=I, out=B)
    case('range_0', 'Range', [('i', 0), ('i', 3), ('i', 0)], Tidx=I, out=I)
    case('range_against', 'Range', [('i', 0), ('i', 3), ('i', -1)], Tidx=I, out=I)
    case('lin_space_0', 'LinSpace', [ones(), ones(), ('i', 0)], T=F, Tidx=I)
    case('reverse_sequence', 'ReverseSequence', [ones(2, 3), ('i', [1, 1, 1])], T=F, Tlen=I, seq_dim=1, batch_dim=0)
    case('reverse_sequence_one', 'ReverseSequence', [ones(2, 3), ('i', [1, 1])], T=F, Tlen=I, seq_dim=0, batch_dim=0)
    case('list_diff_rank', 'ListDiff', [ones(2, 2), ones(2)], T=F, out_idx=I)
    case('unique_rank', 'Unique', [ones(2, 2)], T=F, out_idx=I)
    case('where_scalar', 'Where', [('b', True)], T=B, out=L)
    case('bincount', 'Bincount', [('i', [0, 1]), ('i', -1), ones(0)], T=F)
    case('sparse_to_dense', 'SparseToDense', [('i', [[0], [0]]), ('i', [2]), ones(2), ones()], T=F, Tindices=I,
         validate_indices=True)
    # Losses, strings, draws.
    case('cross_entropy', 'SoftmaxCrossEntropyWithLogits', [ones(2, 3), ones(2, 2)], T=F)
    case('sparse_cross_entropy', 'SparseSoftmaxCrossEntropyWithLogits', [ones(2, 3), ('i', [0, 1, 2])], T=F, Tlabels=I)
    case('softmax_scalar', 'Softmax', [ones()], T=F)
    case('join', 'StringJoin', [('s', ['a', 'b']), ('s', ['a', 'b', 'c'])], N=2, out=S)
    case('substr', 'Substr', [('s', ['ab']), ('i', [5]), ('i', [1])], T=I, out=S)
    case('number', 'StringToNumber', [('s', ['x'])], out_type=F)
    case('random_below', 'RandomUniform', [('i', [-1])], dtype=F, T=I)
    case('random_of_matrix', 'RandomUniform', [('i', [[1]])], dtype=F, T=I)
    case('random_int_empty', 'RandomUniformInt', [('i', [1]), ('i', 2), ('i', 2)], Tout=I, T=I, out=I)
    case('quantile', 'FakeQuantWithMinMaxVars', [ones(2), ones(2), ones()])
    # Attrs alone.
    node('v', 'VariableV2', (), dtype=F, shape=shape([2]))
    case('assign', 'Assign', ['v', ones(3)], T=F)
    node('w', 'VariableV2', (), dtype=F, shape=shape([2]))
    case('assign_any', 'Assign', ['w', ones(3)], T=F, validate_shape=False)
    case('placeholder_with_default', 'PlaceholderWithDefault', [ones(2)], dtype=F, shape=shape([3]))
    case('immutable', 'ImmutableConst', [], dtype=F, shape=shape([2]), memory_region_name='nowhere')


class Tensorflow:
    """A session of C over a graph."""

    def __init__(self, graph_def, rewrites):
        folder = os.path.dirname(tf.__file__)
        self.lib = ctypes.CDLL(folder + '/libtensorflow_cc.so.2')
        for name in ('TF_NewStatus', 'TF_NewSessionOptions', 'TF_NewDeprecatedSession', 'TF_Message', 'TF_TensorData'):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.status = ctypes.c_void_p(self.lib.TF_NewStatus())
        options = ctypes.c_void_p(self.lib.TF_NewSessionOptions())
        if not rewrites:
            config = tf.compat.v1.ConfigProto()
            config.graph_options.rewrite_options.disable_meta_optimizer = True
            config.graph_options.optimizer_options.opt_level = -1
            text = config.SerializeToString()
            self.lib.TF_SetConfig(options, text, ctypes.c_size_t(len(text)), self.status)
            self.check()
        self.session = ctypes.c_void_p(self.lib.TF_NewDeprecatedSession(options, self.status))
        data = graph_def.SerializeToString()
        self.lib.TF_ExtendGraph(self.session, data, ctypes.c_size_t(len(data)), self.status)
        self.check()

    def check(self):
        if self.lib.TF_GetCode(self.status) != 0:
            raise ValueError(ctypes.string_at(self.lib.TF_Message(self.status)).decode())

    def run(self, fetch):
        outputs = (ctypes.c_char_p * 1)(fetch.encode())
        values = (ctypes.c_void_p * 1)()
        none = ctypes.c_void_p()
        self.lib.TF_Run(self.session, none, none, none, 0, outputs, values, 1, none, 0, none, self.status)
        self.check()
        tensor = ctypes.c_void_p(values[0])
        dims = [self.lib.TF_Dim(tensor, i) for i in range(self.lib.TF_NumDims(tensor))]
        dtype = tf.as_dtype(self.lib.TF_TensorType(tensor)).name
        return '%s[%s]' % (dtype, ','.join(map(str, dims)))


def answer(fetch, rewrites):
    """What a run in a process of its own gives: some nodes end the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = 'runs ' + Tensorflow(graph, rewrites).run(fetch)
        except ValueError as error:
            text = 'refused ' + str(error).split('\n')[0] if '--why' in sys.argv else 'refused'
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as given:
        return given.read() or 'crashes'


def import_of(name):
    """Whether Python's import takes the node."""
    needed = tf.compat.v1.GraphDef(versions=graph.versions)
    needed.node.extend(n for n in graph.node if n.name in (name, 'v', 'w') or n.name.startswith(name + '/'))
    try:
        with tf.Graph().as_default():
            tf.import_graph_def(needed if name != 'first' else tf.compat.v1.GraphDef(), name='')
    except ValueError as error:
        return 'refused ' + str(error).split('\n')[0]
    return 'runs'


def answers():
    fetches = [('first', 'first:0')] + [(name, name + '/out:0') for name in names]
    # The imports come last: a process that has made a graph has threads, and is not to be forked.
    runs = [(answer(fetch, rewrites=False), answer(fetch, rewrites=True)) for _, fetch in fetches]
    lines = []
    for (name, _), (plain, rewritten) in zip(fetches, runs):
        imported = import_of(name)
        is_one = plain.split()[0] == rewritten.split()[0] and (imported == 'runs' or plain.startswith('refused'))
        lines.append('%s %s' % (name, plain if is_one else 'either'))
        if '--why' in sys.argv and not is_one:
            lines[-1] += ' %s | %s | %s' % (plain, rewritten, imported)
    return '\n'.join(lines) + '\n'


def main():
    make()
    files = {'graph.pb': graph.SerializeToString(deterministic=True), 'answers.txt': answers().encode()}
    if '--why' in sys.argv:
        print(files['answers.txt'].decode())
        return
    for name, content in files.items():
        path = os.path.join(HERE, name)
        if '--check' in sys.argv:
            with open(path, 'rb') as f:
                if f.read() != content:
                    sys.exit(name + ' is not what TensorFlow gives')
        else:
            with open(path, 'wb') as f:
                f.write(content)


main()
