// Reports in a real browser: they load in silence, do what they offer, take names for nothing but text, and stay fluid.
// `scripts/browser` starts it with the folder of the reports and that of the screenshots.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { listened, start, test, tests } from "./harness.mjs";

const [modules, reports, pictures] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(pictures, { recursive: true });

const { browser, axe } = await start(modules);
const addressOf = (name) => "file://" + join(reports, name + ".html");

/** A page that must stay silent and ask for nothing. */
async function open(name, options = {}) {
  const page = await listened(browser, options, (address) => /^(file|data|blob):/.test(address));
  await page.goto(addressOf(name));
  page.state = () => page.evaluate(() => window.plackettReport.state());
  page.done = async () => { assert.deepEqual(page.said, [], name); await page.context().close(); };
  return page;
}

const all = readdirSync(reports).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5));

await test("every report loads in silence, without a request, and with all its sections", async () => {
  for (const name of all) {
    const page = await open(name);
    assert.ok(await page.locator("h1").innerText());
    for (const link of await page.locator("nav a").all()) assert.equal(await page.locator(await link.getAttribute("href")).count(), 1);
    await page.done();
  }
});

await test("the slider of strength changes what is drawn, down to nothing and back", async () => {
  const page = await open("thirty-seven");
  const before = await page.state();
  const slider = page.locator(".pv-strength"), most = Number(await slider.getAttribute("max"));
  await slider.fill(String(Math.floor(most / 2)));
  const half = await page.state();
  assert.ok(half.edges < before.edges && half.edges > 0, JSON.stringify([before, half]));
  await slider.fill(String(most));
  // What the truth alone has is still drawn.
  await page.getByLabel("compare with the truth").uncheck();
  assert.equal((await page.state()).edges, 0);
  await slider.fill("0");
  assert.ok((await page.state()).edges >= half.edges);
  await page.done();
});

await test("the slider of support and the views change what is drawn", async () => {
  const page = await open("bootstrap");
  await page.getByLabel("compare with the truth").uncheck();
  const dag = (await page.state()).edges;
  await page.locator(".pv-support").fill("100");
  const sure = (await page.state()).edges;
  assert.ok(sure < dag, `${sure} of ${dag}`);
  await page.locator(".pv-support").fill("0");
  const pictures = [];
  for (const view of ["graph", "class", "consensus"]) {
    await page.getByLabel(view, { exact: true }).check();
    await page.waitForTimeout(120);
    pictures.push(await page.locator(".pv-canvas").evaluate((canvas) => canvas.toDataURL()));
    assert.match(await page.locator(".pv-panel h3").innerText(), new RegExp(view));
  }
  assert.equal(new Set(pictures).size, 3, "each view has a picture of its own");
  await page.done();
});

await test("search finds, and leads to parents, children, Markov blanket and fit", async () => {
  const page = await open("thirty-seven");
  await page.getByLabel("Find a column").fill("press");
  const found = await page.locator(".pv-found button").allInnerTexts();
  assert.ok(found.length > 0 && found.every((name) => name.toLowerCase().includes("press")), found.join());
  await page.keyboard.press("Enter");
  const text = await page.locator(".pv-panel").innerText();
  assert.equal((await page.state()).selected, found[0]);
  for (const part of [found[0], "Parents", "Children", "Markov blanket", "entropy explained"]) assert.ok(text.includes(part), part);
  await page.getByLabel("Find a column").fill("no such column");
  assert.match(await page.locator(".pv-found").innerText(), /nothing found/);
  await page.done();
});

await test("an edge tells its figures to the pointer", async () => {
  const page = await open("bootstrap");
  const frame = await page.locator(".pv-canvas").boundingBox();
  let text = "";
  for (let x = 20; x < frame.width && !text; x += 6) {
    for (let y = 60; y < frame.height && !text; y += 40) {
      await page.mouse.move(frame.x + x, frame.y + y);
      if (await page.locator(".pv-tooltip").isVisible()) text = await page.locator(".pv-tooltip").innerText();
    }
  }
  for (const part of ["→", "weight", "the score loses without it", "support", "this way", "other way"]) assert.ok(text.includes(part), part + " in " + text);
  await page.done();
});

await test("panning, zooming and dragging a node move what is seen", async () => {
  const page = await open("five");
  await page.locator(".pv-canvas").evaluate((canvas) => canvas.scrollIntoView({ block: "center" }));
  const frame = await page.locator(".pv-canvas").boundingBox(), middle = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const picture = () => page.locator(".pv-canvas").evaluate((canvas) => canvas.toDataURL());
  const still = await picture();
  await page.mouse.move(frame.x + 15, frame.y + 15);
  await page.mouse.down();
  await page.mouse.move(frame.x + 90, frame.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(60);
  assert.notEqual(await picture(), still);
  const { scale } = await page.state();
  await page.mouse.move(...middle);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await page.waitForTimeout(60);
  assert.ok((await page.state()).scale > scale);
  await page.done();
});

await test("everything is within reach of the keyboard", async () => {
  const page = await open("thirty-seven");
  await page.locator(".pv-canvas").focus();
  await page.keyboard.press("ArrowRight");
  const first = (await page.state()).selected;
  assert.ok(first);
  await page.keyboard.press("ArrowDown");
  const second = (await page.state()).selected;
  assert.notEqual(second, first, "a child of the first in the order");
  assert.match(await page.locator(".pv-live").innerText(), /Parents: .*Children: /);
  await page.keyboard.press("Enter");
  const near = await page.state();
  assert.ok(near.nodes < 37, "the neighborhood alone");
  await page.keyboard.press("Escape");
  assert.equal((await page.state()).nodes, 37);
  const scale = (await page.state()).scale;
  await page.keyboard.press("+");
  assert.ok((await page.state()).scale > scale);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.className), "pv-search");
  // Tab goes through every control and past the graph, with nothing that holds it.
  const seen = new Set();
  await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
  for (let at = 0; at < 60; at += 1) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement.className || document.activeElement.tagName));
  }
  for (const part of ["pv-search", "pv-strength", "pv-focus", "pv-canvas", "scroll"]) assert.ok(seen.has(part), part + " in " + [...seen].join());
  await page.done();
});

await test("controls have names, and the picture a description", async () => {
  const page = await open("bootstrap");
  const nameless = await page.evaluate(() => [...document.querySelectorAll("input, select, button, canvas[tabindex]")]
    .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() || (each.labels && [...each.labels].some((label) => label.textContent.trim()))))
    .map((each) => each.outerHTML));
  assert.deepEqual(nameless, []);
  assert.match(await page.locator(".pv-canvas").getAttribute("aria-label"), /nodes, .* edge/);
  const contrast = await page.evaluate(() => {
    const light = (color) => { const [r, g, b] = color.match(/\d+/g).slice(0, 3).map((part) => { const share = part / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll("p, dt, dd, td, th, a, h1, h2, label")].map((each) => { const ink = light(getComputedStyle(each).color); return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05); }).reduce((a, b) => Math.min(a, b));
  });
  assert.ok(contrast >= 4.5, `a contrast of ${contrast}`);
  await page.done();
});

await test("no rule of accessibility is broken, at two widths, light and dark", async () => {
  const broken = [];
  for (const name of all) for (const [width, colorScheme] of [[1280, "light"], [420, "dark"]]) {
    const page = await open(name, { viewport: { width, height: 900 }, colorScheme });
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { preload: false, resultTypes: ["violations"] }));
    for (const rule of found.violations) broken.push(`${name} at ${width}, ${colorScheme}: ${rule.impact}, ${rule.id}, as in ${rule.nodes.map((node) => node.html.slice(0, 160)).join(" and ")}`);
    await page.done();
  }
  assert.deepEqual(broken, []);
});

await test("names with markup are only text, in the page and in what is saved", async () => {
  const page = await open("hostile");
  const script = "<script>alert(1)</script>", image = "\"><img src=x onerror=alert(1)>";
  const text = await page.locator("#columns").innerText();
  assert.ok(text.includes(script) && text.includes(image));
  assert.equal(await page.locator("img").count(), 0);
  await page.getByLabel("Find a column").fill("alert");
  assert.deepEqual((await page.locator(".pv-found button").allInnerTexts()).sort(), [script, image].sort());
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".pv-panel").innerText(), /alert\(1\)/);
  const saved = await page.evaluate(() => { const svg = window.plackettReport.saveSvg(); const parsed = new DOMParser().parseFromString(svg, "image/svg+xml"); return [parsed.documentElement.nodeName, parsed.querySelectorAll("script, img, image").length, [...parsed.querySelectorAll("text")].map((each) => each.textContent)]; });
  assert.deepEqual(saved.slice(0, 2), ["svg", 0]);
  assert.ok(saved[2].some((name) => name.startsWith("<script>")));
  await page.waitForTimeout(200);
  await page.done();
});

await test("the policy lets no other script run", async () => {
  const page = await open("five");
  await page.evaluate(() => { const script = document.createElement("script"); script.textContent = "window.intruder = 1"; document.body.append(script); });
  assert.equal(await page.evaluate(() => window.intruder), undefined);
  assert.ok(page.said.some((text) => text.includes("Content Security Policy")));
  page.said.length = 0;
  await page.done();
});

await test("pictures are saved as SVG and PNG", async () => {
  const page = await open("five");
  for (const [label, ending] of [["Save as SVG", "svg"], ["Save as PNG", "png"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByLabel(label).click()]);
    assert.equal(download.suggestedFilename(), "graph." + ending);
    await download.saveAs(join(pictures, "saved." + ending));
  }
  await page.done();
});

await test("five hundred nodes stay fluid", async () => {
  const page = await open("five-hundred");
  const begun = await page.state();
  assert.ok(begun.nodes < 100 && begun.selected, "a neighborhood to begin with");
  await page.locator(".pv-focus").selectOption("0");
  assert.ok((await page.state()).nodes > 400);
  const { nodes, edges } = await page.state();
  const session = await page.context().newCDPSession(page);
  // Time of the page's own thread on the processor, which what else the machine does is no part of.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => (await session.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "TaskDuration").value;
  await page.evaluate(() => {
    window.strokes = 0;
    const stroke = CanvasRenderingContext2D.prototype.stroke;
    CanvasRenderingContext2D.prototype.stroke = function (...rest) { window.strokes += 1; return stroke.apply(this, rest); };
  });
  for (const move of ["pan", "zoom", "hover"]) {
    const [before, begun] = [await busy(), await page.state()];
    const strokes = await page.evaluate(async (move) => {
      const canvas = document.querySelector(".pv-canvas"), frame = canvas.getBoundingClientRect();
      const at = (step) => ({ clientX: frame.left + 200 + 5 * step, clientY: frame.top + 120 + 3 * step, pointerId: 1, bubbles: true });
      canvas.setPointerCapture = () => {};
      window.strokes = 0;
      if (move === "pan") canvas.dispatchEvent(new PointerEvent("pointerdown", at(0)));
      for (let step = 1; step <= 40; step += 1) {
        // Several events before a frame are one picture.
        for (let again = 0; again < 3; again += 1) {
          if (move === "pan" || move === "hover") canvas.dispatchEvent(new PointerEvent("pointermove", at(step + again / 3)));
          else canvas.dispatchEvent(new WheelEvent("wheel", { ...at(20), deltaY: step <= 20 ? -40 : 40, ctrlKey: true, cancelable: true }));
        }
        await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
      }
      if (move === "pan") canvas.dispatchEvent(new PointerEvent("pointerup", at(40)));
      return window.strokes;
    }, move);
    const frames = (await page.state()).frames - begun.frames, spent = 1000 * ((await busy()) - before) / 40;
    console.log(`      ${move}: ${frames} frames of ${Math.round(strokes / Math.max(frames, 1))} strokes on average, ${spent.toFixed(1)} ms of the processor each`);
    assert.ok(frames <= 42, `${move}: ${frames} frames for 40 moves`);
    assert.ok(strokes <= 42 * (nodes + edges + 50), `${move}: ${strokes} strokes for ${nodes} nodes and ${edges} edges`);
    assert.ok(spent < 33, `${move}: ${spent} ms of the processor for a frame`);
  }
  await page.getByLabel("Find a column").fill("x250");
  await page.keyboard.press("Enter");
  await page.locator(".pv-focus").selectOption("2");
  const near = await page.state();
  assert.ok(near.nodes > 2 && near.nodes < 200, `${near.nodes} nodes within 2 steps`);
  await page.done();
});

await test("it prints: the picture as it is seen, and every row of the tables", async () => {
  const page = await open("thirty-seven");
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  assert.ok(await page.locator(".pv-print svg").isVisible());
  assert.ok(!(await page.locator(".pv-bar").isVisible()));
  assert.equal(await page.locator("#edges .scroll").evaluate((each) => getComputedStyle(each).overflowY), "visible");
  await page.pdf({ path: join(pictures, "printed.pdf"), format: "A4" });
  await page.done();
});

for (const name of all) for (const colorScheme of ["light", "dark"]) for (const width of [1280, 420]) {
  const page = await open(name, { viewport: { width, height: 900 }, colorScheme });
  await page.waitForTimeout(150);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name} at ${width} is wider than the screen`);
  const stem = `${name}-${colorScheme}-${width}`;
  if (await page.locator("#graph").count()) {
    await page.locator("#graph").scrollIntoViewIfNeeded();
    await page.evaluate(() => document.getElementById("graph").scrollIntoView());
    await page.screenshot({ path: join(pictures, stem + ".png") });
  }
  if (colorScheme === "light") await page.screenshot({ path: join(pictures, stem + "-whole.png"), fullPage: true });
  await page.context().close();
}

await browser.close();
console.log(`${tests.passed} passed; pictures to look at are in ${pictures}`);
