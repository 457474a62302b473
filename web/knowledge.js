/* What is known of the graph: tiers that columns are dragged into, or put by a list, and edges that must or must not be there. */
import { byId, choice, make } from "./dom.js";

const same = ([a, b], [c, d]) => a === c && b === d;
const columnsOf = (tier) => (Array.isArray(tier) ? tier : tier.columns);

/** The knowledge of the settings, which is made when it is needed and goes when it is empty. */
export function knowledge(settings) { return settings.knowledge || {}; }

function keep(settings, known) {
  for (const name of ["required", "forbidden", "tiers"]) if (known[name] && !known[name].length) delete known[name];
  if (Object.keys(known).length) settings.knowledge = known; else delete settings.knowledge;
}

/** Says that an edge must or must not be there, in place of whatever was said of it. */
export function declare(settings, which, from, to) {
  const known = { ...knowledge(settings) }, edge = [from, to];
  for (const name of ["required", "forbidden"]) known[name] = (known[name] || []).filter((other) => !same(other, edge));
  // Two edges between the same columns cannot both be there.
  if (which === "required") known.required = known.required.filter((other) => !same(other, [to, from]));
  if (which) known[which] = known[which].concat([edge]);
  keep(settings, known);
}

function place(settings, name, tier) {
  const known = { ...knowledge(settings) }, tiers = (known.tiers || []).map((each) => columnsOf(each).filter((other) => other !== name));
  if (tier >= 0) { while (tiers.length <= tier) tiers.push([]); tiers[tier].push(name); }
  while (tiers.length && !tiers[tiers.length - 1].length) tiers.pop();
  known.tiers = tiers;
  keep(settings, known);
}

export function showKnowledge({ overview, settings }, changed) {
  const names = overview.columns.map((column) => column.name), known = knowledge(settings);
  showTiers(names, known.tiers || [], settings, changed);
  showStatements(names, known, settings, changed);
}

function showTiers(names, tiers, settings, changed) {
  const count = Math.max(tiers.length + 1, 2), tierOf = (name) => tiers.findIndex((tier) => columnsOf(tier).includes(name));
  const options = [["-1", "no tier"], ...Array.from({ length: count }, (_, at) => [String(at), `tier ${at + 1}`])];
  const chip = (name) => make("li", { class: "chip", draggable: "true", ondragstart: (event) => { event.dataTransfer.setData("text/plain", name); event.dataTransfer.effectAllowed = "move"; } },
    make("span", { text: name }), choice(`Tier of ${name}`, String(tierOf(name)), options, (value) => { place(settings, name, Number(value)); changed(`Tier of ${name}`); }));
  const box = (title, members, tier) => {
    const list = make("ul", { class: "tier", "aria-label": title }, ...members.map(chip));
    const frame = make("div", { class: "tier-frame", ondragover: (event) => { event.preventDefault(); frame.classList.add("over"); }, ondragleave: () => frame.classList.remove("over"),
      ondrop: (event) => { event.preventDefault(); const name = event.dataTransfer.getData("text/plain"); if (names.includes(name)) { place(settings, name, tier); changed(); } } },
      make("h3", { text: title }), list, members.length ? null : make("p", { class: "note", text: "Drag columns here." }));
    return frame;
  };
  const inTier = (tier) => names.filter((name) => tierOf(name) === tier);
  const boxes = Array.from({ length: count }, (_, at) => box(`Tier ${at + 1}${at === 0 ? ", the earliest" : ""}`, inTier(at), at));
  byId("tiers").replaceChildren(make("details", { open: tiers.length > 0 || byId("tiers").querySelector("details[open]") !== null },
    make("summary", { text: "Tiers: what comes earlier is not caused by what comes later" }),
    make("div", { class: "tiers" }, ...boxes, box("No tier", inTier(-1), -1))));
}

function showStatements(names, known, settings, changed) {
  const item = (which, text) => ([from, to]) => make("li", {}, make("span", { text: `${from} → ${to} ${text}` }), " ",
    make("button", { type: "button", text: "Remove", "aria-label": `Remove: ${from} → ${to} ${text}`, onclick: () => { declare(settings, null, from, to); changed(); } }));
  const options = names.map((name) => [name, name]);
  let which = "forbidden", from = names[0], to = names[1] || names[0];
  const add = make("div", { class: "fields inline" },
    choice("Cause", from, options, (value) => { from = value; }), make("span", { text: "→" }), choice("Effect", to, options, (value) => { to = value; }),
    choice("What is known of it", which, [["forbidden", "must not be there"], ["required", "must be there"]], (value) => { which = value; }),
    make("button", { type: "button", text: "Add", onclick: () => { if (from !== to) { declare(settings, which, from, to); changed(); } } }));
  const said = [...(known.required || []).map(item("required", "must be there")), ...(known.forbidden || []).map(item("forbidden", "must not be there"))];
  byId("statements").replaceChildren(make("details", { open: said.length > 0 || byId("statements").querySelector("details[open]") !== null },
    make("summary", { text: "Edges that must or must not be there" }), said.length ? make("ul", { class: "statements" }, ...said) : make("p", { class: "note", text: "None yet." }), add));
}
