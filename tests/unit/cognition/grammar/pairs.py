"""Pairs of tellings in ten languages: what contradicts, what is a change of mind, and what only looks alike.

Written beside the reader, so they say that it does what it was made for, and nothing of how often it does so in a life.
"""

from typing import Final, NamedTuple


class Pair(NamedTuple):
    """Two tellings, the older one first; `kind` is what they contradict each other in, None where they do not."""

    language: str
    older: str
    newer: str
    kind: str | None
    near: float = 0.4


PAIRS: Final = (
    Pair("en", "Marta lives in Leeds, near the canal.", "Dropped a parcel at Marta's flat in York.", "home"),
    Pair("en", "Birthdays: Pia 4 May, Otto 12 June.", "Otto turns nine on the 21st of June.", "birthday"),
    Pair(
        "en",
        "The plumber, Sid Hale: 0161 496 0337.",
        "Call Sid Hale on 0161 496 0373 about the boiler.",
        "identifier",
    ),
    Pair(
        "en",
        "Vera takes bisoprolol 2.5 mg every morning.",
        "Vera's pills: bisoprolol 5 mg once a day.",
        "mass",
    ),
    Pair("en", "The swimming club costs £24 a month.", "Swimming club fees are £29 a month.", "money"),
    Pair("en", "The library is open on Mondays and closes at six.", "The library shuts at five.", "clock"),
    Pair(
        "en", "Leo is allergic to walnuts.", "Leo had the walnut cake, he has no allergies at all.", "allergy"
    ),
    Pair("en", "Leo is allergic to walnuts.", "Leo says he is not allergic to anything.", "allergy"),
    Pair("en", "Marta lives in Leeds.", "Marta moved, she lives in York now.", None),
    Pair("en", "Marta lives in Leeds.", "Marta's sister lives in York.", None),
    Pair(
        "en", "The swimming club costs £24 a month.", "The swimming club costs £29 a month from now on.", None
    ),
    Pair("en", "Weighed Rex today, 14 kg.", "Rex weighs 16 kg.", None),
    Pair("en", "The gate code at Nan's is 4471.", "Nan's gate: the code is 4417, push hard.", "identifier"),
    Pair("en", "Anna's daughter Mia plays chess.", "Mia's mother Anna came along.", None),
    Pair("en", "Rafa's sister Duda came by.", "Duda, Rafa's cousin, needs a room.", "role"),
    Pair("en", "Rafa's sister Duda came by.", "Rafa's mother rang Duda.", None),
    Pair("en", "Zoe's godfather is Piet, a friend from school.", "Ralf is Zoe's godfather.", "role"),
    Pair(
        "en",
        "Emma's birthday is on 3 November, she wants a kite.",
        "Booked the bowling alley for Emma, she is 8 on 13 November.",
        "birthday",
    ),
    Pair(
        "en",
        "Session timeout is set to 30 minutes in production.",
        "Sessions expire after 45 minutes in production.",
        "duration",
    ),
    Pair("en", "Tariq can't stand mushrooms.", "Tariq loves mushrooms, made him a risotto.", "likes"),
    Pair("en", "The gym opens at 6.", "The pool opens at 7.", None),
    Pair("en", "Electricity is £84 a month.", "Internet is £33 a month.", None),
    Pair("en", "Ben's school starts at 8:30 every day.", "Ben's school ends at 15:15 every day.", None),
    Pair("en", "Rent for the flat is £900 a month.", "Rent for the garage is £60 a month.", None),
    Pair(
        "en",
        "Emma's party is on 15 November at the bowling alley.",
        "Emma's birthday is on 13 November.",
        None,
    ),
    Pair("en", "Emma is allergic to cats.", "Emma is allergic to pollen.", None),
    Pair("de", "Anna wohnt in Köln.", "Annas Mutter wohnt in Bonn.", None),
    Pair(
        "de",
        "Opa nimmt Ramipril 5 mg morgens.",
        "Medikamente Opa: Ramipril 10 mg morgens, sonst nichts.",
        "mass",
    ),
    Pair("de", "Lena arbeitet bei Bosch.", "Lena arbeitet bei Siemens in der Buchhaltung.", "work"),
    Pair("fr", "Paul travaille chez Airbus.", "Paul travaille chez Thales, au bureau d'études.", "work"),
    Pair(
        "en",
        "Pharmacy on Elm Road closes at 5.30 on Saturdays.",
        "The Elm Road pharmacy is open until 7 on Saturdays.",
        "clock",
    ),
    Pair("en", "Gym opens at 6 on weekdays.", "The gym doesn't open until 7 on weekdays.", "clock"),
    Pair("en", "Deposit for the hall is £120.", "hall deposit £150, back within a week", "money"),
    Pair(
        "en",
        "grandad's care home: visiting 2 till 4 every day",
        "visiting hours at grandad's care home are 3 to 5 every day",
        "clock",
    ),
    Pair("en", "Ken next door is on amlodipine, 10 mg.", "I am to take amlodipine 5 mg.", None),
    Pair(
        "es",
        "La abuela toma enalapril 10 mg por la mañana.",
        "Medicinas de la abuela: enalapril 20 mg.",
        "mass",
    ),
    Pair("it", "L'affitto è 600 euro al mese.", "Affitto: 640 euro al mese.", "money"),
    Pair("pl", "Babcia bierze bisoprolol 5 mg rano.", "Leki babci: bisoprolol 10 mg.", "mass"),
    Pair("ru", "Бабушка принимает эналаприл 5 мг.", "Лекарства: бабушка, эналаприл 10 мг утром.", "mass"),
    Pair("uk", "Піаніно щопонеділка о 16:00.", "Піаніно щопонеділка о 17:00.", "clock"),
    Pair("de", "Jörg wohnt in Kassel.", "Jörg wohnt in Fulda, zweiter Stock.", "home"),
    Pair(
        "de",
        "Geburtstage: Anke 3. Mai, Lutz 8. August.",
        "Lutz wird am 18. August vierzig, sein Geburtstag ist am 18. August.",
        "birthday",
    ),
    Pair("de", "Der Chor kostet 15 Euro im Monat.", "Chorbeitrag: 18 Euro im Monat für den Chor.", "money"),
    Pair(
        "de", "Die Bücherei schließt um halb sieben.", "Die Bücherei macht um sechs zu, jeden Tag.", "clock"
    ),
    Pair("de", "Jörg wohnt in Kassel.", "Jörg ist umgezogen und wohnt in Fulda.", None),
    Pair("fr", "Luc habite à Rennes.", "Luc habite à Vannes, au premier étage.", "home"),
    Pair("fr", "L'anniversaire de Zoé est le 2 mars.", "Zoé fête ses 7 ans le 12 mars.", "birthday"),
    Pair("fr", "La piscine coûte 30 € par mois.", "La piscine : 35 € par mois.", "money"),
    Pair("fr", "La bibliothèque ferme à 18 h 30.", "La bibliothèque ferme à six heures.", "clock"),
    Pair("fr", "Luc habite à Rennes.", "Luc a déménagé, il habite à Vannes.", None),
    Pair("es", "Inés vive en Gijón.", "Inés vive en Oviedo, cerca del parque.", "home"),
    Pair("es", "El cumpleaños de Hugo es el 3 de abril.", "Hugo cumple ocho el 13 de abril.", "birthday"),
    Pair("es", "El gimnasio cuesta 28 euros al mes.", "El gimnasio son 32 euros al mes.", "money"),
    Pair("es", "La panadería cierra a las siete y media.", "La panadería cierra a las ocho.", "clock"),
    Pair("es", "Inés vive en Gijón.", "Inés se mudó, ahora vive en Oviedo.", None),
    Pair("it", "Nora abita a Parma.", "Nora abita a Modena con sua zia.", "home"),
    Pair("it", "Il compleanno di Ugo è il 5 luglio.", "Ugo compie nove anni il 15 luglio.", "birthday"),
    Pair("it", "La palestra costa 40 euro al mese.", "La palestra sono 45 euro al mese.", "money"),
    Pair("it", "La posta chiude alle sei e mezza.", "La posta chiude alle sette.", "clock"),
    Pair("it", "Nora abita a Parma.", "Nora si è trasferita, abita a Modena.", None),
    Pair("pt", "A Rita mora em Braga.", "A Rita mora em Aveiro, perto da ria.", "home"),
    Pair("pt", "O aniversário do Nuno é a 4 de junho.", "O Nuno faz anos a 14 de junho.", "birthday"),
    Pair("pt", "A natação custa 25 euros por mês.", "A natação são 28 euros por mês.", "money"),
    Pair("pt", "A Rita mora em Braga.", "A Rita mudou de casa, mora em Aveiro.", None),
    Pair("nl", "Sanne woont in Breda.", "Sanne woont in Tilburg, vlak bij het station.", "home"),
    Pair("nl", "De verjaardag van Bram is 6 mei.", "Bram is jarig op 16 mei.", "birthday"),
    Pair("nl", "De sportschool kost 22 euro per maand.", "Sportschool: 26 euro per maand.", "money"),
    Pair("nl", "De winkel sluit om half zes.", "De winkel sluit om zes uur.", "clock"),
    Pair("nl", "Sanne woont in Breda.", "Sanne is verhuisd en woont in Tilburg.", None),
    Pair("pl", "Ola mieszka w Toruniu.", "Ola mieszka w Gdyni, blisko morza.", "home"),
    Pair("pl", "Zosia ma urodziny 7 maja.", "Zosia ma urodziny 17 maja.", "birthday"),
    Pair("pl", "Basen kosztuje 120 zł miesięcznie.", "Za basen płacimy 140 zł miesięcznie.", "money"),
    Pair("pl", "Ola mieszka w Toruniu.", "Ola przeprowadziła się i mieszka w Gdyni.", None),
    Pair("ru", "Лена живёт в Туле.", "Лена живёт в Рязани, на пятом этаже.", "home"),
    Pair("ru", "День рождения Пети 8 мая.", "У Пети день рождения 18 мая.", "birthday"),
    Pair("ru", "Бассейн стоит 3000 рублей в месяц.", "За бассейн платим 3500 рублей в месяц.", "money"),
    Pair("ru", "Лена живёт в Туле.", "Лена переехала и живёт в Рязани.", None),
    Pair("uk", "Оля живе в Луцьку.", "Оля живе в Рівному, біля парку.", "home"),
    Pair("uk", "День народження Петра 9 травня.", "У Петра день народження 19 травня.", "birthday"),
    Pair("uk", "Басейн коштує 900 гривень на місяць.", "За басейн платимо 950 гривень на місяць.", "money"),
    Pair("uk", "Оля живе в Луцьку.", "Оля переїхала і живе в Рівному.", None),
    Pair(
        "en",
        "Yoga is every Monday at 7 in the church hall.",
        "Yoga has shifted to Wednesdays at 7, every week.",
        None,
    ),
    Pair("en", "Yoga is every Monday at 7.", "From next week yoga is every Tuesday at 7.", None),
    Pair(
        "en",
        "Sue lives in Bath.",
        "Sue has settled into her place: she lives in Exeter, finally out of Bath.",
        None,
    ),
    Pair("en", "Sue lives in Bath.", "Sue's new address: lives at 4 Quay Street.", None),
    Pair("en", "Owen works for Arup.", "Owen started at Atkins on Monday, works for Atkins.", None),
    Pair(
        "en", "Owen works for Arup.", "Owen handed in his notice at Arup. He works for Atkins from May.", None
    ),
    Pair("en", "The gym is £24 a month.", "The gym has put its price up: £29 a month.", None),
    Pair("en", "The gym is £24 a month.", "Gym goes to £29 a month in May.", None),
    Pair("en", "Dad takes warfarin 3 mg.", "The doctor has put Dad up to warfarin 5 mg.", None),
    Pair("en", "Dad takes warfarin 3 mg.", "Dad's warfarin was raised to 5 mg.", None),
    Pair("en", "Dad takes warfarin 3 mg.", "Dr Lee cut Dad's warfarin to 2 mg.", None),
    Pair("en", "The library closes at six.", "Winter hours: the library closes at five until March.", None),
    Pair(
        "de",
        "Der Chor ist jeden Montag um 19 Uhr.",
        "Der Chor findet künftig jeden Dienstag um 19 Uhr statt.",
        None,
    ),
    Pair("de", "Der Chor kostet 15 Euro im Monat.", "Der Chor wird teurer: 18 Euro im Monat.", None),
    Pair("de", "Opa nimmt Ramipril 5 mg.", "Der Arzt hat Opas Ramipril auf 10 mg erhöht.", None),
    Pair("de", "Lena arbeitet bei Bosch.", "Lena hat bei Siemens angefangen, arbeitet bei Siemens.", None),
    Pair(
        "fr",
        "Le judo est le mercredi à 17 h, chaque semaine.",
        "Le judo passe au jeudi à 17 h, chaque semaine.",
        None,
    ),
    Pair("fr", "Paul travaille chez Airbus.", "Paul a commencé lundi : il travaille chez Thales.", None),
    Pair("fr", "Le loyer est de 720 € par mois.", "Le loyer augmente : 750 € par mois dès mai.", None),
    Pair("es", "El alquiler son 650 euros al mes.", "Nos suben el alquiler a 680 euros al mes.", None),
    Pair(
        "es",
        "Marta trabaja en Correos.",
        "Marta ha empezado en Renfe, trabaja en Renfe desde el lunes.",
        None,
    ),
    Pair("it", "L'affitto è 600 euro al mese.", "L'affitto sale a 640 euro al mese.", None),
    Pair("it", "Luca lavora alla Fiat.", "Luca ha iniziato, lavora alla Barilla da lunedì.", None),
    Pair("pt", "a renda são 500 euros por mês", "a renda vai subir para 520 euros por mês", None),
    Pair("pt", "A Rita mora em Braga.", "A Rita foi viver para Aveiro, mora em Aveiro desde maio.", None),
    Pair(
        "nl",
        "De sportschool kost 22 euro per maand.",
        "De sportschool wordt duurder: 26 euro per maand.",
        None,
    ),
    Pair("nl", "Sanne woont in Breda.", "Sanne woont sinds mei in Tilburg.", None),
    Pair("pl", "Basen kosztuje 120 zł miesięcznie.", "Basen podrożał: 140 zł miesięcznie.", None),
    Pair("pl", "Ola mieszka w Toruniu.", "Ola od maja mieszka w Gdyni.", None),
    Pair("ru", "Бассейн стоит 3000 рублей в месяц.", "Бассейн подорожал до 3500 рублей в месяц.", None),
    Pair("ru", "Лена живёт в Туле.", "Лена с мая живёт в Рязани.", None),
    Pair("uk", "Басейн коштує 900 гривень на місяць.", "Басейн подорожчав: 950 гривень на місяць.", None),
    Pair("uk", "Оля живе в Луцьку.", "Оля з травня живе в Рівному.", None),
    Pair(
        "en", "Ben's tutor comes every Monday at 4.", "Ben's tutor swapped to Thursdays at 4 each week.", None
    ),
    Pair("en", "We meet every Tuesday at 8.", "Starting in June we meet every Wednesday at 8.", None),
    Pair(
        "en",
        "Tim is allergic to eggs.",
        "The test says Tim has outgrown it: not allergic to eggs any longer.",
        None,
    ),
    Pair(
        "en",
        "The landlord is Mr Hay, rent £600 a month.",
        "Rent review: it is £640 a month as of July.",
        None,
    ),
    Pair("en", "Otto hates olives.", "Otto loves olives these days.", None),
    Pair("en", "Phone for Ida: 0161 496 0337.", "Ida has a new number: 0161 496 0373.", None),
    Pair("en", "The bike belongs to Max.", "Max gave the bike to Eva, the bike belongs to Eva.", None),
    Pair(
        "fr",
        "Le cours de judo de Noé est le mercredi à 17 h, chaque semaine.",
        "Noé a judo tous les mercredis à 17 h 30.",
        "clock",
    ),
)
