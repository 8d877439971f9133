// The files with the operations that are asked for; what a file contains is made when it is opened.
const list = element("list");
const opened = new Set();
let groups = [];

/** The line of an operation; when it is opened, the code around it before and after. */
function codeOf(site, hunk) {
  const details = make("details", "around", make("summary", "source", site.source));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(diffTable(hunk, new Set([site.line])));
  });
  return details;
}

function siteItem(site) {
  const said = make("div", "said", make("p", "", ...ticked(site.message)));
  if (site.saved && !site.message.includes(site.saved)) said.append(make("p", "assumes", `saved by ${site.saved}`));
  for (const assumption of site.assumptions) {
    if (!site.message.includes(assumption)) said.append(make("p", "assumes", "assumes: ", ...ticked(assumption)));
  }
  if (site.verified) said.append(make("p", "assumes", site.verified));
  const hunk = hunkAround(site.file.diff, site.line);
  if (hunk) said.append(codeOf(site, hunk));
  else if (site.source) said.append(make("p", "source", site.source));
  const verdict = site.verdict === "rewritten" && site.fix ? `rewritten, ${site.fix}` : site.verdict;
  return make("li", "",
    make("span", "at", site.place),
    make("span", "rule", site.code),
    make("span", `verdict ${kindOf(site.verdict)}`, verdict),
    make("span", `harm ${site.harm}`, site.harm),
    said);
}

function fill(details, { file, found }) {
  if (details.childElementCount > 1) return;
  details.append(make("ul", "sites", ...found.map(siteItem)));
  if (file.diff) {
    const rewritten = found.filter((site) => site.verdict === "rewritten").map((site) => site.line);
    details.append(diffTable(file.diff, new Set(rewritten)));
  }
}

function countsOf(found) {
  const parts = ["rewritten", "refused", "left out", "kept"]
    .map((verdict) => [found.filter((site) => site.verdict === verdict).length, verdict])
    .filter(([count]) => count)
    .map(([count, verdict]) => `${count} ${verdict}`);
  const harmful = found.filter((site) => site.harm === "harmful").length;
  const counts = make("span", "counts", parts.join(", "));
  if (harmful) counts.append(", ", make("b", "", `${harmful} harmful`));
  return counts;
}

function fileItem(group) {
  const { file, found } = group;
  const path = make("span", "path mono", make("span", "repository", `${file.name} `), file.path);
  const details = make("details", "file", make("summary", "", path, countsOf(found)));
  details.dataset.file = file.index;
  details.addEventListener("toggle", () => {
    if (!details.open) return void opened.delete(file.index);
    opened.add(file.index);
    fill(details, group);
  });
  if (opened.has(file.index)) {
    fill(details, group);
    details.open = true;
  }
  return details;
}

const orders = {
  count: (a, b) => b.found.length - a.found.length,
  harmful: (a, b) => b.harmful - a.harmful,
};

/** Show the first files of those with these operations. */
function showFiles(found) {
  const byFile = new Map();
  for (const site of found) {
    if (!byFile.has(site.file)) byFile.set(site.file, { file: site.file, found: [], harmful: 0 });
    const group = byFile.get(site.file);
    group.found.push(site);
    if (site.harm === "harmful") group.harmful += 1;
  }
  groups = [...byFile.values()];
  const order = orders[element("order").value];
  if (order) groups.sort(order);
  list.replaceChildren(...(groups.length ? [] : [make("p", "note", "No operation fits these filters.")]));
  showMore(PAGE);
}

function showMore(count) {
  const from = list.querySelectorAll("details").length;
  const until = Math.min(from + count, groups.length);
  list.append(...groups.slice(from, until).map(fileItem));
  element("more").hidden = until === groups.length;
  element("more").firstElementChild.textContent = `${until.toLocaleString("en")} of ${counted(groups.length, "file")} are shown.`;
}

function openAll() {
  list.querySelectorAll("details").forEach((details, index) => {
    fill(details, groups[index]);
    details.open = true;
  });
}

function closeAll() {
  for (const details of list.querySelectorAll("details")) details.open = false;
}

