// Say changes and categories in words.

import { t } from "./i18n.js";

export const CATEGORIES = ["project", "preference", "identity", "other"];
const NAMED = { project: () => t("Projects"), preference: () => t("Preferences"), identity: () => t("About you"), other: () => t("Other") };
export const categoryName = (category) => NAMED[category]();

/** Which group a memory belongs to: as it was told, else by what it carries. */
export function categoryOf(memory) {
  const told = memory.meta?.category;
  if (told === "project" || told === "preference" || told === "identity") return told;
  if (memory.project) return "project";
  if (memory.type === "affective") return "preference";
  if (memory.type === "social") return "identity";
  return "other";
}

// Those that most texts state; of others there is no end.
const RELATIONS = {
  lives_in: () => t("lives in"), works_at: () => t("works at"), works_as: () => t("works as"), works_on: () => t("works on"), works_with: () => t("works with"),
  comes_from: () => t("comes from"), married_to: () => t("is married to"), likes: () => t("likes"), prefers: () => t("prefers"), owns: () => t("owns"),
  speaks: () => t("speaks"), relates_to: () => t("relates to"), part_of: () => t("is part of"), birthday: () => t("birthday"),
  updates: () => t("updates"), contradicts: () => t("contradicts"), causes: () => t("causes"), knows: () => t("knows"), friends_with: () => t("is friends with"),
  name: () => t("name"), born_in: () => t("born in"), spouse: () => t("married to"), relationship_status: () => t("relationship"), diet: () => t("diet"), allergy: () => t("allergy"),
  dose: () => t("dose"), price: () => t("price"), number: () => t("number"), role: () => t("role"), occupation: () => t("occupation"), siblings: () => t("siblings"),
};
// What a relation is about stands behind its colon, and its value says nothing without it.
const ABOUT = { attitude: (what) => t("attitude to {what}", { what }), favorite: (what) => t("favourite {what}", { what }) };

/** A relation in words: "lives in" for `lives_in`, "attitude to tea" for `attitude:tea`; what `prefers:tea|coffee` is between, its value says. */
export function relationWords(relation) {
  const [name, ...about] = relation.split(":");
  if (name === "judged") return ""; // nothing that anybody would read
  if (name in ABOUT && about.length) return ABOUT[name](about.join(":"));
  return (RELATIONS[name] ?? (() => name.replaceAll("_", " ")))();
}

const OWN = {
  lives_in: () => t("where you live"), works_at: () => t("where you work"), works_as: () => t("what you work as"), born_on: () => t("when you were born"), born_in: () => t("where you were born"),
  age: () => t("how old you are"), married_to: () => t("who you are married to"), drives: () => t("what you drive"), name: () => t("your name"), has_name: () => t("your name"),
};

/** Who it is about and what is asked, in words: "You: where you live". */
export function subjectOf(question) {
  const relation = relationWords(question.relation) || t("What is true now");
  if (question.entity === "this") return relation;
  if (question.entity !== "owner") return `${question.entity}: ${relation}`;
  return t("You: {what}", { what: OWN[question.relation]?.() ?? relation });
}

const VALUES = { likes: () => t("likes"), dislikes: () => t("dislikes"), "(ended)": () => t("no longer so") };

/** The value of a claim, in words where it is one of the program's own. */
export const valueWords = ({ relation, value }) => (value === "(ended)" || relation.startsWith("attitude:") ? (VALUES[value]?.() ?? value) : value);

const DEEDS = {
  remember: () => t("told"), edit: () => t("edited"), set: () => t("changed"), tag: () => t("labelled"), untag: () => t("unlabelled"), forget: () => t("forgot"), erase: () => t("erased"),
  access: () => t("recalled"), claim: () => t("read a claim"), relate: () => t("related"), resolve: () => t("settled"), propose: () => t("summarised"), withdraw: () => t("withdrew a summary"),
  trigger: () => t("noted for the inbox"), feedback: () => t("rated"), says_same: () => t("told again"), unlink: () => t("parted"), same_slot: () => t("settled"), receipt: () => t("noted for the inbox"),
};
// What a change is about that names no memory.
const ON = {
  forget: () => t("what was told before"), erase: () => t("what was told before"), relate: () => t("names or memories"), resolve: () => t("a contradiction"), set: () => t("a setting"), feedback: () => t("an answer"),
};
const WHYS = {
  conflict_escalation: () => t("waits for your decision"), decay_review: () => t("is fading"), consolidation_ready: () => t("much of one kind"), goal_progress: () => t("progress on a goal"),
  goal_stagnation: () => t("no progress on a goal"), reminder: () => t("you asked for it"), pattern: () => t("comes up again and again"),
};

/** Why something comes up by itself. */
export const why = (kind) => (WHYS[kind] ?? (() => kind.replaceAll("_", " ")))();

// What the device says in English of what it noticed, as far as it follows a pattern: [how it reads, how it is said].
const REASONS = [
  [/^(?<what>.+) is due$/su, (all) => t("{what} is due", all)],
  [/^(?<one>.+) and (?<other>.+) come up together in (?<n>\d+)(?<more> or more)? memories$/su, (all) => t(all.more ? "{one} and {other} come up together in {n} memories or more" : "{one} and {other} come up together in {n} memories", all)],
  [/^(?<name>.+) is at the centre of many: (?<names>.+)$/su, (all) => t("{name} is at the centre of many: {names}", all)],
  [/^(?<n>\d+)(?<more> or more)? memories share a theme: (?<words>.+)$/su, (all) => t(all.more ? "{n} memories or more share a theme: {words}" : "{n} memories share a theme: {words}", all)],
];

/** Why something comes up, in the words of the device; in those of the page, where they follow a pattern. */
export function reasonOf(reason) {
  for (const [reads, said] of REASONS) {
    const found = reads.exec(reason);
    if (found) return said(found.groups);
  }
  return reason;
}

/** Where something was done: on this device, or another. */
export const onDevice = (name, own) => (own ? t("on this device") : t("on {device}", { device: name }));

/** What an op did. */
export const deed = (kind) => (DEEDS[kind] ?? (() => kind))();

/** What an op that names no memory did it to. */
export const deedOn = (kind) => (ON[kind] ?? (() => ""))();

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
