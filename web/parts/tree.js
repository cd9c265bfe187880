/* Copyright (c) 2026 The fastmatch authors
   SPDX-License-Identifier: BSD-2-Clause */

// Trees of elements, as plain objects, and their way into the document:
//
//   el("p", { class: "dim" }, "Since ", el("time", null, "12:03"))
//
// A part returns such a tree, which node can test. draw() changes what differs in the
// document, in place: elements stay, and so do focus, scrolling and selections.

const SVG = "http://www.w3.org/2000/svg";
const IN_SVG = ["svg", "g", "path", "line", "circle"];

// Returns a node. Children may be lists; null, false and "" are left out.
export const el = (tag, attributes, ...children) => ({
  tag,
  attributes: attributes || {},
  children: children.flat(Infinity)
    .filter((child) => child !== null && child !== undefined &&
      child !== false && child !== "")
    .map((child) => typeof child === "object" ? child : String(child)),
});

// Returns the text of a tree, or of a list of trees.
export const textOf = (tree) =>
  Array.isArray(tree) ? tree.map(textOf).join("")
    : typeof tree === "string" ? tree
      : tree ? tree.children.map(textOf).join("") : "";

// Returns all nodes of a tree that have the tag, or the class of ".class".
export const findAll = (tree, what) => {
  if (Array.isArray(tree)) return tree.flatMap((one) => findAll(one, what));
  if (!tree || typeof tree === "string") return [];
  const classes = String(tree.attributes.class || "").split(" ");
  const is = what[0] === "." ? classes.includes(what.slice(1))
    : tree.tag === what;
  return (is ? [tree] : []).concat(findAll(tree.children, what));
};

const create = (tree) => {
  if (typeof tree === "string") return document.createTextNode(tree);
  const made = IN_SVG.includes(tree.tag)
    ? document.createElementNS(SVG, tree.tag)
    : document.createElement(tree.tag);
  update(made, tree, true);
  return made;
};

// The policy of the page allows no style attribute, so custom properties are
// set one by one: { style: { "--rows": 3 } }. What the reader has opened stays open.
const update = (node, tree, made) => {
  for (const [name, value] of Object.entries(tree.attributes)) {
    if (name === "style") {
      for (const [property, text] of Object.entries(value))
        node.style.setProperty(property, text);
    } else if (name === "open") {
      if (made && value) node.setAttribute("open", "");
    } else if (value === null || value === undefined || value === false) {
      node.removeAttribute(name);
    } else {
      const text = value === true ? "" : String(value);
      if (node.getAttribute(name) !== text) node.setAttribute(name, text);
    }
  }
  for (const name of node.getAttributeNames())
    if (!(name in tree.attributes) && name !== "style" && name !== "open")
      node.removeAttribute(name);
  draw(node, tree.children);
};

// Makes the children of a node of the document those of the list of trees. A text that
// changes is a new node, and so is an element with another data-key: what is new may begin
// anywhere, but what stays would have moved.
export const draw = (node, trees) => {
  const list = [trees].flat(Infinity).filter((tree) => tree);
  list.forEach((tree, n) => {
    const old = node.childNodes[n];
    if (!old) {
      node.append(create(tree));
    } else if (typeof tree === "string") {
      if (old.nodeType !== 3 || old.data !== tree)
        old.replaceWith(create(tree));
    } else if (old.nodeType === 1 && old.localName === tree.tag &&
        old.getAttribute("data-key") === (tree.attributes["data-key"] || null)) {
      update(old, tree, false);
    } else {
      old.replaceWith(create(tree));
    }
  });
  while (node.childNodes.length > list.length) node.lastChild.remove();
};
