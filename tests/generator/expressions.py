"""Expressions of a wanted shape and dtype, from what can be read at this point of the program."""

from __future__ import annotations

import re
from dataclasses import dataclass

from generator.kinds import BOOL, BYTE, DOUBLE, FLOAT, INT, REAL, Function, Place, Shape, Tensor, fits, promote
from generator.writer import Writer, atom, dtype_argument, sizes

STRIDED = re.compile(r"\.t\(\)|\.T\b|\.mT\b|transpose|permute|movedim|diagonal|\[:|\[\.\.\.|expand|narrow|chunk|split")
SMOOTH = ("torch.sigmoid({})", "torch.tanh({})", "{a}.tanh()", "{a}.sigmoid()", "torch.sin({})", "{a}.cos()")
KINKED = (
    "torch.relu({})",
    "F.relu({})",
    "{a}.abs()",
    "{a}.clamp(-2.0, 2.0)",
    "F.leaky_relu({}, 0.1)",
    "{a}.clamp(min=-0.7)",
)
STEEP = ("{a}.exp()", "{a}.square()", "{a} ** 2", "{a}.pow(2)", "torch.exp({})", "({a} * {a})", "F.softplus({})")
COPIES = ("{a}.clone()", "{a} * 1", "{a} + 0", "{a}.mul(2)", "{a} / 2", "-{a}", "{a}.add(1)")
LAYERED = ("torch.softmax({}, -1)", "{a}.softmax(dim=0)", "{a}.cumsum(0)", "F.normalize({}, dim=-1)", "{a}.flip(0)")


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression and what may be done with its value: written in place, `.view()`ed."""

    text: str
    writable: bool = True
    dense: bool = True


def value(w: Writer, shape: Shape, dtype: str = FLOAT, depth: int = 2) -> Expression:
    """An expression of exactly this shape and dtype."""
    known = w.recent(w.tensors(shape, (dtype,)))
    if known is not None and w.chance(0.25 if depth > 1 else 0.6):
        return Expression(known.text, known.writable, known.dense)
    text = {FLOAT: _real, DOUBLE: _real, INT: _integer, BYTE: _integer, BOOL: _truth}[dtype](w, shape, dtype, depth)
    return Expression(text, dense=dense(w, text))


def fresh(w: Writer, shape: Shape, dtype: str = FLOAT, depth: int = 2) -> Expression:
    """As `value`, but always new memory."""
    text = {FLOAT: _real, DOUBLE: _real, INT: _integer, BYTE: _integer, BOOL: _truth}[dtype](w, shape, dtype, depth)
    return Expression(text, dense=dense(w, text))


def operand(w: Writer, shape: Shape, dtypes: tuple[str, ...] = (FLOAT,), depth: int = 1) -> str:
    """A tensor expression that leaves the shape of the other operand as it is."""
    places = [place for place in w.tensors(None, dtypes) if fits(shape_of(place), shape)]
    place = w.recent(places)
    if place is not None and w.chance(0.6 if depth else 0.9):
        return place.text
    small = w.pick([shape, shape, shape[-1:], ()])
    return value(w, small, dtypes[0], depth - 1).text if depth > 0 else constant(w, small, dtypes[0])


def shape_of(place: Place) -> Shape:
    """The shape of a place that holds a tensor."""
    assert isinstance(place.kind, Tensor)
    return place.kind.shape


def dense(w: Writer, text: str) -> bool:
    """Whether the value of an expression surely has no odd strides."""
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    crooked = any(not place.dense and re.split(r"[.\[]", place.text)[0] in words for place in w.places())
    return not crooked and not STRIDED.search(text)


def constant(w: Writer, shape: Shape, dtype: str) -> str:
    """A new tensor that depends on nothing."""
    like = w.recent(w.tensors(shape, (dtype,)))
    if like is not None and w.chance(0.4):
        return f"torch.{w.pick(['zeros_like', 'ones_like'])}({like.text})"
    if dtype == BOOL:
        return f"torch.ones({sizes(shape)}, dtype=torch.bool)"
    if dtype in (INT, BYTE):
        return f"torch.{w.pick(['ones', 'zeros'])}({sizes(shape)}{dtype_argument(dtype)})"
    extra = dtype_argument(dtype)
    if w.chance(0.3):
        return (
            f"torch.full({'(' + sizes(shape) + (',' if len(shape) == 1 else '') + ')' if shape else '()'}, 0.5{extra})"
        )
    return f"torch.{w.pick(['zeros', 'ones'])}({sizes(shape)}{extra})"


def _base(w: Writer, shape: Shape, dtype: str, depth: int) -> str:
    """A tensor of this type to apply something to: known, or made from one of another shape."""
    known = w.recent(w.tensors(shape, (dtype,)))
    if known is not None and w.chance(0.75):
        return known.text
    options = list(_reshaped(w, shape, dtype))
    if options and w.chance(0.8):
        return w.pick(options)
    if depth > 0 and w.chance(0.5):
        return value(w, shape, dtype, depth - 1).text
    return known.text if known is not None else w.pick(options or [constant(w, shape, dtype)])


def _reshaped(w: Writer, shape: Shape, dtype: str) -> list[str]:
    """Expressions of this shape made from tensors of another shape."""
    found = []
    for place in w.tensors(None, (dtype,)):
        have, text = shape_of(place), place.text
        if len(have) == 2 and have[1:] == shape:
            found += [f"{text}[0]", f"{text}[-1]"] + (
                [f"{text}.sum(0)", f"{text}.mean(dim=0)"] if dtype in REAL else []
            )
        if len(have) == 2 and have[:1] == shape:
            found += [f"{text}[:, 0]"] + ([f"{text}.sum(dim=1)", f"{text}.mean(-1)"] if dtype in REAL else [])
        if have[::-1] == shape and len(have) == 2 and have != shape:
            found += [f"{text}.t()", f"{text}.T", f"{text}.transpose(0, 1)"]
        if len(have) == 2 and shape == (have[0], 1) and dtype in REAL:
            found += [f"{text}.sum(1, keepdim=True)", f"{text}[:, :1]"]
        if len(shape) == 2 and have == shape[1:]:
            found += [f"{text}.expand({sizes(shape)})", f"torch.stack([{', '.join([text] * shape[0])}])"]
        if len(have) == 1 and shape == (1, *have):
            found += [f"{text}.unsqueeze(0)", f"{text}[None]"]
        if shape == () and have and dtype in REAL:
            found += [f"{text}.sum()", f"{text}.mean()", f"{text}.norm()"]
        if shape == () and len(have) == 1:
            found += [f"{text}[0]"]
    return found


def _real(w: Writer, shape: Shape, dtype: str, depth: int) -> str:
    base = _base(w, shape, dtype, depth)
    roll = w.rng.random()
    if roll < 0.12 and (call := _call(w, shape, dtype)):
        return call
    if roll < 0.36:
        return _apply(w, w.pick(SMOOTH), base)
    if roll < 0.43:
        return _apply(w, w.pick(KINKED), base)
    if roll < 0.53:
        return _apply(w, w.pick(STEEP), base)
    if roll < 0.58 and shape:
        return _apply(w, w.pick(LAYERED), base)
    if roll < 0.70:
        return _apply(w, w.pick(COPIES), base)
    if roll < 0.76 and len(shape) == 2 and (product := _product(w, shape, dtype)):
        return product
    if roll < 0.80:
        other = _base(w, shape, dtype, depth - 1)
        return f"torch.where({truth(w, shape)}, {base}, {other})"
    if roll < 0.83 and (flag := w.recent(w.plains("flag"))):
        return f"{base} if {flag.text} else {_base(w, shape, dtype, depth - 1)} * 2"
    return _binary(w, shape, dtype, base, depth)


def _apply(w: Writer, form: str, base: str) -> str:
    return form.format(base, a=atom(base))


def _binary(w: Writer, shape: Shape, dtype: str, base: str, depth: int) -> str:
    other = w.number() if w.chance(0.35) else atom(operand(w, shape, (dtype,), depth - 1))
    left = atom(base)
    if w.chance(0.15):
        return (
            f"{left} / ({other if '.' not in other else atom(other)} + 3.5)" if not _is_number(other) else f"{left} / 2"
        )
    operator = w.pick(["+", "+", "*", "*", "-"])
    if other.startswith("-"):
        other = f"({other})"
    return f"{left} {operator} {other}" if w.chance(0.8) else f"{other} {operator} {left}"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[\d.]+", text) is not None


def _product(w: Writer, shape: Shape, dtype: str) -> str | None:
    pairs = [
        f"{a.text} @ {b.text}"
        for a in w.tensors(None, (dtype,))
        for b in w.tensors(None, (dtype,))
        if len(shape_of(a)) == len(shape_of(b)) == 2
        and shape_of(a)[1] == shape_of(b)[0]
        and (shape_of(a)[0], shape_of(b)[1]) == shape
    ]
    return w.pick(pairs) if pairs else None


def _call(w: Writer, shape: Shape, dtype: str) -> str | None:
    wanted = (Tensor(shape, dtype),)
    functions = [f for f in w.functions if f.result == wanted and not f.shares]
    function = w.pick(functions) if functions else None
    return call(w, function) if function is not None else None


def call(w: Writer, function: Function) -> str | None:
    """A call with arguments that suit, None where there are none: what it writes must be writable, and no leaf."""
    texts = []
    for parameter in function.parameters:
        kind = parameter.kind
        if not isinstance(kind, Tensor):
            texts.append(w.pick(["True", "False"]) if kind.word == "flag" else w.pick(["1", "2", "3"]))  # type: ignore[union-attr]
            continue
        places = w.tensors(kind.shape, (kind.dtype,), writable=parameter.written)
        place = w.recent(places)
        if place is not None and w.chance(0.8):
            texts.append(place.text)
        elif parameter.written and w.chance(0.3) and place is None:
            return None
        else:
            texts.append(fresh(w, kind.shape, kind.dtype, 0).text)
    return f"{function.text}({', '.join(texts)})"


def _integer(w: Writer, shape: Shape, dtype: str, depth: int) -> str:
    if w.chance(0.5) or not w.tensors(shape, (dtype,)):
        cast = ".long()" if dtype == INT else ".to(torch.uint8)"
        if w.chance(0.4) and len(shape) == 1 and dtype == INT:
            return f"torch.arange({shape[0]})"
        return f"{atom(truth(w, shape))}{cast}" if w.chance(0.6) else constant(w, shape, dtype)
    base = _base(w, shape, dtype, 0)
    return f"{atom(base)} {w.pick(['+', '*', '-'])} {w.pick(['1', '2', '3'])}"


def _truth(w: Writer, shape: Shape, dtype: str, depth: int) -> str:
    del dtype, depth
    return truth(w, shape)


def truth(w: Writer, shape: Shape) -> str:
    """A boolean tensor of this shape."""
    mask = w.recent(w.tensors(shape, (BOOL,)))
    if mask is not None and w.chance(0.6):
        return mask.text if w.chance(0.8) else f"~{mask.text}"
    base = _base(w, shape, FLOAT, 0)
    test = f"{atom(base)} {w.pick(['>', '<', '>=', '<='])} {w.pick(['0.0537', '0.3019', '-0.2043', '0.6171'])}"
    if mask is not None and w.chance(0.3):
        return f"({test}) & {mask.text}"
    return test


def mixed(w: Writer, target: Tensor) -> str:
    """An operand of another dtype that in-place arithmetic converts back: wider floats, integers."""
    wider = [place for place in w.tensors(None, (DOUBLE, INT, BYTE)) if fits(shape_of(place), target.shape)]
    place = w.recent(wider)
    if place is not None and isinstance(place.kind, Tensor) and promote(target, place.kind) in REAL:
        return place.text
    small = w.pick([target.shape, target.shape[-1:]])
    return w.pick(
        [
            f"torch.ones({sizes(small)}, dtype=torch.float64)",
            f"torch.full_like({constant(w, small, FLOAT)}, 0.3, dtype=torch.float64)",
        ]
    )
