/* The page: data in, columns, what is known, a run, a graph. The state is here; what is shown is made from it by the other modules. */
import { byId, choice, counted, make, offer } from "./dom.js";
import { overviewText, set, showColumns } from "./columns.js";
import { showEffect } from "./effect.js";
import { Engine } from "./engine.js";
import { declare, showKnowledge } from "./knowledge.js";
import { check, fromAddress, recipe, toLink } from "./link.js";

const MOST_BYTES = 2 ** 30; // what a browser gives one buffer, with room to spare
const AUTOMATIC = 120; // up to so many columns a graph is learned as soon as the data are there
const engine = new Engine();
const now = { source: null, settings: {}, overview: null, result: null, wanted: null, resamples: 100, isBusy: false, turn: 0 };
let viewer = null, choices = null;

/* ---- data ---------------------------------------------------------------------------------------------------------------------- */

async function takeFile(file) {
  if (file.size > MOST_BYTES) return fail(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB, more than a browser holds: take it to the program (plackett learn ${file.name})`);
  let bytes;
  try { bytes = await file.arrayBuffer(); } catch { return fail(`${file.name} cannot be read`); }
  if (file.size < 2 ** 20 && /\.json$/i.test(file.name)) {
    let told = null;
    try { told = check(JSON.parse(new TextDecoder().decode(bytes))); } catch { /* no settings */ }
    if (told) return takeRecipe(told);
  }
  const told = now.wanted;
  await take({ file: file.name, bytes }, told ? told.settings : {});
  if (told && now.overview && told.fingerprint && told.fingerprint !== now.overview.fingerprint) {
    byId("wanted").hidden = false;
    byId("wanted").textContent = `These are not the data of the link: their fingerprint is ${now.overview.fingerprint}, not ${told.fingerprint}. The settings were used all the same.`;
  }
}

const takeExample = (example, settings = {}, samples = undefined) => take({ example, samples }, settings);

function takeRecipe(told) {
  now.wanted = told;
  if (told.resamples) now.resamples = told.resamples;
  if (told.example) return takeExample(told.example, told.settings, told.samples);
  byId("wanted").hidden = false;
  byId("wanted").textContent = `These settings are for the file ${told.file}. It is not part of them: choose it above, and the run is repeated.`;
  return null;
}

async function take(source, settings) {
  byId("wanted").hidden = true;
  now.wanted = null;
  engine.take(source);
  Object.assign(now, { source, settings: structuredClone(settings), overview: null, result: null, isFirst: true, turn: now.turn + 1 });
  forgetGraph();
  await reread(true);
}

/** Reads the data by the settings, and shows what there is. */
async function reread(isFirst) {
  fail(null);
  busy(true, "reading");
  const turn = ++now.turn, overview = await engine.read(now.settings, follow);
  if (turn !== now.turn) return;
  if (!overview.stopped && !overview.error) now.overview = overview;
  busy(false);
  if (overview.stopped) return;
  if (overview.error) {
    fail(overview.error);
    if (isFirst) { now.overview = null; show(); }
    return;
  }
  show();
  if (overview.faults.length) { forgetGraph(); fail(overview.complaint); return; }
  if (isFirst && overview.columns.length <= AUTOMATIC) await learn(); else stale("The columns have changed.");
}

function fail(text) {
  byId("error").hidden = !text;
  byId("error").textContent = text || "";
}

/* ---- what is shown ------------------------------------------------------------------------------------------------------------- */

function show() {
  const has = Boolean(now.overview);
  for (const part of document.querySelectorAll(".with-data")) part.hidden = !has;
  byId("overview").textContent = has ? overviewText(now.overview) : "";
  if (!has) return;
  const view = { ...now, isExample: Boolean(now.source.example) };
  showColumns(view, () => reread(false));
  showKnown();
  showLearning();
}

function showKnown() {
  showKnowledge(now, (keepFocus) => {
    showKnown();
    const again = keepFocus && document.querySelector(`[aria-label="${CSS.escape(keepFocus)}"]`);
    if (again) again.focus();
    stale("What is known has changed.");
  });
}

function showLearning() {
  const { settings, overview } = now, kinds = new Set(overview.columns.map((column) => column.kind));
  const changed = (name) => (value) => { set(settings, name, value); if (["lambda", "sigma2", "penalty", "standardize"].includes(name)) reread(false); else stale("The settings have changed."); };
  const field = (label, control) => make("label", {}, make("span", { text: label }), control);
  const scores = !choices ? [] : kinds.size > 1 ? choices.scores.mixed : kinds.has("numbers") ? choices.scores.numbers : choices.scores.categories;
  const number = (name, label, hint) => {
    const input = make("input", { type: "number", step: "any", value: settings[name] ?? "", placeholder: hint, onchange: () => changed(name)(input.value === "" ? null : Number(input.value)) });
    return field(label, input);
  };
  const box = (name, label) => {
    const input = make("input", { type: "checkbox", checked: Boolean(settings[name]), onchange: () => changed(name)(input.checked) });
    return make("label", { class: "check" }, input, make("span", { text: label }));
  };
  const named = (list) => list.map(({ name, summary }) => [name, `${name}: ${summary}`]);
  byId("learning").replaceChildren(make("details", {}, make("summary", { text: "Settings of the search" }), make("div", { class: "fields" },
    field("Score", choice("Score", settings.score || "", [["", "whichever suits the data"], ...named(scores)], changed("score"))),
    field("Method", choice("Method", settings.method || "", [["", "whichever suits the data"], ...(choices ? named(choices.methods.slice(1)) : [])], changed("method"))),
    number("seed", "Seed", "0"), number("penalty", "Price of a parent", "chosen"), number("threshold", "Least weight", "none"), number("restarts", "Starts", "chosen"),
    kinds.has("numbers") && kinds.size === 1 ? box("standardize", "Divide by the standard deviations") : make("span"), box("path", "Also try other prices of an edge"))));
}

/* ---- a run --------------------------------------------------------------------------------------------------------------------- */

function busy(isBusy, stage = "") {
  now.isBusy = isBusy;
  byId("learn").disabled = isBusy || !now.overview || now.overview.faults.length > 0;
  byId("running").hidden = !isBusy;
  byId("stage").textContent = stage;
  byId("bar").removeAttribute("value");
  document.body.classList.toggle("busy", isBusy);
}

function follow({ stage, done, total, evaluations, best, seconds, sketch }) {
  if (!now.isBusy) return;
  const bar = byId("bar");
  if (total) { bar.max = total; bar.value = Math.min(done, total); } else bar.removeAttribute("value");
  const figures = [total ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "", best == null ? "" : `best score ${best.toPrecision(8)}`, `${seconds.toFixed(1)} s`].filter(Boolean);
  byId("stage").textContent = `${stage || "at work"}: ${figures.join(", ")}`;
  if (sketch) { draw(sketch, {}); byId("result-lead").textContent = "The best graph so far."; byId("tools").hidden = true; byId("sections").replaceChildren(); }
}

function stale(text) {
  byId("stale").textContent = `${text} Learn again to see what follows.`;
}

async function learn() {
  if (now.isBusy || !now.overview || now.overview.faults.length) return;
  fail(null);
  byId("stale").textContent = "";
  busy(true, "beginning");
  const turn = ++now.turn, answer = await engine.about({ do: "learn", settings: now.settings }, follow);
  if (turn !== now.turn) return;
  busy(false);
  if (answer.stopped) { byId("stale").textContent = "Stopped."; return; }
  if (answer.error) { forgetGraph(); fail(answer.error); return; }
  showResult(answer);
  if (now.isFirst) { now.isFirst = false; byId("result").scrollIntoView({ behavior: window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" }); }
}

async function bootstrap(resamples) {
  if (now.isBusy) return;
  now.resamples = resamples;
  busy(true, "resamples");
  const turn = ++now.turn, answer = await engine.about({ do: "bootstrap", resamples }, follow);
  if (turn !== now.turn) return;
  busy(false);
  if (answer.stopped) { byId("stale").textContent = "Stopped."; return; }
  if (answer.error) { fail(answer.error); return; }
  showResult(answer);
}

/* ---- the graph ----------------------------------------------------------------------------------------------------------------- */

function forgetGraph() {
  if (viewer) viewer.close();
  viewer = null;
  now.result = null;
  for (const part of document.querySelectorAll(".with-graph")) part.hidden = true;
  byId("sections").replaceChildren();
}

function draw(graph, options) {
  if (viewer) viewer.close();
  for (const part of document.querySelectorAll(".with-graph")) part.hidden = false;
  viewer = window.plackettViewer(byId("viewer"), graph, options);
  window.plackettReport = viewer;
}

/** What the panel of the viewer offers: statements on the edge or the node that is chosen. */
function onGraph() {
  const note = (which, from, to) => () => {
    declare(now.settings, which, from, to);
    showKnown();
    stale(`${from} → ${to} ${which === "required" ? "must" : "must not"} be there.`);
    again.textContent = byId("stale").textContent;
    again.hidden = false;
  };
  const again = make("p", { class: "note", hidden: true, role: "status" });
  const act = (text, work) => make("button", { type: "button", text, onclick: work });
  const rerun = () => act("Learn again", learn);
  return {
    ofEdge: ({ from, to }) => [make("h4", { text: "What is known of it" }), make("div", { class: "actions column" }, act(`${from} → ${to} must be there`, note("required", from, to)),
      act(`${from} → ${to} must not be there`, note("forbidden", from, to)), act(`${to} → ${from} must be there`, note("required", to, from)), act(`${to} → ${from} must not be there`, note("forbidden", to, from)), rerun()), again],
    ofNode: (name) => {
      const others = now.overview.columns.map((column) => column.name).filter((other) => other !== name);
      let other = others[0];
      return others.length ? [make("h4", { text: "What is known of it" }), make("div", { class: "actions column" },
        choice(`Another column, beside ${name}`, other, others.map((each) => [each, each]), (value) => { other = value; }),
        act("causes it", () => note("required", other, name)()), act("does not cause it", () => note("forbidden", other, name)()),
        act("is caused by it", () => note("required", name, other)()), act("is not caused by it", () => note("forbidden", name, other)()), rerun()), again] : [];
    },
  };
}

function showResult(answer) {
  now.result = answer;
  const { result } = answer;
  draw(answer.graph, onGraph());
  const early = result.status !== "interrupted" ? "" : result.edges.length ? " It is the best graph when the search was stopped." : " The search was stopped before it had found one.";
  const rests = result.replicates ? `, supported by ${counted(result.replicates, "resample")}` : "";
  byId("result-lead").textContent = `${counted(result.edges.length, "edge")} among ${counted(now.overview.columns.length, "column")}, in ${result.seconds.toFixed(2)} s${rests}.${early}`;
  byId("tools").hidden = false;
  showTools(answer);
  showSections(answer.sections);
}

/** The sections of the report. Their markup is made by the report's own code, in which texts of the data are escaped. */
function showSections(sections) {
  const section = ({ name, heading, html }) => {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    return make("section", { id: `of-${name}`, "aria-labelledby": `of-${name}-head` }, make("h2", { id: `of-${name}-head`, text: heading }), ...document.importNode(parsed.body, true).childNodes);
  };
  byId("sections").replaceChildren(...sections.map(section));
  window.plackettTables(byId("sections"));
}

function showTools(answer) {
  const base = (now.source.example || now.source.file).replace(/\.(csv|tsv|txt|dat|xlsx?|ods|gz|zst)+$/i, "");
  const save = (text, format, ending, type) => make("button", { type: "button", text, onclick: async () => {
    const found = await engine.about({ do: "save", format });
    if (found.error) fail(found.error); else offer(`${base}.${ending}`, found.text, type);
  } });
  const told = () => recipe({ source: now.source, fingerprint: now.overview.fingerprint, settings: now.settings, resamples: answer.result.replicates });
  byId("saving").replaceChildren(make("span", { text: "Save" }), save("report", "report", "report.html", "text/html"), save("JSON", "json", "json", "application/json"), save("CSV", "csv", "csv", "text/csv"),
    save("DOT", "dot", "dot", "text/vnd.graphviz"), save("GraphML", "graphml", "graphml", "application/xml"),
    make("button", { type: "button", text: "SVG", onclick: () => viewer.saveSvgFile() }), make("button", { type: "button", text: "PNG", onclick: () => viewer.savePng() }),
    choice("Save the graph for another program", "", [["", "other programs"], ["gml", "GML"], ["dagitty", "DAGitty"], ["tetrad", "Tetrad"], ["bnlearn", "bnlearn"]], async (format) => {
      const found = format && await engine.about({ do: "save", format });
      if (found && found.text) offer(`${base}.${format}`, found.text, "text/plain");
    }),
    make("button", { type: "button", text: "settings", onclick: () => offer(`${base}.settings.json`, JSON.stringify(told(), null, 2), "application/json") }));
  const resamples = make("input", { type: "number", min: 1, max: 10000, step: 1, value: now.resamples, "aria-label": "Resamples" });
  byId("bootstrap").replaceChildren(make("span", { text: "How sure is it? Draw the rows anew" }), resamples, make("span", { text: "times" }),
    make("button", { type: "button", id: "resample", text: "Bootstrap", onclick: () => bootstrap(Math.max(1, Math.min(10000, Math.round(Number(resamples.value)) || 100))) }));
  showEffect(now.overview.columns, (question) => engine.about(question));
  const link = make("input", { type: "text", readonly: true, value: toLink(told()), "aria-label": "A link that repeats this run", onfocus: () => link.select() });
  const share = make("details", {}, make("summary", { text: "Repeat this run elsewhere" }), make("p", { class: "note", text: "A link with the settings and, for a file, its name and fingerprint; none of the data:" }), link,
    make("p", { class: "note", text: "With the program, or in Python:" }), make("pre", { class: "code", tabindex: "0" }, make("code", { text: answer.command })),
    ...(answer.python ? [make("pre", { class: "code", tabindex: "0" }, make("code", { text: answer.python }))] : []));
  byId("share").replaceChildren(share);
  window.plackettTables(share);
}

/* ---- beginning ----------------------------------------------------------------------------------------------------------------- */

const drop = byId("drop");
byId("file").addEventListener("change", (event) => { const [file] = event.target.files; event.target.value = ""; if (file) takeFile(file); });
for (const name of ["dragenter", "dragover"]) document.addEventListener(name, (event) => { if ([...event.dataTransfer.types].includes("Files")) { event.preventDefault(); drop.classList.add("over"); } });
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => drop.classList.remove("over"));
document.addEventListener("drop", (event) => {
  const [file] = event.dataTransfer.files;
  if (file) { event.preventDefault(); takeFile(file); }
});
for (const button of document.querySelectorAll("[data-example]")) button.addEventListener("click", () => takeExample(button.dataset.example));
byId("examples").addEventListener("change", (event) => { if (event.target.value) takeExample(event.target.value); });
byId("learn").addEventListener("click", learn);
byId("stop").addEventListener("click", () => engine.stop());
window.addEventListener("hashchange", () => { const told = fromAddress(); if (told) takeRecipe(told); });

window.plackettPage = { engine, state: () => ({ isBusy: now.isBusy, result: now.result && now.result.result, overview: now.overview, settings: now.settings, memory: engine.memory }) };
const told = fromAddress();
if (told) takeRecipe(told);
engine.ask({ do: "choices" }).then((found) => {
  if (found.error) return fail(found.error);
  choices = found;
  byId("version").textContent = found.version;
  const shown = new Set([...document.querySelectorAll("[data-example]")].map((button) => button.dataset.example));
  byId("examples").append(...found.examples.filter(({ name }) => !shown.has(name)).map(({ name, summary }) => make("option", { value: name, text: `${name}: ${summary}` })));
  document.querySelector(".more-examples").hidden = false;
  if (now.overview) showLearning();
}, (problem) => fail(`the computation could not be loaded: ${problem.message}`));
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) navigator.serviceWorker.register("service-worker.js").catch(() => {});
if (document.getElementById("inlined-module")) for (const part of document.querySelectorAll(".hosted")) part.hidden = true;
