"""`/notices/preview`: the mail as a customer would see it, for whoever may read."""

from pathlib import Path

from tests.entry.web.served import served


def test_a_notice_can_be_looked_at_in_each_language(tmp_path: Path) -> None:
    with served(tmp_path) as dunr:
        first = dunr.get("/notices/preview")
        assert first.status_code == 200
        assert "Your payment did not go through" in first.text
        assert "script-src" not in first.headers["content-security-policy"]
        assert "default-src 'none'" in first.headers["content-security-policy"]
        warning = dunr.get("/notices/preview?kind=final_warning&locale=pt")
        assert 'lang="pt-BR"' in warning.text
        assert 'href="/notices/preview"' in dunr.get("/", accept="text/html").text
        for wrong in ("kind=invoice", "brand=gone"):
            refused = dunr.get(f"/notices/preview?{wrong}")
            assert refused.status_code == 400
            assert "write " in refused.text
