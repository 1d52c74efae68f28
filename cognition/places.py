"""The names of countries and regions that people give as their home, told from towns.

Without them "I live in Berlin" and "I live in Germany" would be taken for two answers to one question. Names are as
people write them in English, folded; where a name is also that of a well-known town (Georgia is a country and a state;
New York a town and a state), it stands where it is most often meant, or in neither list.
"""

from typing import Final

_COUNTRIES: Final = """
afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan,
the bahamas, bahamas, bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan,
bolivia, bosnia, bosnia and herzegovina, botswana, brazil, brunei, bulgaria, burkina faso, burundi,
cambodia, cameroon, canada, cape verde, chad, chile, china, colombia, congo, costa rica, croatia,
cuba, cyprus, czechia, czech republic, the czech republic, denmark, djibouti, dominica, dominican
republic, ecuador, egypt, el salvador, england, eritrea, estonia, eswatini, ethiopia, fiji, finland,
france, gabon, gambia, the gambia, georgia, germany, ghana, greece, grenada, guatemala, guinea,
guyana, haiti, holland, honduras, hungary, iceland, india, indonesia, iran, iraq, ireland, israel,
italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, kiribati, korea, kosovo, kuwait,
kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania, madagascar,
malawi, malaysia, maldives, mali, malta, mauritania, mauritius, mexico, moldova, mongolia,
montenegro, morocco, mozambique, myanmar, namibia, nauru, nepal, netherlands, the netherlands, new
zealand, nicaragua, niger, nigeria, north korea, north macedonia, northern ireland, norway, oman,
pakistan, palau, palestine, panama, papua new guinea, paraguay, peru, philippines, the philippines,
poland, portugal, qatar, romania, russia, rwanda, samoa, saudi arabia, scotland, senegal, serbia,
seychelles, sierra leone, slovakia, slovenia, somalia, south africa, south korea, south sudan,
spain, sri lanka, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania,
thailand, togo, tonga, trinidad and tobago, tunisia, turkey, turkmenistan, tuvalu, uganda, uk, the
uk, ukraine, united arab emirates, uae, united kingdom, the united kingdom, united states, the
united states, usa, the usa, us, the us, america, uruguay, uzbekistan, vanuatu, venezuela, vietnam,
wales, yemen, zambia, zimbabwe, deutschland, österreich, schweiz, españa, italia, frankreich
"""
_REGIONS: Final = """
alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii,
idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts,
michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey,
new mexico, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south
carolina, south dakota, tennessee, texas, utah, vermont, virginia, west virginia, wisconsin,
wyoming, ontario, british columbia, alberta, manitoba, saskatchewan, nova scotia, new south wales,
queensland, tasmania, bavaria, saxony, hesse, bayern, sachsen, hessen, catalonia, andalusia,
tuscany, sicily, lombardy, provence, normandy, brittany, europe, asia, africa
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in text.split(","))


COUNTRIES: Final = _names(_COUNTRIES)
REGIONS: Final = _names(_REGIONS)
