"""Thirty questions of everyday life, each with the note that answers it and others that are louder.

The answer is a note as people write them: short, of no importance, months old, never recalled. What stands beside it is
about something else, but important, new, recalled a thousand times, and of the kind that was asked for: it names a day
where a day is asked for, a number where a number is, the same person where one is named. The ranking was made to
pass these; the thirty of `tests.bench.everyday_held_out` were kept aside.
"""

from typing import Final, NamedTuple


class Case(NamedTuple):
    """A question, the note that answers it, and louder notes that do not."""

    question: str
    answer: str
    louder: tuple[str, ...]


SEEN: Final = (
    Case(
        "When is bin day?",
        "The bins go out on Tuesdays",
        (
            "Passport appointment on 3 December 2026, do not miss it",
            "Sports day at school is on Friday",
            "Today is a good day to start the tax return",
        ),
    ),
    Case(
        "Which doctor did Mum see?",
        "Mum went to Dr Patel about her knee",
        (
            "Mum's birthday is on 4 May, book the restaurant",
            "Mum must see the bank before the end of the year",
            "Mum flies to Malaga on Saturday at 6:40",
        ),
    ),
    Case(
        "How many eggs does the pancake recipe take?",
        "Pancakes: three eggs, a cup of flour, a cup of milk",
        (
            "The mortgage runs for 25 more years at 3.1 percent",
            "Emma has 2 exams and 4 essays left this term",
            "There are 14 people coming to the wedding dinner",
        ),
    ),
    Case(
        "What is the wifi password of the cabin?",
        "Cabin wifi: pinecone-lantern-77",
        (
            "Never share the password of the bank with anyone",
            "Tax office login must be renewed every 90 days",
            "Rotate the production password before Monday",
        ),
    ),
    Case(
        "Where did I park at the airport?",
        "Car is in lot C, level 2, row 14",
        (
            "Flight to Oslo leaves on 9 March at 7:15 from terminal 1",
            "I must renew my passport before June",
            "I start the new job on Monday at nine",
        ),
    ),
    Case(
        "How long does the washing machine's eco cycle take?",
        "Eco programme on the washer runs 3 hours 20",
        (
            "The lease on the flat lasts 24 months",
            "It takes 45 minutes by train to the office",
            "Physio said no running for 6 weeks",
        ),
    ),
    Case(
        "Who feeds the cat while we are away?",
        "Mrs Lindqvist next door looks after Miso during holidays",
        (
            "We are away from 2 to 16 August, flights are booked",
            "Tom, Ana, Priya and Jonas are in the project group",
            "Grandpa is in hospital, visit him every Sunday",
        ),
    ),
    Case(
        "What does Lena drink at breakfast?",
        "Lena only has oat milk with cocoa in the morning",
        (
            "Lena's swimming exam is next Thursday",
            "Lena got 94 points in maths and won the prize",
            "Lena decided to study medicine in Vienna",
        ),
    ),
    Case(
        "When was the boiler last serviced?",
        "Heating engineer came in September, all fine",
        (
            "Last payment for the car is due on 1 February",
            "Last week the board approved the merger on Tuesday",
            "Election day is 23 February 2027",
        ),
    ),
    Case(
        "Which size of shoes does Noah wear?",
        "Noah's feet: EU 31 now",
        (
            "Noah starts school on 25 August",
            "Noah is allergic to penicillin, tell every doctor",
            "Noah said his first English word yesterday",
        ),
    ),
    Case(
        "Why did we drop Redis?",
        "Took the cache server out since it lost sessions on every failover",
        (
            "Release 4.0 ships on 12 November, everybody must be there",
            "We decided that every service needs two reviewers",
            "We use trunk-based development, always",
        ),
    ),
    Case(
        "What port does the staging database listen on?",
        "Staging postgres: 5544",
        (
            "The retrospective is at 15:30 in room 2.08",
            "Policy: no deploys after 16:00 on Fridays",
            "The production incident lasted 47 minutes and cost 12000 euros",
        ),
    ),
    Case(
        "How do I restart the printer?",
        "Office printer hangs: hold the green button for ten seconds",
        (
            "I restart my medication on Monday, 20 mg",
            "How we hire: two interviews and one day together, always",
            "I do my tax return in March every year",
        ),
    ),
    Case(
        "Which plumber did we use for the leak?",
        "Rohrmann & Sohn fixed the pipe under the sink, fair price",
        (
            "We use Terraform for all infrastructure, decided in May",
            "The leak to the press was settled for 4000 euros",
            "Which school to choose is to be decided by 15 January",
        ),
    ),
    Case(
        "What did Ben give me for my birthday?",
        "Present from Ben: the blue fountain pen",
        (
            "Ben moves to Toronto on 1 July",
            "My birthday party is on Saturday at eight",
            "Ben must sign the contract today",
        ),
    ),
    Case(
        "When do the shops close on Sundays in Lisbon?",
        "Supermarkets there stay open until 21 on weekends",
        (
            "Close the bank account before 31 December",
            "Sunday is Mother's day, call her at ten",
            "The deal closes on Friday, lawyers at 9:00",
        ),
    ),
    Case(
        "How much was the dentist?",
        "Paid 180 for the filling",
        (
            "The house was valued at 420000 in 2025",
            "Salary goes up by 4 percent from January",
            "The bike lock code is 4471",
        ),
    ),
    Case(
        "What tea helps me sleep?",
        "Lemon balm before bed works for me",
        (
            "Doctor's appointment about sleep apnea must be on 5 May",
            "Help Anna move on Saturday, important",
            "Dial 112 in an emergency",
        ),
    ),
    Case(
        "Wann wird der Müll abgeholt?",
        "Die Tonne kommt donnerstags früh weg",
        (
            "Am 3. Oktober ist Feiertag",
            "Heute um 14 Uhr Vorstellungsgespräch bei Siemens",
            "Die Hochzeit von Jana ist am 12. Juni 2027",
        ),
    ),
    Case(
        "¿Qué médico vio mamá?",
        "Mamá fue a la consulta del doctor Ortega",
        (
            "El cumpleaños de mamá es el 8 de abril",
            "Mamá vuelve de Sevilla mañana a las diez",
            "La hipoteca vence en 2041",
        ),
    ),
    Case(
        "Где лежат запасные ключи?",
        "Запасной ключ у соседки в синей коробке",
        (
            "Рейс в Стамбул 14 марта в 6:20",
            "Важно: заплатить налоги до 1 декабря",
            "Сегодня последний день подписки",
        ),
    ),
    Case(
        "What did the vet say about Rufus?",
        "Rufus: cut the food by a quarter, too heavy",
        (
            "The lawyer said to sign nothing before Tuesday",
            "The school says that masks are required from Monday",
            "What the boss said: promotion in October",
        ),
    ),
    Case(
        "Which seat do I like on trains?",
        "By the window, facing forward, quiet coach",
        (
            "The train to Geneva leaves at 8:02 on Wednesday",
            "Training for the marathon starts on 1 March",
            "I like the offer of 62000 and will accept it today",
        ),
    ),
    Case(
        "Who lent us the ladder?",
        "The ladder belongs to the Okafors",
        (
            "Who attends: Mia, Paul, Greta and Tim, all important",
            "We lent the bank statement to the lawyer on 3 May",
            "Us against Ajax on Saturday at 19:00",
        ),
    ),
    Case(
        "What colour is the hallway paint?",
        "Hall: Farrow, shade Mizzle, eggshell",
        (
            "The painter comes on 7 April at 8",
            "What matters most in life: family and health",
            "The colour laser printer lease ends in 2027",
        ),
    ),
    Case(
        "When does my library book have to be back?",
        "Return the novel about whales by the 19th",
        (
            "My back pain: MRI on 2 March, important",
            "Book the flights to Lima today",
            "When the baby comes, call Grandma at once",
        ),
    ),
    Case(
        "How old is the car battery?",
        "New battery for the Skoda, fitted in 2022",
        (
            "Grandma is 90 years old on 11 November",
            "The house is 120 years old and listed",
            "How the company grew: 45 people in 2024",
        ),
    ),
    Case(
        "What is the gate code at Carla's building?",
        "Carla: press 0 then 8814 downstairs",
        (
            "Carla's wedding is on 21 June",
            "Code freeze begins on Monday, nobody merges",
            "Building permit was granted on 5 May 2026",
        ),
    ),
    Case(
        "Quand est le marché?",
        "Le marché se tient le samedi place Carnot",
        (
            "Rendez-vous chez le notaire le 14 mars à 9h",
            "Aujourd'hui: dernier jour pour les impôts",
            "Le contrat est signé jusqu'en 2029",
        ),
    ),
    Case(
        "Which test was flaky in CI?",
        "test_reconnect_after_sleep fails one run in ten, timing",
        (
            "Blood test on Friday at 7:30, no breakfast",
            "Driving test passed on 4 June",
            "The contract was signed with the city on Monday",
        ),
    ),
)
