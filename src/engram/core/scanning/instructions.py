"""Find instructions to an agent that somebody planted in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from engram.core.scanning.finding import Span
from engram.core.scanning.phrases import ENGLISH, MESSAGES, OTHER_LANGUAGES, Phrase
from engram.core.scanning.smuggling import smuggling_spans
from engram.core.scanning.views import View, folded, latinised, squeezed, without_accents

_GAP = r"(?:[^\w.!?;]{1,8})"
_WORDS = rf"(?:[^\W_]{{1,24}}{_GAP}){{0,4}}?"

# A "not" close before, in the languages of the phrases: the text forbids what it names.
_NEGATION = re.compile(
    r"(?:\b(?:never|not|don.?t|mustn.?t|shouldn.?t|cannot|can.?t|won.?t|avoid|no|nor|without|refuses? to|"
    r"nie|niemals|nicht|kein\w*|ne|jamais|nunca|jamas|nao|sin|sem|sans|не|никогда|нельзя|запрещено)[^\w.!?]{1,4}(?:\w{1,14}[^\w.!?]{1,4}){0,1}"
    r"|不要|不得|禁止|切勿|不能|不可|别|勿|请勿)$"
)
_NEGATED_AFTER = re.compile(
    r"\W{0,2}(?:に?(?:する|した)(?:に?は|の[はが]|場合|とき|時|際|オプション|フラグ|設定|機能|ロール|[ァ-ヶ])|(?:に?され|に?なった|化)|は?禁止|しない|してはいけ|してはなら|するな|しては|されない|ない(?:で|こと)|て ?はいけ|(?:\w{1,12} ){0,2}nicht\b|nie\b)"
)
# What code calls "instructions" and the like, when such a word follows.
_CODE_NOUN = re.compile(
    r"[\s\"'`-]{1,3}(?:comments?|flags?|markers?|annotations?|pragmas?|headers?|blocks?|lines?|fields?|nodes?|tests?|fixtures?|"
    r"templates?|caches?|counters?|pointers?|decoders?|files?|columns?|tables?|logs?|entries|kommentare?n?|commentaires?|"
    r"comentarios?|комментари\w+)\b|[的の]?(?:注释|コメント|註解|行)"
)
_REPORTS = re.compile(
    r"detect|flag|block|reject|refus|phrase|string|pattern|such as|contain|saniti|strip|escap|attack|inject|match|"
    r"erkenn|blockier|erkenne|bloqu|recus|rechaz|rejeit|обнаруж|блокир|фраз|отклон|检测|拦截|拒绝|検出|ブロック|拒否"
)
_AFTER_A_YES = re.compile(
    r"\b(?:after|once|only|unless|until|when|if|approval.?token|после|только|когда|nachdem|erst|wenn|sobald|apres|une fois|seulement|"
    r"despues|cuando|solo|depois|quando|somente|apenas)\b|之后|以后|才|[后後]|たら|だけ|のみ"
)
# An approval that follows a review is the person's.
_REVIEWED = re.compile(
    r"\b(?:after|once|until|nach|nachdem|apres|une fois|despues|depois|quando|cuando|после|когда)\W{1,3}(?:\w{1,12}\W{1,3}){0,3}?"
    r"(?:review\w*|diff|ci|tests?|durchsicht|relecture|revis\w+|ревью|проверк\w*|согласован\w*)\b"
    r"|(?:レビュー|確認)[^\n。]{0,4}(?:後|てから|上で)|(?:审核|评审|检查)(?:过|通过)?之?后|之?前先?(?:审核|评审|检查)"
)
_OPENS = re.compile(r"[\"'`“«„「『]\s{0,2}(?:[\w,]{1,16}\s){0,3}$")
_CLOSES = re.compile(r"[^\n]{0,60}?[\"'`”»“」』]")


def instruction_spans(view: View) -> list[Span]:
    """Planted instructions in `view`, at their places in the original."""
    small = folded(view)
    spans = [*_phrases(small, ENGLISH + OTHER_LANGUAGES), *smuggling_spans(small)]
    posed = latinised(small)
    if posed:
        spans += _phrases(posed, ENGLISH)
    for source in (small, posed):
        if source:
            for run in squeezed(source):
                spans += _squeezed_phrases(run)
    return spans


def _phrases(view: View, phrases: tuple[Phrase, ...]) -> Iterator[Span]:
    for phrase in phrases:
        if any(key in view.text for key in _keys(phrase)):
            for match in _compiled(phrase.pattern, _GAP, _WORDS).finditer(view.text):
                if not _innocent(view.text, match, phrase):
                    yield _span(view, match.span(), phrase.kind)


def _squeezed_phrases(run: View) -> Iterator[Span]:
    for phrase in ENGLISH:
        if phrase.squeezes:
            pattern = phrase.pattern.replace(r"\b", "")
            for match in _compiled(pattern, "", r"[^\W_]{0,30}?").finditer(run.text):
                yield _span(run, match.span(), phrase.kind)


def _span(view: View, place: tuple[int, int], kind: str) -> Span:
    return Span(*view.place(*place), f"instruction.{kind}", MESSAGES[kind])


@cache
def _keys(phrase: Phrase) -> tuple[str, ...]:
    return tuple(without_accents(key) for key in phrase.keys)


@cache
def _compiled(pattern: str, gap: str, words: str) -> re.Pattern[str]:
    spelled = without_accents(pattern).replace("...", "\0").replace(" ", gap).replace("\0", words)
    return re.compile(spelled)


def _innocent(text: str, match: re.Match[str], phrase: Phrase) -> bool:
    """Whether the words around a match say that it is forbidden, about code, or only quoted."""
    before = text[max(0, match.start() - 80) : match.start()]
    end = match.end()
    if not phrase.negated and (_NEGATION.search(before[-40:]) or _NEGATED_AFTER.match(text, end)):
        return True
    if phrase.kind == "override" and _CODE_NOUN.match(text, end):
        return True
    line_before = before[before.rfind("\n") + 1 :]
    if "engram" in match.group() and _AFTER_A_YES.search(line_before + text[end : end + 60]):
        return True
    if phrase.kind == "approval" and _REVIEWED.search(line_before + text[match.start() : end + 60]):
        return True
    quoted = _OPENS.search(line_before) and _CLOSES.match(text, end)
    return bool(quoted and _REPORTS.search(line_before))
