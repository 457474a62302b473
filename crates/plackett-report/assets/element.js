/* plackettElement(tag, attributes, ...children) makes an element: attributes by name, `text` its text, `on…` a listener; children that are null are left out. The viewer
 * and the page in the browser are made of it. */
window.plackettElement = function (tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
};
