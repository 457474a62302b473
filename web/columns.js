/* The columns: what each is taken for and why, and what can be changed of that; what stands in the way, with ways out. */
import { byId, choice, counted, make } from "./dom.js";

const MISSING = [["", "stop and say so"], ["drop", "leave those rows out"], ["em", "use all rows (EM)"], ["category", "a category of its own"]];
const DELIMITERS = [["", "as it looks"], ["comma", "comma"], ["semicolon", "semicolon"], ["tab", "tab"], ["pipe", "pipe"], ["blanks", "blanks"]];

const without = (list, name) => (list || []).filter((other) => other !== name);

/** A setting given or taken back; what is empty is not sent. */
export function set(settings, name, value) {
  const isEmpty = value == null || value === "" || value === false || (Array.isArray(value) && !value.length);
  if (isEmpty) delete settings[name]; else settings[name] = value;
}

/** Changes what a column is: numbers, categories, or whatever it looks like. */
function setKind(settings, name, kind) {
  set(settings, "categorical", without(settings.categorical, name).concat(kind === "categories" ? [name] : []));
  set(settings, "numeric", without(settings.numeric, name).concat(kind === "numbers" ? [name] : []));
}

const said = (settings, name) => ((settings.categorical || []).includes(name) ? "categories" : (settings.numeric || []).includes(name) ? "numbers" : "");

export function showColumns({ overview, settings, isExample }, changed) {
  const dropped = settings.drop || [];
  const row = (column) => make("tr", {},
    make("td", { text: column.name }),
    make("td", {}, isExample ? make("span", { text: column.kind }) : choice(`Kind of ${column.name}`, said(settings, column.name),
      [["", `${column.kind} (as it looks)`], ["numbers", "numbers"], ["categories", "categories"]], (kind) => { setKind(settings, column.name, kind); changed(); })),
    make("td", {}, make("button", { type: "button", text: "Leave out", "aria-label": `Leave out ${column.name}`,
      onclick: () => { set(settings, "drop", dropped.concat([column.name])); changed(); } })),
    make("td", { class: "number", text: column.missing ? column.missing.toLocaleString("en") : "0" }),
    make("td", { class: "number", text: column.distinct == null ? "> 256" : String(column.distinct) }),
    make("td", { text: column.why }));
  const head = [["column"], ["kind"], ["use"], ["missing", "number"], ["distinct", "number"], ["because it"]];
  byId("column-table").replaceChildren(make("table", {}, make("caption", { text: "Columns, as they were read" }),
    make("thead", {}, make("tr", {}, ...head.map(([text, kind]) => make("th", { scope: "col", class: kind, text })))),
    make("tbody", {}, ...overview.columns.map(row))));
  byId("data-warnings").replaceChildren(...(overview.warnings.length ? [make("div", { class: "warnings" }, make("ul", {}, ...overview.warnings.map((text) => make("li", { text }))))] : []));
  showFaults(overview.faults, settings, changed);
  showReading(settings, dropped, isExample, changed);
}

function showFaults(faults, settings, changed) {
  const apply = (change) => {
    for (const [name, value] of Object.entries(change)) set(settings, name, Array.isArray(value) ? [...new Set([...(settings[name] || []), ...value])] : value);
    changed();
  };
  const fault = ({ text, remedies }) => make("li", {}, make("span", { text }), make("div", { class: "actions" },
    ...remedies.map((remedy) => make("button", { type: "button", text: remedy.text, onclick: () => apply(remedy.change) }))));
  byId("faults").replaceChildren(...(faults.length ? [make("div", { class: "error" }, make("p", { text: "This stands in the way of a graph:" }), make("ul", {}, ...faults.map(fault)))] : []));
}

function showReading(settings, dropped, isExample, changed) {
  const field = (label, control) => make("label", {}, make("span", { text: label }), control);
  const text = (name, label, hint) => {
    const input = make("input", { type: "text", value: name === "na" ? (settings.na || []).join(", ") : settings[name] || "", placeholder: hint,
      onchange: () => { set(settings, name, name === "na" ? input.value.split(",").map((mark) => mark.trim()).filter(Boolean) : input.value.trim()); changed(); } });
    return field(label, input);
  };
  const box = (name, label) => {
    const input = make("input", { type: "checkbox", checked: Boolean(settings[name]), onchange: () => { set(settings, name, input.checked); changed(); } });
    return make("label", { class: "check" }, input, make("span", { text: label }));
  };
  const back = dropped.length ? make("p", { class: "chips" }, "Left out: ", ...dropped.map((name) => make("button", { type: "button", class: "chip", text: `${name} ↩`, "aria-label": `Take ${name} back in`,
    onclick: () => { set(settings, "drop", without(dropped, name)); changed(); } }))) : null;
  const more = make("details", {}, make("summary", { text: "How the file is read" }), make("div", { class: "fields" },
    field("Fields are separated by", choice("Fields are separated by", settings.delimiter || "", DELIMITERS, (value) => { set(settings, "delimiter", value); changed(); })),
    text("na", "What stands for a missing value", "NA, NaN, ?, * and the like"), text("weights", "Column of weights", "none"),
    text("interventions", "Column that names what was set from outside", "none"),
    box("decimal_comma", "Numbers have a decimal comma"), box("no_header", "The first line is data"), box("discrete", "Everything is categories"), box("continuous", "Everything is numbers")));
  byId("reading").replaceChildren(...[back, field("Where values are missing", choice("Where values are missing", settings.missing || "", MISSING, (value) => { set(settings, "missing", value); changed(); })),
    isExample ? null : more].filter(Boolean));
}

export function overviewText(overview) {
  const notes = overview.notes.length ? ` (${overview.notes.join(", ")})` : "";
  // Where columns differ in kind, the table says why each is what it is.
  const kinds = new Set(overview.columns.map((column) => column.kind));
  const why = overview.choice && kinds.size === 1 ? ` They are taken for ${[...kinds][0]}: ${overview.choice}.` : "";
  return `${overview.source}: ${counted(overview.rows, "row")}, ${counted(overview.columns.length, "column")}${notes}.${why}`;
}
