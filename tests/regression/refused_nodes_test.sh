#!/usr/bin/env bash
# A node of a GraphDef that cannot be refuses the runs that need it and no other; a variable holds what it is given,
# whatever shape it declares; an old Placeholder of shape [] has any shape.
#   refused_nodes_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - << 'END'
FLOAT, INT = 'DT_FLOAT', 'DT_INT32'


def dtype(key, name): return 'attr { key: "%s" value { type: %s } }' % (key, name)
def shape(text): return 'attr { key: "shape" value { shape { %s } } }' % text
def flag(key, value): return 'attr { key: "%s" value { b: %s } }' % (key, value)
def node(name, op, inputs=(), *attrs):
    return 'node { name: "%s" op: "%s" %s %s }' % (name, op, ' '.join('input: "%s"' % i for i in inputs), ' '.join(attrs))


def const(name, of, value, sizes=''):
    tensor = 'tensor { dtype: %s tensor_shape { %s } %s }' % (of, sizes, value)
    return node(name, 'Const', (), dtype('dtype', of), 'attr { key: "value" value { %s } }' % tensor)


def write(name, nodes, producer):
    with open(name, 'w') as f:
        f.write('\n'.join(nodes) + '\nversions { producer: %d }\n' % producer)


def floats(name, sizes): return node(name, 'Placeholder', (), dtype('dtype', FLOAT), shape(sizes))


two, three = 'dim { size: 2 }', 'dim { size: 3 }'
write('nodes.pbtxt', [
    const('a', FLOAT, 'float_val: 1 float_val: 2', two), const('b', FLOAT, 'float_val: 1', three),
    const('i', INT, 'int_val: 3', two), const('twice', INT, 'int_val: 0', two),
    const('square', FLOAT, 'float_val: 1', two + two), const('filter', FLOAT, 'float_val: 1', two + two + two + two),
    node('good', 'Square', ('a',), dtype('T', FLOAT)),
    node('add', 'AddV2', ('a', 'b'), dtype('T', FLOAT)),
    node('after', 'Square', ('add',), dtype('T', FLOAT)),
    node('sum', 'Sum', ('square', 'twice'), dtype('T', FLOAT), dtype('Tidx', INT)),
    node('product', 'MatMul', ('a', 'square'), dtype('T', FLOAT)),
    node('mixed', 'AddV2', ('a', 'i'), dtype('T', FLOAT)),
    node('of_ints', 'Sqrt', ('i',), dtype('T', INT)),
    node('two_of_one', 'Split', ('i', 'a'), dtype('T', FLOAT), 'attr { key: "num_split" value { i: 3 } }'),
    node('second', 'Square', ('two_of_one:1',), dtype('T', FLOAT)),
    node('v', 'VariableV2', (), dtype('dtype', FLOAT), shape(two)),
    node('assign', 'Assign', ('v', 'b'), dtype('T', FLOAT)), node('read', 'Identity', ('assign',), dtype('T', FLOAT)),
    node('waits', 'Identity', ('a', '^add'), dtype('T', FLOAT))], 1087)

# The same in a function, and where a function gives the shape.
def function(name, body):
    args = 'input_arg { name: "x" type: DT_FLOAT }'
    return ('function { signature { name: "%s" %s output_arg { name: "y" type: DT_FLOAT } } %s '
            'ret { key: "y" value: "r:output:0" } }' % (name, args, body))


def call(name, inputs, of):
    return node(name, 'PartitionedCall', inputs, *['attr { key: "%s" value { list { type: DT_FLOAT } } }' % key
                                                   for key in ('Tin', 'Tout')],
                'attr { key: "f" value { func { name: "%s" } } }' % of)


def within(text): return text.replace('node {', 'node_def {', 1)


with open('calls.pbtxt', 'w') as f:
    f.write('\n'.join([
        const('a', FLOAT, 'float_val: 1 float_val: 2', two), const('square', FLOAT, 'float_val: 1', two + two),
        call('bad', ('a',), 'sums_twice'), call('good', ('square',), 'same'),
        node('out', 'Square', ('bad',), dtype('T', FLOAT)),
        node('product', 'MatMul', ('given', 'square'), dtype('T', FLOAT)), call('given', ('a',), 'same')]) +
            '\nlibrary { ' + function('sums_twice', ' '.join([
                within(const('twice', INT, 'int_val: 0', two)),
                within(node('s', 'Sum', ('x', 'twice:output:0'), dtype('T', FLOAT), dtype('Tidx', INT))),
                within(node('r', 'Identity', ('s:output:0',), dtype('T', FLOAT)))])) +
            function('same', within(node('r', 'Identity', ('x',), dtype('T', FLOAT)))) +
            ' }\nversions { producer: 1087 }\n')

# What a function holds refuses the runs of its callers: dtypes in its nodes and its outputs, functions that are not
# there or call themselves, arguments of another number or dtype, a gradient that an op does not have.
def body(of, *nodes): return function(of, ' '.join(map(within, nodes)))
def same_as(*inputs): return node('r', 'Identity', inputs, dtype('T', FLOAT))
def types(key, *names): return 'attr { key: "%s" value { list { %s } } }' % (key, ' '.join('type: ' + n for n in names))
def of(key, name): return 'attr { key: "%s" value { func { name: "%s" } } }' % (key, name)


lowered, yes = flag('_lower_using_switch_merge', 'true'), const('yes', 'DT_BOOL', 'bool_val: true')
library = [
    body('same', same_as('x')), body('mixed', const('i', INT, 'int_val: 1'),
                                     node('s', 'AddV2', ('x', 'i:output:0'), dtype('T', FLOAT)), same_as('s:z:0')),
    body('of_another', const('i', INT, 'int_val: 1'), node('r', 'Identity', ('i:output:0',), dtype('T', INT))),
    body('itself', call('c', ('x',), 'itself'), same_as('c:output:0')),
    body('calls_mixed', call('c', ('x',), 'mixed'), same_as('c:output:0')),
    body('no_such_output', same_as('x').replace('"Identity"', '"Square"')),
    body('no_gradient', node('s', 'SoftsignGrad', ('x', 'x'), dtype('T', FLOAT)), same_as('s:backprops:0')),
    body('below', node('s', 'Sum', ('x', 'a:output:0'), dtype('T', FLOAT), dtype('Tidx', INT)),
         const('a', INT, 'int_val: 0', 'dim { size: 1 }'),
         node('r', 'Less', ('s:output:0', 's:output:0'), dtype('T', FLOAT))).replace(
             'name: "y" type: DT_FLOAT', 'name: "y" type: DT_BOOL').replace('r:output:0', 'r:z:0')]


def choice(name, then, other):
    return node(name, 'If', ('yes', 'a'), dtype('Tcond', 'DT_BOOL'), types('Tin', FLOAT), types('Tout', FLOAT),
                of('then_branch', then), of('else_branch', other), lowered)


def loop(name, cond, turn):
    return node(name, 'While', ('a',), types('T', FLOAT), of('cond', cond), of('body', turn), lowered)


def gradient(name, f):
    return node(name, 'SymbolicGradient', ('a', 'a'), types('Tin', FLOAT, FLOAT), types('Tout', FLOAT), of('f', f))


def twice(nodes): return [n for name, n in nodes] + [node('of_' + name, 'Square', (name,), dtype('T', FLOAT)) for name, n in nodes]


with open('library.pbtxt', 'w') as f:
    f.write('\n'.join([const('a', FLOAT, 'float_val: 3', 'dim { size: 1 }'), const('i', INT, 'int_val: 1'), yes] + twice([
        ('good', call('good', ('a',), 'same')), ('good_if', choice('good_if', 'same', 'same')),
        ('good_while', loop('good_while', 'below', 'same')), ('good_gradient', gradient('good_gradient', 'same')),
        ('mixed', call('mixed', ('a',), 'mixed')), ('nested', call('nested', ('a',), 'calls_mixed')),
        ('of_itself', call('of_itself', ('a',), 'itself')), ('no_output', call('no_output', ('a',), 'no_such_output')),
        ('another', call('another', ('a',), 'of_another')), ('given', call('given', ('i',), 'same')),
        ('mixed_if', choice('mixed_if', 'same', 'mixed')), ('other_if', choice('other_if', 'same', 'of_another')),
        ('mixed_while', loop('mixed_while', 'below', 'mixed')), ('other_while', loop('other_while', 'below', 'of_another')),
        ('no_gradient', gradient('no_gradient', 'no_gradient'))])) +
            '\nlibrary { ' + ' '.join(library) + ' }\nversions { producer: 1087 }\n')

# What is fed has the shape that it has.
write('variables.pbtxt', [
    floats('p', 'unknown_rank: true'),
    node('v', 'VariableV2', (), dtype('dtype', FLOAT), shape(two)),
    node('assign', 'Assign', ('v', 'p'), dtype('T', FLOAT), flag('validate_shape', 'false')),
    node('read_v', 'Square', ('assign',), dtype('T', FLOAT)),
    node('h', 'VarHandleOp', (), dtype('dtype', FLOAT), shape(two), 'attr { key: "shared_name" value { s: "h" } }'),
    node('assign_h', 'AssignVariableOp', ('h', 'p'), dtype('dtype', FLOAT)),
    node('read_h', 'ReadVariableOp', ('h', '^assign_h'), dtype('dtype', FLOAT)),
    node('square_h', 'Square', ('read_h',), dtype('T', FLOAT)),
    node('later', 'ReadVariableOp', ('h',), dtype('dtype', FLOAT)), node('square', 'Square', ('later',), dtype('T', FLOAT)),
    node('validated', 'VariableV2', (), dtype('dtype', FLOAT), shape(two), 'attr { key: "shared_name" value { s: "w" } }'),
    node('assign_w', 'Assign', ('validated', 'p'), dtype('T', FLOAT))], 1087)

for producer in 21, 22:
    write('old%d.pbtxt' % producer, [
        floats('x', ''), floats('open', 'unknown_rank: true'), floats('two', two),
        node('y', 'Square', ('x',), dtype('T', FLOAT)), node('z', 'Square', ('two',), dtype('T', FLOAT))], producer)
END

expect 0 'good: float32[2] 1 4' "$DFRUN" eval nodes.pbtxt --fetch good
refuses() {
  expect 65 "$2" "$DFRUN" eval nodes.pbtxt --fetch "$1"
  grep -qF "node '$3'" out || fail "$1: $(cat out)"
}
refuses add 'it cannot be: ' add
refuses after '[2]' add
refuses sum 'twice' sum
refuses product 'it cannot be: ' product
refuses mixed 'int32' mixed
refuses of_ints 'int32' of_ints
refuses second 'it cannot be: ' two_of_one
refuses read '[3]' assign
refuses waits 'it cannot be: ' add
# A run that feeds what such a node gives does not need it.
expect 0 'after: float32[2] 9 16' "$DFRUN" eval nodes.pbtxt --feed 'add=[3, 4]' --fetch after
expect 0 'refused only where a run needs it' "$DFRUN" check nodes.pbtxt
grep -q "node 'sum': it cannot be: " out || fail "check: $(cat out)"
# Its export is what was read.
"$DFRUN" graph nodes.pbtxt --pb --out again.pb > out 2>&1 || true
if [ -s again.pb ]; then expect 65 'it cannot be: ' "$DFRUN" eval again.pb --fetch after; fi

expect 0 'good: float32[2,2]' "$DFRUN" eval calls.pbtxt --fetch good
if "$DFRUN" eval calls.pbtxt --fetch out > out 2>&1; then fail "it has a value: $(cat out)"; fi
grep -qF "'bad/s'" out || fail "no node: $(cat out)"
if "$DFRUN" eval calls.pbtxt --fetch product > out 2>&1; then fail "it has a value: $(cat out)"; fi
grep -qF "'product'" out || fail "no node: $(cat out)"

for fetch in good good_if good_while; do
  expect 0 "of_$fetch: float32[1] 9" "$DFRUN" eval library.pbtxt --fetch of_$fetch
done
expect 0 'of_good_gradient: float32[1] 9' "$DFRUN" eval library.pbtxt --fetch of_good_gradient
for node in mixed nested of_itself no_output another given mixed_if other_if mixed_while other_while no_gradient; do
  expect 65 "node '$node'" "$DFRUN" eval library.pbtxt --fetch of_$node
  grep -qF 'it cannot be: ' out || fail "$node: $(cat out)"
  expect 0 "of_$node: float32[1] 4" "$DFRUN" eval library.pbtxt --feed "$node=[2]" --fetch of_$node
done
expect 65 "node 's'" "$DFRUN" eval library.pbtxt --fetch of_mixed_if
expect 0 'refused only where a run needs it' "$DFRUN" check library.pbtxt
# Its export is what was read, with the library.
"$DFRUN" graph library.pbtxt --pb --out library.pb > out 2>&1 || { cat out; fail "no export"; }
expect 0 'of_good: float32[1] 9' "$DFRUN" eval library.pb --fetch of_good
expect 65 "node 'mixed_while'" "$DFRUN" eval library.pb --fetch of_mixed_while

for fetch in read_v square_h; do
  expect 0 "$fetch: float32[3] 1 4 9" "$DFRUN" eval variables.pbtxt --feed 'p=[1, 2, 3]' --fetch $fetch
done
expect 0 'square: float32[3] 1 4 9' "$DFRUN" eval variables.pbtxt --feed 'p=[1, 2, 3]' --init assign_h --fetch square
expect 65 '[3]' "$DFRUN" eval variables.pbtxt --feed 'p=[1, 2, 3]' --fetch assign_w

expect 0 'y: float32[3] 1 4 9' "$DFRUN" eval old21.pbtxt --feed 'x=[1, 2, 3]' --fetch y
expect 0 'y: float32[] 9' "$DFRUN" eval old21.pbtxt --feed 'x=3' --fetch y
expect 64 "'x' is []" "$DFRUN" eval old22.pbtxt --feed 'x=[1, 2, 3]' --fetch y
expect 64 "'two' is [2]" "$DFRUN" eval old21.pbtxt --feed 'two=[1, 2, 3]' --fetch z
echo "nodes that cannot be are refused where they are needed"
