// What the device, its worker and its mailboxes say in English, in the language of the page: by the catalog where it is a whole
// sentence, and by a pattern where it names something. What no catalog knows is shown as it is said.
import { language, t } from "../../panel/static/js/i18n.js";

// What speaks to who runs a server is said to the owner of a phone in other words, also in English.
const PLAIN = [
  [/^there is no memory [0-9a-f-]+ here$/, () => t("this memory is not here any more")],
  [/^the store could not be .*\(database or disk is full\)/, () => t("the disk is full: make room on this device, then try again")],
  [/^the store could not be [^(]+ \((?!database or disk is full)/, () => t("what this browser stores could not be read or written: load the page again")],
  [/^expected a text of at most \d+ bytes, got \d+; split it$/, () => t("this text is too long: split it into several")],
  [/^expected a clock between the years /, () => t("the clock of this device is wrong: set it")],
];
const NAMING = [
  [/^this looks like a secret \(.+\): every device of yours would hold it$/, () => t("this looks like a secret, and every device of yours would hold it")],
  [/^expected words from the list, '(?<word>.+)' is not one of them$/, (all) => t("a code has no word “{word}”", all)],
];

export function inPageWords(message) {
  for (const [reads, said] of language === "en" ? PLAIN : [...PLAIN, ...NAMING]) {
    const found = reads.exec(message);
    if (found) return said(found.groups);
  }
  return t(message);
}
