"""Questions about documents: named blobs that change on condition of their version."""

from functools import partial

from dunr.ports import Document
from dunr.testing.store_questions.hall import Hall
from dunr.testing.together import together

ODD_NAME = "policy/ключ 漢字 '%_"


class DocumentQuestions(Hall):
    """`document` and `put_document`."""

    def test_an_unknown_document_is_none(self) -> None:
        """No document of that name was ever written."""
        assert self.make().document("clock") is None

    def test_several_documents_are_read_at_once(self) -> None:
        """Those that exist, by name; the others are missing from the answer."""
        store = self.make()
        store.put_document("clock", b"one", 0)
        store.put_document(ODD_NAME, b"two", 0)
        store.put_document("other", b"three", 0)
        assert store.documents(("clock", ODD_NAME, "unknown")) == {
            "clock": Document(name="clock", version=1, body=b"one"),
            ODD_NAME: Document(name=ODD_NAME, version=1, body=b"two"),
        }
        assert store.documents(()) == {}

    def test_a_document_is_created_once(self) -> None:
        """Version 0 means that it must not exist."""
        store = self.make()
        assert store.put_document("clock", b"one", 0)
        assert not store.put_document("clock", b"two", 0)
        assert store.document("clock") == Document(name="clock", version=1, body=b"one")

    def test_a_document_changes_on_its_version_only(self) -> None:
        """Whoever read an older version is told so, and changes nothing."""
        store = self.make()
        store.put_document("clock", b"one", 0)
        assert store.put_document("clock", b"two", 1)
        assert not store.put_document("clock", b"late", 1)
        assert not store.put_document("clock", b"early", 9)
        assert store.document("clock") == Document(name="clock", version=2, body=b"two")

    def test_a_document_that_is_missing_is_not_changed(self) -> None:
        """A version that was read elsewhere creates nothing."""
        store = self.make()
        assert not store.put_document("clock", b"one", 1)
        assert store.document("clock") is None

    def test_documents_survive_exactly(self) -> None:
        """Each byte, none at all, and an odd name; through another handle too."""
        store = self.make()
        assert store.put_document(ODD_NAME, bytes(range(256)), 0)
        assert store.put_document("empty", b"", 0)
        other = self.again(store)
        assert other.document(ODD_NAME) == Document(name=ODD_NAME, version=1, body=bytes(range(256)))
        assert other.document("empty") == Document(name="empty", version=1, body=b"")

    def test_of_eight_that_write_at_once_one_wins(self) -> None:
        """Each read the same version."""
        store = self.make()
        bodies = [bytes([number]) for number in range(8)]
        for version in (0, 1, 2):
            answers = together([partial(store.put_document, "clock", body, version) for body in bodies])
            assert answers.count(True) == 1
            assert store.document("clock") == Document("clock", version + 1, bodies[answers.index(True)])
