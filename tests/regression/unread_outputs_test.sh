#!/usr/bin/env bash
# What only an unread output of a lowered If, Case or While needs is not computed: no effect of it happens, nothing of
# it is refused, and a loop keeps no turn's values for a gradient that nobody asks for.
#   unread_outputs_test.sh SOURCE_DIR DFRUN
SOURCE=$1 DFRUN=$2
source "$SOURCE/tests/regression/lib.sh"

/usr/bin/python3 - << 'END'
INT, FLOAT, BOOL, LIST, HANDLE = 'DT_INT32', 'DT_FLOAT', 'DT_BOOL', 'DT_VARIANT', 'DT_RESOURCE'


def attr(key, value): return 'attr { key: "%s" value { %s } }' % (key, value)
def dtype(key, name): return attr(key, 'type: ' + name)
def dtypes(key, names): return attr(key, 'list { %s }' % ' '.join('type: ' + name for name in names))
def functions(key, *names): return attr(key, 'list { %s }' % ' '.join('func { name: "%s" }' % n for n in names))


def node(name, op, inputs=(), *attrs, kind='node'):
    return '%s { name: "%s" op: "%s" %s %s }' % (
        kind, name, op, ' '.join('input: "%s"' % i for i in inputs), ' '.join(attrs))


def const(name, of, value, shape='', kind='node'):
    tensor = 'tensor { dtype: %s tensor_shape { %s } %s }' % (of, shape, value)
    return node(name, 'Const', (), dtype('dtype', of), attr('value', tensor), kind=kind)


def body(*args, **kwargs): return node(*args, **kwargs, kind='node_def')


def function(name, inputs, outputs, nodes, returned):
    return 'function { signature { name: "%s" %s %s } %s %s }' % (
        name, ' '.join('input_arg { name: "%s" type: %s }' % i for i in inputs),
        ' '.join('output_arg { name: "%s" type: %s }' % o for o in outputs), ' '.join(nodes),
        ' '.join('ret { key: "%s" value: "%s" }' % r for r in returned))


LOWERED = attr('_lower_using_switch_merge', 'b: true')
VERSIONS = 'versions { producer: 1087 }\n'


def write(name, nodes, library):
    with open(name, 'w') as f:
        f.write('\n'.join(nodes) + '\nlibrary { ' + '\n'.join(library) + ' }\n' + VERSIONS)


# A loop of 60 turns: i and x change; the list keeps each x, 4 MiB, as a gradient would.
turns = [const('n', INT, 'int_val: 60', kind='node_def'), body('less', 'Less', ('i', 'n:output:0'), dtype('T', INT))]
values = [('i', INT), ('x', FLOAT), ('l', LIST)]
condition = function('condition', values, [('r', BOOL)], turns, [('r', 'less:z:0')])
turn = function('turn', values, [('oi', INT), ('ox', FLOAT), ('ol', LIST)],
                [const('one', INT, 'int_val: 1', kind='node_def'),
                 body('add', 'AddV2', ('i', 'one:output:0'), dtype('T', INT)),
                 body('tanh', 'Tanh', ('x',), dtype('T', FLOAT)),
                 body('push', 'TensorListPushBack', ('l', 'x'), dtype('element_dtype', FLOAT))],
                [('oi', 'add:z:0'), ('ox', 'tanh:y:0'), ('ol', 'push:output_handle:0')])


def loop(name, *inputs):
    return node(name, 'While', inputs, dtypes('T', [INT, FLOAT, LIST]), attr('cond', 'func { name: "condition" }'),
                attr('body', 'func { name: "turn" }'), LOWERED, attr('parallel_iterations', 'i: 1'))


write('while.pbtxt', [
    const('zero', INT, 'int_val: 0'), const('x', FLOAT, 'float_val: 0.5', 'dim { size: 1024 } dim { size: 1024 }'),
    const('shape', INT, 'int_val: 1024', 'dim { size: 2 }'), const('any', INT, 'int_val: -1'),
    node('list', 'EmptyTensorList', ('shape', 'any'), dtype('element_dtype', FLOAT), dtype('shape_type', INT)),
    node('unfed', 'Placeholder', (), dtype('dtype', FLOAT), attr('shape', 'shape { unknown_rank: true }')),
    loop('w', 'zero', 'x', 'list'), node('x_out', 'Identity', ('w:1',), dtype('T', FLOAT)),
    const('axes', INT, 'int_val: 0 int_val: 1', 'dim { size: 2 }'),
    node('sum', 'Sum', ('x_out', 'axes'), dtype('T', FLOAT), dtype('Tidx', INT)),
    node('length', 'TensorListLength', ('w:2',)),
    loop('of_unfed', 'zero', 'unfed', 'list'), node('i_out', 'Identity', ('of_unfed:0',), dtype('T', INT))],
      [condition, turn])

# Branches that give two values: one that has an effect, or that is refused, and 5.
five = const('five', FLOAT, 'float_val: 5', kind='node_def')
two = [('a', FLOAT), ('b', FLOAT)]


def assigns(name):
    return function(name, [('h', HANDLE)], two,
                    [const('one', FLOAT, 'float_val: 1', kind='node_def'),
                     body('assign', 'AssignVariableOp', ('h', 'one:output:0'), dtype('dtype', FLOAT)),
                     body('read', 'ReadVariableOp', ('h', '^assign'), dtype('dtype', FLOAT)), five],
                    [('a', 'read:value:0'), ('b', 'five:output:0')])


def refuses(name):
    return function(name, [('p', FLOAT)], two,
                    [body('check', 'CheckNumerics', ('p',), dtype('T', FLOAT), attr('message', 's: "refused"')), five],
                    [('a', 'check:output:0'), ('b', 'five:output:0')])


def choice(name, inputs, given, *branches):
    types = dtypes('Tin', given) + dtypes('Tout', [FLOAT, FLOAT])
    if inputs[0] == 'index':
        return node(name, 'Case', inputs, types, functions('branches', *branches), LOWERED)
    return node(name, 'If', inputs, types, dtype('Tcond', BOOL), attr('then_branch', 'func { name: "%s" }' % branches[0]),
                attr('else_branch', 'func { name: "%s" }' % branches[1]), LOWERED)


nodes = [
    node('v', 'VarHandleOp', (), dtype('dtype', FLOAT), attr('shape', 'shape { }'), attr('shared_name', 's: "v"')),
    const('seven', FLOAT, 'float_val: 7'), node('init', 'AssignVariableOp', ('v', 'seven'), dtype('dtype', FLOAT)),
    const('pred', BOOL, 'bool_val: true'), const('index', INT, 'int_val: 0'), const('zero', FLOAT, 'float_val: 0'),
    node('inf', 'Reciprocal', ('zero',), dtype('T', FLOAT)),
    node('unfed', 'Placeholder', (), dtype('dtype', FLOAT), attr('shape', 'shape { }'))]
for by in 'pred', 'index':
    nodes += [choice('assign_' + by, (by, 'v'), [HANDLE], 'assigns', 'assigns_too')]
    for value in 'inf', 'unfed':
        nodes += [choice('%s_%s' % (value, by), (by, value), [FLOAT], 'refuses', 'refuses_too')]
    for value in 'assign', 'inf', 'unfed':
        nodes += [node('%s_%s_%s' % (value, by, port), 'Identity', ('%s_%s:%d' % (value, by, number),), dtype('T', FLOAT))
                  for number, port in enumerate('ab')]
for port in 'ab':
    nodes += [node('read_after_' + port, 'ReadVariableOp', ('v', '^assign_pred_' + port, '^assign_index_' + port),
                   dtype('dtype', FLOAT))]
write('branches.pbtxt', nodes, [assigns('assigns'), assigns('assigns_too'), refuses('refuses'), refuses('refuses_too')])
END

# An effect.
expect 0 'read_after_b: float32[] 7' "$DFRUN" eval branches.pbtxt --init init --fetch assign_pred_b \
  --fetch assign_index_b --fetch read_after_b
grep -qF 'assign_index_b: float32[] 5' out || fail "the Case: $(cat out)"
expect 0 'read_after_a: float32[] 1' "$DFRUN" eval branches.pbtxt --init init --fetch read_after_a

# A refusal, and a value that nothing feeds.
for by in pred index; do
  expect 0 "inf_${by}_b: float32[] 5" "$DFRUN" eval branches.pbtxt --fetch "inf_${by}_b"
  expect 0 "unfed_${by}_b: float32[] 5" "$DFRUN" eval branches.pbtxt --fetch "unfed_${by}_b"
  expect 70 refused "$DFRUN" eval branches.pbtxt --fetch "inf_${by}_a"
  expect 64 unfed "$DFRUN" eval branches.pbtxt --fetch "unfed_${by}_a"
done
# A fetch of a call's own output is a fetch of the call, as in TensorFlow: all of it runs.
expect 70 refused "$DFRUN" eval branches.pbtxt --fetch inf_pred:1
expect 0 'i_out: int32[] 60' "$DFRUN" eval while.pbtxt --fetch i_out

# Memory: 60 turns of 4 MiB are kept where the list is read.
peak() {
  /usr/bin/python3 - "$@" << 'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
}
forward=$(peak "$DFRUN" eval while.pbtxt --fetch sum --threads 1)
kept=$(peak "$DFRUN" eval while.pbtxt --fetch sum --fetch length --threads 1)
[ "$kept" -gt 240 ] || fail "the list of 240 MiB takes $kept MiB"
[ "$forward" -lt 100 ] || fail "a forward fetch takes $forward MiB"

# The same where `train:` adds the gradient, through a loop with a loop and a conditional in its turns.
cat > loops.yaml << 'END'
dfrun: 1
functions:
  turn: {args: [i, x], graph: {q: "While(0, x, cond=below, body=step)", c: "Cond(i < 3, Tanh(x), x * 0.5)"},
         returns: {i: i + 1, x: "q:1 + c"}}
  most: {args: [j, x], returns: j < 12}
  below: {args: [j, x], returns: j < 5}
  step: {args: [j, x], returns: {j: j + 1, x: Tanh(x)}}
graph:
  w: {op: Variable, shape: [1024, 1024], init: 0.5}
  r: While(0, w + 0.0, cond=most, body=turn)
  loss: Mean(r:1)
train: {loss: loss, learning_rate: 0.1, steps: 2}
END
"$DFRUN" graph loops.yaml --pb --out loops.pb > out 2>&1 || { cat out; fail "no export"; }
trained=$(peak "$DFRUN" eval loops.pb --init init --fetch loss --target train --threads 1)
untrained=$(peak "$DFRUN" eval loops.pb --init init --fetch loss --threads 1)
[ "$trained" -gt 240 ] || fail "a step that trains takes $trained MiB"
[ "$untrained" -lt 100 ] || fail "a forward fetch beside train: takes $untrained MiB"

# A loop whose list would take 4 TB ends, and says where.
sed 's/int_val: 60 /int_val: 1000000 /' while.pbtxt > long.pbtxt
! cmp -s while.pbtxt long.pbtxt || fail "the loop is as it was"
export DFRUN
expect 74 "of the loop 'w'" bash -c 'ulimit -v 3000000 && exec "$DFRUN" eval long.pbtxt --fetch length --threads 1'
grep -q "turn [0-9]* of the loop 'w'.*a list grows" out || { cat out; fail "no turn"; }
echo "unread outputs cost nothing: $forward MiB, $kept MiB with what a gradient needs"
