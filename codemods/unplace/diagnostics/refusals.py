"""Lists the reasons why a write can't be rewritten; all others are in `unplace.diagnostics.catalogue`."""

from __future__ import annotations

from enum import unique

from unplace.diagnostics.reasons import Kind


@unique
class Refusal(Kind):
    """The reason why a write can't be rewritten without risk."""

    TORCH = "{fact}"
    FORBIDDEN = "{forbidden}, and {refusal}"
    FORBIDDEN_LEAF = "{forbidden}; put the write under `with torch.no_grad():`"
    FLAG_USED = "the flag decides about something else, too: `{name}` in {line}"
    FLAG_SHARED = "{line} uses the same flag, which can't be set to False there"
    TOO_NEW = "`{name}` came with torch {since}, and target-torch is {target}"
    NO_COUNTERPART = "`{name}` has no functional counterpart"
    TORCH_NOT_IMPORTED = "the file doesn't import torch, which `{name}` needs"
    CALLED_OTHERWISE = "`{called}` is called by another name here, which can't be changed; call it by its own"
    REDEFINED = "a class of tensors in the run defines the operation anew, and `{name}` may be an object of it"
    MAY_CALL_ITSELF = "out of place, `{name}` may call itself: its class is one of tensors"
    NOT_IMPORTED = "`{name}` would have to be imported"
    RECEIVER_DTYPE = "`{name}` keeps the dtype of its receiver, which has no name here"
    ARGUMENT_DTYPE = "`{name}` keeps the dtype of its argument, which has no name here"
    LEFT_OUT = "left out by the verification: {found}"
    OBSERVED_OTHERWISE = "a run contradicts an assumption of the rewrite ({assumption}): {found}"

    # the written tensor
    STRIDES = "its strides may let several elements share one place in memory"
    EXPANDED = "`{name}` is expanded: several of its elements share one place in memory"
    THROUGH_DATA = "the write goes through `.data`, past autograd; write to the tensor itself or detach it"
    UNRECORDED = "autograd doesn't record `{method}`: on a copy, the gradient of the old values would go on"
    ORDER_READ = "`{call}` in {line} depends on the order of its elements in memory, which a new tensor wouldn't have"
    READS_ITS_WRITE = "an operand shares memory with the target, so in place the operation reads its own writes"
    READS_ANOTHER_VIEW = "{line} writes the tensor while it reads another view of it; no gradient of that is right"
    LEAF = "`{name}` is a leaf whose .grad is read: a new tensor under its name would have none"
    RESULT_OVERWRITTEN = "{line} overwrites its result past autograd; out of place, the gradient would differ"
    STAYS_CUT = (
        "{line} cuts the gradient of the same tensor and stays; one repaired without the other is half a gradient"
    )
    SELECTION = "`{name}` is a copy, so the store has no effect; combine the indices"
    NO_CHAIN = "`{name}` isn't a chain of views that starts at a name"
    NOTHING_KNOWN = "nothing is known of `{name}`"
    UNBATCHED = (
        "nothing at hand has that dimension where it is made; make it of a batched tensor (`x.new_zeros(...)`), or put "
        "its parts together with torch.stack"
    )
    UNBATCHED_LASTS = "it outlives the call, where it is one tensor for the whole batch; return the values instead"
    BATCHED_MASK = "use masked_fill or torch.where"
    ASKS_FOR_VALUES = "{line} asks for the value of a batched tensor, which `vmap` can't tell either: use torch.where"

    # where the new tensor would be stored
    NO_PLACE = "there is no name to give the new tensor to"
    OUTER_NAME = "`{name}` belongs to an outer scope: rebinding it here would make a local name"
    REBOUND_INSIDE = "an inner function rebinds `{name}`"
    NOT_TWICE = "`{place}` can't be evaluated twice for certain; give what holds it a name first"
    TUPLE_ELEMENT = "`{place}` is an element of a tuple, which can't be replaced"
    OWN_ATTRIBUTE = "`{name}` has an attribute of its own, `{attribute}`, which a new tensor hasn't"
    TENSORS_OWN = "`{place}` can't be assigned: tensors make their `.{name}` themselves"
    UNBINDABLE = "`{place}` may be an attribute of a `{owner}`, where it can't be bound"
    MAYBE_PARAMETER = "`{place}` may be a parameter, which no other tensor can replace"
    IMMUTABLE = "a `{owner}` can't be changed, so that `{place}` can't be rebound; make a new one"
    INTERCEPTED = "`{owner}` has code of its own that runs where `{place}` is assigned or read"
    NO_PLAIN_ATTRIBUTE = "`{place}` is a property, a slot or shared by the class"
    MAYBE_INHERITED = "`{owner}` doesn't assign `{place}`: it may be a parameter, buffer or property"
    NOT_MADE_AGAIN = "`{place}` can't be made again"
    NOT_A_PLAIN_NAME = "`out={name}` isn't a plain name: the write goes through a view, a slot or an attribute"
    NOT_PLAIN_NAMES = "`out=` isn't a tuple of plain names in a statement of its own"
    OTHER_NAME = "`{name}` is seen under another name"

    # the statement
    IN_COMPREHENSION = "no assignment can stand inside a comprehension"
    NO_ASSIGNMENT = "no assignment can stand here"
    OWN_STATEMENT = "no assignment can stand here; make it a statement of its own"
    OWN_STATEMENT_AS = "no assignment can stand here; make it a statement of its own ({missing})"
    STAYS_A_STATEMENT = "`{name}` has to stay a statement of its own; split the statement"
    STAYS_A_STATEMENT_AS = "`{name}` has to stay a statement of its own ({missing}); split the statement"
    SEES_NO_ASSIGNMENT = "`{name}` sees the write and no assignment can stand here; split the statement"
    SEEN_AFTER_RETURN = "`{name}` sees the write after the return"
    READ_AGAIN = "`{name}` is read again inside the expression; split the statement"
    NOTICED_BEFORE = "an expression before `{name}` may notice the write; split the statement"
    UNPACKED = "the value is unpacked; split the statement"
    ONE_TARGET = "an annotated assignment has one target; split the statement"
    SEVERAL_TARGETS = "the statement stores to several targets; split it"
    SEVERAL_TARGETS_READ = "the statement stores to several targets and reads them; split it"
    NOT_ALL_COPIED = "not all targets of the statement can be given a private copy; split it"
    NO_PLAIN_STORE = "the store isn't an assignment of its own"
    ANOTHER_ORDER = "the target can't be evaluated in another order than it is now"

    # without a store
    UNKNOWN_INDEX = "`{index}` may be a number, a tensor or a mask, which are stored by different functions"
    MASK_AMONG_INDICES = "`{mask}` may be a mask of several dimensions among other indices"
    NO_INVERSE = "no function puts the values of the view `{view}` back into its tensor"
    VIEW_UNKNOWN = "it isn't known how `{name}` looks into the tensor that is written through it"
    DRAWN_OTHERWISE = "no function without a write draws the numbers that `{name}` draws"
    INDEX_ONCE = "`{index}` has to be evaluated once; give it a name first"

    # `.data`
    DATA_TARGETS = "the value is stored to several targets at once"
    DATA_UNPACKED = "the data is stored by unpacking"
    DATA_NO_ASSIGNMENT = "the data isn't stored by an assignment"
    DATA_OF_VIEW = "`{name}` is a view of another tensor"
    DATA_WITHOUT_GRAPH = "the stored values have no graph, so rebinding would cut the one that is there"
    DATA_SHARED = "the stored tensor exists under another name, or is a view, and would be shared"
    DATA_SEEN = "`{name}` still looks into the old memory"
    WOULD_HIT_GRAPH = "the write in {line} stays in place and would hit the new graph"
    MAY_HIT_GRAPH = "the write in {line} stays in place and may hit the new graph"

    # `out=`
    OUT_DTYPE_UNKNOWN = "`{name}` decides the dtype of the result, which may differ from that of the operands"
    OUT_DTYPE = "`{name}` decides the dtype of the result, which isn't that of the operands"
    OUT_DTYPES = "`{name}` decides the dtype of the result, and a caller mixes several"

    # who else sees the write
    SHARES = "`{name}` {relation} and is read later"
    SHARES_CHANGED = "`{name}` {relation} and is read later, but can't be made again: `{used}` has changed since"
    VIEW_READ = "`{name}` shares its memory and is read later"
    SLOT_SHARES = "`{place}` shares its memory"
    STILL_HELD = "{alive} still holds it"
    IN_CONTAINER = (
        "it is stored in a container or attribute ({line}) that is read later; store the new tensor there, too"
    )
    WRITES_REGISTERED = "the written tensor is a parameter, buffer or gradient"
    ON_TENSOR = "attributes were set on the tensor itself"
    KEPT = "{operation} ({line}) holds it"
    HANDED_OUT = "`{function}` returns the tensor in `{name}`, which its callers may keep"
    OUTER_SHARES = "`{name}` of `{function}` shares its memory"
    ATTRIBUTE_TOO = "`self.{other}` holds the tensor in `self.{name}`, too"
    GIVEN_TOO = "`{other}` in {line} holds the tensor in `self.{name}`, too"
    TAKEN_TOO = "`{other}` in {line} holds the tensor in `.{name}`, too"
    IMPORTED_TOO = "{line} imports `{name}`, which would go on meaning the old tensor there"
    PASSED_TOO = "the call in {line} passes the tensor in `.{name}`, too"
    READ_AFTER_MODULE = "`{name}` is read after the module overwrote it in {line}"

    # callers
    PASSES_OTHER = "the caller in {line} passes an object of `{other}`, which is no tensor, for `{parameter}`"
    POSES = "`{name}` may be an object of a class of the file that isn't a tensor and defines the operator"
    MAY_PASS_TWICE = "the caller in {line} may pass the tensor for another parameter than `{parameter}`, too"
    CALLER_READS = "the caller in {line} reads its argument for `{parameter}` after the call, and {refusal}"
    ELEMENT_READ = (
        "the caller in {line} passes a container for `{parameter}`, and holds an element of it under another name, too"
    )
    CALLERS_READ = "its callers read the written tensor, and nothing is known to have saved it"
    ONLY_WRITES = "`{function}` returns nothing, so its callers must want the write"
    ONLY_WRITES_HERE = (
        "`{function}` returns nothing, so its callers must want the write; a run with their files may rewrite it"
    )
    HANDED_ON = "`{function}` is also handed to other code, whose arguments can't be seen"
    LASTING_DEFAULT = "the default of `{parameter}` lasts from one call to the next"
    USED_AS_VALUE = "`{function}` is used as a value in {line}, and its callers there can't be seen"
    LAMBDA_USED_AS_VALUE = "the lambda is used as a value in {line}, and its callers there can't be seen"
    NOT_FOLLOWED = "`{function}` is called in {line} in a way that can't be followed"
    NOT_FOLLOWED_READ = (
        "`{function}` is called in {line} in a way that can't be followed, and its argument is read after the call"
    )
    OUT_IS_READ = "the caller reads the result in its argument for `{parameter}`, the purpose of `out=`"
    OUT_GOES_ELSEWHERE = "the result goes into {place} for others to read, the purpose of `out=`"
    NAMED_SO = "`{function}` is named like a function that writes its argument: its callers must want the write"
    DOCUMENTED_SO = "the documentation of `{function}` says that it works in place: its callers must want the write"

    # a function that would return what it writes
    RECURSIVE = "`{function}` calls itself"
    COMPILED = "TorchScript compiles `{function}`, whose results would have another type"
    REPLACED = "`{name}` isn't that tensor any more where `{function}` ends"
    NOT_ALL_CALLS = "not every use of `{function}` is a call that can be given a new tensor"
    RETURN_WRITES = "a `return` of `{function}` holds an in-place operation; move it to a line of its own"
    FINALLY_WRITES = "a `finally` clause of `{function}` writes when the value of a `return` is there already"
    NAMED_ELSEWHERE = "another file of this run contains the name `{function}`"
    CALLED_ELSEWHERE = "`{function}` is called in other files, too"
    CALL_LEFT_OUT = "a comment leaves out the file of the call in {line}"
    OTHER_FILE = "`{function}` is defined in another file"
    NO_PLAIN_FUNCTION = "`{function}` isn't a plain function"
    DECORATED = "`{function}` has a decorator, which sees its result"
    FIXED_RETURN = "others fix the result of `{function}`"
    CALL_CANNOT_TAKE = "the call in {line} can't take it: {refusal}"
    ANOTHER_ARGUMENT = "another argument shares memory with it"
    REGISTERED = "`{name}` is a parameter, buffer or gradient"
    HALF_WRITTEN = "an exception in it would leave the tensor half written"
    VIEW_DETACHED = "out of place `{name}` would be a view, which torch doesn't detach in place, as the code may do"
    HELD_BY_CALLEE = "{place} may be held by the code that returns it"
    HOOKED = "a hook of the file may keep what the module is called with"
    SELECTION_PERHAPS = "`{index}` may pick a copy of elements, which the write then changes for nothing"
    PASSED_ON = "{line} hands the tensor in `{name}` on to code that may hold it"
    FLAG_READ = "{line} reads the flag"
    HANDLED = "{line} handles the error that torch raises where `{name}` can't be written; out of place there is none"
    HALF_WRITTEN_OUTSIDE = "an exception that is caught further out would leave the tensor half written"
    ANOTHER_OPERATION = "its statement holds another in-place operation; move that to a line of its own"
    BINDS_OTHERWISE = "its statement binds `{name}` to something else"
    OLD_SHAPE = "`{name}` looks at memory, or in a shape, that the tensor no longer has"
    NO_ROOM = "its value is assigned in a way that leaves no room for another; split the statement"
    NO_OWN_STATEMENT = "it isn't a statement or an assignment of its own"
    NONE_USED = "its value, which is None now, is used"

    # cases in which a rewrite would remove the only effect
    THROWN_AWAY = "the value of `{name}` may be thrown away: then the write is all that it does"
    UNREAD = "`{name}` isn't read afterwards, so others must read it, or the write would be useless"

    # steps of optimizers
    STEP_BETWEEN = (
        "`{step}` changes `{module}`, and the backward in {line} still goes through `{module}` as it was. Moving the "
        "step alone would add that backward's gradient to those that it uses. `unplace diagnose --fix` proves an order "
        "that trains alike; the usual alternative is to compute that loss anew after the step"
    )
    STEP_MIXED = (
        "`{step}` also uses what the backward in {line} adds to its gradients, although that loss has an optimizer of "
        "its own. Restrict that backward to the parameters of that optimizer, by `inputs=`, if this isn't meant"
    )
    WEIGHTS_BETWEEN = (
        "`{step}` changes `{module}`, and the backward in {line} still goes through `{module}` as it was. `unplace "
        "diagnose --fix` proves an order that trains alike; the usual alternative is to compute that loss anew after it"
    )
    STEP_CARRIED = (
        "`{step}` changes the weights of `{module}`, and the backward of the next round goes through the old ones "
        "again: detach `{name}` where a round begins"
    )
    STEP_OF_UNKNOWN = "if `{optimizer}` has the parameters of `{module}`, {refusal}"

    # other rewrites
    LATER = "another rewrite of this run is in the way; run again for this one"
    LATER_AROUND = "the statement around it is rewritten in this run; run again for this one"
    NEW_WRITE = "it would make an in-place operation where there was none"
    STILL_OVERWRITES = "where the write stays, it would still overwrite what {operation} in {line} saved"
    NEVER_ENDS = "each rewrite of it would call for another one"
    STILL_FORBIDDEN = "where the write stays, it would still be forbidden"
    COPY_OVERWRITES = "on a copy of the argument, {write} would still overwrite what {operation} in {line} saved"
    COPY_FORBIDDEN = "on a copy of the argument, {write} would still be forbidden"
