// Writes down what is said, where the browser has somebody for that: on this device where it can, else by a service of its maker's,
// which its owner is told first.
import { t } from "../../panel/static/js/i18n.js";
import { h, icon, notice } from "./dom.js";

const REFUSED = {
  "not-allowed": () => t("This page may not use the microphone: allow it in the browser's settings for this address."),
  "service-not-allowed": () => t("This browser lets no page write down what is said."),
  "audio-capture": () => t("There is no microphone."),
  network: () => t("The browser's service is out of reach."),
};

// A button that puts what is said behind what a field holds; null where the browser cannot. `changed` is called at each word.
export function voiceButton(field, changed) {
  const Recogniser = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;
  if (!Recogniser) return null;
  let hearing = null, mayLeave = false;
  const button = h("button", { type: "button", class: "quiet voice", "aria-label": t("Speak"), "aria-pressed": "false", onclick: () => (hearing ? hearing.stop() : speak()) }, icon("voice"));

  async function speak() {
    const lang = navigator.language, isHere = await writesHere(Recogniser, lang);
    if (hearing) return; // pressed twice
    if (!isHere && !mayLeave) {
      notice(t("Your browser sends what you say to its maker, to have it written down."), { action: { name: t("Speak"), run: () => { mayLeave = true; speak(); } } });
      return;
    }
    const before = field.value && !/\s$/.test(field.value) ? `${field.value} ` : field.value;
    hearing = Object.assign(new Recogniser(), { lang, interimResults: true });
    if (isHere) hearing.processLocally = true;
    hearing.onresult = ({ results }) => {
      field.value = before + [...results].map((each) => each[0].transcript).join("");
      changed();
    };
    hearing.onerror = ({ error }) => { if (!["no-speech", "aborted"].includes(error)) notice(REFUSED[error]?.() ?? t("Nothing was written down: {why}.", { why: error }), { error: true }); };
    hearing.onend = () => {
      hearing = null;
      button.setAttribute("aria-pressed", "false");
    };
    button.setAttribute("aria-pressed", "true");
    hearing.start();
  }
  return button;
}

async function writesHere(Recogniser, lang) {
  try {
    return (await Recogniser.available({ langs: [lang], processLocally: true })) === "available";
  } catch {
    return false; // a browser that does not say where
  }
}
