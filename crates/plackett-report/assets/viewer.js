/* The viewer of a graph: plain JavaScript without dependencies. plackettViewer(element, document, options) draws the document in the element
 * and returns { select, selectEdge, setView, setFocus, state, saveSvg, saveSvgFile, savePng, close } for whoever drives it. The document is described in
 * src/learned/document.rs. Of the options, ofNode(name) and ofEdge({ from, to, mark }) give elements that the panel shows below what it says.
 *
 * One function paints, with a pen: a canvas for the screen and for PNG, a text for SVG. Names are only ever set as text. */
(function () {
  "use strict";
  const element = window.plackettElement;

  const NODE_HEIGHT = 26, FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";
  const SMALL_SCALE = 0.62; // below it nodes are dots with as many names as there is room for
  const MOST_AT_ONCE = 300; // edges; of more, a neighborhood is shown first
  const MOST_FOUND = 12, STRETCH = 10, PICK = 7;
  const KEYS = "Arrow up and down go to a cause and an effect, left and right to the node before and after, plus and minus zoom, 0 shows " +
    "all, Enter shows the neighborhood, Escape leaves it.";

  function figure(value) {
    if (value == null || !isFinite(value)) return "";
    const size = Math.abs(value);
    return value === 0 || (size >= 0.01 && size < 1e5) ? value.toFixed(3) : value.toExponential(2);
  }
  const percent = (share) => Math.round(100 * share) + " %";
  const turned = (mark) => (mark === ">" ? "<" : mark === "<" ? ">" : mark);
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

  /* ---- geometry ------------------------------------------------------------------------------------------------------------------ */

  /** A smooth line through points, x as a cubic function of y; straight where two points are all there is. */
  function curve(points) {
    if (points.length === 2) return points;
    const last = points.length - 1;
    const slope = (at) => (points[at + 1][0] - points[at][0]) / ((points[at + 1][1] - points[at][1]) || 1);
    const tangent = (at) => at === 0 ? slope(0) : at === last ? slope(last - 1)
      : slope(at - 1) * slope(at) <= 0 ? 0 : (slope(at - 1) + slope(at)) / 2;
    const line = [points[0]];
    for (let at = 0; at < last; at += 1) {
      const [x0, y0] = points[at], [x1, y1] = points[at + 1], rise = y1 - y0;
      const m0 = tangent(at) * rise, m1 = tangent(at + 1) * rise;
      for (let step = 1; step <= STRETCH; step += 1) {
        const t = step / STRETCH, t2 = t * t, t3 = t2 * t;
        line.push([x0 * (2 * t3 - 3 * t2 + 1) + m0 * (t3 - 2 * t2 + t) + x1 * (3 * t2 - 2 * t3) + m1 * (t3 - t2), y0 + t * rise]);
      }
    }
    return line;
  }

  /** An arc between two points, bent aside so that it passes what lies between them. */
  function arc(from, to, bend) {
    const dx = to[0] - from[0], dy = to[1] - from[1], line = [];
    const control = [(from[0] + to[0]) / 2 - bend * dy, (from[1] + to[1]) / 2 + bend * dx];
    for (let step = 0; step <= STRETCH; step += 1) {
      const t = step / STRETCH, s = 1 - t;
      line.push([s * s * from[0] + 2 * s * t * control[0] + t * t * to[0], s * s * from[1] + 2 * s * t * control[1] + t * t * to[1]]);
    }
    return line;
  }

  /** The end of a line where it meets the node there, a stadium or a dot, with the direction it has there. */
  function meeting(line, fromEnd, center, half, radius) {
    const count = line.length, point = (at) => line[fromEnd ? count - 1 - at : at];
    const outside = ([x, y]) => Math.hypot(Math.max(Math.abs(x - center[0]) - half, 0), y - center[1]) - radius > 0;
    let at = 0;
    while (at < count - 1 && !outside(point(at))) at += 1;
    let inner = point(Math.max(at - 1, 0)), outer = point(at);
    for (let halving = 0; halving < 12; halving += 1) {
      const middle = [(inner[0] + outer[0]) / 2, (inner[1] + outer[1]) / 2];
      if (outside(middle)) outer = middle; else inner = middle;
    }
    const before = point(Math.min(at + 1, count - 1)), toward = before === outer ? point(at) : before;
    const length = Math.hypot(outer[0] - toward[0], outer[1] - toward[1]) || 1;
    return { tip: outer, at: fromEnd ? count - 1 - at : at, dx: (outer[0] - toward[0]) / length, dy: (outer[1] - toward[1]) / length };
  }

  function distance(point, line) {
    let least = Infinity;
    for (let at = 1; at < line.length; at += 1) {
      const [x0, y0] = line[at - 1], dx = line[at][0] - x0, dy = line[at][1] - y0;
      const t = clamp(((point[0] - x0) * dx + (point[1] - y0) * dy) / (dx * dx + dy * dy || 1), 0, 1);
      least = Math.min(least, Math.hypot(point[0] - x0 - t * dx, point[1] - y0 - t * dy));
    }
    return least;
  }

  /* ---- pens ---------------------------------------------------------------------------------------------------------------------- */

  function canvasPen(context) {
    return {
      line(points, color, width, dash, opacity) {
        context.globalAlpha = opacity;
        context.strokeStyle = color;
        context.lineWidth = width;
        context.setLineDash(dash);
        context.beginPath();
        context.moveTo(points[0][0], points[0][1]);
        for (let at = 1; at < points.length; at += 1) context.lineTo(points[at][0], points[at][1]);
        context.stroke();
      },
      area(points, color, opacity) {
        context.globalAlpha = opacity;
        context.fillStyle = color;
        context.beginPath();
        context.moveTo(points[0][0], points[0][1]);
        for (let at = 1; at < points.length; at += 1) context.lineTo(points[at][0], points[at][1]);
        context.fill();
      },
      box(x, y, width, height, radius, fill, stroke, line, opacity) {
        context.globalAlpha = opacity;
        context.setLineDash([]);
        context.beginPath();
        context.roundRect(x - width / 2, y - height / 2, width, height, radius);
        context.fillStyle = fill;
        context.fill();
        context.strokeStyle = stroke;
        context.lineWidth = line;
        context.stroke();
      },
      text(text, x, y, size, color, halo, opacity, weight) {
        context.globalAlpha = opacity;
        context.font = (weight || "") + " " + size + "px " + FONT;
        context.textAlign = "center";
        context.textBaseline = "middle";
        if (halo) {
          context.setLineDash([]);
          context.strokeStyle = halo;
          context.lineWidth = size / 4;
          context.lineJoin = "round";
          context.strokeText(text, x, y);
        }
        context.fillStyle = color;
        context.fillText(text, x, y);
      },
    };
  }

  function svgPen() {
    const parts = [], short = (value) => String(Math.round(value * 100) / 100);
    const escape = (text) => text.replace(/[&<>"']/g, (sign) => "&#" + sign.charCodeAt(0) + ";").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
    const path = (points) => points.map(([x, y], at) => (at ? "L" : "M") + short(x) + " " + short(y)).join("");
    const faint = (name, opacity) => (opacity < 1 ? ` ${name}-opacity="${short(opacity)}"` : "");
    return {
      parts,
      line: (points, color, width, dash, opacity) => parts.push(`<path d="${path(points)}" fill="none" stroke="${color}" stroke-width="${short(width)}"` +
        (dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "") + faint("stroke", opacity) + "/>"),
      area: (points, color, opacity) => parts.push(`<path d="${path(points)}Z" fill="${color}"${faint("fill", opacity)}/>`),
      box: (x, y, width, height, radius, fill, stroke, line, opacity) => parts.push(`<rect x="${short(x - width / 2)}" y="${short(y - height / 2)}" ` +
        `width="${short(width)}" height="${short(height)}" rx="${short(radius)}" fill="${fill}" stroke="${stroke}" stroke-width="${short(line)}"` +
        (opacity < 1 ? ` opacity="${short(opacity)}"` : "") + "/>"),
      text: (text, x, y, size, color, halo, opacity, weight) => parts.push(`<text x="${short(x)}" y="${short(y)}" font-size="${short(size)}" ` +
        `text-anchor="middle" dominant-baseline="central" fill="${color}"` + (halo ? ` stroke="${halo}" stroke-width="${short(size / 4)}" paint-order="stroke"` : "") +
        (weight ? ` font-weight="${weight}"` : "") + faint("fill", opacity) + `>${escape(text)}</text>`),
    };
  }

  /* ---- the viewer ---------------------------------------------------------------------------------------------------------------- */

  window.plackettViewer = function (root, graph, options = {}) {
    const closing = new AbortController(), signal = closing.signal;
    const nodes = graph.nodes.map((node, number) => ({ ...node, number, x0: node.x, y0: node.y, moved: false }));
    const edges = graph.edges.map((edge, number) => ({ ...edge, number, line: null }));
    const hasTruth = edges.some((edge) => edge.truth), hasSupport = edges.some((edge) => edge.support);
    const ranks = edges.filter((edge) => edge.rank != null).map((edge) => edge.rank).sort((a, b) => a - b);
    const strongest = ranks.length ? ranks[ranks.length - 1] : 1;
    const state = {
      view: "dag", strength: 0, support: 0, isolated: nodes.length <= 60, truth: hasTruth, labels: edges.length <= 40 ? "figures" : "none",
      selected: null, edge: null, focus: 0, hover: null, hoverEdge: null, matches: [], scale: 1, x: 0, y: 0,
    };
    const shown = { nodes: [], edges: [], byNode: nodes.map(() => []), isShown: nodes.map(() => false), focused: false };
    let pending = false, colors = {}, width = 0, height = 0, frames = 0;

    /* -- controls -- */
    const identity = "pv" + Math.random().toString(36).slice(2, 8);
    const canvas = element("canvas", { class: "pv-canvas", tabindex: "0", role: "application", "aria-roledescription": "graph", "aria-describedby": identity + "-keys" });
    const context = canvas.getContext("2d");
    const tooltip = element("div", { class: "pv-tooltip", hidden: true });
    const live = element("div", { class: "pv-live", role: "status", "aria-live": "polite" });
    const panel = element("aside", { class: "pv-panel", "aria-label": "What is chosen" });
    const legend = element("div", { class: "pv-legend" });
    const count = element("output", { class: "pv-count", "aria-live": "polite" });
    const found = element("ul", { class: "pv-found", hidden: true, "aria-label": "Columns found" });
    const search = element("input", { type: "search", class: "pv-search", placeholder: "Find a column", "aria-label": "Find a column", autocomplete: "off",
      oninput: () => find(search.value), onkeydown: (event) => {
        if (event.key === "Enter" && state.matches.length) { select(state.matches[0], true); closeFound(); canvas.focus(); event.preventDefault(); }
        if (event.key === "Escape") { search.value = ""; find(""); }
        if (event.key === "ArrowDown" && found.firstElementChild) { found.firstElementChild.firstElementChild.focus(); event.preventDefault(); }
      } });
    const views = element("fieldset", { class: "pv-views" }, element("legend", { text: "Show" }), ...graph.views.map((view) => {
      const input = element("input", { type: "radio", name: identity, value: view.id, checked: view.id === state.view, onchange: () => setView(view.id) });
      return element("label", { title: view.note }, input, view.name);
    }));
    const strengthText = element("output", { text: "all" });
    const strength = element("input", { type: "range", min: 0, max: Math.max(ranks.length, 0), value: 0, step: 1, class: "pv-strength", "aria-label": "Hide the weakest edges",
      oninput: () => { state.strength = Number(strength.value); refresh(); } });
    const supportText = element("output", { text: "0 %" });
    const support = element("input", { type: "range", min: 0, max: 100, value: 0, step: 1, class: "pv-support", "aria-label": "Least support in percent",
      oninput: () => { state.support = Number(support.value) / 100; refresh(); } });
    const steps = element("select", { class: "pv-focus", "aria-label": "How much to show", onchange: () => { setFocus(Number(steps.value)); } },
      element("option", { value: 0, text: "everything" }), element("option", { value: 1, text: "neighbors of the chosen" }),
      element("option", { value: 2, text: "within 2 steps" }), element("option", { value: 3, text: "within 3 steps" }));
    const box = (text, isOn, change) => {
      const input = element("input", { type: "checkbox", checked: isOn, onchange: () => { change(input.checked); refresh(); } });
      return element("label", {}, input, text);
    };
    const button = (text, label, act) => element("button", { type: "button", title: label, "aria-label": label, onclick: act, text });
    const labels = element("select", { "aria-label": "Numbers at edges", onchange: () => { state.labels = labels.value; draw(); } },
      element("option", { value: "none", text: "no numbers" }), element("option", { value: "figures", text: graph.linear ? "weights" : graph.strength + "s" }),
      hasSupport ? element("option", { value: "support", text: "support" }) : null);
    labels.value = state.labels;
    const bar = element("div", { class: "pv-bar" }, views,
      element("div", { class: "pv-group" }, search, found),
      ranks.length ? element("label", { class: "pv-slider" }, graph.strength + " at least ", strength, strengthText) : null,
      hasSupport ? element("label", { class: "pv-slider" }, "support at least ", support, supportText) : null,
      element("label", { class: "pv-group" }, "around ", steps), labels,
      box("nodes without edges", state.isolated, (isOn) => { state.isolated = isOn; }),
      hasTruth ? box("compare with the truth", state.truth, (isOn) => { state.truth = isOn; }) : null,
      element("div", { class: "pv-group pv-buttons" }, button("−", "Zoom out", () => zoom(1 / 1.3)), button("+", "Zoom in", () => zoom(1.3)),
        button("Fit", "Fit all into the frame", () => fit()), button("SVG", "Save as SVG", () => save("svg")), button("PNG", "Save as PNG", () => save("png"))));
    const stage = element("div", { class: "pv-stage" }, canvas, tooltip, count);
    const keys = element("p", { class: "pv-keys", id: identity + "-keys", text: "Drag to move, scroll with Ctrl or pinch to zoom, double-click a node for its neighborhood. With the keyboard: " + KEYS });
    const print = element("div", { class: "pv-print" });
    root.classList.add("pv");
    root.append(bar, element("div", { class: "pv-body" }, stage, panel), legend, keys, live, print);

    /* -- what is drawn -- */
    const mark = (edge) => edge[state.view];
    const verdict = (edge) => {
      const is = mark(edge);
      return !edge.truth ? (is ? "extra" : null) : !is ? "missing" : is === "-" || is === edge.truth ? "right" : "reversed";
    };
    function least() { return state.strength > 0 ? ranks[state.strength - 1] : -Infinity; }
    function isDrawn(edge) {
      if (!mark(edge)) return state.truth && Boolean(edge.truth);
      if (state.strength > 0 && !((edge.rank == null ? -Infinity : edge.rank) > least())) return false;
      return !(edge.support && edge.support[0] < state.support);
    }

    function refresh(keepPlaces) {
      let drawn = edges.filter(isDrawn);
      shown.byNode = nodes.map(() => []);
      for (const edge of drawn) { shown.byNode[edge.a].push(edge); shown.byNode[edge.b].push(edge); }
      const center = state.focus > 0 ? state.selected : null;
      shown.isShown = nodes.map((node, at) => center == null && (state.isolated || shown.byNode[at].length > 0));
      if (center != null) {
        let ring = [center];
        shown.isShown[center] = true;
        for (let step = 0; step < state.focus; step += 1) {
          const next = [];
          for (const at of ring) for (const edge of shown.byNode[at]) {
            const other = edge.a === at ? edge.b : edge.a;
            if (!shown.isShown[other]) { shown.isShown[other] = true; next.push(other); }
          }
          ring = next;
        }
        drawn = drawn.filter((edge) => shown.isShown[edge.a] && shown.isShown[edge.b]);
      }
      shown.nodes = nodes.filter((node) => shown.isShown[node.number]);
      shown.edges = drawn;
      if (!keepPlaces) place(center != null);
      strengthText.textContent = state.strength === 0 ? "all" : (ranks.length - state.strength) + " strongest";
      supportText.textContent = percent(state.support);
      steps.value = String(state.focus);
      const joined = shown.edges.filter((edge) => mark(edge)).length;
      count.textContent = shown.nodes.length + " of " + nodes.length + " nodes, " + joined + " edge" + (joined === 1 ? "" : "s");
      canvas.setAttribute("aria-label", graph.title + ": " + count.textContent);
      describe();
      explain();
      draw();
    }

    /** Puts nodes where the document has them, or those of a neighborhood closer together. */
    function place(isFocused) {
      const before = shown.focused;
      shown.focused = isFocused;
      for (const node of nodes) if (!node.moved || before !== isFocused) { node.x = node.x0; node.y = node.y0; node.moved = false; }
      if (isFocused) arrange(shown.nodes, shown.edges);
      for (const edge of edges) edge.line = null;
      if (isFocused || before) fit();
    }

    /** A small layered layout for a neighborhood: layers by the longest path, places by the mean of the neighbors. */
    function arrange(members, links) {
      const order = [...members].sort((a, b) => a.rank - b.rank), layer = new Map();
      const down = links.map((edge) => nodes[edge.a].rank < nodes[edge.b].rank ? [edge.a, edge.b] : [edge.b, edge.a]);
      for (const node of order) layer.set(node.number, 0);
      for (const node of order) for (const [from, to] of down) if (to === node.number) layer.set(to, Math.max(layer.get(to), layer.get(from) + 1));
      for (const node of [...order].reverse()) {
        const below = down.filter(([from]) => from === node.number).map(([, to]) => layer.get(to));
        const above = down.some(([, to]) => to === node.number);
        if (below.length && !above) layer.set(node.number, Math.min(...below) - 1);
      }
      const rows = new Map();
      for (const node of [...members].sort((a, b) => a.x0 - b.x0)) {
        const at = layer.get(node.number);
        if (!rows.has(at)) rows.set(at, []);
        rows.get(at).push(node);
      }
      const levels = [...rows.keys()].sort((a, b) => a - b), gap = 26;
      const widest = Math.max(...levels.map((at) => rows.get(at).length));
      const rise = clamp(70 + 3 * widest, 80, 220);
      const spread = (row) => {
        let x = 0;
        for (const node of row) { node.x = x + node.width / 2; x += node.width + gap; }
        for (const node of row) node.x -= (x - gap) / 2;
      };
      levels.forEach((at, level) => rows.get(at).forEach((node) => { node.level = level; node.y = level * rise; }));
      levels.forEach((at) => spread(rows.get(at)));
      const neighbors = new Map(members.map((node) => [node.number, []]));
      for (const [from, to] of down) { neighbors.get(from).push(nodes[to]); neighbors.get(to).push(nodes[from]); }
      for (let sweep = 0; sweep < 12; sweep += 1) {
        for (const at of sweep % 2 ? [...levels].reverse() : levels) {
          const row = rows.get(at), wish = new Map(row.map((node) => {
            const list = neighbors.get(node.number);
            return [node, list.length ? list.reduce((sum, other) => sum + other.x, 0) / list.length : node.x];
          }));
          row.sort((a, b) => wish.get(a) - wish.get(b));
          // Pools of nodes that would overlap move together to their common place.
          const pools = [];
          let offset = 0;
          row.forEach((node, index) => {
            offset += index ? (row[index - 1].width + node.width) / 2 + gap : 0;
            node.offset = offset;
            let pool = { sum: wish.get(node) - offset, size: 1 };
            while (pools.length && pools[pools.length - 1].sum / pools[pools.length - 1].size >= pool.sum / pool.size) {
              const last = pools.pop();
              pool = { sum: pool.sum + last.sum, size: pool.size + last.size };
            }
            pools.push(pool);
          });
          let index = 0;
          for (const pool of pools) for (let inside = 0; inside < pool.size; inside += 1, index += 1) row[index].x = pool.sum / pool.size + row[index].offset;
        }
      }
    }

    function lineOf(edge) {
      if (edge.line) return edge.line;
      const a = nodes[edge.a], b = nodes[edge.b], ends = [[a.x, a.y], [b.x, b.y]];
      const isInPlace = !shown.focused && !a.moved && !b.moved;
      if (isInPlace && edge.joints) edge.line = curve([ends[0], ...edge.joints, ends[1]]);
      else if (isInPlace && edge.dag) edge.line = ends;
      else if (shown.focused && Math.abs(a.level - b.level) === 1) edge.line = ends;
      else edge.line = arc(ends[0], ends[1], (graph.layered || shown.focused) ? 0.12 : 0.06);
      return edge.line;
    }

    function colorOf(edge) {
      if (state.truth) return colors[verdict(edge)] || colors.edge;
      return graph.linear && edge.weight < 0 ? colors.negative : colors.edge;
    }

    function paint(pen, scale, area, isExport) {
      const small = !isExport && scale < SMALL_SCALE, unit = 1 / scale;
      const chosen = state.selected, near = new Set();
      if (chosen != null) for (const edge of shown.byNode[chosen]) { near.add(edge.a); near.add(edge.b); }
      const dimming = chosen != null && !isExport && shown.nodes.length > 12;
      const isNear = (edge) => edge.a === chosen || edge.b === chosen;
      const lit = (edge) => edge === state.edge || edge.number === state.hoverEdge;
      const radius = small ? 4 * unit : NODE_HEIGHT / 2;
      const half = (node) => small ? 0 : Math.max(node.width / 2 - NODE_HEIGHT / 2, 0);
      const texts = [];
      const outOf = (line) => {
        const [a, b] = [line[0], line[line.length - 1]];
        return area && line.length === 2 && (Math.max(a[0], b[0]) < area[0] || Math.min(a[0], b[0]) > area[2] || Math.max(a[1], b[1]) < area[1] || Math.min(a[1], b[1]) > area[3]);
      };
      for (const edge of shown.edges) {
        const line = lineOf(edge);
        if (outOf(line)) continue;
        const is = mark(edge) || edge.truth, isMissing = !mark(edge);
        const share = edge.rank != null && strongest > 0 ? Math.sqrt(Math.max(edge.rank, 0) / strongest) : 0.3;
        let thick = 1 + 2.4 * share, opacity = 1;
        if (edge.support && !isMissing) opacity = 0.2 + 0.8 * edge.support[0];
        if (dimming && !isNear(edge)) opacity *= 0.13;
        else if (small && shown.edges.length > 150 && chosen == null) opacity *= 0.55;
        if (lit(edge)) { thick += 1.6; opacity = 1; }
        if (small) thick = Math.max(0.8, thick * 0.7) * unit;
        const color = lit(edge) ? colors.accent : colorOf(edge);
        const size = (small ? 7 * unit : 9 + thick);
        const dash = isMissing ? [2 * (small ? unit : 1), 4 * (small ? unit : 1)] : edge.direction === "open" && state.view === "dag" ? [6 * (small ? unit : 1), 4 * (small ? unit : 1)]
          : edge.direction === "doubtful" && state.view === "dag" ? [2 * (small ? unit : 1), 3 * (small ? unit : 1)] : [];
        const start = meeting(line, false, line[0], half(nodes[edge.a]), radius), end = meeting(line, true, line[line.length - 1], half(nodes[edge.b]), radius);
        // Nodes that overlap leave no room for a line.
        if ((end.tip[0] - start.tip[0]) * (line[line.length - 1][0] - line[0][0]) + (end.tip[1] - start.tip[1]) * (line[line.length - 1][1] - line[0][1]) <= 0) continue;
        const head = is === ">" ? end : is === "<" ? start : null;
        const base = head && [head.tip[0] - head.dx * size, head.tip[1] - head.dy * size];
        const middle = start.at <= end.at ? line.slice(start.at, end.at + 1) : [];
        const shaft = [is === "<" ? base : start.tip, ...middle.filter((point) => !head || Math.hypot(point[0] - head.tip[0], point[1] - head.tip[1]) > size), is === ">" ? base : end.tip];
        pen.line(shaft, color, thick, dash, opacity);
        if (head) {
          const wide = size * 0.42;
          pen.area([head.tip, [base[0] - head.dy * wide, base[1] + head.dx * wide], [base[0] + head.dy * wide, base[1] - head.dx * wide]], color, opacity);
        }
        if (!small && state.labels !== "none" && opacity > 0.15 && !isMissing) texts.push([edge, line]);
      }
      const taken = [];
      if (!small) for (const [edge, line] of texts) {
        const text = state.labels === "support" ? (edge.support ? percent(edge.support[0]) : "")
          : edge.weight == null ? "" : graph.linear ? (edge.standardized == null ? edge.weight : edge.standardized).toFixed(2) : edge.rank.toPrecision(3).replace(/e\+?/, "e");
        if (!text) continue;
        for (const share of [0.5, 0.38, 0.62, 0.28, 0.72]) {
          const at = share * (line.length - 1), low = Math.floor(at), high = Math.min(low + 1, line.length - 1), t = at - low;
          const x = line[low][0] * (1 - t) + line[high][0] * t, y = line[low][1] * (1 - t) + line[high][1] * t;
          if (taken.some((other) => Math.abs(other[0] - x) < 26 && Math.abs(other[1] - y) < 12)) continue;
          taken.push([x, y]);
          pen.text(text, x, y, 10, colors.soft, colors.paper, 1);
          break;
        }
      }
      if (small) paintDots(pen, unit, area, near, dimming);
      else for (const node of shown.nodes) {
        if (area && (node.x + node.width < area[0] || node.x - node.width > area[2] || node.y < area[1] - 30 || node.y > area[3] + 30)) continue;
        const is = looks(node, near, dimming);
        pen.box(node.x, node.y, node.width, NODE_HEIGHT, NODE_HEIGHT / 2, is.fill, is.stroke, is.line, is.opacity);
        pen.text(short(node), node.x, node.y + 0.5, 12, colors.text, null, is.opacity, is.weight);
      }
    }

    function looks(node, near, dimming) {
      const isChosen = node.number === state.selected, isFound = state.matches.includes(node.number), isOver = node.number === state.hover;
      const opacity = dimming && !isChosen && !near.has(node.number) && !isFound ? 0.25 : 1;
      return { fill: isChosen ? colors.chosen : isFound ? colors.found : colors.node, stroke: isChosen || isOver ? colors.accent : colors.border,
        line: isChosen || isOver ? 2.2 : 1.2, opacity, weight: isChosen ? "600" : "" };
    }

    /** Dots, and the names of those that matter most as far as there is room. */
    function paintDots(pen, unit, area, near, dimming) {
      const place = [], size = 11.5, room = new Map(), cell = 60;
      const degree = (node) => shown.byNode[node.number].length;
      const weight = (node) => (node.number === state.selected ? 1e6 : 0) + (node.number === state.hover ? 1e5 : 0) + (state.matches.includes(node.number) ? 1e4 : 0) +
        (near.has(node.number) ? 1e3 : 0) + degree(node);
      for (const node of shown.nodes) {
        if (area && (node.x < area[0] || node.x > area[2] || node.y < area[1] || node.y > area[3])) continue;
        const is = looks(node, near, dimming), round = (degree(node) > 6 ? 5 : 4) * (node.number === state.selected ? 1.6 : 1) * unit;
        pen.box(node.x, node.y, 2 * round, 2 * round, round, node.number === state.selected ? colors.accent : state.matches.includes(node.number) ? colors.found : colors.dot, is.stroke, is.line * unit * 0.6, is.opacity);
        place.push([node, is.opacity]);
      }
      place.sort((a, b) => weight(b[0]) - weight(a[0]) || a[0].number - b[0].number);
      for (const [node, opacity] of place) {
        if (opacity < 1 && dimming) continue;
        const text = short(node), half = text.length * 3.3 * unit, x = node.x, y = node.y - 12 * unit;
        const cells = [], left = Math.floor((x - half) / (cell * unit)), right = Math.floor((x + half) / (cell * unit));
        const top = Math.floor((y - 8 * unit) / (cell * unit)), bottom = Math.floor((y + 8 * unit) / (cell * unit));
        for (let i = left; i <= right; i += 1) for (let j = top; j <= bottom; j += 1) cells.push(i + ":" + j);
        const hits = cells.some((key) => (room.get(key) || []).some(([ox, oy, oh]) => Math.abs(ox - x) < oh + half + 4 * unit && Math.abs(oy - y) < 14 * unit));
        if (hits) continue;
        for (const key of cells) { if (!room.has(key)) room.set(key, []); room.get(key).push([x, y, half]); }
        pen.text(text, x, y, size * unit, colors.text, colors.paper, 1, node.number === state.selected ? "600" : "");
      }
    }

    const short = (node) => (node.name.length > 24 ? [...node.name].slice(0, 23).join("") + "…" : node.name);

    function draw() {
      if (pending) return;
      pending = true;
      requestAnimationFrame(() => {
        pending = false;
        frames += 1;
        const ratio = window.devicePixelRatio || 1;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
          canvas.width = Math.round(width * ratio);
          canvas.height = Math.round(height * ratio);
        }
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.globalAlpha = 1;
        context.fillStyle = colors.paper;
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.setTransform(ratio * state.scale, 0, 0, ratio * state.scale, ratio * state.x, ratio * state.y);
        paint(canvasPen(context), state.scale, [-state.x / state.scale, -state.y / state.scale, (width - state.x) / state.scale, (height - state.y) / state.scale], false);
      });
    }

    /* -- seeing -- */
    function bounds() {
      const all = shown.nodes.length ? shown.nodes : nodes;
      let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
      for (const node of all) {
        left = Math.min(left, node.x - node.width / 2); right = Math.max(right, node.x + node.width / 2);
        top = Math.min(top, node.y - NODE_HEIGHT); bottom = Math.max(bottom, node.y + NODE_HEIGHT);
      }
      for (const edge of shown.edges) if (edge.line && edge.line.length > 2) for (const [x] of edge.line) { left = Math.min(left, x); right = Math.max(right, x); }
      return isFinite(left) ? [left, top, right, bottom] : [0, 0, 1, 1];
    }
    function fit() {
      const [left, top, right, bottom] = bounds(), margin = 18;
      state.scale = clamp(Math.min((width - 2 * margin) / (right - left), (height - 2 * margin) / (bottom - top)), 0.02, 1.6);
      state.x = (width - state.scale * (left + right)) / 2;
      state.y = (height - state.scale * (top + bottom)) / 2;
      draw();
    }
    function zoom(factor, x = width / 2, y = height / 2) {
      const scale = clamp(state.scale * factor, 0.02, 6);
      state.x = x - (x - state.x) * scale / state.scale;
      state.y = y - (y - state.y) * scale / state.scale;
      state.scale = scale;
      draw();
    }
    function reveal(node) {
      const x = node.x * state.scale + state.x, y = node.y * state.scale + state.y, margin = 60;
      if (state.scale < SMALL_SCALE && !shown.focused && nodes.length > 60) { state.scale = 0.8; state.x = width / 2 - node.x * 0.8; state.y = height / 2 - node.y * 0.8; }
      else if (x < margin || y < margin || x > width - margin || y > height - margin) { state.x += width / 2 - x; state.y += height / 2 - y; }
    }

    function select(number, show) {
      state.selected = number;
      state.edge = null;
      if (number != null && state.focus > 0) refresh(); else { if (number != null && !shown.isShown[number]) { state.isolated = true; refresh(); } describe(); }
      if (number != null && show) reveal(nodes[number]);
      if (number != null) live.textContent = spoken(nodes[number]);
      draw();
    }
    function selectEdge(edge) { state.edge = edge; describe(); live.textContent = titleOf(edge) + ". " + figures(edge).map((pair) => pair.join(" ")).join(", "); draw(); }
    function setFocus(depth) {
      if (depth > 0 && state.selected == null) state.selected = [...nodes].sort((a, b) => shown.byNode[b.number].length - shown.byNode[a.number].length)[0].number;
      state.focus = depth;
      refresh();
      live.textContent = count.textContent;
    }
    function begin() {
      const degree = nodes.map(() => 0);
      for (const edge of edges.filter(isDrawn)) { degree[edge.a] += 1; degree[edge.b] += 1; }
      state.selected = degree.indexOf(Math.max(...degree));
      state.focus = 1;
    }
    function setView(view) { state.view = view; for (const input of views.querySelectorAll("input")) input.checked = input.value === view; refresh(); }

    function find(text) {
      const wanted = text.trim().toLowerCase();
      state.matches = wanted ? nodes.filter((node) => node.name.toLowerCase().includes(wanted)).sort((a, b) => a.name.length - b.name.length).map((node) => node.number) : [];
      found.replaceChildren(...state.matches.slice(0, MOST_FOUND).map((number) => element("li", {}, element("button", { type: "button", text: nodes[number].name,
        onclick: () => { select(number, true); closeFound(); canvas.focus(); }, onkeydown: (event) => {
          const item = event.currentTarget.parentElement, next = event.key === "ArrowDown" ? item.nextElementSibling : event.key === "ArrowUp" ? item.previousElementSibling : null;
          if (next) { next.firstElementChild.focus(); event.preventDefault(); }
          if (event.key === "Escape") { closeFound(); search.focus(); }
        } }))));
      found.hidden = !wanted;
      if (wanted && !state.matches.length) found.replaceChildren(element("li", { class: "pv-none", text: "nothing found" }));
      live.textContent = wanted ? state.matches.length + " found" : "";
      draw();
    }
    function closeFound() { found.hidden = true; }

    /* -- saying -- */
    function around(number) {
      const parents = [], children = [], open = [];
      for (const edge of edges) {
        const is = mark(edge);
        if (!is || (edge.a !== number && edge.b !== number)) continue;
        const other = edge.a === number ? edge.b : edge.a, seen = edge.a === number ? is : turned(is);
        (seen === ">" ? children : seen === "<" ? parents : open).push(other);
      }
      return { parents, children, open };
    }
    function blanket(number) {
      const joined = new Set();
      for (const edge of edges) {
        if (edge.dag !== ">") continue;
        if (edge.b === number) joined.add(edge.a);
        if (edge.a === number) { joined.add(edge.b); for (const other of edges) if (other.dag === ">" && other.b === edge.b) joined.add(other.a); }
      }
      joined.delete(number);
      return [...joined];
    }
    const named = (list) => (list.length ? list.map((number) => nodes[number].name).join(", ") : "none");
    function spoken(node) {
      const { parents, children, open } = around(node.number);
      return node.name + ". Parents: " + named(parents) + ". Children: " + named(children) + "." + (open.length ? " Direction open: " + named(open) + "." : "");
    }
    function titleOf(edge) {
      const is = mark(edge) || edge.truth, [a, b] = [nodes[edge.a].name, nodes[edge.b].name];
      return is === "<" ? b + " → " + a : is === "-" ? a + " – " + b : a + " → " + b;
    }
    function figures(edge) {
      const rows = [], isTurned = (mark(edge) || edge.truth) === "<";
      if (edge.weight != null && graph.linear) rows.push(["weight", figure(edge.weight)]);
      if (edge.standardized != null && Math.abs(edge.standardized - edge.weight) > 1e-9) rows.push(["standardized", figure(edge.standardized)]);
      if (edge.strength != null) rows.push(["the score loses without it", figure(edge.strength)]);
      if (edge.p_value != null) rows.push(["p-value", edge.p_value < 1e-16 ? "<1e-16" : figure(edge.p_value)]);
      if (edge.direction) rows.push(["direction", edge.direction]);
      if (edge.probability) rows.push(["probability", figure(edge.probability[isTurned ? 1 : 0])], ["the other way", figure(edge.probability[isTurned ? 0 : 1])]);
      if (edge.support) rows.push(["support", percent(edge.support[0])], ["this way", percent(edge.support[isTurned ? 2 : 1])], ["other way", percent(edge.support[isTurned ? 1 : 2])], ["open", percent(edge.support[3])]);
      if (hasTruth) rows.push(["truth", { right: "right", reversed: "reversed", missing: "missing: in the true graph only", extra: "extra: not in the true graph" }[verdict(edge)]]);
      return rows;
    }
    function list(title, numbers) {
      const item = (number) => element("li", {}, element("button", { type: "button", text: nodes[number].name, onclick: () => select(number, true) }));
      return [element("h4", { text: title + " (" + numbers.length + ")" }), numbers.length ? element("ul", { class: "pv-names" }, ...numbers.map(item)) : element("p", { class: "pv-none", text: "none" })];
    }
    const table = (rows) => element("dl", {}, ...rows.map(([name, value]) => element("div", {}, element("dt", { text: name }), element("dd", { text: value }))));
    /** The ends of an edge by name, from cause to effect, and how the view joins them. */
    function ends(edge) {
      const is = mark(edge) || edge.truth, [from, to] = is === "<" ? [edge.b, edge.a] : [edge.a, edge.b];
      return { from: nodes[from].name, to: nodes[to].name, mark: mark(edge) || null };
    }
    function describe() {
      const parts = [];
      if (state.edge) parts.push(element("h3", { text: titleOf(state.edge) }), table(figures(state.edge)), ...list("Between", [state.edge.a, state.edge.b]),
        ...(options.ofEdge ? options.ofEdge(ends(state.edge)) : []));
      else if (state.selected != null) {
        const node = nodes[state.selected], { parents, children, open } = around(state.selected);
        if (state.focus > 0) parts.push(element("p", { class: "pv-none", text: "Shown is the neighborhood of this node: " + shown.nodes.length + " of " + nodes.length + " nodes. Find another above, or show everything." }));
        parts.push(element("h3", { text: node.name }), table([["kind", node.kind], ["missing values", String(node.missing)], ...(node.fit || [])]),
          ...list("Parents", parents), ...list("Children", children), ...(open.length ? list("Direction open", open) : []), ...list("Markov blanket", blanket(state.selected)),
          element("button", { type: "button", class: "pv-neighborhood", text: state.focus > 0 ? "Show everything" : "Show its neighborhood", onclick: () => setFocus(state.focus > 0 ? 0 : 1) }),
          ...(options.ofNode ? options.ofNode(node.name) : []));
      } else {
        const view = graph.views.find((each) => each.id === state.view);
        parts.push(element("h3", { text: "The " + view.name }), element("p", { text: view.note + "." }), element("p", { class: "pv-none", text: "Choose a node or an edge to see what there is to say of it." }));
        const hubs = nodes.map((node) => node.number).filter((number) => shown.byNode[number].length).sort((a, b) => shown.byNode[b].length - shown.byNode[a].length).slice(0, 6);
        if (nodes.length > 20 && hubs.length) parts.push(...list("Most edges", hubs));
      }
      panel.replaceChildren(...parts);
    }
    function explain() {
      const entries = [], drawn = shown.edges, line = (color, dash, text) => {
        const mini = element("canvas", { class: "pv-mini", width: 52, height: 16, "aria-hidden": "true" });
        const pen = mini.getContext("2d");
        pen.scale(2, 2); pen.strokeStyle = color; pen.lineWidth = 2; pen.setLineDash(dash); pen.beginPath(); pen.moveTo(1, 4); pen.lineTo(25, 4); pen.stroke();
        entries.push(element("span", { class: "pv-entry" }, mini, text));
      };
      if (state.truth) {
        for (const [name, text] of [["right", "right"], ["reversed", "reversed"], ["extra", "extra"], ["missing", "missing"]]) {
          const those = drawn.filter((edge) => verdict(edge) === name).length;
          if (those) line(colors[name], name === "missing" ? [1, 3] : [], text + " (" + those + ")");
        }
      } else if (graph.linear) {
        if (drawn.some((edge) => edge.weight > 0)) line(colors.edge, [], "raises");
        if (drawn.some((edge) => edge.weight < 0)) line(colors.negative, [], "lowers");
      }
      if (state.view === "dag" && drawn.some((edge) => edge.direction === "open")) line(colors.edge, [5, 3], "direction open");
      if (state.view === "dag" && drawn.some((edge) => edge.direction === "doubtful")) line(colors.edge, [2, 2], "direction doubtful");
      if (drawn.some((edge) => mark(edge) === "-")) line(colors.edge, [], "no arrowhead: direction open");
      entries.push(element("span", { class: "pv-entry", text: "thicker: stronger" + (hasSupport ? "; fainter: less support" : "") }));
      legend.replaceChildren(...entries);
    }

    /* -- mouse, touch and keys -- */
    const world = (x, y) => [(x - state.x) / state.scale, (y - state.y) / state.scale];
    function nodeAt(x, y) {
      const [wx, wy] = world(x, y), isSmall = state.scale < SMALL_SCALE;
      let best = null, least = Infinity;
      for (const node of shown.nodes) {
        const dx = Math.abs(node.x - wx), dy = Math.abs(node.y - wy), away = Math.hypot(dx, dy);
        const hit = isSmall ? away < 10 / state.scale : dx <= node.width / 2 + 2 && dy <= NODE_HEIGHT / 2 + 2;
        if (hit && away < least) { best = node; least = away; }
      }
      return best;
    }
    function edgeAt(x, y) {
      const point = world(x, y);
      let best = null, least = PICK / state.scale;
      for (const edge of shown.edges) {
        const away = distance(point, lineOf(edge));
        if (away < least) { best = edge; least = away; }
      }
      return best;
    }
    function tell(x, y, title, rows) {
      tooltip.replaceChildren(element("strong", { text: title }), table(rows));
      tooltip.hidden = false;
      tooltip.style.left = clamp(x + 14, 0, Math.max(width - tooltip.offsetWidth - 4, 0)) + "px";
      tooltip.style.top = clamp(y + 14, 0, Math.max(height - tooltip.offsetHeight - 4, 0)) + "px";
    }
    const pointers = new Map();
    let drag = null, lastTap = [0, null];
    const at = (event) => { const frame = canvas.getBoundingClientRect(); return [event.clientX - frame.left, event.clientY - frame.top]; };
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = at(event);
      pointers.set(event.pointerId, [x, y]);
      canvas.setPointerCapture(event.pointerId);
      const node = nodeAt(x, y);
      drag = { x, y, node, edge: node ? null : edgeAt(x, y), isMoved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      if (pointers.size === 2 && pointers.has(event.pointerId)) {
        const [other] = [...pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, place]) => place), before = pointers.get(event.pointerId);
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]), now = Math.hypot(x - other[0], y - other[1]);
        pointers.set(event.pointerId, [x, y]);
        if (was > 0) zoom(now / was, (x + other[0]) / 2, (y + other[1]) / 2);
        if (drag) drag.isMoved = true;
        return;
      }
      if (drag && pointers.has(event.pointerId)) {
        if (!drag.isMoved && Math.hypot(x - drag.x, y - drag.y) < 4) return;
        drag.isMoved = true;
        tooltip.hidden = true;
        if (drag.node) {
          [drag.node.x, drag.node.y] = world(x, y);
          drag.node.moved = true;
          for (const edge of shown.byNode[drag.node.number]) edge.line = null;
        } else {
          const before = pointers.get(event.pointerId);
          state.x += x - before[0];
          state.y += y - before[1];
        }
        pointers.set(event.pointerId, [x, y]);
        draw();
        return;
      }
      const node = nodeAt(x, y), edge = node ? null : edgeAt(x, y);
      const isOther = state.hover !== (node ? node.number : null) || state.hoverEdge !== (edge ? edge.number : null);
      state.hover = node ? node.number : null;
      state.hoverEdge = edge ? edge.number : null;
      canvas.style.cursor = node || edge ? "pointer" : "grab";
      if (edge) tell(x, y, titleOf(edge), figures(edge));
      else if (node && (state.scale < SMALL_SCALE || node.name.length > 24)) tell(x, y, node.name, node.fit || []);
      else tooltip.hidden = true;
      if (isOther) draw();
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      if (!drag || pointers.size) return;
      const { node, edge, isMoved } = drag;
      drag = null;
      if (isMoved || event.type === "pointercancel") return;
      if (node) {
        const now = performance.now(), isDouble = lastTap[1] === node.number && now - lastTap[0] < 400;
        lastTap = [now, node.number];
        select(node.number, false);
        if (isDouble) setFocus(state.focus > 0 ? 0 : 1);
      } else if (edge) selectEdge(edge);
      else select(null, false);
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => { tooltip.hidden = true; state.hover = null; state.hoverEdge = null; draw(); });
    canvas.addEventListener("wheel", (event) => {
      // Without Ctrl the page scrolls, unless the graph has been clicked into.
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
      event.preventDefault();
      const [x, y] = at(event);
      zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), x, y);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const order = [...shown.nodes].sort((a, b) => a.rank - b.rank), step = 60;
      const next = (by) => { const now = order.findIndex((node) => node.number === state.selected); if (order.length) select(order[(now + by + order.length) % order.length].number, true); };
      const along = (which) => {
        if (state.selected == null) { next(1); return; }
        const { parents, children, open } = around(state.selected), those = which === "up" ? parents : children, list = those.length ? those : open;
        if (list.length) select(list[0], true);
      };
      const pan = { ArrowUp: [0, step], ArrowDown: [0, -step], ArrowLeft: [step, 0], ArrowRight: [-step, 0] }[event.key];
      if (pan && event.shiftKey) { state.x += pan[0]; state.y += pan[1]; draw(); }
      else if (event.key === "ArrowUp") along("up");
      else if (event.key === "ArrowDown") along("down");
      else if (event.key === "ArrowRight") next(1);
      else if (event.key === "ArrowLeft") next(state.selected == null ? 0 : -1);
      else if (event.key === "+" || event.key === "=") zoom(1.25);
      else if (event.key === "-") zoom(0.8);
      else if (event.key === "0") fit();
      else if (event.key === "Enter") setFocus(state.focus > 0 ? 0 : 1);
      else if (event.key === "Escape") { if (state.focus > 0) setFocus(0); else select(null, false); }
      else if (event.key === "/") search.focus();
      else return;
      event.preventDefault();
    });
    document.addEventListener("pointerdown", (event) => { if (!bar.contains(event.target)) closeFound(); }, { signal });

    /* -- files and paper -- */
    function onLight(work) {
      const kept = colors;
      colors = LIGHT;
      try { return work(); } finally { colors = kept; }
    }
    function svg() {
      return onLight(() => {
        const pen = svgPen();
        shown.edges.forEach(lineOf);
        const [left, top, right, bottom] = bounds(), margin = 12;
        paint(pen, 1, null, true);
        const box = [left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin].map((value) => Math.round(value));
        return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(" ")}" width="${box[2]}" height="${box[3]}" font-family="system-ui, sans-serif">` +
          `<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="#ffffff"/>${pen.parts.join("")}</svg>`;
      });
    }
    function download(blob, ending) {
      const link = element("a", { href: URL.createObjectURL(blob), download: "graph." + ending });
      root.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
    function save(ending) {
      if (ending === "svg") { download(new Blob([svg()], { type: "image/svg+xml" }), "svg"); return; }
      shown.edges.forEach(lineOf);
      const [left, top, right, bottom] = bounds(), margin = 12, wide = right - left + 2 * margin, high = bottom - top + 2 * margin;
      const scale = Math.min(2, 8000 / Math.max(wide, high)), picture = element("canvas", { width: Math.round(wide * scale), height: Math.round(high * scale) });
      const pen = picture.getContext("2d");
      onLight(() => {
        pen.fillStyle = colors.paper;
        pen.fillRect(0, 0, picture.width, picture.height);
        pen.setTransform(scale, 0, 0, scale, (margin - left) * scale, (margin - top) * scale);
        paint(canvasPen(pen), 1, null, true);
      });
      picture.toBlob((blob) => download(blob, "png"), "image/png");
    }
    window.addEventListener("beforeprint", () => {
      const parsed = new DOMParser().parseFromString(svg(), "image/svg+xml");
      if (parsed.documentElement.nodeName === "svg") print.replaceChildren(document.importNode(parsed.documentElement, true));
    }, { signal });
    window.addEventListener("afterprint", () => print.replaceChildren(), { signal });

    /* -- colors and size -- */
    const LIGHT = { paper: "#ffffff", text: "#1c2733", soft: "#4a5663", node: "#f3f6f9", border: "#64717f", dot: "#64717f", edge: "#0072b2", negative: "#c24e00", accent: "#7a2aa3",
      chosen: "#ecdcf5", found: "#ffe08a", right: "#00805c", reversed: "#b77700", extra: "#c24e00", missing: "#7d8894" };
    const DARK = { paper: "#12171d", text: "#e6ebf0", soft: "#b6c1cc", node: "#1f2831", border: "#7d8b99", dot: "#93a1af", edge: "#56b4e9", negative: "#ff9357", accent: "#d7a6f2",
      chosen: "#4a2b5e", found: "#806414", right: "#35c796", reversed: "#f0b840", extra: "#ff9357", missing: "#8995a1" };
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const recolor = () => { colors = dark.matches ? DARK : LIGHT; explain(); draw(); };
    dark.addEventListener("change", recolor, { signal });
    colors = dark.matches ? DARK : LIGHT;
    let isFirst = true;
    const sizes = new ResizeObserver(() => {
      const frame = stage.getBoundingClientRect();
      if (!frame.width || !frame.height) return;
      [width, height] = [frame.width, frame.height];
      if (isFirst) { isFirst = false; fit(); } else draw();
    });
    sizes.observe(stage);
    const first = stage.getBoundingClientRect();
    [width, height] = [first.width || 600, first.height || 400];
    // Of so much at once nothing could be followed: the neighborhood of the node with the most edges is where to begin.
    if (edges.filter(isDrawn).length > MOST_AT_ONCE) begin();
    refresh();
    fit();
    return { select: (name) => { const node = nodes.find((each) => each.name === name); if (node) select(node.number, true); return Boolean(node); }, setView, setFocus, saveSvg: svg, savePng: () => save("png"), saveSvgFile: () => save("svg"),
      selectEdge: (from, to) => { const edge = edges.find((each) => [each.a, each.b].map((at) => nodes[at].name).sort().join("\n") === [from, to].sort().join("\n")); if (edge) selectEdge(edge); return Boolean(edge); },
      close: () => { closing.abort(); sizes.disconnect(); root.replaceChildren(); },
      state: () => ({ view: state.view, nodes: shown.nodes.length, edges: shown.edges.length, selected: state.selected == null ? null : nodes[state.selected].name, scale: state.scale, frames }) };
  };
})();
