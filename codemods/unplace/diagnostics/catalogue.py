"""Lists the reasons that `unplace` gives, with their codes; `unplace.diagnostics.reasons` fills in the sentences.

The reasons why a write can't be rewritten are in `unplace.diagnostics.refusals`. A sentence that mentions a
line has a gap for it, so that the line can be moved with the text that the reader has.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, unique

from unplace.diagnostics.reasons import Kind, Reason


@unique
class Rewrite(Kind):
    """The effect of a rewrite."""

    REBOUND = "`{name}` is rebound to a new tensor"
    REPAIRED_BESIDE = "the edits beside it repair it, too"
    CLONED = "the write to `{name}` goes to a clone"
    WRITTEN_OUT = "the store to `{name}` is written out"
    RESTRICTED = "the backward in {line} is restricted to the parameters of the optimizer that steps next"
    RESTRICTED_BEFORE = (
        "the backward in {line} is restricted to the parameters of the optimizer that steps next, and the step "
        "that comes too early goes behind it"
    )
    SWAPPED = "the update to which the backward in {line} belongs comes first"
    COLLECTED = "`{name}` is collected in the list `{list_name}` and stacked behind the loop"
    FUNCTIONAL = "the operation becomes its functional form"
    DATA_REBOUND = "`{name}` is rebound, which repairs the gradient that `.data` cuts silently"
    FLAG_DROPPED = "`{name}` gives a new tensor instead of overwriting its input"
    FLAG_CLEARED = "the flag in {line} is set to False, so that a new tensor is made instead of overwriting the input"
    COPY_SAVED = "the write stays; {last} gets a copy to save for backward"
    COPIES_SAVED = "the write stays; {others} and {last} get a copy to save for backward"
    PIECES_CUT = "the pieces are cut so that they may be written; torch forbids that after a split"
    EXPANDED_OWNED = "what `{name}` expands is cloned, so that each of its elements has a place of its own"
    OWNED_WHERE_MADE = "`{name}` is cloned where it is made, and not in each round of the loop that writes it"
    PIECE_OWNED = "`{name}` is made a tensor of its own; torch forbids writing what a split returns"
    ELEMENT_COUNTED = "the loop counts the elements of `{whole}`, so that the list can hold a new tensor for `{row}`"
    ROW_INDEXED = "`{row}` is taken from `{whole}` by index; torch forbids writing what a loop yields"
    NEW_NAME = "{forbidden}; `{new}` gets the changed values, and `{name}` stays the leaf that it is"
    UNRECORDED = "{forbidden}; the change is put under `with torch.no_grad():`"
    UNRECORDED_UPDATE = (
        "{forbidden}; the change is put under `with torch.no_grad():` in {function}(), which returns no tensor"
    )
    UNRECORDED_LEAF = "{forbidden}; the change is put under `with torch.no_grad():`: what is optimised stays a leaf"
    UNRECORDED_PARAMETERS = (
        "{forbidden}; the change is put under `with torch.no_grad():`, as an update of all parameters of a module"
    )
    UNRECORDED_NEW = "{forbidden}; the change is put under `with torch.no_grad():`, as the layer has just been made"
    UNRECORDED_GIVEN_UP = (
        "{forbidden}; the change is put under `with torch.no_grad():`, as the tensor loses its gradient next"
    )
    MAYBE_UNRECORDED = "the change of what may be a parameter is put under `with torch.no_grad():`"
    MADE_BATCHED = "{forbidden}; it is made with the batch dimension of `{source}`"
    ARGUMENT_COPIED = "the function makes a copy of {names} at its start, and writes to the copy"
    COPY_PASSED = "the write goes to a copy, which {calls: and } passes"
    # additions to the sentences above
    SAVED = "{rewrite}; {operation} in {line} saved it for backward"
    FORBIDDEN = "{rewrite}; {forbidden}"
    GRADIENT_REPAIRED = "{rewrite}, which repairs the gradient that `.data` cuts silently"
    UNRECORDED_UNSAFE = (
        "{forbidden}; `with torch.no_grad():` around the change needs --unsafe, which assumes: {assumptions:; }"
    )
    NEEDS_UNSAFE = "needs --unsafe, which assumes: {assumptions:; }"
    LEFT_OUT_BY_STRICT = "left out by --strict: it rests on the convention that {assumptions:, and that }"


@unique
class Assumption(Kind):
    """An assumption of a rewrite; docs/safety.md says for each when it is wrong."""

    CALLER_LOOKS_AWAY = "no caller reads the argument `{name}` after the call"
    NO_OTHER_CALLS = "no code outside this file calls `{name}`"
    NO_CALLS_OUTSIDE = "no code outside this run calls `{name}`"
    HELD_ALONE = "nothing else holds the tensor in {place}"
    NO_LIST = "`{name}` is no list"
    RESULT_HELD_ALONE = "{place} is a tensor that nothing else holds"
    LAYER_HELD_ALONE = "`{layer}` returns a tensor that nothing else holds"
    PASSED_ONCE = "no caller passes the tensor in `{name}` as another argument, too"
    GRADIENTS_UNUSED = "no other code uses the gradients that the backward in {line} adds to the parameters of others"
    GRADIENTS_NOT_MEANT = "`{step}` isn't meant to use what the backward in {line} adds"
    NOT_SHARED = "`{one}` and `{other}` don't share memory"
    SAME_TENSOR = "`{one}` and `{other}` are the same tensor"
    SAME_OBJECT = "`{place}` is the same object each time it is evaluated"
    SHARES_NONE = "`{name}` shares no memory with {others}"
    NOT_KEPT = "{operation} in {line} doesn't keep the tensor"
    NOT_STORED = "{operation} in {line} doesn't store the tensor"
    DISTINCT_ELEMENTS = "no two elements of {place} are the same tensor"
    TENSOR = "`{name}` is a tensor"
    SEEN_BY_AUTOGRAD = "the gradient is meant to see the write through `.data`"
    UNDIFFERENTIATED = "no gradient is meant to flow through the change of `{name}`"
    NO_GRAPH_WHERE_OFF = "where gradients aren't recorded, `{name}` has no graph"
    GRADIENT_FLOWS = "a gradient flows through `{stored}`"
    INPUT_UNREAD = "nobody reads the input of the module after it was called"
    FUNCTION_INPUT_UNREAD = "nobody reads the input of the function after it was called"
    FLAG_OPTIONAL = "`{name}` works without `inplace`, and then makes a new tensor"
    CONTAINER_INPUT_UNREAD = "nobody reads the input of the container after it was called"
    RUN_TOGETHER = "the layers of the nn.Sequential are only run together"
    LIKE_A_SLOT = "what is stored in {line} has the shape, dtype and device of a slot of `{name}`"
    LOOP_RUNS = "the loop in {line} runs at least once"
    NOT_EMPTY = "`{name}` isn't empty"
    ONE_SIZE = "the pieces of `{call}` are of one size"
    MASK_FITS = "the mask `{mask}` has the shape of `{name}`"
    NOT_EXPANDED = "`{name}` isn't expanded: no two of its elements share one place in memory"
    NO_COPY_BY_INDEX = "`{index}` gives a part of the tensor, and no copy: it is no tensor, list or tuple of these"
    BROADCASTS = "the operands of {line} fit the shape and the dtype of `{name}`, so the write doesn't raise"
    # of dtypes
    NOT_WIDER = "the operands of {line} don't have a wider dtype than `{name}`"
    DTYPE_OF_RESULT = "`{name}` has the dtype of the result in {line}"


@unique
class Convention(Kind):
    """An assumption of a rewrite that is made by default, since runs of many packages kept it."""

    HELD = "{assumption}, as in {held} of {places} places of packages that were run"


@unique
class Observed(Kind):
    """The result of observing runs of the program, about an assumption."""

    CONFIRMED = "in {runs} observed runs: {assumption}"
    CONFIRMED_ONCE = "in the observed run: {assumption}"
    RAN = "ran {times}, always on a tensor"
    RAN_ONCE = "ran once, on a tensor"
    RAN_MIXED = "ran {times}, {tensors} on a tensor"
    NEVER_RAN = "never ran"
    WIDER = "an operand had a wider dtype in {runs} runs"
    RECORDED = "autograd recorded it {times}"
    SHARED = "`{name}` has the same memory"
    ALONE = "nobody else could read it later in {runs} of the {examined} runs that were looked at closely"
    HELD = "{holder} can read it later"
    REFUSED = "torch refused it {times}"
    RAISED = "backward failed {times} because of it: `{saver}` had saved the tensor"
    OVERWROTE = "it overwrote what `{saver}` had saved, {times} ({searched} looked at)"
    OVERWROTE_NOTHING = "no save overwritten ({searched} looked at)"
    NO_GRADIENT = "torch refused the change {times}, and no value of it had a gradient: none flows through `{name}`"
    OVERWRITTEN_UNSEEN = "the write through `.data` overwrote what `{saver}` had saved, in the {searched} looked at"


@unique
class Verified(Kind):
    """What calls of the edited code, before and after, told of an edit, or calls of the code as it is of its harm."""

    PROVED = "proved by running ({calls}, {specifications})"
    NOT_REACHED = "not reached by any call that could be made again"
    OPEN = "not proved by running: {obstacle}"
    SHOWN = "shown by running: `unplace show {place}` prints a script that raises because of it"
    NOT_SHOWN = "not shown by running: none of {calls} that runs made raises because of it"


@unique
class Held(Kind):
    """A holder of a tensor's memory that runs showed."""

    CALLER = "`{name}` of {function}() in {place}"
    ATTRIBUTE = "an attribute of {name}"
    CONTAINER = "a {name}"
    GLOBAL = "a global name"
    CLOSURE = "a closure"
    NEIGHBOUR = "another element of its container"
    UNKNOWN = "memory of its own kind"


@unique
class Contradiction(Kind):
    """What runs showed instead of an assumption."""

    TYPE = "it was of type {type} in {times} of {runs} runs"
    WIDER = "an operand was wider in {times} of {runs} runs"
    READER = "{holder} can read it"
    GRADIENT = "a value of the change had a gradient in {times} of {runs} runs"
    SHARED = "they did"
    TWINS = "two of them were, in {times} of {runs} runs"


@unique
class Layout(Kind):
    """The layout or place of memory that was chosen on purpose; said of the tensor."""

    STRIDED = "is made with strides of its own"
    FORMAT = "is made in a memory format of its own"
    PINNED = "is pinned memory"
    SHARED = "is memory shared with other processes or a file"


@unique
class Purpose(Kind):
    """The reason why a write is kept: it is meant, or rewriting it would gain nothing."""

    TORCH = "{fact}"
    NO_VALUES_CHANGE = "it doesn't change values"
    UNKNOWN_KIND = "unknown kind: nothing shows whether `{name}` is a tensor; if it is, annotate it"
    UNKNOWN_KIND_UNSAFE = (
        "unknown kind: nothing shows whether `{name}` is a tensor; if it is, annotate it, or rewrite it with --unsafe"
    )
    NO_TENSOR = "in all observed runs it was no tensor, but of type {types}"
    OBSERVED_HARMLESS = "the write is harmless; observed runs that overwrote nothing saved for backward: {runs}"
    OBSERVED_OFF = "autograd was off in all observed runs (no_grad)"
    OBSERVED_LEAF = (
        "in all observed runs `{name}` was a parameter or its data, written without autograd, as it is meant to be"
    )
    LAID_OUT = "`{name}` {layout}: it is meant to be written in place"
    REGISTERED = "`{name}` is a parameter, buffer or gradient: it is meant to be written in place"
    INITIALISED = "`{name}` may be a parameter, which the constructor sets up"
    DATA_OF_LEAF = "`{name}` is the data of a leaf or parameter: it is meant to be written in place"
    NOT_RECORDED = "autograd doesn't record under {mode} (no_grad)"
    NOT_RECORDED_INSIDE = "autograd doesn't record inside {mode}, whose writes are intended"
    MARKED_DIRTY = (
        "`{function}` marks `{name}` as dirty, so the write is intended; if backward needs the old values, give "
        "it a copy: `{function}.apply({name}.clone())`"
    )
    FLAG_ASKS = "`{flag}` asks for the write"
    GUARDED = "a condition keeps autograd from recording the write to `{name}`"
    SAVED_READ = "the code reads what autograd saved, which changes with `{name}`"
    OPERATIONS_SEEN = "`{owner}` sees each operation of torch, and may tell one in place from others"
    # a clone would cost time and memory for no gain
    NORMAL_FORM = "normal form: `{name}` is memory that the function has just made, and nothing has saved it"
    CLONE_SHARED = "normal form: the write goes to the clone made in {line}"
    COST = "cost: out of place, every round of the loop would copy all of `{name}`; `--all` pays for it"


class Left(str, Enum):
    """The principle by which an operation is left in place."""

    NO_TENSOR = "unknown kind"
    MEANT = "meant"
    NORMAL_FORM = "normal form"
    COST = "cost"

    @classmethod
    def by(cls, reason: Reason) -> Left:
        """Return the principle that a reason for keeping an operation is a case of."""
        return _LEFT.get(reason.kind, cls.MEANT)


_LEFT: Mapping[Kind, Left] = {
    Purpose.UNKNOWN_KIND: Left.NO_TENSOR,
    Purpose.UNKNOWN_KIND_UNSAFE: Left.NO_TENSOR,
    Purpose.NO_TENSOR: Left.NO_TENSOR,
    Purpose.NORMAL_FORM: Left.NORMAL_FORM,
    Purpose.CLONE_SHARED: Left.NORMAL_FORM,
    Purpose.COST: Left.COST,
}


@unique
class Holder(Kind):
    """A holder outside the analysed code that may see the tensor."""

    PARAMETER = "the caller passed it: {label}"
    ATTRIBUTE = "an attribute holds it: {label}"
    GLOBAL = "a global name holds it: {label}"
    CLOSURE = "an outer function holds it: {label}"
    CALL = "code out of sight made it and may hold it: {label}"
    REGISTERED = "a parameter, buffer or gradient: {label}"
    KEEPER = "{operation} in {line} holds it"
    MAYBE_KEEPER = "{operation} in {line} may hold it"


@unique
class Clue(Kind):
    """The evidence in a piece of code about the kind of a value."""

    SAME = "the same as `{name}`"
    IS = "is {kind}"
    CALL = "{callee}() gives {kind}"
    FUNCTION = "`{name}` ({line}) gives {kind}"
    OBJECT = "makes an object of the class `{name}` ({line})"
    LAYER = "the module `{name}` is a {layer} ({line}), which gives {kind}"
    METHOD = "the tensor method .{name}() gives {kind}"
    LIKE_A_METHOD = "`{name}` is called like the method of a tensor, which gives {kind}"
    LIKE_A_LAYER = "`{name}` is called with tensors like an nn.Module, which returns tensors"
    OUT_OF_SIGHT = "the result of `{name}` isn't known: it isn't defined in this file"
    COMPUTED = "computes {kind}"
    COMPUTED_WITH = "computes with `{name}`, {kind}"
    PART = "{kind}, as part of `{holder}`, {of}"
    ELEMENT = "{kind}, as element of `{holder}`, {of}"
    TENSOR_ATTRIBUTE = ".{name} of a tensor is {kind}"
    NEVER_ASSIGNED = "the value of `{name}` isn't known: no assignment to it is in sight"
    REGISTERED = "`{name}` is registered as a parameter or buffer"
    ASSIGNED_BY = "{method} assigns it to `self.{name}`: {kind}"
    ASSIGNED_IN = "assigns it in {scope}: {kind}"
    USED_SO = "only a tensor can be used like this, so `{name}` is one"
    AUGMENTED = "keeps the kind of what it adds to"
    RUNS_OVER = "`{name}` runs over `{iterable}`, {kind}"
    UNPACKED = "`{name}` is unpacked from {kind}"
    DEFINED = "defines it"
    BOUND = "binds `{name}`"
    PARAMETER = "{where}"
    PARAMETER_OBJECT = "{where}, an object of the class `{name}`"
    PARAMETER_ANNOTATED = "{where}, annotated so"
    PARAMETER_BARE = "{where}, without annotation"
    INPUT = "{where} of an nn.Module: inputs of `forward` are tensors"
    PASSED = "passes `{passed}` for `{name}`: {kind}"


@unique
class Saver(Kind):
    """The operation that saved memory for backward."""

    OPERATION = "{name} in {line}"
    PASSED = "the call in {line} (for {savers: and })"


@unique
class Forbids(Kind):
    """A write that torch forbids where gradients are recorded."""

    PARAMETER = "torch forbids writing `{name}`, a parameter that requires a gradient, while gradients are recorded"
    LEAF = "torch forbids writing `{name}`, a leaf that requires a gradient, while gradients are recorded"
    MAYBE_LEAF = (
        "torch forbids writing `{name}`, where it is a leaf that requires a gradient, while gradients are recorded"
    )
    PARAMETER_VIEW = (
        "torch forbids writing `{name}`, a view of a parameter that requires a gradient, while gradients are recorded"
    )
    LEAF_VIEW = (
        "torch forbids writing `{name}`, a view of a leaf that requires a gradient, while gradients are recorded"
    )
    PASSED = (
        "torch forbids writing `{name}` while gradients are recorded: {line} passes `{passed}`, which needs a gradient"
    )
    PASSED_PIECE = (
        "torch forbids writing `{name}` while gradients are recorded: {line} passes `{passed}`, one of several views "
        "of a tensor"
    )
    OUT = "torch forbids `out=` with a tensor that requires a gradient, while gradients are recorded"
    FUNCTION_VIEW = "torch forbids writing the result of `{function}` in {line}, because it is a view"
    HOOKED = "torch forbids writing `{name}` where a full backward hook of the module that returned it made it a view"
    PIECE = "torch forbids writing {piece}, one of several views of a tensor with a graph"
    PIECE_VIEW = "torch forbids writing a view of {piece}, one of several views of a tensor with a graph"
    WHOLE = "torch forbids writing `{name}` before {piece} is read, one of several views of it"
    PERMUTED = "torch forbids writing `{name}`: an operand reads the same memory in another order"
    EXPANDED = "torch forbids writing `{name}`: it is expanded, several of its elements share one place in memory"
    UNBATCHED = (
        "`vmap` in {line} runs {function}(), where `{name}`, made in {made} without the batch dimension, can't take a "
        "batched value"
    )
    UNBATCHED_OUTSIDE = (
        "`vmap` in {line} runs {function}(), where `{name}`, which has no batch dimension, can't take a batched value"
    )
    BATCHED_MASK = (
        "`vmap` in {line} runs {function}() and takes no mask with a batch dimension for an index (torch 2.15 does for "
        "a number)"
    )


@unique
class Piece(Kind):
    """One of several views of a tensor."""

    ROW = "a row that a loop or an unpacking takes"
    ROW_IN = "a row that a loop or an unpacking takes in {line}"
    OUTPUT = "{label}"
    OUTPUT_IN = "{label} in {line}"


@unique
class Relation(Kind):
    """The way in which two tensors share memory."""

    MAY_SHARE = "may share memory with {written} ({operation} in {line} can return a view or a copy)"
    SWAPPED = "shares memory with {written} (one was made the data of the other)"
    BASE = "is the tensor that {written} is a view of"
    HOLDER = "may hold the memory of {written}"
    SHARES = "shares memory with {written}"


@unique
class Alive(Kind):
    """A use that keeps a tensor alive without a name in the source."""

    LOOP = "the loop in {line}"
    RETURN = "the return in the `try` of {line}"
