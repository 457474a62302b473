/* The question how much one column changes another, and the answer. */
import { byId, choice, make } from "./dom.js";

const figure = (value) => (Math.abs(value) >= 0.01 || value === 0 ? value.toFixed(4) : value.toExponential(2));

export function showEffect(columns, ask) {
  const names = columns.map((column) => column.name), options = names.map((name) => [name, name]);
  const question = { from: names[0], to: names[1] };
  const answer = make("div", { class: "answer", role: "status" }), extra = make("span", { class: "fields inline" });
  const column = (name) => columns.find((each) => each.name === name);
  const labels = (name) => (column(name).kind === "categories" ? column(name).labels.map((label) => [label, label]) : []);
  const settle = () => {
    const causes = labels(question.from), states = labels(question.to);
    question.change = causes.length ? [causes[0][0], causes[causes.length - 1][0]] : undefined;
    question.state = states.length ? states[states.length - 1][0] : undefined;
    extra.replaceChildren(...(causes.length ? [make("span", { text: "set from" }), choice("Set from", question.change[0], causes, (value) => { question.change[0] = value; }), make("span", { text: "to" }),
      choice("Set to", question.change[1], causes, (value) => { question.change[1] = value; })] : []),
    ...(states.length ? [make("span", { text: "on the probability of" }), choice("State that is looked at", question.state, states, (value) => { question.state = value; })] : []));
  };
  const run = async () => {
    answer.replaceChildren(make("p", { text: "…" }));
    const found = await ask({ do: "effect", ...question });
    answer.replaceChildren(...(found.error ? [make("p", { class: "error", text: found.error })] : told(found)));
    window.plackettTables(answer);
  };
  settle();
  byId("effect").replaceChildren(make("details", {}, make("summary", { text: "Ask for an effect" }), make("div", { class: "fields inline" },
    make("span", { text: "How much does" }), choice("Cause", question.from, options, (value) => { question.from = value; settle(); }),
    make("span", { text: "change" }), choice("Outcome", question.to, options, (value) => { question.to = value; settle(); }), extra,
    make("button", { type: "button", class: "primary", text: "Ask", onclick: run })), answer));
}

function told({ effect, command }) {
  const percent = Math.round(100 * effect.level), adjusted = (list) => (list.length ? list.join(", ") : "nothing");
  const parts = [make("p", { text: `${effect.cause} on ${effect.outcome}: ${effect.meaning}` })];
  const [only, ...others] = effect.values;
  if (only && !others.length) {
    parts.push(make("p", {}, make("strong", { text: only.is_absent ? "No effect" : figure(only.effect) }), only.is_absent ? `: no directed path leads from ${effect.cause} to ${effect.outcome}.`
      : `, ${percent} % interval ${figure(only.low)} to ${figure(only.high)}, adjusted for ${adjusted(only.adjustment)}.`));
    if (only.unsupported > 0) parts.push(make("p", { class: "note", text: `For ${Math.round(100 * only.unsupported)} % of the rows the data say nothing of it; the effect without adjustment stands in.` }));
  } else {
    parts.push(make("p", { text: `The graph leaves open what causes what: ${effect.values.length} values are possible, together from ${figure(effect.low)} to ${figure(effect.high)}.` }),
      make("ul", {}, ...effect.values.map((value) => make("li", { text: value.is_absent ? "0: no directed path" : `${figure(value.effect)} (${figure(value.low)} to ${figure(value.high)}), adjusted for ${adjusted(value.adjustment)}` }))));
  }
  parts.push(make("pre", { class: "code", tabindex: "0" }, make("code", { text: command })));
  return parts;
}
