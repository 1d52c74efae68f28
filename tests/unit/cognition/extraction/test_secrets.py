"""What is taken for a secret, and what is not."""

import time

import pytest

from cognition.extraction.secrets import masked, secrets

# Put together here, so that no scanner of repositories takes the tests for a leak.
_LIVE = "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc"
_GITHUB = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
_SLACK = "xox" + "b-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"
_JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

SECRET = {
    "my card is 4111 1111 1111 1111, until 12/28": "card",
    "Amex 378282246310005": "card",
    "pay with 5555-5555-5555-4444": "card",
    "AKIAIOSFODNN7EXAMPLE is the key": "access key",
    f"the key is {_LIVE}": "token",
    f"git clone https://{_GITHUB}@github.com/x/y": "token",
    f"bot {_SLACK}": "token",
    f"Authorization: Bearer {_JWT}": "token",
    "OPENAI_API_KEY=sk-proj-Ab3dE5fG7hI9jK1lM3nO5pQ7": "token",
    "the secret is 9f86d081884c7d659a2feaa0c55ad015": "token",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA": "private key",
    "my password is hunter2!": "password",
    "Password: correcthorse": "password",
    "The wifi password is Sunny-Beach42": "password",
    "Mein Passwort ist Kaffee#7": "password",
    "postgres://ann:s3cret@db.home/notes": "password",
}
HARMLESS = [
    "call me at +1 415 555 2671 2000",
    "order 4111 1111 1111 1112 arrived",  # fails its check digit
    "0000 0000 0000 0000",
    "the number is 3.14159265358979323846",
    "born 1984-05-06, 2023-11-14T10:00:00Z",
    "I forgot my password again yesterday",
    "my password is always the same",
    "change the password is on the list",
    "The secret is to stay patient and keep walking",
    "a token of appreciation",
    "rid 01a200fa-cd43-7cdc-b0fa-7c668237f083",
    "digest 9f86d081884c7d659a2feaa0c55ad015",
    "https://example.com/a/very/long/path?with=parameters",
    "skiing in Zermatt-Matterhorn2024",
    "password: <your password here>",
]

# Each language as people write it: of what it is a password, behind a copula, behind a colon, within a longer note.
PASSWORDS = [
    "The wifi password for the office is Sunny42beach", "password for Netflix: Moon2020x",
    "La password del wifi è Gelsomino!2024xz", "Netflix: ilse@example.org, la parola d'ordine è pannolini88",
    "Het wachtwoord van de wifi is Tulp2024x", "wachtwoord: tulpenbollen", "ons wifiwachtwoord is nu Fiets!77",
    "Le mot de passe du wifi est « Soleil2024b »", "le mdp de la box c'est Lapin77rose", "Mot de passe : azerty99",
    "A senha do wifi agora é Praia2024x", "senha: abacaxi", "A palavra-passe do portátil é Sol99mar",
    "Hasło do wifi to Kotek2024x", "Hasłem do routera jest Zamek77x", "nowe hasło: Zima2020x",
    "La contraseña del wifi es Playa2024x", "la clave del portal es Luna99sol",
    "Das Passwort fürs WLAN ist Sonne2024x", "Das WLAN-Passwort lautet Sonne2024x", "Kennwort vom Laptop: Igel77x",
    "Пароль от вайфая — Солнце2024", "новый пароль Zima2020x", "Пароль до вайфаю: Сонце2024",
]  # fmt: skip
NO_PASSWORDS = [
    "The password manager we chose is 1Password", "The password was changed on 2026-11-01",
    "La password è nell'agenda di Paolo", "La password scade il 12/12/2026", "La parola d'ordine: risparmiare",
    "De wachtwoordmanager is KeePassXC", "Het wachtwoord staat op pagina 12b", "Le mot de passe est sur le frigo",
    "Le mot de passe doit avoir 12caractères", "A senha da fila é A145", "La clave: paciencia y trabajo",
    "hasło: razem silniejsi", "Das Passwort liegt im Passwort-Manager", "Passwort vergessen, Termin 14:30Uhr",
    "Пароль надо сменить до 12.12.2026", "Пароль від пошти я забула у 2024",
]  # fmt: skip


@pytest.mark.parametrize("text", PASSWORDS)
def test_passwords_are_found_as_ten_languages_tell_them(text: str) -> None:
    assert [found.kind for found in secrets(text)] == ["password"]


@pytest.mark.parametrize("text", NO_PASSWORDS)
def test_talk_about_passwords_is_none_in_ten_languages(text: str) -> None:
    assert secrets(text) == []


@pytest.mark.parametrize(("text", "kind"), SECRET.items())
def test_keys_tokens_passwords_and_cards_are_found(text: str, kind: str) -> None:
    assert [found.kind for found in secrets(text)] == [kind]


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_about_secrets_and_numbers_is_none(text: str) -> None:
    assert secrets(text) == []


def test_a_masked_text_says_where_a_secret_is_and_not_what() -> None:
    assert (
        masked("card 4111 1111 1111 1111 and Password: correcthorse, ok") == "card 41… and Password: co…, ok"
    )
    assert masked("nothing here") == "nothing here"


@pytest.mark.parametrize(
    "piece", ["a" * 64, "eyJ", "4111 ", "password ", "password of a b c ", "://a:", "sk-a-", "BEGIN "]
)
def test_a_long_text_costs_no_more_than_its_length(piece: str) -> None:
    """Shapes that backtrack would take minutes; these take a fifth of a second at most."""
    began = time.process_time()
    secrets(piece * (300_000 // len(piece)))
    assert time.process_time() - began < 10
