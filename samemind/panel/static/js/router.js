// Where the page is: `#/memories?label=home&at=2026-05-01`. Every place has an address, so that the back button works and
// a memory can be kept as a bookmark. The moment that is looked at goes along from page to page.

const listeners = new Set();

/** {path: ["memory", rid], args: URLSearchParams} */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").map(decode), args: new URLSearchParams(query) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a person may type anything into an address
  }
}

/** An address. `args`: a map; a list stands for several, what is empty is left out. */
export function link(path, args = {}) {
  const query = new URLSearchParams();
  const moment = here().args;
  for (const name of ["at", "by"]) if (moment.get(name) && !(name in args)) query.set(name, moment.get(name));
  for (const [name, value] of Object.entries(args)) for (const each of [value].flat()) if (each !== null && each !== undefined && each !== "") query.append(name, each);
  const said = query.toString();
  return `#/${path.split("/").map(encodeURIComponent).join("/")}${said ? `?${said}` : ""}`;
}

/** Go to an address: as a new step of the browser's history, or in place of this one. */
export function go(address, { replace = false } = {}) {
  if (address === location.hash) return;
  if (!replace) {
    location.hash = address;
    return;
  }
  history.replaceState(history.state, "", address);
  told();
}

export function onMove(listener) {
  listeners.add(listener);
}

function told() {
  for (const listener of listeners) listener();
}

addEventListener("hashchange", told);

/** The moment that is looked at, as options for the device: {} for now. */
export function moment() {
  const { args } = here();
  return Object.fromEntries(["at", "by"].filter((name) => args.get(name)).map((name) => [name, args.get(name)]));
}

/** The same for verbs. */
export function momentOfVerbs() {
  const { at, by } = moment();
  return { ...(at ? { as_of: at } : {}), ...(by ? { seen_by: by } : {}) };
}

export const isPast = () => Boolean(here().args.get("at") || here().args.get("by"));
