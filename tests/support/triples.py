"""Statements that differ in one telling word: a summary of each three must lose none, and stand in the way of none."""

from typing import Final


def _three(statement: str, *words: str) -> tuple[str, ...]:
    return tuple(statement.format(word) for word in words)


SAID_NEARLY_ALIKE: Final = (
    # who
    _three("Paid {} 20 euros for the tickets", "Ann", "Ben", "Carl"),
    _three("{} brought the salad to the picnic", "Olga", "Peter", "Nina"),
    _three("Lent the blue bicycle to {}", "Maria", "Tom", "Ivan"),
    _three("The keys are with {} this week", "Ruth", "Omar", "Lea"),
    _three("{} called about the broken boiler", "Mrs Kim", "Mr Novak", "Dr Stern"),
    _three("Had lunch with {} at the canteen", "Jonas", "Elena", "Sofia"),
    # how much and how many
    _three("Invoice {} was sent to Novo", "1001", "1002", "1003"),
    _three("The rent for the flat is {} euros", "820", "840", "860"),
    _three("Bought {} tickets for the concert", "two", "three", "four"),
    _three("The parcel weighs {} kg", "3", "4", "5"),
    _three("Ran {} km along the river", "7", "9", "12"),
    _three("The password of the router ends in {}", "17", "38", "54"),
    _three("Gave the dog {} pills", "one", "two", "three"),
    _three("Paragraph {} of the contract is missing", "4", "6", "9"),
    # when
    _three("Gave the cat its eye drops at {}", "8", "14", "20"),
    _three("Had dinner at the Thai place in {}", "May", "June", "July"),
    _three("The dentist is on {} at ten", "Monday", "Tuesday", "Friday"),
    _three("Watered the plants in the {}", "morning", "afternoon", "evening"),
    _three("The train to Porto leaves at {}", "9:05", "11:35", "17:05"),
    _three("The insurance was paid in {}", "2021", "2022", "2023"),
    _three("The plumber came {} week", "last", "this", "next"),
    _three("Mother's visit is on the {} of March", "3rd", "13th", "23rd"),
    # where
    _three("Fixed the {} bug in the iOS app", "login", "payment", "layout"),
    _three("The spare key lies {} the mat", "under", "behind", "beside"),
    _three("Parked the car in {} street", "Mill", "Church", "Harbour"),
    _three("Spent the weekend in {}", "Lisbon", "Oslo", "Quito"),
    _three("The meeting is in room {}", "A", "B", "C"),
    _three("Left the umbrella at the {}", "office", "station", "theatre"),
    _three("Changed the {} tyre of the van", "front", "rear", "spare"),
    # whether
    ("The deployment succeeded", "The deployment failed", "The deployment did not start"),
    ("Ann may eat nuts", "Ann may not eat nuts", "Ann may never eat nuts"),
    ("The heating works", "The heating does not work", "The heating works only upstairs"),
    ("We will renew the lease", "We won't renew the lease", "We might renew the lease"),
    ("The milk is fresh", "The milk isn't fresh", "The milk was fresh"),
    ("Took the tablets with water", "Took the tablets without water", "Took the tablets before the water"),
    ("The shop is open", "The shop is closed", "The shop is almost open"),
    # who to whom, and what for what
    ("Ann manages Bob", "Bob manages Ann", "Ann and Bob manage"),
    ("Replaced MySQL with Postgres", "Replaced Postgres with MySQL", "Replaced neither Postgres nor MySQL"),
    ("Bob owes Ann 50 euros", "Ann owes Bob 50 euros", "Ann owes Bob 15 euros"),
    ("The dog chased the cat", "The cat chased the dog", "The dog and the cat chased"),
    ("Prefer tea to coffee", "Prefer coffee to tea", "Prefer coffee and tea"),
    # German
    _three("Habe {} 20 Euro für die Karten gegeben", "Anna", "Bernd", "Carl"),
    _three("Der Termin beim Zahnarzt ist am {}", "Montag", "Dienstag", "Freitag"),
    _three("Die Miete beträgt {} Euro", "820", "840", "860"),
    ("Die Heizung geht", "Die Heizung geht nicht", "Die Heizung geht nur oben"),
    _three("Der Schlüssel liegt {} der Matte", "unter", "hinter", "neben"),
    _three("Im {} waren wir beim Thailänder essen", "Mai", "Juni", "Juli"),
    # Spanish
    _three("Le pagué a {} 20 euros por las entradas", "Ana", "Beto", "Carlos"),
    _three("La cita con el dentista es el {}", "lunes", "martes", "viernes"),
    _three("El alquiler es de {} euros", "820", "840", "860"),
    ("La calefacción funciona", "La calefacción no funciona", "La calefacción nunca funciona"),
    _three("Cenamos en el restaurante tailandés en {}", "mayo", "junio", "julio"),
    _three("Dejé el paraguas en {}", "la oficina", "la estación", "el teatro"),
    # Russian
    _three("Заплатил {} 20 евро за билеты", "Анне", "Борису", "Кириллу"),
    _three("Приём у зубного врача в {}", "понедельник", "вторник", "пятницу"),
    _three("Аренда стоит {} евро", "820", "840", "860"),
    ("Отопление работает", "Отопление не работает", "Отопление работает только наверху"),
    _three("Ужинали в тайском ресторане в {}", "мае", "июне", "июле"),
    # Ukrainian
    _three("Заплатив {} 20 євро за квитки", "Ганні", "Борису", "Кирилу"),
    _three("Прийом у стоматолога у {}", "понеділок", "вівторок", "п'ятницю"),
    _three("Оренда коштує {} євро", "820", "840", "860"),
    ("Опалення працює", "Опалення не працює", "Опалення працює лише нагорі"),
    _three("Вечеряли в тайському ресторані у {}", "травні", "червні", "липні"),
)
