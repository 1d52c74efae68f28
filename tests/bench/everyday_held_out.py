"""Thirty more questions of the shape of `tests.bench.everyday`, kept aside while the ranking was made."""

from typing import Final

from tests.bench.everyday import Case

HELD_OUT: Final = (
    Case(
        "When is recycling collected?",
        "Paper and glass get picked up every second Wednesday",
        (
            "Visa interview on 8 January 2027 at the embassy",
            "Call Dad today, it is important",
            "Finals are in the week of 14 June",
        ),
    ),
    Case(
        "Which dentist does Dad go to?",
        "Dad likes Dr Okonkwo on Mill Street, gentle with teeth",
        (
            "Dad retires on 31 March",
            "Dad goes to Lourdes on Monday with the parish",
            "Dad's pension is 1840 a month",
        ),
    ),
    Case(
        "How many tablets of the thyroid medicine do I take?",
        "Thyroxine: one and a half, before breakfast",
        (
            "I take 3 flights this month for the merger",
            "We have 12 tablets for the classroom, ordered in May",
            "How many votes we need: 51 percent",
        ),
    ),
    Case(
        "What is the alarm code of the office?",
        "Office alarm: 2290, then the hash key",
        (
            "Set an alarm for the exam at 6:00 on Thursday",
            "Our code of conduct must be signed by everyone",
            "Zip code of the new house is 80331",
        ),
    ),
    Case(
        "Where are the Christmas lights?",
        "String lights: attic, second shelf, red crate",
        (
            "Christmas dinner is at Julia's on the 25th at 18:00",
            "Northern lights trip booked for 3 February",
            "Where to vote: the town hall, on 9 June",
        ),
    ),
    Case(
        "How long do I boil Theo's egg?",
        "Theo eats his egg soft, five and a half minutes",
        (
            "Theo broke his arm, cast stays for 6 weeks",
            "How long the visa lasts: 90 days, never overstay",
            "Theo's play begins at 17:00 on Friday",
        ),
    ),
    Case(
        "Who waters the plants in the office?",
        "Hilde does the ficus and the orchids on our floor",
        (
            "Office closes for good on 30 September",
            "The water will be cut off on Tuesday from 8 to 12",
            "Staff: Ines, Karim, Bo and Wanda report to the board",
        ),
    ),
    Case(
        "What does Aunt Rosa read?",
        "Aunt Rosa devours crime novels set in Sicily",
        (
            "Aunt Rosa's surgery is on 17 October",
            "Aunt Rosa inherits the house in 2028",
            "Aunt Rosa must not drive any more",
        ),
    ),
    Case(
        "When did we last change the water filter?",
        "Put a fresh cartridge into the jug in April",
        (
            "The last day of school is 19 July",
            "Change in leadership on Monday: Karin is CEO",
            "Last will signed on 2 February 2025",
        ),
    ),
    Case(
        "Which ring size does Sofia have?",
        "Sofia: 52 for rings, measured at the jeweller",
        (
            "Sofia defends her thesis on 28 May",
            "Ring the insurance today before five",
            "Sofia lives at Karlsgatan 12 now",
        ),
    ),
    Case(
        "Why was the login page slow?",
        "Sign-in waited for the avatar service, moved it off the path",
        (
            "Login to the tax portal expires on 1 July",
            "Page 4 of the contract must be initialled",
            "We agreed that slow weeks are for learning",
        ),
    ),
    Case(
        "Which branch has the payment prototype?",
        "Stripe experiment lives on spike/checkout-3",
        (
            "The branch in Hamburg closes on 31 March",
            "Payment of 3400 is due on Friday",
            "We never push to main on weekends, policy",
        ),
    ),
    Case(
        "How do I descale the coffee machine?",
        "Espresso maker: two spoons of citric acid, rinse twice",
        (
            "Coffee with the minister on 6 May at 10",
            "I do strength training three times a week",
            "The machine learning exam is on Monday",
        ),
    ),
    Case(
        "Which painter did the kitchen?",
        "Kitchen walls were done by Malerei Huber",
        (
            "We use the kitchen fund of 9000 only from May on",
            "Which bank: the savings bank, decided yesterday",
            "Picasso exhibition ends on 14 April",
        ),
    ),
    Case(
        "What did Yuki bring from Japan?",
        "Yuki came back with matcha and two lacquer bowls for us",
        (
            "Yuki's visa ends on 30 November",
            "Japan trip: flights on 2 April at 13:20",
            "Yuki must call the embassy today",
        ),
    ),
    Case(
        "When does the pool open for lanes?",
        "Lap swimming starts at half past six on weekdays",
        (
            "Open an account for the baby before Friday",
            "The exhibition opens on 5 March 2027",
            "Car pool leaves at 7:10 from Monday on",
        ),
    ),
    Case(
        "How much did the new tyres cost?",
        "Winter wheels were 640 with fitting",
        (
            "New contract pays 5200 from January",
            "The roof will cost 38000, loan approved",
            "Mia weighs 3400 grams, born on Tuesday",
        ),
    ),
    Case(
        "What helps against Oscar's hiccups?",
        "Oscar: a spoon of sugar and the hiccups are gone",
        (
            "Oscar's vaccination is on 12 December",
            "Help desk number is 0800 330 1000",
            "Oscar starts at the nursery on Monday",
        ),
    ),
    Case(
        "Wer hat unseren Rasenmäher?",
        "Den Rasenmäher haben wir Familie Brandt geliehen",
        (
            "Am Montag um 8 Uhr kommt der Gutachter",
            "Unser Kredit läuft bis 2039",
            "Wer kommt: Anna, Jens, Uwe und Petra",
        ),
    ),
    Case(
        "¿Cuándo pasa el camión de la basura?",
        "La basura se recoge los lunes y jueves por la noche",
        (
            "El vuelo a Bogotá sale el 3 de mayo",
            "Hoy es la entrevista en el banco",
            "La boda de Lucía es el 20 de junio de 2027",
        ),
    ),
    Case(
        "Какой врач был у папы?",
        "Папа ходил к доктору Лебедеву насчёт спины",
        (
            "День рождения папы 9 мая",
            "Папа прилетает завтра в 18:30",
            "Важно: подать документы до пятницы",
        ),
    ),
    Case(
        "What did the mechanic say about the brakes?",
        "Garage: front pads good for another year",
        (
            "The judge said that the hearing is on 4 May",
            "What to say at the funeral on Thursday",
            "Lunch breaks are at 12:30 from today",
        ),
    ),
    Case(
        "Which pizza does Finn want?",
        "Finn always goes for mushrooms without onion",
        (
            "Finn's final is on Sunday at 11",
            "Pizza party for the launch on 30 May",
            "Finn wants to quit school, talk to him today",
        ),
    ),
    Case(
        "Who borrowed the tent?",
        "Gave our tent to the Novak family until they are back",
        (
            "Who we trust: Maria, Ewa, Jan and Piotr, nobody else",
            "We borrowed 240000 for the house in 2021",
            "Tent city opens at the festival on 2 July",
        ),
    ),
    Case(
        "What brand is our dishwasher salt?",
        "For the dishwasher buy Somat salt, coarse",
        (
            "The brand launch is on 10 October",
            "What our daughter needs is time, said the therapist yesterday",
            "Dishwasher guarantee claim was refused on 5 May",
        ),
    ),
    Case(
        "When is the hedge to be cut?",
        "Trim the privet after the birds have left, end of June",
        (
            "Cut sugar for 30 days, from Monday on",
            "Budget cuts are announced on 14 September",
            "When Leo is born, call everybody",
        ),
    ),
    Case(
        "How tall is the Christmas tree we usually buy?",
        "Tree for the living room: 1.80, Nordmann",
        (
            "Christmas bonus of 1500 comes in November",
            "The tower is 212 metres tall and opens in May",
            "We usually pay the rent on the 3rd",
        ),
    ),
    Case(
        "What is Grandma's door entry number?",
        "Grandma: ring flat 14, top bell",
        (
            "Grandma turns 88 on 2 August",
            "My insurance number is 55-1200-8",
            "Grandma's heart pills: never skip, 8:00 daily",
        ),
    ),
    Case(
        "Коли прибирання під'їзду?",
        "Під'їзд миють щосереди зранку",
        (
            "Потяг до Львова 3 травня о 7:40",
            "Сьогодні останній день оплати",
            "Весілля Олени 12 червня 2027 року",
        ),
    ),
    Case(
        "Which config key turns the cache off?",
        "Set http.cache.enabled=false and nothing is stored",
        (
            "Key handover of the flat is on 1 May",
            "The alarm turns off at 6:00 from Monday on",
            "Keynote at the conference is on 14 October at 9",
        ),
    ),
)
