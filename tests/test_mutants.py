"""Mistakes put back into the tool, one by one: the tests have to see each.

A row names the class of mistake (the number is that of the list in `CLASSES`), the test that has to catch it, and what
is replaced, where, by what. The test passes without the mutant and fails with it. A row whose place is gone, or whose
function has changed, fails as well: then look for the mutant that shows the class again in the code of today.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from _pytest.monkeypatch import derive_importpath

import test_flow
import test_harm
import test_import_graphs
import test_introduced
import test_shared_seen
import test_torchscript
import test_verify
from mutants import (
    Material,
    Mutant,
    edited,
    fixture,
    gives,
    in_folder,
    is_now,
    mutant,
    of,
    patching,
    program,
    raising,
    regression,
    running,
    scripted,
    within,
)

CLASSES = {
    1: "a write made before an exception that is swallowed",
    2: "order told by line numbers",
    3: "a method of something unknown read as a function of torch",
    4: "inputs of forward taken for tensors",
    5: "another dtype of integers, another number of pieces",
    6: "another dtype where precisions are mixed",
    7: "memory shared through .data",
    8: "a gradient that a write through .data is meant to pass by",
    9: "an edit that repairs nothing",
    10: "an operation in place where none stood",
    11: "an element of a list taken for a part of a tensor",
    12: "a write to a leaf called harmless",
    13: "a write that raises called harmless",
    14: "names that import each other",
    15: "wrong facts about calls",
    16: "code that TorchScript compiles",
    17: "memory with a layout of its own",
    18: "a clone for nothing",
    19: "an expression that loses its only effect",
    20: "attributes that can't be bound to any tensor",
    21: "out= of a caller",
    22: "a purpose that contradicts the assumption",
    23: "strides that a later reader asks for",
    24: "an error that somebody handles",
    25: "coroutines and overriding methods",
    26: "hooks, flags and what sees operations",
    27: "holders in sight",
    28: "a write to a copy that an index makes",
    29: "dtypes that callers decide",
    30: "what is no tensor",
}

MODULES = "transform.recipes.modules."
HOOKS = "analysis.interpret.calls.has_keeping_hooks"

# -- material ---------------------------------------------------------------------------------------------------------

GIVEN = program(
    "the whole given away in the same line",
    """
    def run(x: torch.Tensor, put):
        y = x * 3
        a, b = y.chunk(2); b *= 2; put(y)
        return a + b

    def example():
        return run, (torch.tensor([0.5, 1.5], requires_grad=True), lambda y: y.detach().add_(1))
    """,
)
HANDED_ON = program(
    "an iterator handed on by Identity",
    """
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.neck = torch.nn.Identity()

        def forward(self, feats, x):
            out = torch.sigmoid(x)
            feats = self.neck(feats)
            for f in feats:
                f += out
            return out

    def example():
        x = torch.tensor([0.5, 1.5, -0.5], requires_grad=True)
        return Model(), (iter([x * 2, x * 3]), x)
    """,
)
LISTED = program(
    "a list, of which forward writes an element",
    """
    class Model(torch.nn.Module):
        def forward(self, feats, i, j):
            a = feats[i]
            b = feats[j]
            a[0] = 2
            return a * b

    def run(feats):
        return Model()(feats, 0, 1)

    def example():
        return run, ([torch.ones(2), torch.ones(2)],)
    """,
    unsafe=True,
)
MISSING = in_folder(test_import_graphs.test_a_missing_module_that_defines_the_name_of_its_package_leads_nowhere)
EXCEPT_STAR = of(test_flow.test_a_helper_that_raises_keeps_its_write_for_except_star)
INTRODUCED = patching(test_introduced.test_a_recipe_that_brings_one_in_is_not_followed)
NOT_COMPILED = (AssertionError, RuntimeError)
LISTS = test_harm.test_an_input_whose_elements_get_what_a_layer_makes_of_them_may_be_a_list
LOST_EFFECTS, UNBINDABLE = "UNP002/value_may_be_thrown_away", "UNP003/attributes_that_cannot_be_bound"
LAYOUTS, MADE = "UNP002/memory_with_a_layout_of_its_own", "UNP005/memory_made_for_the_write"
EMBEDDING = "UNP001/an_embedding_is_no_view_of_its_indices"


def by_what_is_known(original: Any) -> Any:
    """`operands` as it was: a receiver that isn't known to be a tensor is none."""

    def operands(run: Any, call: ast.Call) -> list[ast.expr] | None:
        held = run.values.get(call.func.value) if isinstance(call.func, ast.Attribute) else None
        return list(call.args) if call.args and held is not None and not held.is_tensor else original(run, call)

    return operands


def whatever_is_called(original: Any) -> Any:
    """`documented` as if calls were always seen, so that a name counts for nothing."""
    return lambda scope, parameter, *, is_called: original(scope, parameter, is_called=True)


TRIES_ONLY = edited(
    ("if not isinstance(guard, ast.With | ast.AsyncWith):", "if True:"),
    ("return True", "return isinstance(guard, TRIES)"),
)
BY_LINES = edited(("one.order < other.order", "first.lineno < second.lineno"))
ALL_TENSORS = edited(
    ("likely=not used.is_like_array", "likely=False"),
    ("if _may_be_tensor(program, scope, argument):", "if True:"),
)
SLICES = edited(
    (
        '_Cut((_renamed(call, text), Edit(*text.span(sizes), f"list(range({steps}))")))',
        '_listed(site, call, tensor, f"[{{i}} : {{i}} + {name}]", f"range(0, {end}, {name})", text)',
    )
)
NOT_VISITED = edited(("if key not in self._visited:", "if True:"))
OBJECTS_ALONE = edited(("todo += _viewed(state, obj)", "pass"))

MUTANTS: dict[int, list[Mutant]] = {
    1: [
        mutant(
            "suppress() lets all pass",
            regression("raised_in_suppress"),
            "analysis.interpret.run.may_swallow",
            TRIES_ONLY,
        ),
        mutant(
            "nothing is guarded",
            regression("raised_in_suppress"),
            "analysis.interpret.run.Run.is_guarded",
            gives(False),
        ),
        mutant(
            "a handler isn't",
            regression("raised_in_handler"),
            "analysis.syntax.flow.Flow._block",
            edited((' or (field != "finalbody" and getattr(statement, "finalbody", []))', "")),
        ),
        mutant("except* isn't", EXCEPT_STAR, "analysis.syntax.flow.TRIES", is_now((ast.Try,))),
        mutant(
            "nobody further out",
            regression("raised_further_out"),
            "transform.recipes.handbacks.Handbacks._may_be_caught",
            gives(False),
        ),
        mutant(
            "what is bound in a `with`",
            regression("rebound_before_swallowed"),
            "analysis.interpret.run.Run.may_swallow",
            gives(False),
        ),
        mutant(
            "the innermost handler only",
            regression("handler_further_out"),
            "analysis.interpret.statements.Interpreter.block",
            edited(("in self._raises:", "in self._raises[-1:]:")),
        ),
    ],
    2: [
        mutant(
            "a write in one line", regression("pieces_in_one_line"), "analysis.syntax.flow.Flow.may_follow", BY_LINES
        ),
        mutant("a call in one line", GIVEN, "analysis.syntax.flow.Flow.may_follow", BY_LINES),
        mutant(
            "a call at all",
            GIVEN,
            "transform.recipes.pieces._is_written_again",
            edited(("(*written, *given)", "written")),
        ),
    ],
    3: [
        mutant(
            "the first argument is cut",
            regression("method_of_something_unknown"),
            "transform.recipes.splits.operands",
            by_what_is_known,
        )
    ],
    4: [
        mutant(
            "what vmap runs isn't called otherwise",
            fixture("UNP005/vmap_also_handed_on"),
            "transform.recipes.batched_buffers.runs_batched_only",
            gives(True),
        ),
        mutant(
            "all are tensors",
            regression("forward_inputs_of_any_kind"),
            "analysis.types.parameters._unannotated",
            ALL_TENSORS,
        ),
        mutant("Identity takes a tensor", HANDED_ON, "torchapi.IDENTITY", is_now("")),
        mutant("a list is cloned", LISTED, "transform.recipes.entry._is_copied", edited((" and not v.likely", ""))),
    ],
    5: [
        mutant(
            "sizes are a number",
            regression("split_by_sizes_or_empty"),
            "transform.recipes.splits._split",
            edited(("not is_number(site, sizes) or ", "")),
        ),
        mutant(
            "nothing of an empty batch",
            regression("split_by_sizes_or_empty"),
            "transform.recipes.splits._split",
            SLICES,
        ),
        mutant("cumsum_", regression("running_sum_of_unknown_dtype"), "transform.casts.accumulates", gives(False)),
        mutant("all is division", regression("narrow_integers"), "transform.casts.is_division", gives(True)),
        mutant(
            "rounded division",
            regression("narrow_integers"),
            "transform.casts.is_division",
            edited((" and not is_rounded", "")),
        ),
        mutant("out=", regression("dtype_of_out"), "rules.unp008_out.OutArgument._changes_dtype", gives(False)),
    ],
    6: [
        mutant(
            "nothing is cast back", regression("parameter_added_under_autocast"), "transform.casts.casts", gives(False)
        ),
        mutant(
            "double()", regression("constructors_and_casts_of_known_dtype"), "transform.casts.keeps_dtype", gives(True)
        ),
        mutant("what has no name", regression("nameless_and_low"), "transform.casts.risk", gives(())),
        Mutant(
            "callers",
            regression("mixed_by_callers"),
            (
                ("transform.casts._is_wider_for_a_caller", gives(False)),
                ("transform.casts._is_wider_in_a_call", gives(False)),
            ),
        ),
        mutant(
            "float32 under autocast",
            fixture("UNP001/raised_under_autocast"),
            "transform.casts._is_raised",
            gives(False),
        ),
        mutant(
            "verify",
            within(test_verify.test_another_dtype_under_autocast_is_different),
            "verification.versions._under_autocast",
            gives([]),
        ),
    ],
    7: [
        mutant(
            "h.data = s",
            regression("data_shared_under_two_names"),
            "analysis.interpret.stores.share_memory",
            gives(None),
        ),
        mutant(
            "Parameter(s)",
            regression("data_shared_under_two_names"),
            "analysis.interpret.calls.share_memory",
            gives(None),
        ),
        mutant(
            "h.set_(s)",
            regression("data_shared_under_two_names"),
            "analysis.interpret.method_calls.share_memory",
            gives(None),
        ),
        mutant(
            "nothing else holds s",
            regression("data_shared_under_two_names"),
            "analysis.interpret.stores.is_handed_over",
            gives(True),
        ),
        mutant(
            "the data of an argument",
            regression("data_shared_under_two_names"),
            "analysis.interpret.stores.share_memory",
            edited(("if any(obj.origin is not Origin.FRESH for obj in holder.objs):", "if False:")),
        ),
    ],
    8: [
        mutant(
            "any update", fixture("UNP003/updates_through_data"), "transform.legality._is_hidden_update", gives(False)
        ),
        mutant(
            "writes to a part",
            fixture("UNP003/updates_through_data"),
            "transform.legality._is_hidden_update",
            edited(("site.write.kind is WriteKind.DATA or", "site.form is not Form.DATA_STORE or")),
        ),
    ],
    9: [
        mutant(
            "a clone without the batch dimension",
            fixture("UNP005/vmap_blocks_of_an_identity"),
            "transform.proposals.unfit",
            gives(None),
        ),
        mutant(
            "no edit is analysed again",
            of(test_harm.test_an_edit_that_repairs_nothing_is_taken_back),
            "transform.rewriter.unrepaired",
            gives({}),
        ),
        mutant(
            "callers saved nothing",
            raising("what a caller passes was saved there"),
            "transform.recipes.return_and_rebind.Callers.saves_before",
            gives(()),
        ),
    ],
    10: [
        mutant(
            "no edit is looked at",
            INTRODUCED,
            "transform.report.introduces_writes",
            gives(False),
        ),
        mutant(
            "copy_ counts for nothing",
            INTRODUCED,
            "transform.report._CALL",
            is_now(re.compile(r"\binplace\s*=\s*True\b")),
        ),
    ],
    11: [
        mutant("an index in a loop", of(LISTS, "i"), "analysis.syntax.bindings.Bindings.counts", gives(False)),
        mutant("a number", of(LISTS, "-1"), "analysis.syntax.bindings.Bindings.counts", gives(False)),
        mutant(
            "another index",
            of(test_harm.test_an_element_at_an_unknown_index_may_be_one_of_a_list),
            "transform.sites.Site._worked_out_harm",
            edited(
                (
                    "self._surely_saved_by_callers() if self._is_guess() else self._surely_saved()",
                    "self._surely_saved()",
                )
            ),
        ),
    ],
    12: [
        mutant("leaves", raising("a step by hand"), "analysis.queries.forbidden._leaf", gives(None)),
        mutant("views of leaves", raising("a view of a bias"), "analysis.queries.forbidden.looked_into", OBJECTS_ALONE),
        mutant("parameters of layers", raising("the weight of a layer"), "torchapi.is_registered_name", gives(False)),
        mutant("a purpose that raises", raising("a view of a bias"), "transform.legality._written_leaf", gives(None)),
        Mutant(
            "under no_grad",
            running("a helper under no_grad"),
            (
                ("analysis.project.recording.may_be_off", gives(False)),
                ("transform.sites.is_unrecorded", gives(False)),
            ),
        ),
        mutant(
            "frozen", running("a parameter frozen elsewhere"), "analysis.project.freezing.may_be_frozen", gives(False)
        ),
    ],
    13: [
        mutant(
            "under vmap",
            fixture("UNP005/vmap_buffer_of_a_module"),
            "transform.sites.why_unbatched",
            gives(None),
        ),
        mutant(
            "one level of vmap only",
            fixture("UNP005/vmap_of_vmap"),
            "analysis.project.vmapped.Levels.joined",
            edited(("self.possible | other.possible", "self.possible")),
        ),
        mutant(
            "own modules",
            raising("a module ends in ReLU"),
            "analysis.effects.summaries.saved_of_result",
            gives(frozenset()),
        ),
        mutant(
            "own functions",
            raising("a function returns a pair"),
            "analysis.effects.summaries.saved_of_result",
            gives(frozenset()),
        ),
        mutant(
            "own modules in a Sequential",
            raising("a Sequential of own modules"),
            "analysis.effects.layers._only_reads",
            gives(False),
        ),
        mutant(
            "unpacked layers",
            raising("a Sequential of a comprehension"),
            "analysis.effects.layers.of_sequential",
            edited(("return replace(made, last=last", "return made if last else replace(made, last=last")),
        ),
        mutant(
            "lists that callers pass",
            raising("a list of saved tensors"),
            "transform.recipes.return_and_rebind.Callers.saved_before",
            gives(None),
        ),
        mutant("pieces", raising("a piece of split"), "analysis.queries.forbidden._piece", gives(None)),
        mutant(
            "views of pieces",
            raising("a view of a view of a piece"),
            "analysis.queries.forbidden.looked_into",
            OBJECTS_ALONE,
        ),
        Mutant(
            "rows",
            raising("rows of a loop"),
            (
                ("analysis.queries.forbidden._piece", gives(None)),
                ("analysis.queries.forbidden._whole", gives(None)),
            ),
        ),
        mutant(
            "a whole of which a piece is read",
            fixture("UNP005/whole_written_before_its_pieces_are_read"),
            "analysis.queries.forbidden._whole",
            gives(None),
        ),
    ],
    14: [
        Mutant(
            "longer and longer names",
            MISSING,
            (
                ("analysis.project.files.Project.locate", edited(("max(least, 1)", "1"))),
                ("analysis.project.resolution.Resolution._member", NOT_VISITED),
                ("analysis.project.resolution.Resolution._imported", NOT_VISITED),
            ),
            RecursionError,
        ),
        mutant(
            "cycles",
            in_folder(test_import_graphs.test_every_name_of_a_generated_graph_is_followed_to_an_end, 2),
            "analysis.project.resolution.Resolution._member",
            NOT_VISITED,
        ),
    ],
    15: [
        mutant(
            "an embedding of an own class",
            fixture(EMBEDDING),
            "analysis.interpret.inherited._of_torch",
            gives(None),
        ),
        mutant(
            "from_pretrained",
            fixture(EMBEDDING),
            "analysis.interpret.calls.Calls._object_of_torch",
            edited(('qualified.removesuffix(".from_pretrained")', "qualified")),
        ),
        mutant("casts are views", fixture(EMBEDDING), "analysis.effects.operators._differ", gives(False)),
        mutant(
            "modules share memory",
            Material(
                "a layer that returns its argument",
                lambda _: test_shared_seen.test_a_layer_from_outside_may_return_what_it_is_given(torch.nn.Identity()),
            ),
            "analysis.interpret.calls.Calls.unknown_call",
            edited(("if kinds == TENSOR:  # neither", "if False:  # neither")),
        ),
        mutant(
            "a name is enough",
            fixture("UNP001/a_method_of_another_class"),
            "analysis.project.calling._leads_to",
            gives(True),
        ),
        mutant(
            "parameters needn't fit",
            fixture("UNP001/a_call_that_cannot_bind"),
            "analysis.project.calling.takes",
            gives(True),
        ),
    ],
    16: [
        *(
            mutant(
                f"nothing is compiled: {name}",
                scripted(name),
                "analysis.project.compiled._is_root",
                gives(False),
                NOT_COMPILED,
            )
            for name in test_torchscript.PROGRAMS
        ),
        mutant(
            "what compiled code calls", scripted("called"), "analysis.project.compiled._called", gives(()), NOT_COMPILED
        ),
        mutant(
            "generators",
            scripted("decorated"),
            "transform.fallbacks.Fallbacks._changed_there",
            edited(("site.run.scope in compiled(site.program.module)", "False")),
            NOT_COMPILED,
        ),
        mutant(
            "other results",
            scripted("a helper that writes"),
            "transform.recipes.handbacks.Handbacks._plan",
            edited(("scope in compiled(program.module)", "False")),
            NOT_COMPILED,
        ),
        mutant(
            "other files",
            in_folder(test_torchscript.test_what_another_file_compiles_is_known),
            "analysis.project.files.handed_over",
            gives(frozenset()),
        ),
    ],
    17: [
        mutant(
            "a dense tensor of another order",
            fixture("UNP002/order_of_the_elements_is_asked_for"),
            "transform.normal_form.reads_order",
            gives(None),
        ),
        mutant("made so", fixture(LAYOUTS), "analysis.interpret.calls.layout_of", gives(None)),
        mutant("of an attribute", fixture(LAYOUTS), "transform.sites.layout_of", gives(None)),
        mutant("saved", regression("strides_and_saved"), "transform.meant.LASTING", is_now(frozenset())),
        mutant(
            "shared",
            fixture(LAYOUTS),
            "analysis.interpret.method_calls._in_place",
            edited(('name == "share_memory_"', "False")),
        ),
    ],
    18: [
        mutant("of new memory", fixture(MADE), "transform.sites.Site.fills_own_memory", gives(False)),
        mutant(
            "of a clone that is there",
            fixture("UNP005/aliases_are_rebound_together"),
            "transform.normal_form.Clones._cloned_before",
            gives(None),
        ),
        mutant(
            "in every round",
            fixture("UNP002/filled_in_every_round"),
            "transform.planner.is_costly",
            gives(False),
        ),
        mutant(
            "a guard that asks autograd",
            fixture("UNP002/guarded_by_autograd"),
            "transform.meant._is_guarded",
            gives(False),
        ),
    ],
    19: [
        mutant("lambdas and operands", fixture(LOST_EFFECTS), "transform.intent.is_thrown_away", gives(False)),
        mutant(
            "all lambdas give values", fixture(LOST_EFFECTS), "transform.intent._is_called_for_its_value", gives(True)
        ),
        mutant("names that nothing reads", fixture(LOST_EFFECTS), "transform.intent._binds_unread", gives(False)),
        mutant("values that nothing reads", fixture(LOST_EFFECTS), "transform.intent._binds_in_vain", gives(False)),
        mutant(
            "modules", fixture("UNP006/value_may_be_thrown_away"), "transform.recipes.modules.contradicted", gives(None)
        ),
    ],
    20: [
        mutant("inherited", fixture(UNBINDABLE), "analysis.domain.refs.Class.may_inherit", gives(False)),
        mutant("parameters", fixture(UNBINDABLE), "transform.storable._is_made_by", gives(True)),
        mutant(
            "of tensors",
            fixture(UNBINDABLE),
            "transform.storable._unbindable",
            edited(("torchapi.tensor_attribute(name) is not None", "False")),
        ),
        mutant(
            "of layers",
            fixture(UNBINDABLE),
            "transform.storable._unbindable",
            edited(("torchapi.is_registered_name(name) or goes_through_data(site)", "False")),
        ),
        mutant("of classes like layers", fixture(UNBINDABLE), "analysis.project.attributes._is_layer", gives(False)),
        mutant(
            "properties",
            fixture("UNP002/property_that_computes"),
            "transform.storable._unbindable",
            edited(('owner.lookup("special", name)', "False")),
        ),
        mutant(
            "other names of them",
            fixture(UNBINDABLE),
            "analysis.queries.slots._is_plain",
            edited((" or owner.may_inherit(name)", "")),
        ),
    ],
    21: [
        mutant(
            "out= is dropped",
            fixture("UNP008/out_handed_through"),
            "transform.intent.contradicted",
            edited(("site.write.kind is WriteKind.OUT", "False")),
        )
    ],
    22: [
        mutant("a flag that asks", fixture("UNP002/flag_asks_for_it"), "transform.meant.flag_around", gives(None)),
        mutant(
            "documentation",
            fixture("UNP005/documented_purpose"),
            "transform.meant.documented",
            gives(None),
        ),
        mutant(
            "a copy in vain",
            fixture("UNP002/copy_of_the_argument_in_vain"),
            "transform.postcondition._copied_for",
            gives(()),
        ),
        mutant(
            "a name that says so",
            fixture("UNP005/documented_purpose"),
            "transform.meant.documented",
            whatever_is_called,
        ),
    ],
    23: [
        mutant(
            "readers of strides",
            regression("strides_given_anew"),
            "transform.normal_form.reads_order",
            gives(None),
        ),
        mutant(
            "readers elsewhere",
            regression("strides_asked_by_another_method"),
            "analysis.queries.strides._asked_elsewhere",
            gives(None),
        ),
        mutant(
            "what a helper permutes",
            regression("strides_asked_by_a_helper"),
            "analysis.queries.strides._Search._returned",
            gives((None, frozenset())),
        ),
        mutant(
            "gaps of a slice",
            regression("gaps_of_a_slice_go"),
            "analysis.queries.strides._Search.is_part",
            gives(False),
        ),
    ],
    24: [
        mutant(
            "handlers",
            regression("error_of_a_write_is_handled"),
            "transform.caught.handler_of",
            gives(None),
        ),
        mutant(
            "handlers around calls",
            regression("error_of_a_write_is_handled_by_a_retry"),
            "analysis.project.handling.around_calls",
            gives(()),
        ),
        mutant(
            "context managers of the file",
            regression("error_of_a_write_is_handled_by_a_context_manager"),
            "analysis.project.handling._of_own_manager",
            gives(None),
        ),
        mutant(
            "fallbacks",
            regression("error_of_a_leaf_is_handled"),
            "transform.planner.respected",
            lambda original: lambda chain, verdict: verdict,
        ),
    ],
    25: [
        mutant(
            "coroutines that run when they are made",
            regression("coroutine_that_is_only_made"),
            "analysis.interpret.own_calls._runs",
            gives(True),
        ),
        mutant(
            "an override that returns nothing",
            regression("method_overridden_by_one_that_returns_nothing"),
            "transform.recipes.handbacks._alternatives",
            gives(()),
        ),
    ],
    26: [
        mutant("flags that are read", regression("flags_counted_over_modules"), MODULES + "_reader", gives(None)),
        mutant("hooks that keep", regression("hooks_registered_by_apply"), HOOKS, gives(False)),
        mutant("a mode", regression("mode_that_sees_each_operation"), "transform.meant._watched", gives(None)),
        mutant("saved tensors", regression("saved_tensors_kept_by_a_hook"), "transform.meant._watched", gives(None)),
    ],
    27: [
        mutant(
            "closures that leave their function",
            regression("closure_made_by_a_function"),
            "analysis.effects.summaries._carried",
            gives(frozenset()),
        ),
        mutant(
            "attributes that share memory",
            regression("attributes_that_share_by_a_dictionary"),
            "analysis.project.sharing._twins",
            gives(iter(())),
        ),
        mutant(
            "globals that are handed on",
            regression("global_handed_out"),
            "analysis.queries.holders.handed_on",
            gives(None),
        ),
        mutant(
            "functions that keep what they return",
            regression("layer_of_the_file_that_keeps_its_result"),
            "analysis.queries.holders.keeps_arguments",
            gives(False),
        ),
    ],
    28: [
        mutant(
            "an index of unknown kind",
            regression("index_of_unknown_kind"),
            "transform.legality._may_be_copied",
            gives(None),
        )
    ],
    29: [
        mutant(
            "both casts at the calls",
            regression("casts_at_the_calls_of_a_function"),
            "transform.casts._is_wider_in_a_call",
            gives(False),
        ),
        mutant(
            "autocast around a call",
            regression("autocast_around_a_call"),
            "transform.casts.around_calls",
            lambda original: lambda scope, blocks: iter(()),
        ),
    ],
    30: [
        Mutant(
            "classes of Python's library, and clones of what may be no tensor",
            regression("attribute_that_is_a_weak_dictionary"),
            (
                ("analysis.interpret.modelled_calls._is_class_of_python", gives(False)),
                ("transform.planner._suits_others", gives(True)),
            ),
        ),
        mutant(
            "clones of what may be no tensor",
            regression("memo_from_setdefault"),
            "transform.planner._suits_others",
            gives(True),
        ),
    ],
}


# -- the tests --------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def test_every_class_has_a_mutant() -> None:
    assert [item for item, mutants in MUTANTS.items() if mutants] == [*CLASSES]


@pytest.mark.parametrize(
    ("item", "one"), [pytest.param(n, one, id=f"{n}-{one.mistake}") for n, own in MUTANTS.items() for one in own]
)
def test_the_mutant_is_caught(item: int, one: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if one.caught_by is EXCEPT_STAR and sys.version_info < (3, 11):
        pytest.skip("`except*` is new in Python 3.11")
    folders = [tmp_path / "right", tmp_path / "wrong"]
    for folder in folders:
        folder.mkdir()
    one.caught_by.check(folders[0])
    for place, becomes in one.changes:
        name, target = derive_importpath(f"unplace.{place}", raising=True)
        monkeypatch.setattr(target, name, becomes(inspect.getattr_static(target, name)))
    try:
        one.caught_by.check(folders[1])
    except one.raises:
        return
    pytest.fail(f"{CLASSES[item]}: {one.caught_by.name} doesn't see that {one.mistake!r} is wrong again")
