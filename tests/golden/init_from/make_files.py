"""Files with values of variables that `init_from` reads, as TensorFlow, NumPy and safetensors write them.

    make_files.py

Writes TensorFlow's names, parts and objects, arrays.npz, packed.npz and tensors.safetensors, and expected.h5 with a group
for each. The values are drawn from a seed.
"""
import os

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import h5py
import numpy as np
import safetensors.numpy
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)
random = np.random.default_rng(56)
v1 = tf.compat.v1
expected = h5py.File('expected.h5', 'w')


def values(*shape):
    return random.standard_normal(shape).astype(np.float32)


def expect(name, key, value):
    expected['%s/%s' % (name, key)] = value


def save_names():
    """Saver's: names alone, each dtype, two files of values."""
    arrays = {
        'layer/W': values(3, 2), 'layer/b': values(2), 'double': random.standard_normal(3),
        'half': values(4).astype(np.float16), 'count': np.array(7, np.int64), 'small': np.array([-3, 4], np.int8),
        'flags': np.array([True, False, True]), 'wave': (values(2) + 1j * values(2)).astype(np.complex64),
        'empty': np.zeros((0, 3), np.float32)}
    brain = np.array([1.5, -0.0078125, 3e30], np.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        tensors = {name: tf.constant(value) for name, value in arrays.items()}
        tensors.update(brain=tf.cast(tf.constant(brain), tf.bfloat16), texts=tf.constant(['a', 'longer', '']))
        brain = session.run(tf.cast(tensors['brain'], tf.float32))
        names = sorted(tensors)
        prefixes = ['names_part0', 'names_part1']
        for prefix, part in zip(prefixes, (names[:len(names) // 2], names[len(names) // 2:])):
            session.run(tf.raw_ops.SaveV2(prefix=prefix, tensor_names=part, shape_and_slices=[''] * len(part),
                                          tensors=[tensors[name] for name in part]))
        session.run(tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix='names',
                                                  delete_old_dirs=False))
    for name, value in arrays.items():
        expect('names', name, value)
    expect('names', 'brain', brain)


def save_parts():
    """Variables that a partitioner has cut, which are one tensor each in the file."""
    with tf.Graph().as_default(), v1.Session() as session:
        rows = values(7, 3)
        columns = values(2, 300)
        for name, value, pieces, axis in (('rows', rows, 3, 0), ('columns', columns, 2, 1)):
            def part(shape, dtype, partition_info, value=value):
                begin = partition_info.var_offset
                return tf.constant(value[tuple(slice(b, b + n) for b, n in zip(begin, shape))])
            v1.get_variable(name, initializer=part, shape=value.shape,
                            partitioner=v1.fixed_size_partitioner(pieces, axis=axis), use_resource=False)
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, 'parts', write_meta_graph=False, write_state=False)
    expect('parts', 'rows', rows)
    expect('parts', 'columns', columns)


class Layer(tf.Module):
    def __init__(self, inputs, units, name):
        super().__init__(name=name)
        self.kernel = tf.Variable(values(inputs, units), name='kernel')
        self.bias = tf.Variable(values(units), name='bias')


class Net(tf.Module):
    def __init__(self):
        super().__init__(name='net')
        with self.name_scope:
            self.first = Layer(3, 2, 'first')
            self.layers = [Layer(2, 2, 'second')]


def save_objects():
    """tf.train.Checkpoint's: keys by objects and their attributes."""
    net = Net()
    tf.train.Checkpoint(net=net).write('objects')
    for key, layer in (('net/first', net.first), ('net/layers/0', net.layers[0])):
        expect('objects', key + '/kernel', layer.kernel.numpy())
        expect('objects', key + '/bias', layer.bias.numpy())


def save_arrays():
    """NumPy's: each dtype, orders of bytes and of indices, as they are and packed."""
    arrays = {
        'net/W': values(4, 3), 'turned': np.asfortranarray(values(2, 3, 4)), 'far': values(3).astype('>f4'),
        'far_turned': np.asfortranarray(random.standard_normal((3, 2)).astype('>f8')), 'half': values(5).astype(np.float16),
        'scalar': np.float32(1.5), 'empty': np.zeros((2, 0), np.float32), 'flags': np.array([[True], [False]]),
        'wave': (values(2) + 1j * values(2)).astype(np.complex64), 'zeros': np.zeros((40, 50), np.float32),
        'unsigned': np.array([1, 2**63], np.uint64), 'small': np.array([-128, 127], np.int8)}
    np.savez('arrays.npz', **arrays, words=np.array(['no', 'number']))
    np.savez_compressed('packed.npz', **arrays)
    for name, value in arrays.items():
        for archive in ('arrays', 'packed'):
            expect(archive, name, value.astype(value.dtype.newbyteorder('=')))


def save_tensors():
    tensors = {'model.layers.0.weight': values(3, 4), 'model.layers.0.bias': values(3).astype(np.float16),
               'steps': np.array(3, np.int64), 'mask': np.array([True, False]), 'none': np.zeros((0, 2), np.float32)}
    safetensors.numpy.save_file(tensors, 'tensors.safetensors', metadata={'format': 'np'})
    for name, value in tensors.items():
        expect('tensors', name, value)


save_names()
save_parts()
save_objects()
save_arrays()
save_tensors()
expected.close()
