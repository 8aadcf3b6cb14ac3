"""Einsum: every form of an equation, dtypes, errors. Quarters and small integers: every sum of products is exact."""
from elementwise_cases import INF, NAN, numbers
from golden import COMPLEX, FLOATS, tensor

DTYPES = FLOATS + COMPLEX + ["int32", "int64"]

# An equation and the shapes of its operands.
ONE = [
    ("->", ()), ("i->i", (3,)), ("i->", (3,)), ("ij->", (2, 3)), ("ij->ji", (2, 3)), ("ij->j", (2, 3)),
    ("abcd->dbca", (2, 1, 3, 2)), ("abc->b", (2, 3, 2)), ("abc->ca", (2, 3, 2)), ("ii->", (3, 3)), ("ii->i", (3, 3)),
    ("aab->b", (2, 2, 3)), ("aabb->ba", (2, 2, 3, 3)), ("iii->i", (2, 2, 2)), ("i->ii", (3,)), ("ij->jji", (2, 3)),
    ("aab->bba", (2, 2, 3)), ("abcde->ec", (2, 1, 2, 1, 3)), ("...->...", (2, 2)), ("...ij->...ji", (2, 2, 3)),
    ("...ij->...ji", (2, 3)), ("i...->...", (2, 3)), ("i...->...i", (2, 1, 3)), ("a...a->...", (2, 3, 2)),
    ("...a->a...a", (3, 2)), ("...a->aa", (2,)), ("i->...i", (2,)), ("1 x-> x1", (2, 1, 3, 1)), ("iJ->Ji", (2, 3)),
    ("ij->i", (2, 0)), ("ij->ji", (0, 3)), ("i->ii", (0,)), ("ij->j", (1, 1)),
]
TWO = [
    (",->", (), ()), ("i,->i", (3,), ()), ("i,i->", (3,), (3,)), ("i,i->i", (3,), (3,)), ("i,j->ij", (2,), (3,)),
    ("i,j->ji", (2,), (3,)), ("i,j->", (2,), (3,)), ("ij,jk->ik", (2, 3), (3, 2)), ("ij,jk->ki", (2, 3), (3, 2)),
    ("ji,jk->ik", (3, 2), (3, 2)), ("ij,kj->ik", (2, 3), (2, 3)), ("ji,kj->ki", (3, 2), (2, 3)),
    ("ij,jk->k", (2, 3), (3, 2)), ("ij,kl->", (2, 2), (2, 1)), ("ij,ij->ij", (2, 3), (2, 3)), ("ij,ji->", (2, 3), (3, 2)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 1)), ("bij,jk->bik", (2, 2, 3), (3, 2)), ("bij,bjk->ikb", (2, 2, 3), (2, 3, 1)),
    ("bqhd,bkhd->bhqk", (1, 2, 2, 3), (1, 3, 2, 3)), ("bhqk,bkhd->bqhd", (1, 2, 2, 3), (1, 3, 2, 2)),
    ("abc,bad->dc", (2, 3, 1), (3, 2, 2)), ("abc,cde->abde", (2, 1, 2), (2, 2, 2)), ("aij,bi->aj", (2, 3, 2), (2, 3)),
    ("aab,bc->ac", (2, 2, 3), (3, 2)), ("aa,ab->b", (2, 2), (2, 3)), ("ab,ab->aab", (2, 2), (2, 2)),
    ("ab,bc->cca", (2, 3), (3, 2)), ("abcde,ce->bd", (1, 2, 2, 2, 3), (2, 3)),
    ("...ij,...jk->...ik", (2, 2, 3), (2, 3, 1)), ("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 1)),
    ("...ij,jk->...ik", (2, 2, 3), (3, 2)), ("ij,...jk->i...k", (2, 3), (2, 3, 2)), ("...,...->...", (2, 1), (3,)),
    ("...i,...i->...", (2, 1, 3), (4, 3)), ("i...,j...->ij...", (2, 3), (2, 3)), ("i...,j...->i...j", (2, 3), (2, 1)),
    ("i...j,j...->...i", (2, 2, 3), (3, 2)), ("...ii,...i->i...", (2, 2, 2), (1, 2)), ("...i,i->...", (3,), (3,)),
    ("i,i->...i", (2,), (2,)), ("ij,jk->ik", (2, 0), (0, 3)), ("ij,jk->ik", (0, 2), (2, 3)),
    ("...i,...i->...", (0, 2), (1, 2)),
]
WRONG = [
    ("ij", [(2, 3)]), ("i->j", [(2,)]), ("i->i->i", [(2,)]), ("i,j,k->ijk", [(2,), (2,), (2,)]), ("i,j->ij", [(2,)]),
    ("i->i", [(2,), (2,)]), ("ij->i", [(2, 3, 4)]), ("ij->i", [(2,)]), ("...ij->...", [(2,)]), ("ii->i", [(2, 3)]),
    ("i,i->i", [(2,), (3,)]), ("i,i->i", [(1,), (2,)]), ("...,...->...", [(2,), (3,)]), ("...ij->ij", [(2, 2, 2)]),
    ("...i,...i->", [(2, 3), (2, 3)]), ("i.j->ij", [(2, 3)]), ("..i->i", [(2,)]), ("......i->i", [(2,)]), ("", [()]),
]


def write(w):
    for equation, shape in ONE:
        w.case("Einsum", [numbers("float32", shape, 1)], name=f"{equation} {list(shape)}", equation=equation)
    for equation, x, y in TWO:
        w.case("Einsum", [numbers("float32", x, 2), numbers("float32", y, 3)],
               name=f"{equation} {list(x)} {list(y)}", equation=equation)
    for dtype in DTYPES:
        for equation in ["ij,jk->ki", "ij,ij->ij", "ij,kl->jk"]:
            w.case("Einsum", [numbers(dtype, (2, 2), 4), numbers(dtype, (2, 2), 5)], name=f"{equation} {dtype}",
                   equation=equation)
        w.case("Einsum", [numbers(dtype, (2, 2, 3), 6)], name=f"aab->b {dtype}", equation="aab->b")
        w.case("Einsum", [numbers(dtype, (2, 3), 7)], name=f"ij->jii {dtype}", equation="ij->jii")
    w.case("Einsum", [tensor([[1, INF], [NAN, 2]]), tensor([[1, 0], [0, 1]])], name="special values",
           equation="ij,jk->ik")
    w.case("Einsum", [tensor([2**31 - 1, 5], "int32"), tensor([3, -2**30], "int32")], name="integers wrap",
           equation="i,i->i")
    for equation, shapes in WRONG:
        w.case("Einsum", [numbers("float32", s, 8) for s in shapes], name=f"wrong: {equation} {shapes}",
               equation=equation)
