/* The race of the estimators: steps are asked for in small portions, measured after each, and drawn. */
import { byId, make } from "./dom.js";
import { Engine } from "./engine.js";

const NAMES = { reinforce: "REINFORCE", mean: "REINFORCE, mean subtracted", rebar: "PL-REBAR", relax: "PL-RELAX", surrogate: "surrogate" };
const COLORS = { reinforce: ["#c24e00", "#ff9357"], mean: ["#8a6d00", "#f0b840"], rebar: ["#0072b2", "#56b4e9"], relax: ["#00805c", "#35c796"], surrogate: ["#7a2aa3", "#d7a6f2"] };
const DASHES = { reinforce: [], mean: [8, 4], rebar: [2, 3], relax: [], surrogate: [10, 3, 2, 3] };
const PORTION = 100, LAST = 50000;
const LEAST = -12; // a smaller log-variance is drawn as this: what is left then is nearly nothing
const engine = new Engine(), dark = window.matchMedia("(prefers-color-scheme: dark)");
const race = { points: {}, optimum: null, steps: 0, isRunning: false, turn: 0, hidden: new Set() };
const color = (name) => COLORS[name][dark.matches ? 1 : 0];

const settings = () => ({ items: Number(byId("items").value), offset: Number(byId("offset").value), learning_rate: Number((10 ** Number(byId("rate").value)).toPrecision(2)), seed: Math.max(0, Math.round(Number(byId("seed").value)) || 0) });

function showSettings() {
  const now = settings();
  byId("items-now").textContent = now.items;
  byId("offset-now").textContent = now.offset.toFixed(2);
  byId("rate-now").textContent = now.learning_rate;
}

function take({ error, optimum, racers }) {
  byId("error").hidden = !error;
  byId("error").textContent = error || "";
  if (error) return false;
  race.optimum = optimum;
  for (const { name, measured } of racers) {
    (race.points[name] ||= []).push(measured);
    race.steps = measured.step;
  }
  draw();
  return true;
}

async function begin() {
  const turn = ++race.turn;
  Object.assign(race, { points: {}, steps: 0 });
  const answer = await engine.ask({ do: "race", settings: settings() });
  if (turn !== race.turn) return;
  if (take(answer) && race.isRunning) run();
}

async function run() {
  const turn = race.turn;
  while (race.isRunning && turn === race.turn && race.steps < LAST) {
    // Longer portions later on: a curve has some hundreds of points, whatever its length.
    const answer = await engine.ask({ do: "advance", steps: Math.max(PORTION, PORTION * Math.floor(race.steps / 10000) * 2) });
    if (turn !== race.turn) return;
    if (!take(answer)) break;
  }
  if (race.steps >= LAST) setRunning(false);
}

function setRunning(isRunning) {
  race.isRunning = isRunning;
  byId("go").textContent = isRunning ? "Pause" : race.steps ? "Go on" : "Start";
}

/* ---- drawing ------------------------------------------------------------------------------------------------------------------- */

function ticks(low, high, count) {
  const rough = (high - low) / count, size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough), list = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) list.push(Number(at.toPrecision(12)));
  return list;
}

function chart(canvas, pick, reference) {
  const ratio = window.devicePixelRatio || 1, { width, height } = canvas.getBoundingClientRect(), pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const shown = Object.keys(race.points).filter((name) => !race.hidden.has(name));
  const values = shown.flatMap((name) => race.points[name].map(pick)).filter((value) => value != null && isFinite(value)).concat(reference == null ? [] : [reference]);
  if (!values.length) return;
  let low = Math.min(...values), high = Math.max(...values);
  const margin = (high - low) * 0.06 || 1;
  low -= margin; high += margin;
  const last = Math.max(race.steps, 1000), left = 58, bottom = 34, x = (step) => left + (width - left - 10) * step / last, y = (value) => 8 + (height - 8 - bottom) * (high - value) / (high - low);
  pen.font = "12px system-ui, sans-serif";
  pen.lineWidth = 1;
  for (const tick of ticks(low, high, 5)) {
    pen.strokeStyle = style.getPropertyValue("--line"); pen.fillStyle = style.getPropertyValue("--soft"); pen.textAlign = "right"; pen.textBaseline = "middle";
    pen.beginPath(); pen.moveTo(left, y(tick)); pen.lineTo(width - 10, y(tick)); pen.stroke();
    pen.fillText(String(tick), left - 6, y(tick));
  }
  pen.textAlign = "center"; pen.textBaseline = "top";
  for (const tick of ticks(0, last, 4)) pen.fillText(tick.toLocaleString("en"), x(tick), height - bottom + 6);
  pen.fillText("steps", (left + width) / 2, height - 14);
  if (reference != null) {
    pen.setLineDash([5, 4]); pen.strokeStyle = style.getPropertyValue("--warn-line");
    pen.beginPath(); pen.moveTo(left, y(reference)); pen.lineTo(width - 10, y(reference)); pen.stroke();
    pen.textAlign = "right"; pen.textBaseline = "bottom"; pen.fillText("optimum", width - 12, y(reference) - 2);
  }
  pen.lineWidth = 2;
  for (const name of shown) {
    pen.strokeStyle = color(name); pen.setLineDash(DASHES[name]);
    pen.beginPath();
    let isDown = false;
    for (const point of race.points[name]) {
      const value = pick(point);
      if (value == null) { isDown = false; continue; }
      if (isDown) pen.lineTo(x(point.step), y(value)); else pen.moveTo(x(point.step), y(value));
      isDown = true;
    }
    pen.stroke();
  }
  pen.setLineDash([]);
}

function draw() {
  chart(byId("objective"), (point) => point.mean_objective, race.optimum);
  chart(byId("variance"), (point) => (point.log_grad_variance == null ? null : Math.max(point.log_grad_variance, LEAST)), null);
  const row = (name) => {
    const last = race.points[name][race.points[name].length - 1];
    return make("tr", {}, make("td", { text: NAMES[name] }), make("td", { class: "number", text: last.mean_objective.toFixed(4) }), make("td", { class: "number", text: last.mode_objective.toFixed(4) }),
      make("td", { class: "number", text: last.log_grad_variance == null ? "" : last.log_grad_variance.toFixed(2) }));
  };
  byId("table").tBodies[0].replaceChildren(...Object.keys(race.points).map(row));
  byId("status").textContent = `step ${race.steps.toLocaleString("en")}`;
}

/* ---- beginning ----------------------------------------------------------------------------------------------------------------- */

for (const name of Object.keys(NAMES)) {
  const box = make("input", { type: "checkbox", checked: true, onchange: () => { if (box.checked) race.hidden.delete(name); else race.hidden.add(name); draw(); } });
  const swatch = make("canvas", { class: "swatch", width: 52, height: 10, "aria-hidden": "true", "data-name": name });
  byId("racers").append(make("label", {}, box, " ", swatch, NAMES[name]));
}
function recolor() {
  for (const swatch of document.querySelectorAll(".swatch")) {
    const pen = swatch.getContext("2d"), { name } = swatch.dataset;
    pen.clearRect(0, 0, 52, 10); pen.strokeStyle = color(name); pen.lineWidth = 5; pen.setLineDash(DASHES[name].map((each) => each * 2));
    pen.beginPath(); pen.moveTo(0, 5); pen.lineTo(52, 5); pen.stroke();
  }
  draw();
}
for (const id of ["items", "offset", "rate", "seed"]) byId(id).addEventListener("input", () => { showSettings(); begin(); });
byId("go").addEventListener("click", () => { setRunning(!race.isRunning); if (race.isRunning) run(); });
byId("anew").addEventListener("click", begin);
dark.addEventListener("change", recolor);
new ResizeObserver(draw).observe(byId("objective"));
window.plackettRace = race;
recolor();
showSettings();
begin();
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) navigator.serviceWorker.register("service-worker.js").catch(() => {});
if (document.getElementById("inlined-module")) for (const part of document.querySelectorAll(".hosted")) part.hidden = true;
