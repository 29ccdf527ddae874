"""Find what a planted instruction travels in: false frames, commands, images, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.core.scanning.finding import BLOCK, WARN, Span
from engram.core.scanning.phrases import MESSAGES
from engram.core.scanning.views import View

_FRAME = re.compile(
    r"</(?:memory|memories|memory[-_]\w{1,20}|engram[\w-]{0,40}|system|user|assistant|human|context|document|"
    r"(?:stored|reference|untrusted|retrieved)[-_]\w{1,20})\s{0,3}>"
    r"|</?(?:system[-_](?:prompt|message|reminder|instructions?)|system|user[-_](?:query|message|input)|tool[-_](?:results?|output|calls?)|"
    r"function[-_](?:results?|calls?)|(?:start|end)_of_turn)\s{0,3}>"
    r"|<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|"
    r"endofprompt|python_tag|channel|message|start|end)\|>"
    r"|\[/?(?:inst|sys|system_prompt|available_tools|tool_calls)\]|<</?sys>>"
    r"|[-=#*\[<]{2,12} ?(?:end|begin|start)(?: of)?(?: the)? (?:system|memory|memories|context|untrusted|stored|user|developer|document|prompt|instructions)"
    r"(?: (?:prompt|message|reference|memory|input|content|instructions|section|data))? ?[-=#*\]>]{1,12}"
    r"|\n\s{0,4}human:[^\n]{0,400}\n{1,3}\s{0,4}assistant:"
)  # fmt: skip
_SYSTEM_SAYS = re.compile(
    r"(?:^|[\n>\].!?*|]\s{0,4})[#>*\-_\[(\s]{0,8}(?:system|developer|admin(?:istrator)?)(?: (?:message|prompt|notice|override|update|note|instruction|command))?"
    r"[\])*]{0,3}\s?[:>][*\s\"']{0,4}(?:you|your|ignore|disregard|approve|override|reveal|execute|forget|from now|do not|send|grant|obey|call|print|"
    r"the (?:user|assistant|agent) (?:has|is|must)|all (?:proposals|safety)|new instructions?|disable|accept|delete)\b"
)  # fmt: skip

_HOST = r"(?:https?://)?(?P<{0}>[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,6}})"
_FETCH = r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|;&]{0,120}?"
_PIPED = re.compile(
    _FETCH
    + _HOST.format("host")
    + r"[^\s|]{0,200}[^\n|]{0,60}\|\s{0,3}(?:sudo\s{1,3}(?:-\w+\s){0,2})?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby|iex|pwsh|php)\b"
)
_SUBSTITUTED = re.compile(
    r"(?:\b(?:ba|z|da|k)?sh\b|\beval\b|\bsource\b|\bpython3?\b|\bexec\b|\biex\b|\binvoke-expression\b|(?<![\w.])\.)[^\n]{0,20}?[<$(]{1,2}\(?\s{0,3}"
    + _FETCH + _HOST.format("host")
)  # fmt: skip
_TRIGGER = re.compile(
    r"\b(?:when(?:ever)? (?:asked|you|the user|someone|deploying|anyone)|first run|first,? (?:run|execute)|before (?:answering|doing|you|any|every|each|starting|responding|replying)|"
    r"always|every time|each time|silently|without (?:asking|telling)|immediately|quietly|in the background|then run|you must|at the start of|"
    r"сначала|сперва|перед (?:каждым|любым|ответом)|всегда|zuerst|immer|bevor du|vor jeder|d.abord|toujours|avant de|avant chaque|primero|siempre|"
    r"antes de|primeiro|sempre)\b|首先|先(?:运行|执行)|每次|总是|まず|最初に|必ず|毎回"
)  # fmt: skip
_ODD_HOST = re.compile(
    r"(?:\d{1,3}\.){3}\d{1,3}|(?:\w+\.)?(?:bit\.ly|tinyurl\.com|t\.co|is\.gd|pastebin\.com|paste\.ee|transfer\.sh|0x0\.st|"
    r"webhook\.site|ngrok\.io|trycloudflare\.com|requestbin\.\w+|pipedream\.net)|.*\.(?:tk|ml|ga|cf|gq|zip|top|xyz|onion|ngrok-free\.app)|(?:.*\.)?xn--.*"
)
# Hosts where well-known tools document this way of installing them, and one's own machine.
_INSTALLERS = re.compile(
    r"localhost(?:\.\w+)?|127\.0\.0\.1|(?:10|192\.168)\.[\d.]+|(?:[\w-]+\.)*(?:astral\.sh|rustup\.rs|docker\.com|githubusercontent\.com|nodesource\.com|bun\.sh|bun\.com|"
    r"deno\.land|helm\.sh|python-poetry\.org|sdkman\.io|starship\.rs|ollama\.com|pnpm\.io|vercel\.app|mise\.run|mise\.jdx\.dev|nixos\.org|"
    r"tailscale\.com|paradigm\.xyz|brew\.sh|k3s\.io|sentry\.io|fly\.io|pyenv\.run|volta\.sh|yarnpkg\.com|claude\.ai|cursor\.com|"
    r"getcomposer\.org|rvm\.io|haskell\.org|opam\.ocaml\.org|nektosact\.com|semgrep\.dev|sh\.vector\.dev|just\.systems|chocolatey\.org|scoop\.sh|aka\.ms|codecov\.io|determinate\.systems)"
)  # fmt: skip
_SENT_FILE = re.compile(
    r"\b(?:curl|wget|ncat|nc|socat|httpie|invoke-webrequest)\b[^\n]{0,200}?(?:@[~$\w./{}-]{0,60}(?:\.env|id_rsa|id_ed25519|credentials|\.npmrc|\.netrc|\.ssh|shadow|passwd|\.git-credentials|kubeconfig)"
    r"|\$\((?:env|printenv|cat |base64 |tar )[^)\n]{0,80}\)|`(?:env|printenv|cat )[^`\n]{0,80}`|\$\{?(?:aws_secret\w*|github_token|\w{2,30}_api_key|npm_token)\b)"
)  # fmt: skip
_SENT_PIPE = re.compile(
    r"(?:\b(?:env|printenv)\b|\b(?:cat|tar|base64)\b[^\n|]{0,80}(?:\.env|id_rsa|id_ed25519|credentials|\.ssh|passwd|shadow|\.npmrc|\.aws))[^\n|]{0,20}\|(?:[^\n|]{0,60}\|){0,2}\s{0,3}(?:curl|wget|ncat|nc|socat|mail)\b"
)
_IMAGE = re.compile(
    r"(?:!\[[^\]\n]{0,200}\]\(\s{0,2}|<img\b[^>\n]{0,120}?src\s{0,2}=\s{0,2}[\"'])https?://(?P<host>[\w.-]{1,120})[^)\s\"'?]{0,200}\?(?P<query>[^)\s\"'>]{0,400})"
)
_CARRIES = re.compile(
    r"(?:^|&)(?:data|secrets?|env|payload|leak|exfil|chat|history|conversation|prompt|dump)="
    r"|=(?:$|&)|[{<\[$%](?!\d|[0-9a-f]{2})\W{0,2}\w|%7b|%5b|%3c"
)
_BADGE_HOSTS = re.compile(
    r"(?:[\w-]+\.)*(?:shields\.io|codecov\.io|github\.com|githubusercontent\.com|badge\.fury\.io|circleci\.com|travis-ci\.(?:com|org)|appveyor\.com|"
    r"coveralls\.io|sonarcloud\.io|badgen\.net|azure\.com|readthedocs\.org|snyk\.io|star-history\.com|deepsource\.io|gitlab\.com|mermaid\.ink|localhost)"
)
_ADDRESSED = re.compile(
    r"\W{0,6}(?:(?:note|hey|hi|hello|dear|attention|hidden|secret|important|instructions?|message|system)\W{1,4}(?:to |for )?(?:the |all |any )?)?"
    r"(?:ai|llms?|agents?|coding agents?|ai (?:agents?|assistants?|models?)|assistants?|models?|claude|copilot|gpt|chatgpt|gemini|codex|bots?|ии|агент\w*|ассистент\w*|ki|ia|智能体|助手)\b\W{0,2}[:,—–-]"
    r"|[\s\S]{0,40}\bif you are an? (?:\w+ )?(?:ai|llm|assistant|agent|language model)\b"
)  # fmt: skip


def smuggling_spans(small: View) -> list[Span]:
    """Vehicles of planted instructions in a folded view."""
    return [
        *_frames(small),
        *_remote_code(small),
        *_sent(small),
        *_images(small),
        *_comments(small),
    ]


def _span(view: View, place: tuple[int, int], kind: str, severity: str = BLOCK) -> Span:
    return Span(*view.place(*place), f"instruction.{kind}", MESSAGES[kind], severity)


def _frames(view: View) -> Iterator[Span]:
    for pattern in (_FRAME, _SYSTEM_SAYS):
        for match in pattern.finditer(view.text):
            if not _named_only(view.text, *match.span()):
                yield _span(view, match.span(), "frame")


def _named_only(text: str, start: int, end: int) -> bool:
    """Whether a tag stands alone in backticks, as in a sentence about it."""
    return text[start - 1 : start] == "`" and text[end : end + 1] == "`"


def _remote_code(view: View) -> Iterator[Span]:
    if "http" not in view.text and "curl" not in view.text and "wget" not in view.text:
        return
    for pattern in (_PIPED, _SUBSTITUTED):
        for match in pattern.finditer(view.text):
            if _INSTALLERS.fullmatch(match["host"]):
                continue
            around = view.text[max(0, match.start() - 120) : match.start()]
            if re.search(
                r"\b(?:never|do not|don.?t|avoid|no|instead of|not)\b[^.!?\n]{0,40}$", around
            ):
                continue
            told = _TRIGGER.search(around) or _ODD_HOST.fullmatch(match["host"])
            yield _span(view, match.span(), "remote_code", BLOCK if told else WARN)


def _sent(view: View) -> Iterator[Span]:
    for pattern in (_SENT_FILE, _SENT_PIPE):
        for match in pattern.finditer(view.text):
            yield _span(view, match.span(), "exfiltration")


def _images(view: View) -> Iterator[Span]:
    for match in _IMAGE.finditer(view.text):
        if _CARRIES.search(match["query"]) and not _BADGE_HOSTS.fullmatch(match["host"]):
            yield _span(view, match.span(), "image")


def _comments(view: View) -> Iterator[Span]:
    start = view.text.find("<!--")
    while start >= 0:
        past = start + 4
        if _ADDRESSED.match(view.text, past):
            end = view.text.find("-->", past)
            past = end + 3 if end >= 0 else len(view.text)
            yield _span(view, (start, past), "comment")
        start = view.text.find("<!--", past)
