// Say everything in the browser's language: texts from a catalog (English is the key), numbers and times by Intl.

/** The languages that have a catalog beside English; `tests/unit/samemind/test_panel_catalogs.py` holds them complete. */
export const CATALOGS = ["de", "es", "fr"];

// Some systems name what is no language ("en-US@posix").
const tags = (navigator.languages ?? [navigator.language]).filter((each) => /^[a-z]{2,3}(-[a-z\d]+)*$/i.test(each));
const languageOf = (tag) => tag.toLowerCase().split("-")[0];
export const locale = tags[0] ?? "en";
export const language = tags.map(languageOf).find((each) => each === "en" || CATALOGS.includes(each)) ?? "en";
/** The language of the texts, with the region where the browser names one: for what stands within sentences. */
export const written = tags.find((each) => languageOf(each) === language) ?? language;
let catalog = {};

/** Load the catalog before anything is drawn; where it cannot be had, texts are English. `load` imports that of a language. */
export async function loadCatalog(load) {
  document.documentElement.lang = language;
  if (language === "en") return;
  try {
    catalog = (await load(language)).default;
  } catch {
    document.documentElement.lang = "en";
  }
}

/** A text, with `{name}` filled in from `values`. */
export function t(text, values) {
  const said = catalog[text] ?? text;
  return values ? said.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole) : said;
}

const rules = new Intl.PluralRules(language);

/** A count with its noun: `plural(2, "{n} memory", "{n} memories")`. */
export function plural(count, one, many) {
  return t(rules.select(count) === "one" ? one : many, { n: number(count) });
}

export function number(count) {
  return count.toLocaleString(written);
}

export function list(names) {
  return new Intl.ListFormat(language).format(names);
}

const UNITS = [["year", 31_556_952], ["month", 2_629_746], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];
// These stand within sentences, so they are in the language of the texts.
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const DAYS_TOLD = 30;

/** How long ago, or how far ahead, roughly; a date where that says more. */
export function ago(moment, now = Date.now()) {
  const seconds = Math.round((new Date(moment).getTime() - now) / 1000);
  if (Math.abs(seconds) > DAYS_TOLD * 86_400) return date(moment);
  for (const [unit, size] of UNITS.slice(3)) if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return t("just now");
}

const DATE = { year: "numeric", month: "short", day: "numeric" };
const dates = new Intl.DateTimeFormat(locale, DATE);
const months = new Intl.DateTimeFormat(locale, { year: "numeric", month: "long" });
const clocks = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const minutes = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

export const date = (moment) => dates.format(new Date(moment));
export const month = (moment) => months.format(new Date(moment));
/** The whole time, to the second. */
export const clock = (moment) => clocks.format(new Date(moment));
export const minute = (moment) => minutes.format(new Date(moment));
export const hour = (moment) => hours.format(new Date(moment));
/** A moment as fields for days and times take it, by the clock of this place: `2026-03-04T17:05:06.000`. */
export const fieldTime = (moment) => new Date(moment - new Date(moment).getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
export const fieldDay = (moment) => fieldTime(moment).slice(0, 10);
/** How many years ago, of a day like this one. */
export const years = (count) => relative.format(-count, "year");

const DAY_MS = 86_400_000;
// Days of UTC, as what was imported has them, and of this machine, as what was told has them.
const CALENDARS = [
  { days: new Intl.DateTimeFormat(locale, { ...DATE, timeZone: "UTC" }), isMidnight: (ms) => ms % DAY_MS === 0 },
  { days: dates, isMidnight: (ms) => new Date(ms).setHours(0, 0, 0, 0) === ms },
];

/** When something happens: whole days as days, all else by the minute. */
export function happening(begins, ends = null) {
  const first = new Date(begins).getTime();
  const last = ends === null ? first : Math.max(first, new Date(ends).getTime());
  const end = last % 1000 === 999 ? last + 1 : last; // of a day, too, that ends with its last millisecond
  const whole = last > first && CALENDARS.find(({ isMidnight }) => isMidnight(first) && isMidnight(end));
  return whole ? whole.days.formatRange(first, last - 1) : minutes.formatRange(first, last);
}
