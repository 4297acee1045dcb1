"""C22: the signature is over the bytes as they came. The same JSON, written otherwise, is refused."""

import gzip
import json

from tests.cases.rehearsal import SECRET, Rehearsal, signature

# Escapes beside raw letters, a float, escaped slashes, odd spaces, an unusual order and a newline at the end.
ODD_BODY = (
    '{ "live":false,"data":{"note":"Zo\\u00eb and Zoë","subscription":"sub_INVOICE" , "rate":1.0,\t"customer":"cus_1",'
    '"page":"https:\\/\\/shop.example\\/a","invoice":"INVOICE"},\r\n "type":"invoice.payment_failed",'
    '"account":"acct_sandbox",  "id":"evt_INVOICE","created":1782208800 }\n'
)


def odd_body(invoice: str) -> bytes:
    return ODD_BODY.replace("INVOICE", invoice).encode()


def test_the_bytes_as_signed_are_taken_and_the_same_json_dumped_anew_is_not(shared: Rehearsal) -> None:
    shared.fail("in_22", send_webhook=False)
    body = odd_body("in_22")
    header = signature(body, shared.now(), SECRET)

    dumped_anew = json.dumps(json.loads(body)).encode()
    for changed in (
        dumped_anew,
        body.rstrip(b"\n"),
        body.replace(b"1.0", b"1.00"),
        body.replace(b"\\u00eb", "ë".encode()),
    ):
        refused = shared.deliver(changed, header)
        assert refused.status_code == 400, refused.text
        assert refused.json()["title"] == "Bad signature"
    assert shared.find("in_22") is None

    taken = shared.deliver(body, header)
    assert taken.status_code == 200, taken.text
    assert shared.case("in_22")["state"] == "scheduled"


def test_what_the_sender_says_of_the_bytes_does_not_change_them(shared: Rehearsal) -> None:
    shared.fail("in_22_charset", card="card_22", send_webhook=False)
    body = odd_body("in_22_charset")
    header = signature(body, shared.now(), SECRET)

    latin = {"content-type": "application/json; charset=iso-8859-1"}
    assert shared.deliver(body, header, **latin).status_code == 200
    assert shared.case("in_22_charset")["state"] == "scheduled"


def test_a_packed_body_is_refused_whichever_bytes_were_signed(shared: Rehearsal) -> None:
    shared.fail("in_22_packed", card="card_23", send_webhook=False)
    body = odd_body("in_22_packed")
    packed = gzip.compress(body)
    for signed in (body, packed):
        header = signature(signed, shared.now(), SECRET)
        refused = shared.deliver(packed, header, **{"content-encoding": "gzip"})
        assert refused.status_code == 415, refused.text
    assert shared.find("in_22_packed") is None
