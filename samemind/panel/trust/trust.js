// Say the page of trust in the browser's language, by the catalogs of the panel: what stands in it is English, and the key.

import { loadCatalog, t } from "/js/i18n.js";

const NAMED = new Set(["B", "CODE"]);
const PARTS = /(<b>.*?<\/b>|<code>.*?<\/code>|\{\w+\})/;

const own = (block) => [...block.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE || NAMED.has(node.nodeName));

/** A piece as a catalog has it: a name that this device gives is `{is}`, a word of a screen keeps its mark. */
function written(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  return node.dataset.is ? `{${node.dataset.is}}` : `<${node.localName}>${node.textContent}</${node.localName}>`;
}

function read(part, nodes) {
  if (part.startsWith("{")) return nodes.find((node) => node.dataset?.is === part.slice(1, -1)).cloneNode(true);
  const [, name, text] = /^<(b|code)>(.*)<\/\1>$/.exec(part) ?? [];
  if (!name) return part;
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

await loadCatalog((language) => import(`/js/catalog/${language}.js`));
for (const block of document.querySelectorAll("title, h1, h2, p, li, figcaption, a")) {
  const nodes = own(block);
  const text = nodes.map(written).join("").replace(/\s+/g, " ").trim();
  const said = t(text);
  if (said === text) continue;
  nodes[0].before(...said.split(PARTS).map((part) => read(part, nodes)));
  for (const node of nodes) node.remove();
}
