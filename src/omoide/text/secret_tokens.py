"""Tokens that their issuers made to be recognised: a table of beginnings and of what follows them."""

from __future__ import annotations

from typing import Final, NamedTuple

_WORD, _HEX, _URL = "[A-Za-z0-9]", "[a-f0-9]", "[A-Za-z0-9_-]"


class Token(NamedTuple):
    """A kind, what it begins with, and the shape of the rest; ``mixed``: it has digits and letters."""

    kind: str
    begin: str
    rest: str
    mixed: bool = True


TOKENS: Final = (
    Token("airtable-token", "pat", rf"{_WORD}{{14}}\.{_HEX}{{64}}"),
    Token("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{50,400}"),
    Token("bitbucket-token", "ATBB", rf"{_WORD}{{32}}(?!{_WORD})"),
    Token("braintree-token", "access_token$", rf"(?:production|sandbox)\$[a-z0-9]{{16}}\${_HEX}{{32}}"),
    Token("databricks-token", "dapi", rf"{_HEX}{{32}}(?:-\d)?(?!{_WORD})"),
    Token("docker-token", "dckr_pat_", rf"{_URL}{{20,64}}", mixed=False),
    Token("doppler-token", "dp.", rf"(?:ct|pt|sa|scim|audit|st(?:\.[a-z0-9_-]{{2,35}})?)\.{_WORD}{{40,44}}"),
    Token("dropbox-token", "sl.", rf"(?:B|u\.){_URL}{{100,2000}}"),
    Token("figma-token", "figd_", rf"{_URL}{{36,80}}"),
    Token("fly-token", "FlyV1 fm", r"\d_[A-Za-z0-9+/=,_-]{50,4000}"),
    Token("fly-token", "fo1_", rf"{_URL}{{40,64}}"),
    Token("gitlab-token", "gl", rf"(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-{_URL}{{20,128}}"),
    Token("google-secret", "GOCSPX-", rf"{_URL}{{28}}", mixed=False),
    Token("google-token", "1//0", rf"{_URL}{{40,256}}"),
    Token("grafana-token", "glsa_", rf"{_WORD}{{32}}_[A-Fa-f0-9]{{8}}"),
    Token("grafana-token", "glc_", r"[A-Za-z0-9+/=]{32,512}"),
    Token("heroku-key", "HRKU-", rf"{_URL}{{30,80}}"),
    Token("langsmith-key", "lsv2_", rf"(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}"),
    Token("linear-key", "lin_", rf"(?:api|oauth)_{_WORD}{{40,64}}"),
    Token("netlify-token", "nfp_", rf"{_WORD}{{36,64}}"),
    Token("new-relic-key", "NRAK-", rf"[A-Z0-9]{{27}}(?!{_WORD})"),
    Token("notion-token", "ntn_", rf"{_WORD}{{40,50}}(?!{_WORD})"),
    Token("notion-token", "secret_", rf"{_WORD}{{43}}(?!{_WORD})"),
    Token("perplexity-key", "pplx-", rf"{_WORD}{{40,64}}"),
    Token("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}"),
    Token("postman-key", "PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    Token("replicate-token", "r8_", rf"{_WORD}{{37}}(?!{_WORD})"),
    Token("rubygems-key", "rubygems_", rf"{_HEX}{{48}}"),
    Token("sentry-token", "sntrys_", r"[A-Za-z0-9+/=_-]{60,512}"),
    Token("sentry-token", "sntryu_", rf"{_HEX}{{64}}"),
    Token("shopify-token", "shp", r"(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    Token("square-token", "sq0", rf"(?:atp|csp|idp)-{_URL}{{22,43}}"),
    Token("stripe-secret", "whsec_", r"[A-Za-z0-9+/=]{24,64}"),
    Token("supabase-token", "sbp_", rf"{_HEX}{{40}}"),
    Token("tavily-key", "tvly-", rf"(?:dev-|prod-)?{_WORD}{{30,48}}"),
    Token("twilio-key", "SK", rf"{_HEX}{{32}}(?!{_WORD})"),
    Token("vault-token", "hv", rf"[sbr]\.{_URL}{{24,300}}"),
    Token("xai-key", "xai-", rf"{_WORD}{{60,100}}"),
)
