// What the device, its worker and its mailboxes say in English, in the language of the page: by the catalog where it is a whole
// sentence, and by a pattern where it names something. What no catalog knows is shown as it is said.
import { language, t } from "../../panel/static/js/i18n.js";

const NAMING = [
  [/^this looks like a secret \(.+\): every device of yours would hold it$/, () => t("this looks like a secret, and every device of yours would hold it")],
  [/^there is no memory [0-9a-f-]+ here$/, () => t("this memory is not here any more")],
  [/^expected words from the list, '(?<word>.+)' is not one of them$/, (all) => t("a code has no word “{word}”", all)],
];

export function inPageWords(message) {
  if (language === "en") return message;
  for (const [reads, said] of NAMING) {
    const found = reads.exec(message);
    if (found) return said(found.groups);
  }
  return t(message);
}
