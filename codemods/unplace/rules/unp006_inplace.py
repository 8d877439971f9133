"""`inplace=True`: the flag is dropped from functionals and modules.

`F.relu(h, inplace=True)` overwrites `h` and returns it. A module made with `inplace=True` does the same at every call.

    h = F.relu(h, inplace=True)
    act = nn.ReLU(inplace=True)

    h = F.relu(h)
    act = nn.ReLU()

If the input is read later under its own name, that name gets the result, too (`y = h = F.relu(h)`). So the values stay
the same, even those of the classic residual bug.

A module is rewritten if one of these holds:

- a layer before it in the same `nn.Sequential` or list makes a new tensor;
- nobody reads the input after any of the module's calls in the file;
- every call can take the result (`y = h = self.act(h)`).

A flag may come from elsewhere: from `partial(nn.ReLU, inplace=True)`, `m.inplace = True`, the default of a parameter,
or an argument of a call in the file. It becomes False there.

    def act(inplace=True):
        return nn.ReLU(inplace=inplace)

    def act(inplace=False):
        return nn.ReLU(inplace=inplace)

Not rewritten: a flag by which the function also decides about something else.

Only with `--unsafe`, which assumes that nobody reads the input later: arguments of the enclosing function, modules at
the start of a container, and flags that come from elsewhere, unless the input is seen to be new or, for a `partial`,
every use of it is a call that is seen.
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
