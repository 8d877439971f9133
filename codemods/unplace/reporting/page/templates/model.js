"use strict";
// The data as objects. Everything shown is put into the page as text, never as HTML.
const element = (id) => document.getElementById(id);
const data = JSON.parse(element("data").textContent);
const text = (index) => data.strings[index];
const PAGE = 100;

/** An element with a class and children, which are elements or texts. */
function make(name, kind, ...children) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.append(...children);
  return made;
}

/** A text in which what stands between backticks is code. */
const ticked = (words) => words.split(/`([^`]+)`/).map((part, index) => (index % 2 ? make("code", "", part) : part));

const kindOf = (word) => word.replace(" ", "-");
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const sites = [];
data.files.forEach(([repository, path, diff, raw], index) => {
  const name = data.repositories[repository][0];
  const file = { index, repository, name, path, diff, words: `${name} ${path}\n${diff}`.toLowerCase() };
  for (const [line, column, code, verdict, fix, harm, message, assumptions, saved, source, reasons, cell, inFile, verified] of raw) {
    const assumes = assumptions.map(text);
    sites.push({
      file, place: `${cell ? `cell ${cell}:` : ""}${line}:${column}`, line: inFile, code: text(code), verdict: text(verdict), fix: text(fix), harm: text(harm), reasons,
      message: text(message), assumptions: assumes, saved: text(saved), source: text(source),
      verified: text(verified),
      words: [text(code), text(message), ...assumes, text(saved), text(verified), text(source)].join("\n").toLowerCase(),
    });
  }
});

