/* Runs that can be repeated: all settings, and which data they were for, but no data. As a file, or within a link. */

const PREFIX = "#run=";

/** What a link and a settings file hold. */
export function recipe({ source, fingerprint, settings, resamples }) {
  const data = source.example ? { example: source.example, ...(source.samples ? { samples: source.samples } : {}) } : { file: source.file, fingerprint };
  return { plackett: "run", ...data, settings, ...(resamples ? { resamples } : {}) };
}

export function toLink(recipe) {
  const bytes = new TextEncoder().encode(JSON.stringify(recipe));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return location.href.split("#")[0] + PREFIX + text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** The recipe in the address, if there is one. */
export function fromAddress() {
  if (!location.hash.startsWith(PREFIX)) return null;
  try {
    const text = atob(location.hash.slice(PREFIX.length).replace(/-/g, "+").replace(/_/g, "/"));
    return check(JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0)))));
  } catch {
    return null;
  }
}

/** A recipe, or nothing if this is none. */
export function check(value) {
  const isText = (text) => text == null || typeof text === "string";
  const isOne = value && value.plackett === "run" && isText(value.file) && isText(value.example) && isText(value.fingerprint) && (value.file || value.example);
  return isOne && value.settings && typeof value.settings === "object" ? value : null;
}
