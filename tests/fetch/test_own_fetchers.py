"""clerk's own fetchers are loaded by name: each has the id that its module is called."""

from clerk.fetch import OwnFetchers, register_fetchers


def test_the_id_of_a_fetcher_is_the_name_of_its_module():
    own = register_fetchers()
    assert isinstance(own, OwnFetchers)
    for spec in own:
        assert own.named(spec.id) is spec
    assert own.named("nobody") is None
