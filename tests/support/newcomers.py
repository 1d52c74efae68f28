"""What twenty invented people bring: exports of ChatGPT and Claude in ten languages, and what is so of each of them.

In every one somebody else lives and works elsewhere too, and the assistant speaks of itself: neither is the owner's.
"""

from typing import Any, Final, NamedTuple

ASSISTANT: Final = "Happy to help! As an assistant I live in the cloud and I work at OpenAI."
# 1 May 2024
TOLD_S: Final = 1_714_550_400


class Newcomer(NamedTuple):
    """Turns of a person in a language, and two questions with words of which the best answer has to hold one."""

    name: str
    language: str
    product: str
    turns: tuple[str, ...]
    asked: tuple[tuple[str, str], ...]


_LIVE: Final = {
    "en": ("where do I live?", "where do I work?"),
    "de": ("wo wohne ich?", "wo arbeite ich?"),
    "fr": ("où est-ce que j'habite ?", "où est-ce que je travaille ?"),
    "es": ("¿dónde vivo?", "¿dónde trabajo?"),
    "it": ("dove abito?", "dove lavoro?"),
    "pt": ("onde moro?", "onde trabalho?"),
    "nl": ("waar woon ik?", "waar werk ik?"),
    "pl": ("gdzie mieszkam?", "gdzie pracuję?"),
    "ru": ("где я живу?", "где я работаю?"),
    "uk": ("де я живу?", "де я працюю?"),
}


def _of(name: str, language: str, product: str, home: str, work: str, *turns: str) -> Newcomer:
    live, job = _LIVE[language]
    return Newcomer(name, language, product, turns, ((live, home), (job, work)))


NEWCOMERS: Final = (
    _of("Julia", "en", "chatgpt", "Leeds", "St James Hospital",
        "I live in Leeds and work as a nurse at St James Hospital. Could you suggest a weekly budget?",
        "My brother Tom lives in Berlin and works at Siemens. What should I bring him?"),
    _of("Omar", "en", "claude", "Cardiff", "Dunelm",
        "I moved to Cardiff in March. How do I register with a doctor there?",
        "I work at Dunelm, mostly nights. My neighbour Sue works at Tesco. Is it normal to be tired?"),
    _of("Priya", "en", "chatgpt", "Pune", "Infosys",
        "My parents live in Chennai, I live in Pune. Which train is best for the weekend?",
        "I just started at Infosys. Can you help me write a short introduction?"),
    _of("Erin", "en", "claude", "Galway", "Medtronic",
        "Write a limerick about rain. I live in Galway, so I know what I'm talking about.",
        "My sister works at Google in Dublin. I work at Medtronic. Who gets more holidays?"),
    _of("Anke", "de", "chatgpt", "Leipzig", "Siemens",
        "Ich wohne in Leipzig und arbeite bei Siemens. Was kostet ein Umzug nach Dresden?",
        "Meine Schwester Nora wohnt in Bremen und arbeitet bei Airbus. Was schenke ich ihr?"),
    _of("Jonas", "de", "claude", "Freiburg", "Haufe",
        "Ich bin nach Freiburg gezogen. Welche Formulare brauche ich?",
        "Ich arbeite bei Haufe. Meine Frau arbeitet bei der Post. Wie viel Steuer zahlen wir?"),
    _of("Lotte", "de", "chatgpt", "Kassel", "Wintershall",
        "Oma wohnt in Fulda. Ich wohne in Kassel. Wie lange fährt man mit dem Rad?",
        "Ich arbeite bei Wintershall und brauche eine Vorlage für einen Urlaubsantrag."),
    _of("Camille", "fr", "chatgpt", "Lyon", "Renault",
        "J'habite à Lyon et je travaille chez Renault. Que faire ce week-end ?",
        "Ma mère habite à Nantes. Mon frère travaille chez Airbus. Quel cadeau leur faire ?"),
    _of("Hugo", "fr", "claude", "Rennes", "Orange",
        "Je travaille chez Orange, et mon amie travaille chez Décathlon. Aide-moi à comparer les salaires.",
        "J'habite à Rennes depuis deux ans. Où trouver un bon marché ?"),
    _of("Lucía", "es", "chatgpt", "Sevilla", "Iberia",
        "Vivo en Sevilla y trabajo en Iberia. ¿Qué puedo hacer este fin de semana?",
        "Mi madre vive en Cádiz y trabaja en el puerto. ¿Qué le regalo?"),
    _of("Mateo", "es", "claude", "Medellín", "Bancolombia",
        "Trabajo en Bancolombia. Ayúdame con una carta formal.",
        "Mi primo vive en Cali. Yo vivo en Medellín. ¿Cuánto dura el viaje?"),
    _of("Giulia", "it", "chatgpt", "Torino", "Fiat",
        "Abito a Torino e lavoro alla Fiat. Cosa posso fare domenica?",
        "Mia sorella abita a Genova e lavora per Costa. Che regalo le faccio?"),
    _of("Paolo", "it", "claude", "Bari", "Enel",
        "Lavoro per Enel. Mi scrivi una mail per chiedere le ferie?",
        "Mio padre abita a Lecce. Io abito a Bari. Quanto ci vuole in treno?"),
    _of("Inês", "pt", "chatgpt", "Lisboa", "TAP",
        "Moro em Lisboa e trabalho na TAP. O que posso fazer no domingo?",
        "O irmão Rui mora no Porto e trabalha na Sonae. O que lhe ofereço?"),
    _of("Rafael", "pt", "claude", "Recife", "Embraer",
        "Trabalho na Embraer. Preciso de uma carta formal.",
        "A minha mãe mora em Olinda. Eu moro em Recife. Quanto tempo demora?"),
    _of("Sanne", "nl", "chatgpt", "Utrecht", "Philips",
        "Ik woon in Utrecht en werk bij Philips. Waar kan ik dit weekend heen?",
        "Mijn zus woont in Gent en werkt bij Colruyt. Wat geef ik haar?"),
    _of("Kasia", "pl", "chatgpt", "Krakowie", "Orlenie",
        "Mieszkam w Krakowie i pracuję w Orlenie. Co mogę zrobić w weekend?",
        "Moja siostra mieszka w Gdyni i pracuje w banku. Co jej kupić?"),
    _of("Олег", "ru", "claude", "Казани", "Яндексе",
        "Я живу в Казани и работаю в Яндексе. Что делать в выходные?",
        "Моя сестра живёт в Перми и работает в школе. Что ей подарить?"),
    _of("Ірина", "uk", "chatgpt", "Львові", "Приватбанку",
        "Я живу у Львові і працюю в Приватбанку. Що робити у вихідні?",
        "Мій брат живе в Одесі й працює в порту. Що йому подарувати?"),
    _of("Sam", "en", "claude", "Lisbon", "Novo",
        "I'm based in Lisbon these days. Any tips for the summer heat?",
        "My job is at Novo, and Alice works at Stripe. Alice lives in Berlin. Who earns more?"),
)  # fmt: skip


def export_of(newcomer: Newcomer) -> list[dict[str, Any]]:
    """Return an export as its product writes it, every turn answered."""
    if newcomer.product == "claude":
        return [_claude(newcomer)]
    return [_chatgpt(newcomer)]


def _claude(newcomer: Newcomer) -> dict[str, Any]:
    messages = []
    for n, turn in enumerate(newcomer.turns):
        at = f"2024-05-01T08:{2 * n:02}:00.000000Z"
        messages += [
            {"uuid": f"{newcomer.name}-{n}-h", "sender": "human", "text": turn, "created_at": at},
            {"uuid": f"{newcomer.name}-{n}-a", "sender": "assistant", "text": ASSISTANT, "created_at": at},
        ]
    return {"uuid": newcomer.name, "name": f"A chat of {newcomer.name}", "chat_messages": messages}


def _chatgpt(newcomer: Newcomer) -> dict[str, Any]:
    said = [each for turn in newcomer.turns for each in (("user", turn), ("assistant", ASSISTANT))]
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for n, (role, text) in enumerate(said):
        mapping[f"n{n}"] = {
            "id": f"n{n}",
            "parent": f"n{n - 1}" if n else "root",
            "children": [f"n{n + 1}"] if n + 1 < len(said) else [],
            "message": {
                "id": f"{newcomer.name}-{n}",
                "author": {"role": role},
                "create_time": TOLD_S + n,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
    return {
        "title": f"A chat of {newcomer.name}",
        "create_time": TOLD_S,
        "conversation_id": newcomer.name,
        "current_node": f"n{len(said) - 1}",
        "mapping": mapping,
    }
