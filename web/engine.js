/* The way to the computation: requests go to a worker, answers and progress come back. The worker is made from a text, so that it keeps to the
 * page's policy: it could not send anything anywhere either. In the page that is one file, text and module are parts of it. */

const WORKER = "worker.js", MODULE = "plackett.wasm";

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function compiled() {
  const inside = document.getElementById("inlined-module");
  if (inside) return WebAssembly.compile(await unpacked(inside.textContent));
  const answer = await fetch(MODULE);
  if (!answer.ok) throw new Error(`${MODULE} cannot be read (${answer.status})`);
  // Where a server does not know the type, all bytes first.
  return answer.headers.get("Content-Type") === "application/wasm" ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
}

async function script() {
  const inside = document.getElementById("inlined-worker");
  return inside ? JSON.parse(inside.textContent) : (await fetch(WORKER)).text();
}

export class Engine {
  constructor() {
    this.parts = Promise.all([compiled(), script()]);
    this.parts.catch(() => {});
    this.waiting = new Map();
    this.next = 1;
    this.worker = null;
    this.source = null;
    this.isRead = false;
    this.memory = 0;
    this.canPause = typeof WebAssembly.Suspending === "function" && typeof WebAssembly.promising === "function";
  }

  async #begin() {
    if (this.worker) return;
    const [module, text] = await this.parts;
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(address);
    this.worker = worker;
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => this.#drop(event.message || "the computation failed");
    worker.postMessage({ module });
    URL.revokeObjectURL(address);
  }

  #hear({ id, progress, answer, defect, memory }) {
    const waiting = this.waiting.get(id);
    if (defect) { this.#drop(defect); return; }
    if (memory) this.memory = memory;
    if (!waiting) return;
    if (progress) { if (waiting.progress) waiting.progress(progress); return; }
    this.waiting.delete(id);
    waiting.resolve(answer);
  }

  /** Ends the worker; what waits for it hears why. */
  #drop(reason) {
    if (this.worker) this.worker.terminate();
    this.worker = null;
    this.isRead = false;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    const memory = /memory|unreachable|RangeError/i.test(reason) && !/panicked/.test(reason);
    for (const { resolve } of waiting) resolve(reason === "stopped" ? { stopped: true } : {
      error: memory ? "the computation needed more memory than a browser gives: leave columns out, or take these data to the program" : `a defect of this page: ${reason}` });
  }

  async #send(request, bytes, progress) {
    await this.#begin();
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, { resolve, progress });
      this.worker.postMessage({ id, request, bytes });
    });
  }

  /** Asks for anything that needs no data. */
  ask(request) { return this.#send(request); }

  /** Takes other data: the computation begins anew, so that the memory of what was before is returned. */
  take(source) {
    if (this.source) this.#drop("stopped");
    this.source = source;
  }

  /** Reads the data, with these settings. */
  async read(settings, progress) {
    const { file, bytes, example, samples } = this.source;
    this.isRead = false;
    const request = example ? { do: "read", example, samples, settings } : { do: "read", file, settings };
    const answer = await this.#send(request, bytes, progress);
    this.isRead = !answer.error && !answer.stopped;
    this.readBy = settings;
    return answer;
  }

  /** Asks for something about the data, which are read again if the worker was ended. */
  async about(request, progress) {
    if (!this.isRead) {
      const answer = await this.read(this.readBy || {});
      if (answer.error) return answer;
    }
    return this.#send(request, undefined, progress);
  }

  /** Ends what is under way: with the best so far where the browser can, else at once. */
  stop() {
    if (this.canPause && this.worker) this.worker.postMessage({ stop: true });
    else this.#drop("stopped");
  }
}
