// The page of `web` in a real browser, beside the program on one thread: it does what it offers, gives the same answers, stays fluid, stops, takes hostile
// files for what they are, and sends nothing. `scripts/web --check` starts it with the folder of the tools, that of the page, the program, and
// the folder of the screenshots.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { listened, serve, start, test as run, tests } from "./harness.mjs";

const [modules, root, program, pictures] = process.argv.slice(2, 6).map((path) => resolve(path));
const wanted = process.argv[6];
const data = join(modules, "data", "web");
mkdirSync(pictures, { recursive: true });
mkdirSync(data, { recursive: true });

const { home, server } = await serve(root);
const { browser, axe } = await start(modules);

/** A page that must stay silent and ask for nothing but its own files. */
async function open({ address = home, ...options } = {}) {
  const page = await listened(browser, { acceptDownloads: true, ...options }, (asked) => asked.startsWith(home) || /^(data|blob|file):/.test(asked));
  await page.goto(address);
  page.state = () => page.evaluate(() => window.plackettPage.state());
  page.example = (name) => page.locator(`[data-example="${name}"]`).click();
  page.file = (path) => page.locator("#file").setInputFiles(path);
  /** Waits until it has come to rest. */
  page.rest = async (limit = 120000) => {
    await page.waitForFunction(() => { const now = window.plackettPage?.state(); return now && !now.isBusy && (now.result || !document.getElementById("error").hidden); }, null, { timeout: limit });
    return page.state();
  };
  page.done = async () => { assert.deepEqual(page.said, []); await page.context().close(); };
  return page;
}

const figures = {};
const test = (name, body) => run(name, body, wanted);

/** What the program says, on one thread. */
function native(...words) {
  const environment = { ...process.env, RAYON_NUM_THREADS: "1" };
  return JSON.parse(execFileSync(program, ["learn", ...words, "--json"], { env: environment, encoding: "utf8", maxBuffer: 2 ** 28 }));
}
const simulated = (name, ...words) => {
  const folder = join(data, name);
  if (!existsSync(join(folder, "data.csv"))) execFileSync(program, ["simulate", ...words, "--out", folder]);
  return join(folder, "data.csv");
};

/** Both say the same, to the last bit of the score and of every weight. How many local scores were looked at on the way is left out: drawing the
 * best graph so far looks at some more. */
function same(ours, theirs, what) {
  const essence = ({ method, score_name, score, order, edges, cpdag }) => ({ method, score_name, score, order, cpdag, edges: edges.map(({ from, to, weight }) => ({ from, to, weight })) });
  assert.deepEqual(essence(ours), essence(theirs), what);
  figures.comparedToTheLastBit = (figures.comparedToTheLastBit || 0) + 1;
}

/* ---- data of our own making ---------------------------------------------------------------------------------------------------- */

function random(seed) {
  let state = seed;
  return () => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return (state + 0.5) / 2 ** 32; };
}
const normal = (next) => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());

/** Numbers and categories side by side, some of them missing. */
function mixedFile(name, seed, rows, gaps) {
  const next = random(seed), lines = ["age,income,region,smoker,health"];
  for (let row = 0; row < rows; row += 1) {
    const age = 40 + 12 * normal(next), region = ["north", "south", "east"][Math.floor(3 * next())], smoker = next() < 0.2 + 0.3 * (region === "south") ? "yes" : "no";
    const income = 20 + 0.6 * age + 5 * (region === "north") + 6 * normal(next), health = 80 - 0.4 * age + 0.2 * income - 8 * (smoker === "yes") + 4 * normal(next);
    lines.push([age.toFixed(2), income.toFixed(2), region, smoker, health.toFixed(2)].map((value) => (next() < gaps ? "" : value)).join(","));
  }
  const path = join(data, name);
  writeFileSync(path, lines.join("\n") + "\n");
  return path;
}
const sem = (nodes, degree, rows, seed) => simulated(`sem-${nodes}-${degree}-${rows}-${seed}`, "sem", "--nodes", nodes, "--degree", degree, "--samples", rows, "--seed", seed);
const net = (name, rows, seed) => simulated(`${name}-${rows}-${seed}`, "network", name, "--samples", rows, "--seed", seed);

/** More files to compare, with missing values filled in by EM where there are any. */
const more = (process.env.WEB_FILES || "").split(":").filter(Boolean);

/* ---- tests --------------------------------------------------------------------------------------------------------------------- */

await test("every example is learned, as the program learns it", async () => {
  const page = await open();
  await page.waitForFunction(() => document.querySelectorAll("#examples option").length > 1);
  const others = await page.locator("#examples option").evaluateAll((options) => options.map((option) => option.value).filter(Boolean));
  for (const name of ["asia", "sachs", "sem", ...others]) {
    if (["asia", "sachs", "sem"].includes(name)) await page.example(name); else await page.locator("#examples").selectOption(name);
    const { result } = await page.rest();
    same(result, native("--example", name), name);
    assert.ok((await page.evaluate(() => window.plackettReport.state())).edges >= result.edges.length);
  }
  await page.done();
});

await test("the first graph of an example is there within two seconds of a cold load", async () => {
  const times = [];
  for (let at = 0; at < 3; at += 1) {
    const page = await open({ address: "about:blank" });
    const start = Date.now();
    await page.goto(home);
    await page.example("asia");
    await page.rest();
    times.push(Date.now() - start);
    await page.done();
  }
  figures.firstGraphMilliseconds = times;
  assert.ok(Math.min(...times) <= 2000, `${times} ms`);
});

await test("twenty data sets give what the program gives", async () => {
  const sets = [
    [sem(5, 1, 200, 1)], [sem(10, 2, 500, 2)], [sem(12, 4, 1000, 3)], [sem(20, 2, 1000, 4)], [sem(30, 1, 300, 5)], [sem(20, 4, 1000, 6), { score: "bic" }, ["--score", "bic"]],
    [sem(10, 2, 500, 7), { standardize: true }, ["--standardize"]], [sem(10, 1, 500, 8), { method: "pc" }, ["--method", "pc"]], [sem(8, 1, 300, 9), { score: "l1" }, ["--score", "l1"]],
    [sem(12, 2, 60, 10), { seed: 5 }, ["--seed", "5"]], [net("asia", 500, 1)], [net("asia", 5000, 2)], [net("sachs", 1000, 3)], [net("survey", 2000, 4), { score: "bdeu" }, ["--score", "bdeu"]],
    [net("child", 500, 5)], [net("alarm", 300, 6)], [net("insurance", 400, 7)], [mixedFile("mixed.csv", 1, 400, 0)],
    [mixedFile("gaps.csv", 2, 500, 0.05), { missing: "em" }, ["--missing", "em"]],
    [sem(9, 2, 400, 11), { knowledge: { tiers: [["x1", "x2", "x3"], ["x4", "x5"]], forbidden: [["x6", "x7"]] } }, ["--tiers", "x1 x2 x3; x4 x5", "--forbid", "x6,x7"]],
  ];
  assert.equal(sets.length, 20);
  const page = await open();
  for (const [path, settings = {}, words = []] of sets) {
    const bytes = [...readFileSync(path)], name = path.split("/").slice(-2).join("/");
    const answer = await page.evaluate(async ([bytes, settings]) => {
      const { engine } = window.plackettPage;
      engine.take({ file: "data.csv", bytes: new Uint8Array(bytes).buffer });
      const read = await engine.read(settings);
      return read.error || read.complaint ? read : engine.about({ do: "learn", settings });
    }, [bytes, settings]);
    assert.ok(answer.result, `${name}: ${answer.error || answer.complaint}`);
    same(answer.result, native(path, ...words), name);
  }
  await page.done();
});

/** Learns a file, while frames are counted; gives the seconds and the longest wait for a frame. */
async function timed(path) {
  const page = await open();
  await page.evaluate(() => {
    window.longest = 0;
    let last = performance.now();
    const frame = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
  });
  await page.file(path);
  const { result } = await page.rest(300000);
  const longest = await page.evaluate(() => window.longest);
  await page.done();
  return { result, longest };
}

if (more.length) await test("files named in WEB_FILES give what the program gives", async () => {
  const page = await open();
  for (const path of more) {
    await page.file(path);
    await page.waitForFunction((name) => { const now = window.plackettPage.state(); return !now.isBusy && now.overview?.source === name && (now.result || now.overview.faults.length); }, path.split("/").pop(), { timeout: 300000 });
    const words = [];
    if ((await page.state()).overview.faults.length) {
      await page.locator("#faults button", { hasText: "EM" }).click();
      await page.waitForFunction(() => !window.plackettPage.state().isBusy && !window.plackettPage.state().overview.faults.length);
      await page.locator("#learn").click();
      words.push("--missing", "em");
    }
    same((await page.rest()).result, native(path, ...words), path.split("/").pop());
  }
  await page.done();
});

for (const [name, path] of [["50 columns with 1,000 rows", () => sem(50, 4, 1000, 1)], ["ALARM with 20,000 rows", () => net("alarm", 20000, 1)]]) {
  await test(`${name} take at most three times as long as the program on one thread, and the page stays fluid`, async () => {
    const file = path(), theirs = [native(file), native(file)], ours = [await timed(file), await timed(file)];
    same(ours[0].result, theirs[0], name);
    const [page, program] = [ours.map(({ result }) => result.seconds), theirs.map(({ seconds }) => seconds)].map((times) => Math.min(...times));
    const longest = Math.min(...ours.map(({ longest }) => longest));
    figures[name] = { page, program, times: page / program, longestFrameMilliseconds: Math.round(longest) };
    assert.ok(page <= 3 * program, `${page} s against ${program} s`);
    assert.ok(longest < 250, `a frame took ${longest} ms`);
  });
}

await test("a real table of numbers and categories with missing values: the fault has a way out, and the graph is the program's", async () => {
  const file = mixedFile("people.csv", 3, 600, 0.04), page = await open();
  await page.file(file);
  await page.locator("#faults button", { hasText: "EM" }).waitFor();
  const refused = spawnSync(program, ["learn", file], { encoding: "utf8" });
  assert.equal(refused.status, 2);
  const own = await page.locator("#error").innerText(), first = own.split("\n")[0].replace("people.csv", "");
  assert.ok(refused.stderr.includes(first), `${own}\nagainst\n${refused.stderr}`);
  await page.locator("#faults button", { hasText: "EM" }).click();
  await page.waitForFunction(() => document.getElementById("error").hidden && !window.plackettPage.state().isBusy);
  await page.locator("#learn").click();
  const { result } = await page.rest();
  same(result, native(file, "--missing", "em"), "people");
  const command = await page.locator("#share code").first().textContent();
  assert.equal(command, "plackett learn people.csv --missing em");
  await page.done();
});

await test("a run is stopped, with the best so far drawn before and kept after", async () => {
  const page = await open();
  await page.file(sem(120, 6, 1000, 1));
  await page.waitForFunction(() => !document.getElementById("running").hidden && window.plackettPage.state().overview);
  await page.waitForFunction(() => /best graph so far/.test(document.getElementById("result-lead").textContent), null, { timeout: 60000 });
  // Measured in the page: from the click to the moment that the last drawing is there.
  await page.evaluate(() => {
    document.getElementById("stop").addEventListener("click", () => { window.clicked = performance.now(); }, { capture: true });
    new MutationObserver(() => { if (document.getElementById("running").hidden) window.ended ??= performance.now(); }).observe(document.getElementById("running"), { attributes: true });
  });
  await page.locator("#stop").click();
  const { result } = await page.rest();
  figures.stopMilliseconds = await page.evaluate(() => Math.round(window.ended - window.clicked));
  assert.equal(result.status, "interrupted");
  assert.ok(result.edges.length > 100 && figures.stopMilliseconds < 10000, JSON.stringify([result.edges.length, figures.stopMilliseconds]));
  await page.done();
});

await test("a browser that cannot put WebAssembly aside learns the same, and stops at once with the last drawing", async () => {
  const page = await open({ address: "about:blank" });
  const without = "delete WebAssembly.Suspending;\n";
  await page.addInitScript(without);
  await page.route("**/worker.js", async (route) => { const answer = await route.fetch(); await route.fulfill({ response: answer, body: without + await answer.text() }); });
  await page.goto(home);
  await page.file(sem(12, 2, 60, 10));
  same((await page.rest()).result, native(sem(12, 2, 60, 10)), "without");
  await page.file(sem(120, 6, 1000, 1));
  await page.waitForFunction(() => /best graph so far/.test(document.getElementById("result-lead").textContent), null, { timeout: 60000 });
  await page.locator("#stop").click();
  await page.waitForFunction(() => !window.plackettPage.state().isBusy);
  assert.ok((await page.evaluate(() => window.plackettReport.state())).nodes > 0);
  // The data are read again when they are needed.
  await page.example("asia");
  assert.equal((await page.rest()).result.edges.length, 8);
  await page.done();
});

await test("columns are left out and change their kinds, and the command says so", async () => {
  const page = await open();
  await page.file(mixedFile("mixed.csv", 1, 400, 0));
  await page.rest();
  await page.getByLabel("Leave out region").click();
  await page.getByLabel("Take region back in").waitFor();
  await page.locator("#learn").click();
  const { result } = await page.rest();
  assert.equal(result.order.length, 4);
  assert.match(await page.locator("#share code").first().textContent(), /--drop region/);
  await page.getByLabel("Take region back in").click();
  await page.waitForFunction(() => window.plackettPage.state().overview.columns.length === 5);
  await page.done();
});

await test("what is known is said by tiers, by a form and on the graph, and the graph keeps it", async () => {
  const page = await open();
  await page.example("sachs");
  const before = (await page.rest()).result, { from, to } = before.edges[0];
  await page.evaluate(([from, to]) => window.plackettReport.selectEdge(from, to), [from, to]);
  await page.locator(".pv-panel").getByRole("button", { name: `${from} → ${to} must not be there`, exact: true }).click();
  await page.locator(".pv-panel").getByRole("button", { name: `${to} → ${from} must not be there`, exact: true }).click();
  await page.locator(".pv-panel").getByRole("button", { name: "Learn again" }).click();
  await page.waitForFunction(() => !window.plackettPage.state().isBusy && window.plackettPage.state().settings.knowledge?.forbidden?.length === 2);
  const after = (await page.rest()).result;
  assert.ok(!after.edges.some((edge) => (edge.from === from && edge.to === to) || (edge.from === to && edge.to === from)));
  await page.locator("#tiers summary").click();
  const child = after.edges[1].to, cause = after.edges[1].from;
  await page.getByLabel(`Tier of ${child}`, { exact: true }).selectOption("0");
  await page.getByLabel(`Tier of ${cause}`, { exact: true }).selectOption("1");
  await page.locator("#learn").click();
  const tiered = (await page.rest()).result;
  assert.ok(!tiered.edges.some((edge) => edge.from === cause && edge.to === child));
  // By dragging, too.
  await page.locator("li.chip", { hasText: cause }).first().dragTo(page.locator(".tier-frame").first());
  assert.deepEqual((await page.state()).settings.knowledge.tiers, [[child, cause]]);
  assert.match(await page.locator("#of-knowledge").innerText(), /forbidden|must not|tier/i);
  await page.done();
});

await test("the bootstrap gives the program's support", async () => {
  const page = await open();
  const file = sem(8, 2, 150, 3);
  await page.file(file);
  await page.rest();
  await page.getByLabel("Resamples").fill("20");
  await page.locator("#resample").click();
  await page.waitForFunction(() => window.plackettPage.state().result?.replicates === 20);
  const { result } = await page.state(), theirs = native(file, "--bootstrap", "20");
  const key = ({ from, to }) => [from, to].sort().join(" "), ours = new Map(result.support.map((pair) => [key(pair), pair.adjacent]));
  assert.equal(ours.size, theirs.support.length);
  for (const pair of theirs.support) assert.equal(ours.get(key(pair)), pair.adjacent);
  assert.ok(await page.locator(".pv-support").count());
  await page.done();
});

await test("an effect is the program's", async () => {
  const page = await open();
  const file = sem(8, 2, 300, 5);
  await page.file(file);
  const { result } = await page.rest(), { from, to } = result.edges[0];
  await page.locator("#effect summary").click();
  await page.locator("#effect").getByLabel("Cause").selectOption(from);
  await page.locator("#effect").getByLabel("Outcome").selectOption(to);
  await page.locator("#effect").getByRole("button", { name: "Ask" }).click();
  await page.locator("#effect .code").waitFor();
  const told = await page.locator("#effect .answer").innerText();
  execFileSync(program, ["learn", file, "--out", join(data, "effect")]);
  const theirs = JSON.parse(execFileSync(program, ["effect", join(data, "effect", "graph.json"), file, "--from", from, "--to", to, "--json"], { encoding: "utf8" }));
  assert.ok(told.includes((theirs.effect ?? theirs.low).toFixed(4)), `${told} against ${JSON.stringify(theirs)}`);
  await page.done();
});

await test("everything can be saved, and a link and a settings file repeat the run without the data", async () => {
  const page = await open();
  const file = sem(8, 2, 300, 5);
  await page.file(file);
  const { result } = await page.rest();
  const saved = async (click) => {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    return readFileSync(await download.path(), "utf8");
  };
  const button = (name) => () => page.locator("#saving").getByRole("button", { name, exact: true }).click();
  const files = {};
  for (const name of ["report", "JSON", "CSV", "DOT", "GraphML", "SVG", "PNG", "settings"]) files[name] = await saved(button(name));
  execFileSync(program, ["learn", file, "--report", join(data, "report.html")]);
  const counted = (text) => text.replace(/(<dt>Local scores<\/dt><dd>)[0-9,]+/, "$1");
  const report = counted(readFileSync(join(data, "report.html"), "utf8").replaceAll(file, "data.csv"));
  files.report = counted(files.report);
  const apart = [...report].findIndex((sign, at) => sign !== files.report[at]);
  assert.equal(apart, -1, `the reports differ: ${report.slice(apart - 60, apart + 60)}\nagainst\n${files.report.slice(apart - 60, apart + 60)}`);
  assert.equal(files.report.length, report.length);
  writeFileSync(join(data, "saved.json"), files.JSON);
  writeFileSync(join(data, "saved.graphml"), files.GraphML);
  execFileSync(program, ["evaluate", join(data, "saved.json"), join(data, "saved.graphml")]);
  assert.ok(files.DOT.startsWith("digraph") && files.SVG.startsWith("<svg") && files.PNG.length > 1000);
  const link = await page.getByLabel("A link that repeats this run").inputValue();
  const told = JSON.parse(files.settings);
  assert.equal(told.file, "data.csv");
  assert.ok(!JSON.stringify(told).includes(readFileSync(file, "utf8").split("\n")[1].slice(0, 12)));
  await page.done();
  const other = await open({ address: link });
  assert.match(await other.locator("#wanted").innerText(), /data\.csv/);
  await other.file(file);
  same((await other.rest()).result, result, "by the link");
  await other.done();
  const example = await open();
  await example.example("asia");
  await example.rest();
  const repeat = await example.getByLabel("A link that repeats this run").inputValue();
  await example.done();
  const again = await open({ address: repeat });
  assert.equal((await again.rest()).result.edges.length, 8);
  await again.done();
});

await test("hostile files get the program's refusal, and no script runs", async () => {
  const names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "${plain}", "a</script><!--"];
  const next = random(7), rows = Array.from({ length: 200 }, () => { const a = normal(next), b = a + normal(next), c = b - a + normal(next); return [a, b, c, 2 * c + normal(next)].join(","); });
  const markup = join(data, "markup.csv");
  writeFileSync(markup, names.map((name) => '"' + name.replaceAll('"', '""') + '"').join(",") + "\n" + rows.join("\n") + "\n");
  const page = await open();
  await page.file(markup);
  same((await page.rest()).result, native(markup), "markup");
  assert.equal(await page.locator("#sections script, #sections img, #column-table img").count(), 0);
  assert.ok((await page.locator("#column-table").innerText()).includes(names[0]));
  const bad = { "binary.csv": Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 197) % 256)), "line.csv": "just one line of words", "empty.csv": "", "ragged.csv": "a,b\n1,2\n3\n", "one.csv": "a\n1\n2\n",
    "page.html": "<html><script>alert(1)</script></html>", "knowledge.txt": "/knowledge\naddtemporal\n1 a\n", "notzip.xlsx": "PK\u0003\u0004 nothing", "bad.csv.gz": Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]) };
  for (const [name, content] of Object.entries(bad)) {
    const path = join(data, name);
    writeFileSync(path, content);
    await page.file(path);
    await page.waitForFunction((name) => !window.plackettPage.state().isBusy && document.getElementById("error").textContent.includes(name), name);
    const own = (await page.locator("#error").innerText()).trim().split("\n")[0], refused = spawnSync(program, ["learn", path], { encoding: "utf8" });
    assert.equal(refused.status === 0, false, name);
    const theirs = refused.stderr.replaceAll(path, name);
    assert.ok(theirs.includes(own), `${name}: ${own}\nagainst\n${theirs}`);
  }
  await page.done();
});

await test("a file of 50 MB is read, and one packed by gzip", async () => {
  const path = join(data, "large.csv");
  if (!existsSync(path)) {
    const next = random(9), head = Array.from({ length: 10 }, (_, at) => `v${at}`).join(","), lines = [head];
    for (let row = 0, size = 0; size < 50e6; row += 1) { const x = Array.from({ length: 10 }, () => normal(next)); x[3] += x[1]; x[7] -= x[3]; const line = x.map((value) => value.toFixed(6)).join(","); lines.push(line); size += line.length + 1; }
    writeFileSync(path, lines.join("\n"));
    writeFileSync(path + ".gz", gzipSync(readFileSync(path), { level: 1 }));
  }
  for (const file of [path, path + ".gz"]) {
    const page = await open(), start = Date.now();
    await page.file(file);
    const { result } = await page.rest(180000);
    figures[file.endsWith("gz") ? "50 MB by gzip, seconds" : "50 MB, seconds"] = (Date.now() - start) / 1000;
    assert.ok(result.edges.some(({ from, to }) => [from, to].sort().join() === "v1,v3"));
    await page.done();
  }
});

await test("an Excel workbook is read", async () => {
  const path = join(data, "book.xlsx");
  execFileSync("python3", ["-c", `
import zipfile, random, sys
random.seed(1)
rows = [["a", "b", "c"]] + [(lambda x: [x, x + random.gauss(0, 1), random.gauss(0, 1)])(random.gauss(0, 1)) for _ in range(120)]
cell = lambda value: f'<c t="inlineStr"><is><t>{value}</t></is></c>' if isinstance(value, str) else f"<c><v>{value}</v></c>"
sheet = "".join("<row>" + "".join(map(cell, row)) + "</row>" for row in rows)
ns = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as book:
    book.writestr("[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>')
    book.writestr("_rels/.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>')
    book.writestr("xl/workbook.xml", f'<workbook {ns} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="people" sheetId="1" r:id="r1"/></sheets></workbook>')
    book.writestr("xl/_rels/workbook.xml.rels", '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>')
    book.writestr("xl/worksheets/sheet1.xml", f"<worksheet {ns}><sheetData>{sheet}</sheetData></worksheet>")
`, path]);
  const page = await open();
  await page.file(path);
  const { result, overview } = await page.rest();
  assert.match(overview.notes[0], /people/);
  same(result, native(path), "book");
  await page.done();
});

await test("nothing is asked for after the page has loaded, and the policy lets nothing out", async () => {
  const page = await open();
  await page.waitForFunction(() => document.getElementById("version").textContent);
  await page.waitForTimeout(500);
  const before = page.asked.length;
  await page.example("asia");
  await page.rest();
  await page.file(sem(8, 2, 300, 5));
  await page.rest();
  const after = page.asked.slice(before).filter((address) => !address.startsWith("blob:"));
  assert.deepEqual(after, []);
  const refused = await page.evaluate(async () => {
    const tries = { fetch: () => fetch("https://example.com/"), image: () => new Promise((_, reject) => { const image = new Image(); image.onerror = () => reject(new Error("refused")); image.src = "https://example.com/a.png"; }) };
    const results = [];
    for (const [name, attempt] of Object.entries(tries)) results.push([name, await attempt().then(() => "went out", () => "refused")]);
    // The worker of the computation keeps to the policy as well.
    const worker = new Worker(URL.createObjectURL(new Blob(["fetch('https://example.com/').then(() => postMessage('went out'), () => postMessage('refused'))"])));
    results.push(["worker", await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); })]);
    return results;
  });
  assert.ok(refused.every(([, what]) => what === "refused"), JSON.stringify(refused));
  assert.ok(page.said.every((text) => /Content Security Policy|Refused|violates|example\.com/i.test(text)), page.said.join("\n"));
  page.said.length = 0;
  await page.done();
});

await test("it works without a network after the first visit", async () => {
  const context = await browser.newContext(), page = await context.newPage();
  await page.goto(home);
  await page.waitForFunction(() => navigator.serviceWorker.ready.then((ready) => ready.active?.state === "activated"));
  await context.setOffline(true);
  await page.reload();
  await page.locator('[data-example="asia"]').click();
  await page.waitForFunction(() => window.plackettPage.state().result?.edges.length === 8);
  await page.goto(home + "race.html");
  await page.waitForFunction(() => window.plackettRace.optimum > 0);
  await context.close();
});

await test("each page is also one file that opens from a folder", async () => {
  const page = await open({ address: "file://" + join(root, "plackett.html") });
  await page.example("asia");
  const { result } = await page.rest();
  assert.equal(result.edges.length, 8);
  await page.file(sem(8, 2, 300, 5));
  await page.rest();
  assert.ok(page.asked.every((address) => /^(file|blob|data):/.test(address)), page.asked.join("\n"));
  await page.done();
  const other = await open({ address: "file://" + join(root, "plackett-race.html") });
  await other.waitForFunction(() => window.plackettRace.optimum > 0);
  await other.done();
});

await test("memory is returned: ten runs need no more than two", async () => {
  const page = await open();
  const file = net("alarm", 2000, 8), sizes = [];
  for (let at = 0; at < 10; at += 1) {
    await page.evaluate(() => { document.getElementById("result-lead").textContent = ""; });
    if (at === 0) await page.file(file); else await page.locator("#learn").click();
    await page.waitForFunction(() => !window.plackettPage.state().isBusy && /edge/.test(document.getElementById("result-lead").textContent), null, { timeout: 60000 });
    sizes.push((await page.state()).memory);
  }
  figures.memoryOfTenRuns = sizes.map((size) => size / 2 ** 20);
  assert.ok(sizes[9] <= sizes[1] * 1.1 + 2 ** 20, sizes.join(" "));
  const canvases = await page.locator("#viewer canvas.pv-canvas").count();
  assert.equal(canvases, 1);
  await page.done();
});

await test("a table of 200 columns does not kill the tab", async () => {
  const page = await open();
  await page.file(sem(200, 2, 1000, 1));
  await page.waitForFunction(() => !window.plackettPage.state().isBusy && window.plackettPage.state().overview, null, { timeout: 60000 });
  const start = Date.now();
  await page.locator("#learn").click();
  const { result, memory } = await page.rest(300000);
  figures["200 columns"] = { seconds: (Date.now() - start) / 1000, edges: result.edges.length, mebibytes: memory / 2 ** 20 };
  assert.ok(result.edges.length > 150);
  await page.done();
});

await test("the race runs, its sliders begin it anew, and RELAX has less variance than REINFORCE", async () => {
  const page = await open({ address: home + "race.html" });
  await page.locator("#go").click();
  await page.waitForFunction(() => window.plackettRace.steps >= 3000, null, { timeout: 60000 });
  await page.locator("#go").click();
  const last = await page.evaluate(() => Object.fromEntries(Object.entries(window.plackettRace.points).map(([name, points]) => [name, points[points.length - 1]])));
  assert.equal(Object.keys(last).length, 5);
  assert.ok(last.relax.log_grad_variance < last.reinforce.log_grad_variance - 1, JSON.stringify(last));
  await page.locator("#items").fill("5");
  await page.waitForFunction(() => window.plackettRace.steps === 0 && Object.keys(window.plackettRace.points).length === 5);
  await page.done();
});

await test("everything is within reach of the keyboard", async () => {
  const page = await open();
  const reach = async (test, most = 60) => {
    for (let at = 0; at < most; at += 1) { await page.keyboard.press("Tab"); if (await page.evaluate(test)) return; }
    assert.fail(`not reached: ${test}`);
  };
  await reach(() => document.activeElement.id === "file");
  await reach(() => document.activeElement.dataset.example === "asia");
  await page.keyboard.press("Enter");
  await page.rest();
  await reach(() => document.activeElement.getAttribute("aria-label") === "Leave out asia");
  await reach(() => document.activeElement.id === "learn");
  await reach(() => document.activeElement.className === "pv-canvas");
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.evaluate(() => window.plackettReport.state())).selected);
  await reach(() => document.activeElement.textContent === "does not cause it");
  await page.keyboard.press("Enter");
  assert.equal((await page.state()).settings.knowledge.forbidden.length, 1);
  await reach(() => document.activeElement.textContent === "report");
  await page.done();
});

for (const scheme of ["light", "dark"]) {
  for (const [size, viewport] of [["desktop", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
    await test(`contrast and labels in ${scheme} at the width of a ${size}, and pictures to look at`, async () => {
      for (const address of ["", "race.html"]) {
        const page = await open({ address: home + address, colorScheme: scheme, viewport });
        if (address) {
          await page.locator("#go").click();
          await page.waitForFunction(() => window.plackettRace.steps >= 2000, null, { timeout: 60000 });
          await page.locator("#go").click();
        } else {
          await page.screenshot({ path: join(pictures, `page-empty-${scheme}-${size}.png`) });
          await page.file(mixedFile("mixed.csv", 1, 400, 0));
          await page.rest();
          for (const summary of await page.locator("#tiers summary, #statements summary, #effect summary, #share summary, #learning summary").all()) await summary.click();
          await page.evaluate(() => window.plackettReport.select("income"));
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 1, `${address || "page"} is ${wide} pixels too wide`);
        await page.screenshot({ path: join(pictures, `${address ? "race" : "page"}-${scheme}-${size}.png`), fullPage: true });
        await page.addScriptTag({ content: axe }).catch(() => page.evaluate(axe));
        const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 160))]), []);
        page.said = page.said.filter((text) => !/Content Security Policy/.test(text));
        await page.done();
      }
    });
  }
}

await test("all of it is under 1.5 MB, packed", async () => {
  const sizes = JSON.parse(readFileSync(join(root, "sizes.json"), "utf8"));
  figures.packedBytes = { all: Object.values(sizes).reduce((sum, size) => sum + size, 0), module: sizes["plackett.wasm"] };
  assert.ok(figures.packedBytes.all < 1.5e6, JSON.stringify(figures.packedBytes));
});

await browser.close();
server.close();
console.log(`${tests.passed} passed\n${JSON.stringify(figures, null, 2)}`);
