"""What is a kind of what in everyday life: who asks for the doctor may mean the cardiologist, and by pet the cat.

Most everyday questions share no word with the note that answers them, and vectors of single words do not join the two:
"doctor" is as near to "student" as to "surgeon". Each line says how a thing may be called, then what is a kind of it or
tells of it. Who asks by a name of the first sort is answered by all of the line; who asks by one of the second asks for
that alone, as far as another line does not begin with it.

A word that stands for another counts less than the word itself, and a name stands for nothing else. English only, and
written before the questions it is judged by were looked at (`tests.bench.everyday_held_out`).
"""

from collections.abc import Mapping
from typing import Final

from cognition.ranking.stem import stem

_KINDS: Final = """
    doctor physician medic: dr gp surgeon cardiologist dermatologist neurologist oncologist urologist radiologist
        gynaecologist gynecologist paediatrician pediatrician orthopaedist psychiatrist specialist consultant clinic
        ophthalmologist optician dentist orthodontist
    specialist consultant: cardiologist dermatologist neurologist oncologist urologist surgeon orthopaedist
    dentist: orthodontist tooth teeth filling cavity crown braces
    tooth teeth: dentist filling cavity crown molar wisdom
    eye eyes: optician ophthalmologist glasses lenses sight vision
    therapist counsellor counselor psychologist: therapy psychiatrist psychotherapist counselling
    vet veterinarian veterinary: animal
    appointment: booked slot dentist doctor gp clinic hairdresser
    hospital clinic infirmary: ward surgery emergency admitted
    surgery operation: operated surgeon
    medicine medication medicament drug drugs meds: pill pills tablet tablets ibuprofen paracetamol aspirin antibiotic
        antibiotics penicillin insulin inhaler drops ointment cream syrup dose statin statins antihistamine vitamin
    illness disease sickness condition ailment: infection flu cold diabetes asthma migraine fever allergy covid cancer
        arthritis bronchitis pneumonia measles diagnosed diagnosis
    headache headaches: migraine migraines
    allergy allergies allergic: intolerant intolerance hayfever
    lawyer solicitor attorney barrister: notary advocate
    tradesman craftsman handyman tradesperson: plumber electrician carpenter roofer joiner painter builder locksmith
        plasterer tiler gardener decorator bricklayer glazier
    builder: bricklayer carpenter roofer contractor
    garage: mechanic workshop
    mechanic: garage workshop
    designer: architect decorator
    accountant bookkeeper: tax
    babysitter nanny childminder: sitter
    cleaner: cleaning housekeeper
    hairdresser barber stylist: haircut salon
    teacher tutor instructor coach: teaches taught professor lecturer headmaster class lessons trainer
    coach trainer: trains coaches
    colleague coworker workmate: office team boss manager
    boss manager supervisor: head chief director lead
    landlord landlady: rent lease tenancy letting
    tenant lodger: rents
    neighbour neighbor: upstairs downstairs
    friend mate pal buddy: friends
    police: officer constable
    theft robbery burglary: stolen stole burgled robbed thief burglar
    relative relatives relation family: uncle aunt cousin nephew niece brother sister mother father mum dad mom
        grandmother grandfather granny grandpa grandma grandad son daughter grandparents grandchild
    parent parents: mother father mum mom dad mummy daddy
    mother mum mom mama mummy mam
    father dad daddy papa
    grandmother grandma granny gran nan nana
    grandfather grandpa grandad granddad
    grandparent grandparents: grandmother grandfather grandma grandpa granny grandad gran nan
    child kid children kids: son daughter baby toddler boy girl twins
    son: boy
    daughter: girl
    sibling siblings: brother sister twin
    spouse partner: husband wife boyfriend girlfriend fiancé fiancée
    husband hubby
    wife
    baby babies infant newborn: twins birth born pregnant
    pet pets animal animals: dog cat puppy kitten hamster rabbit parrot budgie goldfish guinea tortoise pony
    dog puppy hound: labrador terrier poodle spaniel retriever dachshund collie
    cat kitten
    bird birds: parrot budgie canary robin
    instrument: piano guitar violin cello flute clarinet trumpet saxophone drums viola oboe harp trombone ukulele
    sport sports exercise workout: football soccer tennis swimming running cycling basketball volleyball rugby hockey
        climbing yoga badminton judo karate gym jogging rowing skiing pilates boxing cricket golf
    hobby pastime hobbies: knitting painting gardening beekeeping pottery chess photography hiking birdwatching sewing
        baking woodwork crochet fishing collecting choir
    game games: chess poker bridge monopoly scrabble cards
    film movie films movies: cinema watched
    show series: episode season watched
    book novel books: read reading author paperback
    song music album: playlist concert band
    meal food: breakfast lunch dinner supper ate
    eat: ate lunch dinner breakfast supper meal
    dinner supper
    fruit: apple apples pear pears banana bananas orange oranges strawberry strawberries cherry cherries plum grapes
    vegetable vegetables veg: carrot carrots potato potatoes tomato tomatoes leek cabbage spinach onion beans peas
    drink drinks beverage: tea coffee juice water wine beer milk cocoa lemonade
    dessert pudding: cake pie tart trifle tiramisu
    nuts nut: peanut peanuts hazelnut almond walnut cashew
    car vehicle: volvo skoda toyota ford volkswagen bmw audi fiat renault van honda tesla peugeot nissan mazda brakes
    bike bicycle: cycle cycling tyre
    plane flight airplane aeroplane: fly flies flying airport terminal gate boarding
    train railway: rail platform station
    trip journey travel holiday vacation: flight fly hotel cruise visit
    luggage baggage: suitcase bag bags rucksack
    apartment flat
    house home: flat cottage bungalow
    holiday: cottage cabin
    cabin cottage: chalet lodge
    loft attic
    garden yard: lawn beds
    bathroom: shower bath toilet sink tap
    kitchen: oven stove fridge sink dishwasher
    heating: boiler radiator thermostat furnace
    boiler: heating
    washer: washing laundry
    power electricity electric: meter kwh supplier
    internet online wifi broadband: router network fibre modem
    password passcode login: pin code
    computer laptop pc: macbook notebook thinkpad desktop
    phone mobile telephone: smartphone iphone cellphone
    number: reference no id
    address: street road lane avenue
    cost price costs: paid charged costs euros pounds dollars fee bill quote
    pay: paid costs rent fee price bill
    salary wage wages income: earns paid
    present gift presents gifts: wish
    school: class pupil nursery kindergarten primary grammar
    university college uni: degree faculty campus studies bachelor master
    study studies: degree physics law medicine history maths chemistry biology economics engineering
    subject: maths physics chemistry biology history geography latin
    job profession occupation: works nurse teacher engineer retired lawyer plumber
    language languages: french german spanish italian english japanese polish arabic portuguese mandarin russian greek
    colour color: red blue green yellow black white grey gray brown purple pink orange turquoise
    weekend: saturday sunday
    view viewing: shows visit
    rest sleep: sleeps nap naps bed
    see: went visited watched appointment
    birthday: born turns
"""


def _table() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in _KINDS.replace("\n        ", " ").strip().splitlines():
        names, _, kinds = (part.split() for part in line.partition(":"))
        for name in names:
            found.setdefault(stem(name), {}).update(dict.fromkeys([*names, *kinds]))
    return {name: tuple(word for word in some if stem(word) != name) for name, some in found.items()}


_STANDS_FOR: Final = _table()


def kinds_of(word: str) -> tuple[str, ...]:
    """Return the words that may stand where this one is asked for."""
    return _STANDS_FOR.get(stem(word), ())
