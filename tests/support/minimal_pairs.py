"""Pairs of tellings that differ in little and say different things, by what they differ in; and repetitions.

Written for the tests of `cognition.ingest.sameness`, in English, German, Spanish, Russian and Ukrainian.
"""

from typing import Final


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    lines = [line.strip() for line in text.strip().splitlines()]
    return tuple((one.strip(), other.strip()) for one, other in (line.split("|") for line in lines if line))


DIFFERENT: Final = {
    "weekday": _pairs("""
        The dentist is on Monday at 10 | The dentist is on Tuesday at 10
        Ann comes on Friday | Ann comes on Saturday
        Bins go out on Wednesday | Bins go out on Thursday
        We meet Ben on Sunday at noon | We meet Ben on Monday at noon
        Der Zahnarzt ist am Montag um 9 | Der Zahnarzt ist am Dienstag um 9
        Anna kommt am Freitag | Anna kommt am Samstag
        La reunión es el lunes a las 10 | La reunión es el martes a las 10
        Ana viene el jueves | Ana viene el viernes
        Встреча в понедельник в 10 | Встреча во вторник в 10
        Анна приедет в среду | Анна приедет в четверг
        Зустріч у понеділок о 10 | Зустріч у вівторок о 10
        Олена приїде в п'ятницю | Олена приїде в суботу
    """),
    "month": _pairs("""
        The rent was paid in May | The rent was paid in June
        Tom moved to Berlin in March | Tom moved to Berlin in April
        My birthday is 5 January | My birthday is 5 February
        The lease ends in October | The lease ends in November
        Die Miete wurde im Mai bezahlt | Die Miete wurde im Juni bezahlt
        Wir ziehen im August um | Wir ziehen im September um
        Pagué el alquiler en mayo | Pagué el alquiler en junio
        El curso empieza en enero | El curso empieza en febrero
        Мы переехали в марте | Мы переехали в апреле
        Отпуск в июле | Отпуск в августе
        Ми переїхали в березні | Ми переїхали в квітні
        Відпустка в липні | Відпустка в серпні
    """),
    "part of day": _pairs("""
        Ann runs in the morning | Ann runs in the evening
        Take the pill at noon | Take the pill at midnight
        The call is tomorrow morning | The call is tomorrow afternoon
        I fed the cat this morning | I fed the cat tonight
        Wir laufen am Morgen | Wir laufen am Abend
        Die Pille am Mittag nehmen | Die Pille am Abend nehmen
        Corro por la mañana | Corro por la noche
        La llamada es por la tarde | La llamada es por la noche
        Пью таблетку утром | Пью таблетку вечером
        Звонок днём | Звонок ночью
        Бігаю вранці | Бігаю ввечері
        Дзвінок вдень | Дзвінок вночі
    """),
    "before and after": _pairs("""
        Take it before dinner | Take it after dinner
        Ann left before Ben | Ann left after Ben
        Water the plants until May | Water the plants since May
        Vor dem Essen nehmen | Nach dem Essen nehmen
        Antes de la cena | Después de la cena
        Принимать до еды | Принимать после еды
        Приймати до їжі | Приймати після їжі
        Lock the door from inside | Lock the door from outside
    """),
    "number word": _pairs("""
        Bob has two dogs | Bob has three dogs
        She is forty years old | She is thirty years old
        I take it once a day | I take it twice a day
        He lives on the fourth floor | He lives on the fifth floor
        It was my first marathon | It was my third marathon
        Bob hat zwei Hunde | Bob hat drei Hunde
        Sie ist vierzig | Sie ist dreißig
        Ich nehme es einmal am Tag | Ich nehme es zweimal am Tag
        Bob tiene dos perros | Bob tiene tres perros
        Vive en el cuarto piso | Vive en el quinto piso
        У Боба две собаки | У Боба три собаки
        Ей сорок лет | Ей тридцать лет
        У Боба два собаки | У Боба чотири собаки
        Їй сорок років | Їй тридцять років
    """),
    "digits": _pairs("""
        The code is 1234 | The code is 1235
        Invoice 1002 was sent | Invoice 1003 was sent
        The meeting is at 10:30 | The meeting is at 10:45
        We use Python 3.11 | We use Python 3.12
        The app is v2 | The app is v3
        Rent is 950 euros | Rent is 959 euros
        It was -5 outside | It was 5 outside
        Die Miete ist 950 Euro | Die Miete ist 960 Euro
        El código es 12 | El código es 21
        Код 4411 | Код 4412
        Ціна 30 гривень | Ціна 40 гривень
        Give the cat 2 pills and the dog 1 pill | Give the dog 2 pills and the cat 1 pill
    """),
    "unit": _pairs("""
        Take 5 ml | Take 5 mg
        It is 3 km away | It is 3 m away
        It cost 20 euros | It cost 20 dollars
        Wait 10 minutes | Wait 10 hours
        It weighs 2 kg | It weighs 2 g
        Growth was 5 % | Growth was 5 €
        Es kostet 20 Euro | Es kostet 20 Dollar
        Espera 10 minutos | Espera 10 horas
        Ждать 10 минут | Ждать 10 часов
        Чекати 10 хвилин | Чекати 10 годин
    """),
    "name": _pairs("""
        Paid Ann 20 euros for the tickets | Paid Ben 20 euros for the tickets
        Call Dr Müller at 5 | Call Dr Möller at 5
        Tom moved to Berlin | Tom moved to Bern
        We host on Hetzner | We host on Linode
        anna likes tea | maria likes tea
        al owes me 5 euros | ed owes me 5 euros
        Anna zahlte 20 Euro | Maria zahlte 20 Euro
        Ana vive en Lima | Ana vive en Quito
        Анна живёт в Москве | Анна живёт в Минске
        Олена живе у Львові | Олена живе у Києві
    """),
    "negation": _pairs("""
        Ann eats fish | Ann does not eat fish
        The door is locked | The door isn't locked
        I never smoke at 5 | I smoke at 5
        Ben can swim | Ben can't swim
        Anna isst Fisch | Anna isst keinen Fisch
        Die Tür ist zu | Die Tür ist nicht zu
        Ana come pescado | Ana no come pescado
        Nunca fumo | Fumo
        Анна ест рыбу | Анна не ест рыбу
        Дверь закрыта | Дверь не закрыта
        Олена їсть рибу | Олена не їсть рибу
        Двері зачинені | Двері не зачинені
    """),
    "roles": _pairs("""
        Ann manages Bob | Bob manages Ann
        Ann owes Bob 50 euros | Bob owes Ann 50 euros
        We replaced Postgres with MySQL | We replaced MySQL with Postgres
        Merge develop into main | Merge main into develop
        Deploy to staging first, then to production | Deploy to production first, then to staging
        I prefer tea over coffee | I prefer coffee over tea
        If the light is red, press green | If the light is green, press red
        My mother is allergic to nuts, my father is not | My father is allergic to nuts, my mother is not
        Ann comes on Monday, Ben on Tuesday | Ben comes on Monday, Ann on Tuesday
        Anna schuldet Bob 50 Euro | Bob schuldet Anna 50 Euro
        Ana le debe 50 euros a Luis | Luis le debe 50 euros a Ana
        Анна должна Бобу 50 евро | Боб должен Анне 50 евро
        Анна любит Петю | Петя любит Анну
        Анна винна Бобу 50 євро | Боб винен Анні 50 євро
        Олена знає Петра | Петро знає Олену
    """),
    "antonym": _pairs("""
        The deployment at 5 succeeded | The deployment at 5 failed
        The left front tyre is flat | The right front tyre is flat
        The heating is on | The heating is off
        Ann's offer of 5 May was accepted | Ann's offer of 5 May was rejected
        The window is open | The window is closed
        Push to open door 3 | Pull to open door 3
        Der vordere Reifen ist platt | Der hintere Reifen ist platt
        Die Heizung ist an | Die Heizung ist aus
        La puerta está abierta | La puerta está cerrada
        Свет включён | Свет выключен
        Світло увімкнене | Світло вимкнене
    """),
    "thing": _pairs("""
        I bought 3 apples | I bought 3 pears
        Ben's email is ben@a.org | Ben's email is ben@b.org
        We write it in C | We write it in C++
        I love 🍕 | I love 🍔
        Her daughter is 5 | His daughter is 5
        The paper is in English | The paper is in German
        Ich kaufte 3 Äpfel | Ich kaufte 3 Birnen
        Compré 3 manzanas | Compré 3 peras
        Я купил 3 яблока | Я купил 3 груши
        Я купив 3 яблука | Я купив 3 груші
    """),
    "hedge": _pairs("""
        I paid Ben 20 euros | I almost paid Ben 20 euros
        Ann comes at 5 | Ann comes maybe at 5
        Ann comes at 5 | Does Ann come at 5?
        The train leaves at 10 | The train leaves only at 10
        Ann will pay 20 euros | Ann would pay 20 euros
        Ann lives at number 5 | Ann lived at number 5
        Anna kommt um 5 | Anna kommt vielleicht um 5
        Ana viene a las 5 | Ana viene quizás a las 5
        Анна придёт в 5 | Анна возможно придёт в 5
        Олена прийде о 5 | Олена можливо прийде о 5
    """),
    "more": _pairs("""
        Ann has 2 dogs | Ann has 2 dogs and a cat
        I paid 20 euros | I paid 20 euros and 30 cents
        Call Ben at 5 | Call Ben at 5 and again at 7
        The key is under the mat | The spare key is under the mat
        Milk is in the fridge | Milk is not in the fridge
        The budget is 500 | The budget is 500 a head
        I paid Ann 20 euros for tickets | I paid Ann 20 euros for the cheap tickets
        I sold the old bike for 50 euros | I sold the bike for 50 euros
        Ich habe das alte Rad für 50 Euro verkauft | Ich habe das Rad für 50 Euro verkauft
        Vendí la bici vieja por 50 euros | Vendí la bici por 50 euros
        Я продал старый велосипед за 50 евро | Я продал велосипед за 50 евро
        Я продав старий велосипед за 50 євро | Я продав велосипед за 50 євро
    """),
    "half of the day": _pairs("""
        Ann calls her mother at 5 am | Ann calls her mother at 5 pm
        The bakery opens at 6 am | The bakery opens at 6 pm
        Take the pill at 8:30 am | Take the pill at 8:30 pm
        Поезд в 5 утра | Поезд в 5 вечера
        Звонок маме в 7 часов утра | Звонок маме в 7 часов вечера
        Потяг о 7 ранку | Потяг о 7 вечора
    """),
    "article": _pairs("""
        Der Hund beißt den Mann | Den Hund beißt der Mann
        Die Lehrerin dankt der Schülerin | Der Lehrerin dankt die Schülerin
        Am Montag ruft der Chef den Kunden an | Am Montag ruft den Chef der Kunden an
        Der See ist tief | Die See ist tief
        El capital creció mucho | La capital creció mucho
        El lunes nado a las 10 | Los lunes nado a las 10
        Take vitamin A with 2 meals | Take vitamin with 2 meals
    """),
    "ending": _pairs("""
        Tienes dos hijos | Tiene dos hijos
        Comes a las 3 | Come a las 3
        Vives en Lima desde mayo | Vive en Lima desde mayo
        Carlo owes me 20 euros | Carlos owes me 20 euros
        Robert rents flat 4 | Roberts rents flat 4
        Luka kommt am Montag | Lukas kommt am Montag
    """),
    "sign": _pairs("""
        Ben got an A- in maths | Ben got an A in maths
        My blood type is O- | My blood type is O
        Her blood type is AB- | Her blood type is AB
        The rule is x != 3 | The rule is x = 3
        About ~50 guests come | About 50 guests come
        It was -5 at noon | It was 5 at noon
        - 5 | 5
        – 5 degrees | 5 degrees
        Balance: - 20 euros | Balance: 20 euros
        The result is 2^10 | The result is 2 10
    """),
    "letters": _pairs("""
        Ask us about it at 5 | Ask US about it at 5
        The file has 5 MB | The file has 5 Mb
        The file has 5 MB | The file has 5 mb
        She needs 5 m of it | She needs 5 M of it
        In May I polish the table | In May I Polish the table
        Ich habe am Montag Weise gesehen | Ich habe am Montag weise gesehen
        Kommen Sie um 5 | Kommen sie um 5
        Мы видели Надежду в 5 | Мы видели надежду в 5
    """),
    "few": _pairs("""
        I have few friends | I have a few friends
        There is little hope | There is a little hope
        Ben is not really ill | Ben is not ill
        Eva ist nicht wirklich krank | Eva ist nicht krank
        No está muy enferma | No está enferma
        Она не очень больна | Она не больна
        Yoga am Montag um 10 | Yoga montags um 10
        The balance is null | The balance is 0
    """),
    "called off": _pairs("""
        Dentist appointment with Dr Lee on 5 May at 10 | Cancelled dentist appointment with Dr Lee on 5 May at 10
        The team meets Ann in room 5 on Monday | The team meets Ann in room 5 on Monday: postponed
        Die Sitzung mit Eva am Montag um 10 in Raum 5 | Die Sitzung mit Eva am Montag um 10 in Raum 5 abgesagt
        Reunión con Ana el lunes a las 10 en sala 5 | Reunión cancelada con Ana el lunes a las 10 en sala 5
        Встреча с Аней в понедельник в 10 в зале 5 | Отменена встреча с Аней в понедельник в 10 в зале 5
        Зустріч з Анею в понеділок о 10 в залі 5 | Скасовано зустріч з Анею в понеділок о 10 в залі 5
    """),
}
REPEATED: Final = _pairs("""
    Milk is in the fridge | The milk is in the fridge.
    Ann loves hiking in the mountains | Ann really loves hiking in the mountains
    Ann loves hiking, in the mountains! | Ann loves hiking in the mountains
    Tom moved to Berlin in May | Tom moved to Berlin in May.
    The rent is 950 euros | Rent is €950
    Bob has three dogs | Bob has 3 dogs
    The door isn't locked | The door is not locked
    Dentist on Monday at 10 | On Monday at 10 dentist
    Meeting with Bob on Tuesday at 10 | On Tuesday at 10: meeting with Bob
    DENTIST ON MONDAY AT 10 | Dentist on Monday at 10
    i met ann in berlin on monday | I met Ann in Berlin on Monday
    We met at 5 PM. Ann paid | We met at 5 pm. ann paid
    It was - 5 outside | It was -5 outside
    I've paid Ann 20 euros | I have paid Ann 20 euros
    Die Miete ist 950 Euro | Die Miete ist wirklich 950 Euro
    Bob hat drei Hunde | Bob hat 3 Hunde
    Call Eva at 5 pm | At 5 pm call Eva
    Die Milch ist im Kühlschrank | Milch ist im Kühlschrank
    La leche está en la nevera | Leche está en la nevera.
    Bob tiene tres perros | Bob tiene 3 perros
    Аренда 950 евро | Аренда 950 €
    У Боба три собаки | У Боба 3 собаки
    Оренда 950 євро | Оренда 950 €
    У Боба три собаки! | У Боба 3 собаки
""")
# Written by whoever had just changed the tables of words, and tried once: none linked, none lost. Twenty a language.
HELD_OUT: Final = _pairs("""
    I lent my drill to Sam | Sam lent his drill to me
    The plumber comes on the 14th | The plumber comes on the 15th
    Rosa's flight lands at 6:40 | Rosa's flight lands at 6:50
    We sold the Volvo for 4200 | We bought the Volvo for 4200
    The left hearing aid is broken | The right hearing aid is broken
    Ida passed her driving test | Ida failed her driving test
    Mum had her booster in spring | Mum had her booster in autumn
    The spare tent is in the attic | The spare tent is in the cellar
    Leo is taller than Finn | Finn is taller than Leo
    Turn the valve clockwise | Turn the valve counterclockwise
    The lease starts in a week | The lease starts in a month
    Half a tablet before bed | A whole tablet before bed
    Nora is my aunt | Nora is my cousin
    The wifi at the cabin is slow | The wifi at the cabin was slow
    Only Greg has the key | Greg only has the key
    The exam is in room B12 | The exam is in room B21
    Ravi will call me back | I will call Ravi back
    The soup contains celery | The soup contains no celery
    Pay the gardener monthly | Pay the gardener weekly
    Our anniversary is the second of June | Our anniversary is the third of June
    Der Klempner kommt am 14. März | Der Klempner kommt am 15. März
    Oma hat den Nachbarn eingeladen | Oma hat die Nachbarin eingeladen
    Der Zug fährt um halb acht | Der Zug fährt um halb neun
    Ich habe Lena den Bohrer geliehen | Lena hat mir den Bohrer geliehen
    Die Probe ist diesen Samstag | Die Probe ist nächsten Samstag
    Papa darf Salz essen | Papa darf kein Salz essen
    Der Schlüssel liegt unter der Matte | Der Schlüssel liegt auf der Matte
    Wir fahren mit Jonas nach Kiel | Wir fahren ohne Jonas nach Kiel
    Mia ist älter als Tim | Tim ist älter als Mia
    Den Termin hat Petra verschoben | Den Termin hat Petra bestätigt
    Die Heizung steht auf zwanzig Grad | Die Heizung steht auf zweiundzwanzig Grad
    Das Paket ging an Familie Voss | Das Paket kam von Familie Voss
    Der Arzt hat heute auf | Der Arzt hat heute zu
    Kai trinkt Kaffee mit Milch | Kai trinkt Kaffee ohne Milch
    Der Kurs kostet hundertzehn Euro | Der Kurs kostet hundertzwanzig Euro
    Im Winter wohnt sie in Graz | Im Sommer wohnt sie in Graz
    Das linke Knie tut weh | Das rechte Knie tut weh
    Ihr Bruder heißt Emil | Sein Bruder heißt Emil
    Morgens eine Tablette | Abends eine Tablette
    Die Katze frisst Fisch | Den Kater frisst Fisch
    El fontanero viene el 14 de marzo | El fontanero viene el 15 de marzo
    Marta le prestó el coche a Iván | Iván le prestó el coche a Marta
    La abuela oye bien con el oído izquierdo | La abuela oye bien con el oído derecho
    El tren sale a las siete y media | El tren sale a las ocho y media
    Pedro ya comió | Pedro todavía no comió
    La clase empieza el próximo martes | La clase empieza el próximo miércoles
    Compramos la casa en Burgos | Vendimos la casa en Burgos
    La llave está encima del armario | La llave está debajo del armario
    Lucía es mayor que Hugo | Hugo es mayor que Lucía
    Mi hermana vive en Cuenca | Tu hermana vive en Cuenca
    Toma una cucharada antes de comer | Toma una cucharada después de comer
    El perro mordió al cartero | El cartero mordió al perro
    Debo quince euros a Nuria | Debo cincuenta euros a Nuria
    Ana baila sola | Ana baila acompañada
    El piso tiene dos balcones | El piso tiene tres balcones
    Papá es alérgico al polen | Mamá es alérgica al polen
    La tienda abre los domingos | La tienda cierra los domingos
    Se casaron en otoño | Se casaron en primavera
    El examen fue fácil | El examen fue difícil
    Quiero ir con Pablo | Quiero ir sin Pablo
    Сантехник придёт 14 марта | Сантехник придёт 15 марта
    Я дал Лёше дрель | Лёша дал мне дрель
    Бабушка живёт на втором этаже | Бабушка живёт на третьем этаже
    Поезд отходит в половине восьмого | Поезд отходит в половине девятого
    Кошка боится собаки | Собака боится кошки
    Папе можно солёное | Папе нельзя солёное
    Мы купили дачу в Твери | Мы продали дачу в Твери
    Ключ лежит под ковриком | Ключ лежит на коврике
    Марина старше Веры | Вера старше Марины
    Занятие начинается в следующий вторник | Занятие начинается в следующую среду
    Левое колено болит | Правое колено болит
    Её брата зовут Глеб | Его брата зовут Глеб
    Пить по одной таблетке утром | Пить по две таблетки утром
    Он ушёл с работы | Он ушёл на работу
    Игорь должен мне пятнадцать рублей | Игорь должен мне пятьдесят рублей
    Летом они живут в Сочи | Зимой они живут в Сочи
    Оля сдала экзамен | Оля завалила экзамен
    Дядя приехал вчера | Дядя приехал позавчера
    Магазин открыт в воскресенье | Магазин закрыт в воскресенье
    Чай с сахаром для Нины | Чай без сахара для Нины
    Сантехнік прийде 14 березня | Сантехнік прийде 15 березня
    Я позичив Тарасові дриль | Тарас позичив мені дриль
    Бабуся живе на другому поверсі | Бабуся живе на третьому поверсі
    Потяг рушає о пів на восьму | Потяг рушає о пів на дев'яту
    Кіт боїться пса | Пес боїться кота
    Татові можна солоне | Татові не можна солоного
    Ми купили дачу в Лубнах | Ми продали дачу в Лубнах
    Ключ лежить під килимком | Ключ лежить на килимку
    Марійка старша за Соломію | Соломія старша за Марійку
    Заняття почнеться наступного вівторка | Заняття почнеться наступної середи
    Ліве коліно болить | Праве коліно болить
    Її брата звати Остап | Його брата звати Остап
    Пити по одній пігулці зранку | Пити по дві пігулки зранку
    Він пішов з роботи | Він пішов на роботу
    Ігор винен мені п'ятнадцять гривень | Ігор винен мені п'ятдесят гривень
    Влітку вони живуть в Одесі | Взимку вони живуть в Одесі
    Оля склала іспит | Оля провалила іспит
    Дядько приїхав учора | Дядько приїхав позавчора
    Крамниця відчинена в неділю | Крамниця зачинена в неділю
    Чай з цукром для Ніни | Чай без цукру для Ніни
""")
