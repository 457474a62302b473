/* Small helpers: elements whose texts are texts, and files to save. */

/** Makes an element, as the report's viewer does. */
export const make = window.plackettElement;

export const byId = (id) => document.getElementById(id);

export function choice(label, value, options, change, attributes = {}) {
  const select = make("select", { "aria-label": label, ...attributes, onchange: () => change(select.value) },
    ...options.map(([name, text]) => make("option", { value: name, text, selected: name === value })));
  return select;
}

/** Offers a file to be saved. */
export function offer(name, text, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A list with an end: "a, b and 3 more". */
export function listed(names, most = 6) {
  return names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");
}

export const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
