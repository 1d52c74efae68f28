// Say times, changes and categories in words.

export const CATEGORIES = ["project", "preference", "identity", "other"];
export const CATEGORY_NAMES = { project: "Projects", preference: "Preferences", identity: "About you", other: "Other" };

/** Which group a memory belongs to: as it was told, else by what it carries. */
export function categoryOf(memory) {
  const told = memory.meta?.category;
  if (told === "project" || told === "preference" || told === "identity") return told;
  if (memory.project) return "project";
  if (memory.type === "affective") return "preference";
  if (memory.type === "social") return "identity";
  return "other";
}

/** How long ago, or how far ahead, roughly. */
export function ago(moment, now = Date.now()) {
  const seconds = Math.round((new Date(moment).getTime() - now) / 1000);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) {
      const count = Math.trunc(seconds / size);
      if (unit === "day" && Math.abs(count) > 30) {
        return new Date(moment).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });
      }
      return words.format(count, unit);
    }
  }
  return "just now";
}

/** The whole time, for a title. */
export function clock(moment) {
  return new Date(moment).toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" });
}

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

const DEEDS = {
  remember: "told", edit: "edited", set: "changed", forget: "forgotten", erase: "erased", access: "recalled", claim: "claims",
  relate: "related", resolve: "settled", propose: "summarised", withdraw: "took a summary back", trigger: "reminded", feedback: "rated",
};

/** Why something comes up by itself. */
export const WHY = {
  conflict_escalation: "waits for your decision", decay_review: "is fading", consolidation_ready: "much of one kind", goal_progress: "a goal moved on",
  goal_stagnation: "a goal stands still", reminder: "you asked for it", pattern: "comes again and again",
};

/** What an op did. */
export function deed(kind) {
  return DEEDS[kind] ?? kind;
}

/** Words that went, words that came, words that stayed: [["same" | "gone" | "new", text], …]. */
export function difference(before, after) {
  const a = before.split(/(\s+|[,.;:!?]+)/).filter(Boolean);
  const b = after.split(/(\s+|[,.;:!?]+)/).filter(Boolean);
  if (a.length * b.length > 250_000) return [["gone", before], ["new", after]];
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const parts = [];
  const add = (kind, text) => {
    if (parts.at(-1)?.[0] === kind) parts.at(-1)[1] += text;
    else parts.push([kind, text]);
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) add("same", a[i++]), j++;
    else if (i < a.length && (j === b.length || longest[i + 1][j] >= longest[i][j + 1])) add("gone", a[i++]);
    else add("new", b[j++]);
  }
  return parts;
}
