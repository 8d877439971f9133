// Filter whenever the question changes, and wire the controls.
function show() {
  const wanted = asked();
  const [byRepository, byRule, byReason] = [new Map(), new Map(), new Map()];
  const found = [];
  for (const site of sites) {
    if (!matches(site, wanted)) continue;
    const isAsked = hasVerdict(site, wanted);
    if (isAsked) found.push(site);
    count(tallyOf(byRepository, String(site.file.repository)), site, isAsked);
    count(tallyOf(byRule, site.code), site, isAsked);
    for (const reason of site.reasons) count(tallyOf(byReason, String(reason)), site, isAsked);
  }
  showTables(wanted, byRepository, byRule, byReason);
  showFiles(found);
  const places = new Set(found.map((site) => site.file.repository)).size;
  const where = `in ${counted(groups.length, "file")} of ${places === 1 ? "1 repository" : `${places} repositories`}`;
  element("shown").textContent = `${counted(found.length, "operation")} of ${sites.length.toLocaleString("en")}, ${where}${chosen()}`;
  for (const field of fields) field.classList.toggle("set", field.value !== "");
}

/** The filters in words, for those who print the page. */
function chosen() {
  const set = fields.filter((field) => field.value);
  const words = set.map((field) => `${field.name} ${field.selectedOptions?.[0].text ?? `“${field.value}”`}`);
  return words.length ? `. Only: ${words.join(", ")}` : "";
}

function showTables(wanted, byRepository, byRule, byReason) {
  const isNarrowed = fields.some((field) => field.value);
  const ofSites = asksForSites(wanted);
  const isChosen = (row) => {
    const index = Number(row.dataset.repository);
    const isNamed = () => wanted.words.every((word) => row.textContent.toLowerCase().includes(word));
    return (!wanted.repository || index === Number(wanted.repository))
      && (!wanted.result || data.repositories[index][1] === wanted.result)
      && (!ofSites || Boolean(byRepository.get(String(index))?.asked))
      && (!wanted.words.length || isNamed() || Boolean(byRepository.get(String(index))?.asked));
  };
  showRows("repository", byRepository, isChosen);
  showRows("rule", byRule, (_, tally) => !isNarrowed || tally.asked > 0);
  showRows("reason", byReason, (_, tally) => !isNarrowed || tally.asked > 0);
  for (const table of document.querySelectorAll("table.sortable")) {
    const section = table.closest("section");
    section.hidden = [...table.tBodies[0].rows].every((row) => row.hidden);
    document.querySelector(`nav a[href="#${section.id}"]`).hidden = section.hidden;
  }
}

let waiting = 0;
form.addEventListener("input", (event) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { show(); toAddress(); }, event.target.name === "text" ? 120 : 0);
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(() => { show(); toAddress(); }));
element("order").addEventListener("change", show);
element("open").addEventListener("click", openAll);
element("close").addEventListener("click", closeAll);
for (const button of document.querySelectorAll("[data-more]")) {
  button.addEventListener("click", () => showMore(button.dataset.more === "all" ? Infinity : PAGE));
}
addEventListener("hashchange", () => {
  if (!fromAddress()) return;
  show();
  form.scrollIntoView();
});
document.addEventListener("click", (event) => {
  const place = event.target.closest?.("a[href^='#']")?.hash.slice(1);
  if (!place || place.includes("=")) return;
  event.preventDefault(); // the address keeps the filters
  element(place).scrollIntoView();
  element(place).focus({ preventScroll: true });
});
document.querySelectorAll("table.sortable").forEach(makeSortable);
fromAddress();
form.hidden = element("tools").hidden = false;
show();
