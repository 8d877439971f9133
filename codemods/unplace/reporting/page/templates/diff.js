// A unified diff side by side, with the words that differ.
const WORDS = /\w+|\s+|[^\w\s]/gu;
const LIKE = 0.35; // lines less alike than this aren't the same line changed
const MOST = 250_000; // steps that a comparison may take; beyond it, it is left out

/** The lengths of longest common subsequences of the ends of two sequences, with weights for what corresponds. */
function table(height, width, weight) {
  const best = Array.from({ length: height + 1 }, () => new Float64Array(width + 1));
  for (let i = height - 1; i >= 0; i -= 1) {
    for (let j = width - 1; j >= 0; j -= 1) {
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + weight(i, j));
    }
  }
  return best;
}

/** The pairs of positions that correspond. */
function pairs(height, width, weight) {
  const best = table(height, width, weight);
  const found = [];
  for (let i = 0, j = 0; i < height && j < width;) {
    const here = weight(i, j);
    if (here > 0 && best[i][j] === best[i + 1][j + 1] + here) found.push([i++, j++]);
    else if (best[i][j] === best[i + 1][j]) i += 1;
    else j += 1;
  }
  return found;
}

/** Two lines as words, with which of them both have; null where they have too many. */
function compared(before, after) {
  const [old, young] = [before, after].map((line) => line.match(WORDS) ?? []);
  if (old.length * young.length > MOST) return null;
  const common = pairs(old.length, young.length, (i, j) => (old[i] === young[j] ? old[i].trim().length || 0.1 : 0));
  const size = (words) => words.reduce((sum, word) => sum + word.trim().length, 0);
  const same = common.reduce((sum, [i]) => sum + old[i].trim().length, 0);
  return {
    old, young,
    likeness: (2 * same) / (size(old) + size(young) || 1),
    oldSame: new Set(common.map(([i]) => i)), youngSame: new Set(common.map(([, j]) => j)),
  };
}

/** The rows of replaced lines: [old line or null, new line or null, comparison]. */
function matched(gone, added) {
  if (!gone.length || !added.length || gone.length * added.length > 400) {
    return Array.from({ length: Math.max(gone.length, added.length) }, (_, i) => [gone[i] ?? null, added[i] ?? null, null]);
  }
  const all = gone.map((before) => added.map((after) => compared(before.code, after.code)));
  const likeness = (i, j) => (all[i][j] && all[i][j].likeness >= LIKE ? all[i][j].likeness : 0);
  const rows = [];
  let [i, j] = [0, 0];
  const upTo = (a, b) => {
    while (j < b) rows.push([null, added[j++], null]);
    while (i < a) rows.push([gone[i++], null, null]);
  };
  for (const [a, b] of pairs(gone.length, added.length, likeness)) {
    upTo(a, b);
    rows.push([gone[i++], added[j++], all[a][b]]);
  }
  upTo(gone.length, added.length);
  return rows;
}

function words(list, same, name) {
  const nodes = [];
  let run = "";
  let differs = false;
  const end = () => {
    if (run) nodes.push(differs && run.trim() ? make(name, "", run) : run);
    run = "";
  };
  list.forEach((word, index) => {
    if (same.has(index) === differs) {
      end();
      differs = !same.has(index);
    }
    run += word;
  });
  end();
  return nodes;
}

/** The hunk of a diff that has a line of the text before; null where none has. */
function hunkAround(diff, number) {
  for (const hunk of diff.split(/\n(?=@@ )/)) {
    const [head, ...lines] = hunk.split("\n");
    const first = Number(head.match(/^@@ -(\d+)/)?.[1]);
    if (number >= first && number < first + lines.filter((line) => !line.startsWith("+")).length) return hunk;
  }
  return null;
}

function side(line, kind, children, marked) {
  const numberCell = make("td", `n ${line ? kind : "void"}${line && marked?.has(line.number) ? " site" : ""}`);
  if (line) numberCell.dataset.n = line.number;
  return [numberCell, make("td", `code ${line ? kind : "void"}`, ...(line ? children : []))];
}

function diffRow([old, young, comparison], marked) {
  const oldWords = comparison ? words(comparison.old, comparison.oldSame, "del") : [old?.code ?? ""];
  const youngWords = comparison ? words(comparison.young, comparison.youngSame, "ins") : [young?.code ?? ""];
  return make("tr", "", ...side(old, "gone", oldWords, marked), ...side(young, "new", youngWords));
}

/** A file's diff as a table; `marked` are the lines in which operations begin. */
function diffTable(diff, marked) {
  const body = document.createElement("tbody");
  let [oldNumber, youngNumber] = [0, 0];
  let [gone, added] = [[], []];
  const flush = () => {
    body.append(...matched(gone, added).map((row) => diffRow(row, marked)));
    [gone, added] = [[], []];
  };
  for (const line of diff.split("\n")) {
    const code = line.slice(1);
    if (line.startsWith("@")) {
      flush();
      [oldNumber, youngNumber] = line.match(/^@@ -(\d+)\S* \+(\d+)/).slice(1).map(Number);
      const gap = make("td", "", `line ${oldNumber}`);
      gap.colSpan = 4;
      body.append(make("tr", "gap", gap));
    } else if (line.startsWith("-")) gone.push({ number: oldNumber++, code });
    else if (line.startsWith("+")) added.push({ number: youngNumber++, code });
    else {
      flush();
      body.append(make("tr", "",
        ...side({ number: oldNumber++ }, "same old", [code], marked), ...side({ number: youngNumber++ }, "same", [code])));
    }
  }
  flush();
  const columns = make("colgroup", "", ...["n", "", "n", ""].map((kind) => make("col", kind)));
  return make("table", "diff", make("caption", "", "Before, and after"), columns, body);
}

