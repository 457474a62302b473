/* The computation: a worker that holds the module and answers one request after the other. Where the browser can put a WebAssembly call
 * aside (JavaScript promise integration), a search does so at every look and so hears of a wish to stop; elsewhere the page ends the worker. */
"use strict";
let inside = null, run = null, isStopped = false, current = 0, queue = Promise.resolve(), defect = null;

const canPause = typeof WebAssembly.Suspending === "function" && typeof WebAssembly.promising === "function";
const textAt = (place, length) => new TextDecoder().decode(new Uint8Array(inside.memory.buffer, place, length));
const tell = (place, length) => postMessage({ id: current, progress: JSON.parse(textAt(place, length)) });

const channel = new MessageChannel();
let wake = null;
channel.port1.onmessage = () => wake();
const pause = () => new Promise((resolve) => { wake = resolve; channel.port2.postMessage(0); });
async function lookAndPause(place, length) {
  tell(place, length);
  await pause();
  return isStopped ? 1 : 0;
}
function look(place, length) {
  tell(place, length);
  return 0;
}

async function begin(module) {
  const imports = { now: () => performance.now(), look: canPause ? new WebAssembly.Suspending(lookAndPause) : look,
    fail: (place, length) => { defect = textAt(place, length); } };
  const given = { plackett: imports };
  // What reads archives could also write them, and would then ask for random numbers. Nothing here does.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    given[from] ??= {};
    given[from][name] ??= () => { throw new Error(`${name} is not there`); };
  }
  const instance = await WebAssembly.instantiate(module, given);
  inside = instance.exports;
  run = canPause ? WebAssembly.promising(inside.answer) : async (length) => inside.answer(length);
}

async function answer({ id, request, bytes }) {
  current = id;
  isStopped = false;
  const text = new TextEncoder().encode(JSON.stringify(request)), extra = bytes ? bytes.byteLength : 0;
  const room = inside.room(text.length + extra);
  if (!room) return { error: "this browser has no room for a file of that size" };
  const memory = new Uint8Array(inside.memory.buffer, room, text.length + extra);
  memory.set(text);
  if (extra) memory.set(new Uint8Array(bytes), text.length);
  const place = await run(text.length);
  const found = textAt(place >>> 0, inside.answer_length() >>> 0);
  inside.forget();
  return JSON.parse(found);
}

onmessage = (event) => {
  const message = event.data;
  if (message.stop) { isStopped = true; return; }
  queue = queue.then(async () => {
    try {
      if (message.module) { await begin(message.module); return; }
      const found = await answer(message);
      postMessage({ id: message.id, answer: found, memory: inside.memory.buffer.byteLength });
    } catch (problem) {
      postMessage({ id: message.id, defect: defect || String(problem) });
    }
  });
};
