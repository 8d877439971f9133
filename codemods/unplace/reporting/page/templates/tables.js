// The tables: the figures of what is asked for, and their order.
function newTally() {
  return { all: 0, rewritten: 0, refused: 0, "left out": 0, kept: 0, harmful: 0, unsafe: 0, asked: 0, places: new Set() };
}

function count(tally, site, isAsked) {
  tally.all += 1;
  tally[site.verdict] += 1;
  if (site.harm === "harmful") tally.harmful += 1;
  if (site.fix === "unsafe") tally.unsafe += 1;
  if (isAsked) tally.asked += 1;
  tally.places.add(site.file.repository);
}

function tallyOf(tallies, key) {
  if (!tallies.has(key)) tallies.set(key, newTally());
  return tallies.get(key);
}

/** Put the figures into the rows of one kind, and hide the rows that don't belong to the answer. */
function showRows(kind, tallies, belongs) {
  for (const row of document.querySelectorAll(`tr[data-${kind}]`)) {
    const tally = tallies.get(row.dataset[kind]) ?? newTally();
    for (const cell of row.querySelectorAll("[data-count]")) {
      const key = cell.dataset.count;
      const figure = key === "repositories" ? tally.places.size : tally[key];
      cell.textContent = figure.toLocaleString("en");
      cell.classList.toggle("zero", figure === 0);
    }
    row.hidden = !belongs(row, tally);
  }
}

const valueOf = (cell) => cell.dataset.sort ?? cell.textContent.trim();
const collator = new Intl.Collator("en", { numeric: true });

function sortBy(table, column, direction) {
  const isFigure = table.tHead.rows[0].cells[column].classList.contains("figure");
  const key = (row) => {
    const value = valueOf(row.cells[column]);
    return isFigure ? Number(value.replaceAll(",", "")) : value;
  };
  const rows = [...table.tBodies[0].rows].map((row) => [key(row), row]);
  const compare = isFigure ? (a, b) => a - b : collator.compare;
  rows.sort((a, b) => direction * compare(a[0], b[0]));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

/** Make the head of a column a button that sorts by it: figures from the greatest, words from the first. */
function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = make("button", "", head.textContent);
    button.type = "button";
    head.replaceChildren(button, make("span", "printed", head.textContent)); // a repeated head is printed without buttons
    button.addEventListener("click", () => {
      const first = head.classList.contains("figure") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      sortBy(table, column, order === "ascending" ? 1 : -1);
    });
  });
}

