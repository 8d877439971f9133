"""`inplace=True`: the flag is dropped from functionals and modules.

`F.relu(h, inplace=True)` returns `h` itself, overwritten; a module made with `inplace=True` does that at every call.

    h = F.relu(h, inplace=True)
    act = nn.ReLU(inplace=True)

    h = F.relu(h)
    act = nn.ReLU()

Where the input is read later under its own name it gets the result too (`y = h = F.relu(h)`). A module is rewritten
when its input is fresh: a layer before it in the same `nn.Sequential` or list makes a new tensor, or at every call in
the file nobody reads the input afterwards, or every call can take the result (`y = h = self.act(h)`), so that the
classic residual bug stays what it is.

A flag that comes from elsewhere becomes False there: `partial(nn.ReLU, inplace=True)`, `m.inplace = True`, and the
default of a parameter or what the file's calls pass for it.

    def act(inplace=True):
        return nn.ReLU(inplace=inplace)

    def act(inplace=False):
        return nn.ReLU(inplace=inplace)

Not rewritten: a flag by which the function decides about something else, too; unless with `--unsafe` (assumes that
nobody reads the input later), arguments of the enclosing function, modules at the start of a container, and flags that
come from elsewhere without a fresh input in sight.
"""

from __future__ import annotations

from unplace import torchapi
from unplace.diagnostics.forms import Form
from unplace.transform.emit.arguments import drop_argument
from unplace.transform.emit.snippet import Change
from unplace.transform.rule import CallRule
from unplace.transform.sites import Site
from unplace.transform.verdicts import Refuse

FORMS = (Form.INPLACE_ARGUMENT,)


class InplaceArgument(CallRule):
    """The rule UNP006: see the module's docstring."""

    code = "UNP006"

    def functional(self, site: Site) -> Change | Refuse:
        """Return the change that drops the flag from the call."""
        return drop_argument(torchapi.inplace_flag(site.write.name), "inplace")


RULE = InplaceArgument()
