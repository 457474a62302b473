
/* What a report does beside the graph: plackettTables(element) makes the tables in it sort by a click on a head, and puts a button to
 * copy beside its commands. */
window.plackettTables = function (root) {
  "use strict";
  const value = (row, at) => row.cells[at].textContent.trim();
  for (const table of root.querySelectorAll("table")) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    if (body.rows.length < 2) continue;
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const isDown = head.getAttribute("aria-sort") === "ascending", isNumber = head.classList.contains("number");
        const number = (text) => { const read = parseFloat(text.replace(/[,<]/g, "")); return isNaN(read) ? -Infinity : read; };
        const rows = [...body.rows].sort((a, b) => (isNumber ? number(value(a, at)) - number(value(b, at)) : value(a, at).localeCompare(value(b, at))));
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
        body.replaceChildren(...(isDown ? rows.reverse() : rows));
      });
    });
  }
  for (const block of root.querySelectorAll("pre.code")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => navigator.clipboard.writeText(block.textContent).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed here"; }));
    const frame = document.createElement("div");
    frame.className = "code-frame";
    block.replaceWith(frame);
    frame.append(block, button);
  }
};
(function () {
  "use strict";
  const data = document.getElementById("graph-data"), room = document.getElementById("viewer");
  if (data && room) window.plackettReport = window.plackettViewer(room, JSON.parse(data.textContent));
  window.plackettTables(document);
})();
