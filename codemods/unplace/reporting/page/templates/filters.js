// What is asked for: in the form, and in the address, so that it can be passed on.
const form = element("filters");
const fields = [...form.elements].filter((field) => field.name);

function asked() {
  const wanted = Object.fromEntries(fields.map((field) => [field.name, field.value]));
  wanted.words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted;
}

/** Whether an operation is asked for, whatever became of it. */
function matches(site, wanted) {
  const { repository } = site.file;
  return (!wanted.repository || repository === Number(wanted.repository))
    && (!wanted.result || data.repositories[repository][1] === wanted.result)
    && (!wanted.rule || site.code === wanted.rule)
    && (!wanted.harm || site.harm === wanted.harm)
    && (!wanted.fix || (site.fix || "none") === wanted.fix)
    && (!wanted.reason || site.reasons.includes(Number(wanted.reason)))
    && wanted.words.every((word) => site.words.includes(word) || site.file.words.includes(word));
}

const hasVerdict = (site, wanted) =>
  wanted.verdict === "any" || (wanted.verdict ? site.verdict === wanted.verdict : site.verdict !== "kept");

/** Whether the question is one about operations, so that a repository without such doesn't belong to the answer. */
function asksForSites(wanted) {
  const { rule, harm, fix, reason, verdict } = wanted;
  return Boolean(rule || harm || fix || reason || (verdict && verdict !== "any"));
}

function toAddress() {
  const set = fields.filter((field) => field.value).map((field) => [field.name, field.value]);
  const address = set.length ? `#${new URLSearchParams(set)}` : " ";
  history.replaceState(null, "", address === " " ? location.pathname + location.search : address);
}

/** Take the filters from the address; false where it names a place in the page. */
function fromAddress() {
  const address = location.hash.slice(1);
  if (address && !address.includes("=")) return false;
  const given = new URLSearchParams(address);
  for (const field of fields) field.value = given.get(field.name) ?? "";
  for (const field of fields) if (field.selectedIndex === -1) field.value = "";
  return true;
}

