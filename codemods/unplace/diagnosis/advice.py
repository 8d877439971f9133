"""Advice: the meaning of a failure and what to do about it, recognised by what was written and by whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from unplace.diagnosis.incident import Incident
from unplace.diagnosis.noted_writes import Write
from unplace.diagnosis.places import Place
from unplace.files.discovery import shown
from unplace.observation.errors import Kind


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice in a sentence or two; `cause` is a stable name for what was recognised."""

    cause: str
    text: str


Recogniser = Callable[[Incident], Advice | None]
_RECOGNISERS: list[Recogniser] = []


def advise(incident: Incident) -> Advice:
    """Return the advice that fits a failure."""
    found = (recognise(incident) for recognise in _RECOGNISERS)
    return next(advice for advice in found if advice is not None)


def at(place: Place) -> str:
    """Return a place as `path:line`."""
    return f"{shown(place.path)}:{place.line}" if place.line else "a line that isn't known"


def _called(place: Place, other: Place) -> str:
    """Return a place as `path:line`, with the call that led there where another place is in the same function."""
    is_helper = (place.path, place.function) == (other.path, other.function) and place.called_from != other.called_from
    return f"{at(place)}, called from {at(place.called_from)}" if is_helper and place.called_from else at(place)


def _recogniser(function: Recogniser) -> Recogniser:
    _RECOGNISERS.append(function)
    return function


def _first(incident: Incident) -> Write | None:
    """Return the first write after the value had been saved; None where the failure is about no saved value."""
    is_about_a_value = incident.kind in (Kind.OVERWRITTEN, Kind.CHANGED)
    return incident.writes[0] if is_about_a_value and incident.writes else None


@_recogniser
def _state_of_an_earlier_iteration(incident: Incident) -> Advice | None:
    if incident.kind not in (Kind.OVERWRITTEN, Kind.FREED) or incident.continued_at is None:
        return None
    if incident.backward_between != incident.raised_at:
        return None
    if not incident.is_recurrent:
        return Advice(
            "old-values",
            f"{at(incident.continued_at)} uses values whose graph {at(incident.raised_at)} has gone through before."
            " Where they are only data (a target, an advantage, a key of a queue), detach them: `x = x.detach()`. Where"
            " what computes them is to be trained by this loss, compute them anew in each round: a detach stops that.",
        )
    return Advice(
        "hidden-state",
        f"{at(incident.continued_at)} goes on from the graph of an earlier iteration, for which"
        f" {at(incident.raised_at)} has already called backward. Detach the state that is carried over at the start of"
        " each iteration, `h = h.detach()`; the gradient then stops there.",
    )


@_recogniser
def _second_backward(incident: Incident) -> Advice | None:
    if incident.kind is not Kind.FREED:
        return None
    first = f" ({at(incident.backward_between)})" if incident.backward_between else ""
    return Advice(
        "shared-graph",
        f"Two calls of backward go through the same graph, and the first{first} frees it. Add the losses and call"
        " backward once, or give the first call `retain_graph=True`.",
    )


@_recogniser
def _optimizer_step(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or write.optimizer is None:
        return None
    step = f"`{write.optimizer}.step()` ({_called(write.place, incident.raised_at)})"
    raised = _called(incident.raised_at, write.place)
    if incident.backward_between is not None:
        return Advice(
            "optimizer-step",
            f"{step} changes weights, and the backward ({raised}) still goes through them as they"
            " were. Moving the step alone would add that backward's gradient to those that the step uses. `unplace"
            " diagnose --fix` looks for an order in which each optimizer gets the same gradients, and proves it. The"
            " usual alternative is to compute the second loss again after the step, and to detach what the first one"
            " shares with it.",
        )
    return Advice(
        "optimizer-step",
        f"{step} runs between the forward pass and its backward ({raised}). A step with gradients that"
        " are there already belongs before the forward pass: behind that backward, it would use the sum of both. A"
        " step with the gradient of that backward belongs behind it.",
    )


@_recogniser
def _distributed_buffers(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not write.place.went_through("torch.nn.parallel.distributed:"):
        return None
    return Advice(
        "ddp-buffers",
        f"DistributedDataParallel copies the buffers of rank 0 over those that an earlier forward pass has saved"
        f" ({at(write.place)}). Pass `broadcast_buffers=False`, or call backward after each forward pass.",
    )


@_recogniser
def _clipping_of_gradients(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not write.place.went_through("torch.nn.utils.clip_grad:"):
        return None
    return Advice(
        "clip-gradients",
        f"Clipping ({at(write.place)}) scales gradients in place that the graph of a double backward still needs."
        " Clip after the last backward.",
    )


@_recogniser
def _gradient(incident: Incident) -> Advice | None:
    write = _first(incident)
    if incident.kind is not Kind.OVERWRITTEN or incident.owner is None or incident.owner.kind != "gradient":
        return None
    what = "Backward adds to" if write is None else f"{at(write.place)} writes"
    return Advice(
        "gradient",
        f"{what} a `.grad` that a graph still needs (double backward). Use"
        " `torch.autograd.grad(..., create_graph=True)`, whose results nobody else writes, or move the write behind"
        " the last backward.",
    )


@_recogniser
def _initialisation(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not write.place.went_through("torch.nn.init:"):
        return None
    return Advice(
        "initialisation",
        f"{at(write.place)} initialises a tensor that a forward pass has already used. Initialise before the forward"
        " pass, or after backward.",
    )


@_recogniser
def _loading(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not any(name.endswith("load_state_dict") for name in write.place.through):
        return None
    return Advice(
        "load-state",
        f"{at(write.place)} loads weights over those that a forward pass has already used. Load them before the"
        " forward pass, or after backward.",
    )


@_recogniser
def _averaged_model(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not write.place.went_through("torch.optim.swa_utils:"):
        return None
    return Advice(
        "averaging",
        f"{at(write.place)} updates an averaged model whose weights a forward pass has used with gradients. Update it"
        " after backward, and run it under `torch.no_grad()` if it isn't trained.",
    )


@_recogniser
def _embedding_norm(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or write.op not in ("embedding", "embedding_bag"):
        return None
    return Advice(
        "embedding-max-norm",
        f"An embedding with `max_norm` scales its weight in place at each call ({at(write.place)}). Use a clone of the"
        " weight where it is used directly (`embedding.weight.clone()`), or look everything up in one call.",
    )


_SPECTRAL_NORM = ("torch.nn.utils.parametrizations:", "torch.nn.utils.spectral_norm:")


@_recogniser
def _power_iteration(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not write.place.went_through(*_SPECTRAL_NORM):
        return None
    return Advice(
        "spectral-norm",
        f"Spectral normalisation updates its vectors in place at each forward pass in training mode"
        f" ({at(write.place)}). Call backward after each forward pass, or use `eval()` mode for the other.",
    )


@_recogniser
def _write_during_backward(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not write.in_backward or write.grad_mode:  # with grad mode on, a forward is being run again
        return None
    return Advice(
        "backward-hook",
        f"{at(write.place)} writes while backward is running, to memory that backward still has to read. Return a new"
        " tensor from the hook, or do the write after backward.",
    )


@_recogniser
def _statistics(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or write.op not in ("batch_norm", "instance_norm"):
        return None
    return Advice(
        "running-statistics",
        f"A forward pass in training mode ({at(write.place)}) updates the running statistics that one in `eval()` mode"
        " has saved. Call backward after each forward pass, or keep the module in one mode.",
    )


@_recogniser
def _buffer(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or incident.owner is None or incident.owner.kind != "buffer":
        return None
    return Advice(
        "buffer",
        f"The {incident.owner} is updated in place ({at(write.place)}) after the forward pass has used it. Use a"
        f" clone in the computation (`self.{incident.owner.name}.clone()`), or update it after backward.",
    )


@_recogniser
def _weight_update(incident: Incident) -> Advice | None:
    write = _first(incident)
    is_parameter = incident.owner is not None and incident.owner.kind == "parameter"
    if write is None or not (is_parameter or write.leaf):
        return None
    what = f"the {incident.owner}" if is_parameter else "a leaf"
    return Advice(
        "weight-update",
        f"{at(write.place)} changes {what} between the forward pass and its backward ({at(incident.raised_at)}) by"
        " clipping, averaging or an update by hand. Change it before the forward pass, or behind that backward; an"
        " update that uses `.grad` would take the gradient of that backward as well.",
    )


@_recogniser
def _reused_input(incident: Incident) -> Advice | None:
    write = _first(incident)
    if write is None or not incident.is_constant:
        return None
    return Advice(
        "reused-input",
        f"{at(write.place)} changes a tensor that an operation before it has used as data. Change a clone of it, or"
        " change it after backward.",
    )


@_recogniser
def _checkpoint_input(incident: Incident) -> Advice | None:
    if _first(incident) is None or incident.saved is None or incident.saved.op != "checkpoint":
        return None
    return Advice(
        "checkpoint-input",
        "A checkpointed function is run again in backward and needs its inputs as they were. Write to a copy of the"
        " input, not to the input.",
    )


@_recogniser
def _inplace_module(incident: Incident) -> Advice | None:
    write = _first(incident)
    module = write.place.inplace_module if write is not None else None
    if module is None:
        return None
    return Advice("inplace-module", f"Construct the module without the flag: `{module}(inplace=False)`.")


@_recogniser
def _ordinary_write(incident: Incident) -> Advice | None:
    if incident.kind is not Kind.OVERWRITTEN:
        return None
    if not incident.writes:
        return Advice(
            "unseen",
            "No write by torch was seen on this thread since the value was saved. Look for one before the diagnosis"
            " began, on another thread, or in an extension.",
        )
    return Advice("out-of-place", "Compute a new tensor instead of writing: `y = y + k` for `y += k`.")


_REFUSED_WRITES = {
    Kind.DETACHED: (
        "detached",
        "Detach out of place (`h = h.detach()`). `zero_grad(set_to_none=False)` detaches gradients in place too: leave"
        " the option out, or call it after the last backward.",
    ),
    Kind.LEAF: (
        "leaf",
        "Autograd can't record a write to a leaf. If the step is to be differentiated, work on a new tensor"
        " (`y = x + k`); if it is an update of the weights, put it under `with torch.no_grad():`.",
    ),
    Kind.VIEW_OF_LEAF: (
        "view-of-leaf",
        "Autograd can't record a write to a view of a leaf. Write to a view of a copy (`y = x.clone()`), or put an"
        " update of the weights under `with torch.no_grad():`.",
    ),
    Kind.MULTIPLE_VIEWS: (
        "multiple-views",
        "Pieces of `split`, `chunk` and `unbind` share one record and can't be written: compute a new piece"
        " (`a = a + k`), or take the pieces by indexing.",
    ),
    Kind.FUNCTION_VIEW: (
        "function-view",
        "What a custom function (or a full backward hook on a module) returns can't be written in place: compute a"
        " new tensor, or write to a clone of it.",
    ),
    Kind.NO_GRAD_VIEW: (
        "no-grad-view",
        "Make the view and the write in the same mode: both under `no_grad`, or both outside.",
    ),
    Kind.INFERENCE: ("inference", "Write to a clone: tensors made in inference mode can't be changed outside of it."),
    Kind.VMAP: (
        "vmap",
        "Inside `vmap` a tensor without the batch dimension can't take values that have it: build the result out of"
        " place (`torch.stack`, `torch.where`), or make the target from the batched input (`r.new_zeros(...)`).",
    ),
    Kind.CAPTURED: (
        "captured",
        "A function under `torch.func` may not write tensors from outside: pass the tensor in, and return the new one.",
    ),
    Kind.NO_DERIVATIVE: ("no-derivative", "Only the form that doesn't write has a derivative: use that."),
    Kind.OUT: ("out-argument", "Autograd doesn't record `out=`: use the result (`c = torch.add(a, b)`)."),
    Kind.OVERLAP: (
        "overlap",
        "Several elements of the written tensor are one place in memory (`expand`), or it overlaps what is read:"
        " write to a clone.",
    ),
    Kind.CHANGED: (
        "silent-write",
        "Write out of place, or through the tensor itself and not through `.data` or NumPy, so that autograd counts it"
        " and can complain.",
    ),
    Kind.CUT: ("data-store", "Rebind the name to get the gradient of the new values: `h = f(h)`."),
    Kind.DETACH_VIEW: ("detach-view", "Views can't be detached in place: `h = h.detach()`."),
}


@_recogniser
def _refused_write(incident: Incident) -> Advice | None:
    return Advice(*_REFUSED_WRITES[incident.kind])
