"""One annotation object: what is accepted, what is refused, and in which words."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from shared_data import SHARED_DATA

from clerk.annotations.objects import LISTS, CheckedObject, Issue, Span
from clerk.annotations.rules import decode, decode_carefully

SHARED = SHARED_DATA / "annotations"
VECTORS = SHARED / "normalize_vectors.jsonl"

#: Where clerk's verdict is another than PubAnnotation's, on purpose (docs/annotations.md).
REFUSED_BY_CLERK_ONLY = {"id_duplicate_accepted", "denotation_begin_end_pair_out_of_range"}

MOTION = "Ruiz moved, Lee seconded."


def upload(**changes):
    whole = {"sourcedb": "springfield", "sourceid": "minutes/Council/2024-01-15/1", "text": MOTION}
    return json.dumps({**whole, **changes}).encode()


def person(begin=0, end=4, **more):
    return {"span": {"begin": begin, "end": end}, "obj": "Person", **more}


def two_people():
    return [person(id="T1"), person(12, 15, id="T2")]


def message(**changes):
    found = decode(upload(**changes))
    assert isinstance(found, Issue), found
    return found.message


def accepted(**changes):
    found = decode(upload(**changes))
    assert isinstance(found, CheckedObject), found
    return found


@pytest.mark.skipif(not VECTORS.is_file(), reason="there is no shared data")
@pytest.mark.parametrize(
    "vector",
    [json.loads(line) for line in VECTORS.read_text().splitlines()] if VECTORS.is_file() else [],
    ids=lambda vector: vector["name"],
)
def test_every_shared_vector_has_the_same_verdict_and_message(vector):
    found = decode(vector["input"].encode())
    if vector["name"] in REFUSED_BY_CLERK_ONLY or vector["result"] == "aborts_job":
        assert isinstance(found, Issue)
    elif vector["result"] == "ok":
        assert isinstance(found, CheckedObject)
        wanted = vector["normalised"]
        assert [each.spans for each in found.denotations] == [
            (Span(**each["span"]),) for each in wanted.get("denotations", [])
        ]
        assert (found.sourcedb, found.sourceid) == (wanted["sourcedb"], str(wanted["sourceid"]))
    else:
        assert found.message == vector["message"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sourcedb": " "}, "sourcedb and sourceid are required"),
        ({"sourceid": None}, "sourcedb and sourceid are required"),
        ({"sourceid": []}, "sourcedb and sourceid are required"),
        ({"text": "\u3000\n"}, "annotations must include a 'text'"),
        ({"text": False}, "annotations must include a 'text'"),
        ({"text": 5}, "'text' must be a string: 5."),
        ({"text": ["a"]}, "'text' must be a string: [\"a\"]."),
        ({"denotations": "x"}, "'denotations' must be an array."),
        ({"blocks": {"id": "B1"}}, "'blocks' must be an array."),
        ({"attributes": 3}, "'attributes' must be an array."),
        ({"denotations": [[]]}, "a denotation must be a hash: []."),
        ({"attributes": ["x"]}, 'an attribute must be a hash: "x".'),
        ({"denotations": [person(obj="  ")]}, "a denotation must have an 'obj'."),
        ({"denotations": [person(obj=False)]}, "a denotation must have an 'obj'."),
        ({"blocks": [person(obj=None)]}, "a block must have an 'obj'."),
        (
            {"denotations": [{"obj": "x", "begin": 1}]},
            "a denotation must have a 'span' or a pair of 'begin' and 'end'.",
        ),
        (
            {"denotations": [{"obj": "x", "span": {"begin": 0, "end": 2.0}}]},
            "The begin and end of a span must have integer values: "
            '{:obj=>"x", :span=>{:begin=>0, :end=>2.0}}',
        ),
        (
            {"denotations": [{"obj": "x", "span": {"begin": False, "end": 2}}]},
            "The span of a denotation must have both 'begin' and 'end': "
            '{:obj=>"x", :span=>{:begin=>false, :end=>2}}',
        ),
        (
            {"denotations": [{"obj": "x", "span": {"begin": True, "end": 2}}]},
            "The begin and end of a span must have integer values: "
            '{:obj=>"x", :span=>{:begin=>true, :end=>2}}',
        ),
        (
            {"denotations": [{"obj": 'a"b\n#{c}é', "span": [None]}]},
            'The span of a denotation must be a hash: {:obj=>"a\\"b\\n\\#{c}é", :span=>[nil]}',
        ),
        (
            {"denotations": two_people(), "relations": [{"subj": "T1", "obj": "T2"}]},
            "a relation must have 'subj', 'obj' and 'pred'.",
        ),
        (
            {"denotations": two_people(), "attributes": [{"pred": "p", "obj": 1}]},
            "An attribute must have 'subj', 'obj' and 'pred'.",
        ),
        ({"modifications": {"a": 1}}, "'modifications' must be an array."),
        (
            {"modifications": [{"id": "M1", "pred": "Negation", "obj": "T1"}]},
            "The 'obj' of a modification must reference to a denotation, a block or a relation: "
            '[{:id=>"M1", :pred=>"Negation", :obj=>"T1"}].',
        ),
        (
            {"denotations": two_people(), "modifications": [{"obj": "T1"}]},
            "A modification must have 'pred' and 'obj'.",
        ),
        ({"blocks": [person(id="T1")], "denotations": [person(id="T1")]}, None),
    ],
)
def test_a_bad_object_is_refused_in_words_that_name_what_is_wrong(changes, expected):
    assert message(**changes) == (expected or 'the id "T1" is used more than once.')


@pytest.mark.parametrize("line", [b"", b"   ", b"{", b"{} x", b'{"a": NaN}', b"\xef\xbb\xbf{}"])
def test_what_is_not_json_is_invalid_json(line):
    assert decode(line).message == "Invalid JSON format"


@pytest.mark.parametrize("line", [b"null", b"5", b"true", b'"abc"', b"1.5"])
def test_a_bare_value_is_not_an_object(line):
    assert decode(line).code == "not_an_object"


def test_an_issue_names_file_line_and_document():
    found = decode(upload(text=""), file="x.jsonl", line=7)
    assert str(found) == "x.jsonl:7: annotations must include a 'text'"
    assert (found.sourcedb, found.sourceid) == ("springfield", "minutes/Council/2024-01-15/1")


def test_nesting_is_limited_to_a_hundred_levels():
    def nested(depth):
        attribute = {"subj": "T1", "pred": "p", "obj": json.loads("[" * depth + "]" * depth)}
        return upload(denotations=two_people(), attributes=[attribute])

    assert isinstance(decode(nested(97)), CheckedObject)
    assert decode(nested(98)).code == "too_deep"
    assert decode(b"[" * 1_000_000).code == "too_deep"


@pytest.mark.parametrize("depth", [98, 99, 100])
def test_what_is_dropped_may_not_be_deeper_either(depth):
    deep = json.loads("[" * depth + "]" * depth)
    dropped = {"config": deep}
    assert isinstance(decode(upload(**dropped)), CheckedObject) == (depth < 100)
    inside = [person(unknown=deep)]
    assert isinstance(decode(upload(denotations=inside)), CheckedObject) == (depth < 98)


def test_deep_tracks_are_refused_like_deep_attributes():
    tracks = json.loads("[" * 100 + "]" * 100)
    assert decode(upload(tracks=tracks)).code == "too_deep"


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "a\x00b"},
        {"sourceid": "a\x00"},
        {"denotations": [person(obj="\x00")]},
        {
            "denotations": [person(id="T1")],
            "attributes": [{"subj": "T1", "pred": "p", "obj": "\0"}],
        },
        {"namespaces": [{"prefix": "\0", "uri": "u"}]},
    ],
)
def test_a_nul_character_is_refused_wherever_it_would_be_stored(changes):
    assert decode(upload(**changes)).code == "nul_character"


def test_a_backslash_before_u0000_is_text_not_nul():
    assert accepted(text="a\\u0000b").text == "a\\u0000b"


@pytest.mark.parametrize("text", ['"\\ud800"', '"x\\udc00y"', '"\\ud83dx"', '"\\ude00\\ud83d"'])
def test_half_a_surrogate_pair_is_refused(text):
    line = upload().replace(json.dumps(MOTION).encode(), text.encode())
    assert decode(line).code == "lone_surrogate"


def test_bytes_that_are_not_utf8_are_refused():
    assert decode(upload().replace(b"moved", b"mov\xffd")).code == "invalid_utf8"


def test_spans_count_code_points():
    assert accepted(text="😀ab", denotations=[person(0, 3)])
    assert "between 1 and 3" in message(text="😀ab", denotations=[person(0, 4)])


def test_missing_ids_get_the_next_free_number():
    found = accepted(
        denotations=[person(), person(id="T1"), person(id=None), person(id="T3"), person(id="")],
        blocks=[person()],
        relations=[{"subj": "T1", "pred": "p", "obj": "T2"}],
        attributes=[{"subj": "R1", "pred": "p", "obj": 1}],
    )
    assert [each.id for each in found.denotations] == ["T2", "T1", "T4", "T3", "T5"]
    assert [found.blocks[0].id, found.relations[0].id, found.attributes[0].id] == ["B1", "R1", "A1"]


@pytest.mark.parametrize("value", [False, 0, "", [], {}, {"a": [1]}, 1.5, "yes", True])
def test_an_attribute_keeps_the_value_it_was_given(value):
    attributes = [{"subj": "T1", "pred": "p", "obj": value}]
    found = accepted(denotations=two_people(), attributes=attributes)
    assert found.attributes[0].obj == value and type(found.attributes[0].obj) is type(value)


@pytest.mark.parametrize("given_nothing", [{}, {"obj": None}])
def test_an_attribute_without_a_value_is_true(given_nothing):
    attributes = [{"subj": "T1", "pred": "p", **given_nothing}]
    found = accepted(denotations=two_people(), attributes=attributes)
    assert found.attributes[0].obj is True


def test_numbers_as_ids_are_kept_as_text_but_5_is_not_the_text_5():
    denotations = [person(id=5), person(id=6)]
    found = accepted(denotations=denotations, relations=[{"subj": 5, "pred": "p", "obj": 6}])
    assert (found.relations[0].subj, found.denotations[1].id) == ("5", "6")
    relation = {"subj": "5", "pred": "p", "obj": 6}
    assert "must reference" in message(denotations=denotations, relations=[relation])


def test_a_discontinuous_span_is_kept_and_a_list_of_one_is_one():
    pieces = [{"begin": 0, "end": 4}, {"begin": 12, "end": 15}]
    found = accepted(denotations=[{"span": pieces, "obj": "x"}, {"span": pieces[:1], "obj": "x"}])
    assert found.denotations[0].spans == (Span(0, 4), Span(12, 15))
    assert found.denotations[1].spans == (Span(0, 4),)


def test_begin_and_end_next_to_the_label_are_a_span():
    found = accepted(denotations=[{"begin": 0, "end": 4, "obj": "x"}])
    assert found.denotations[0].span == Span(0, 4)


@pytest.mark.parametrize("nothing", [None, False, "", " ", [], {}])
def test_blank_lists_are_empty_lists(nothing):
    keys = ("denotations", "blocks", "relations", "attributes", "modifications")
    assert accepted(**dict.fromkeys(keys, nothing)).denotations == []


def test_namespaces_and_tracks_are_kept_as_they_come():
    namespaces, tracks = [{"prefix": "_base", "uri": "http://e/"}], [{"project": "p"}]
    found = accepted(namespaces=namespaces, tracks=tracks)
    assert (found.namespaces, found.tracks) == (namespaces, tracks)


def test_a_line_field_in_the_upload_does_not_count_as_the_line():
    assert decode(upload(line=99), line=3).line == 3
    assert decode(upload(line="x"), line=3).line == 3


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("items", [{"type": "Annotation"}]),
        ("entities", [[0, 4, "PER"]]),
        ("denotation", [person()]),
        ("Denotations", [person()]),
        ("relation", []),
        ("heading", "Minutes"),
        ("line", 7),
        ("file", None),
        ("given", ["denotations"]),
    ],
)
@pytest.mark.parametrize("more", [{}, {"denotations": []}, {"denotations": [person()]}])
def test_an_unknown_key_is_an_issue_that_names_it(key, value, more):
    found = decode(upload(**{key: value}, **more))

    assert found.code == "unknown_key"
    assert f"unknown key '{key}'" in found.message and "under denotations" in found.message


def test_many_unknown_keys_are_counted_and_odd_ones_can_be_printed():
    assert "unknown keys 'k0', 'k1', 'k2', 'k3', 'k4' and 2 more:" in message(
        **{f"k{number}": 1 for number in range(7)}
    )
    assert "'a\\u0000\\n'" in message(**{"a\0\n": 1})


def test_modifications_are_attributes_of_what_they_modify():
    found = accepted(
        denotations=two_people(),
        attributes=[{"id": "A1", "subj": "T2", "pred": "sure", "obj": 1}],
        modifications=[{"id": "M1", "pred": "Negation", "obj": "T1"}, {"pred": "P", "obj": "T1"}],
    )
    assert [(each.id, each.subj, each.pred, each.obj) for each in found.attributes] == [
        ("A1", "T2", "sure", 1),
        ("M1", "T1", "Negation", True),
        ("A2", "T1", "P", True),
    ]
    assert found.given == {"denotations", "attributes"}


def test_keys_that_pubannotation_writes_are_read_over():
    ignored = {
        "target": "http://example.org/docs/sourcedb/X/sourceid/1",
        "project": "p",
        "divid": 3,
        "section": "Title",
        "source_url": "http://example.org/",
        "config": {"entity types": []},
        "typesettings": [{"style": "bold"}],
        "focus": {"denotations": ["T1"]},
        "title": "Minutes",
        "text_id": 12,
        "modifications": [],
    }
    for changes in (ignored, *({key: value} for key, value in ignored.items())):
        assert len(accepted(denotations=two_people(), **changes).denotations) == 2


@pytest.mark.parametrize(
    ("changes", "lists"),
    [
        ({}, set()),
        ({"denotations": []}, {"denotations"}),
        ({"denotations": None, "blocks": []}, {"blocks"}),
        ({"denotations": "", "blocks": {}, "relations": []}, {"relations"}),
        (
            {"denotations": two_people(), "attributes": [], "config": {}},
            {"denotations", "attributes"},
        ),
    ],
)
def test_it_is_known_which_lists_were_given(changes, lists):
    assert accepted(**changes).given == lists


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 30), st.just(2.0), st.sampled_from(["", " ", "T1"])
)
odd = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2), max_leaves=3)
spans = st.one_of(
    odd, st.fixed_dictionaries({}, optional={"begin": scalars, "end": scalars, "x": scalars})
)
annotations = st.one_of(
    odd,
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.one_of(st.sampled_from(["T1", "T2", "B1", "R1"]), scalars),
            "span": st.one_of(spans, st.lists(spans, max_size=2), st.just({"begin": 0, "end": 2})),
            "obj": st.one_of(st.sampled_from(["T1", "T2", "B1", "x"]), odd),
            "subj": st.one_of(st.sampled_from(["T1", "T2", "B1", "R1"]), odd),
            "pred": st.one_of(st.just("p"), odd),
            "begin": scalars,
            "end": scalars,
        },
    ),
)
lists = st.one_of(odd, st.lists(annotations, max_size=3))
uploads = st.fixed_dictionaries(
    {"sourcedb": st.one_of(st.just("X"), odd), "sourceid": st.one_of(st.just("1"), odd)},
    optional={
        "text": st.one_of(st.just(MOTION), odd),
        "denotations": lists,
        "blocks": lists,
        "relations": lists,
        "attributes": lists,
    },
)


@settings(max_examples=examples(600), deadline=None)
@given(uploads)
def test_the_fast_and_the_careful_path_agree_on_everything(value):
    data = msgspec.json.encode(value)
    fast, careful = decode(data), decode_carefully(data, "", 0)
    assert type(fast) is type(careful) or isinstance(fast, CheckedObject)
    if isinstance(fast, Issue):
        assert fast == careful
    else:
        assert isinstance(careful, CheckedObject)
        for field in ("sourcedb", "sourceid", "given", *LISTS):
            assert getattr(fast, field) == getattr(careful, field)
