"""Prompts that name no task: thanks, a yes, “go on”, “commit and push”; they call for no memory."""

from __future__ import annotations

LONGEST = 80  # characters; more than this says something

# Every word of an idle prompt is one of these. Scripts without blanks: the whole prompt is.
_WORDS = frozenset(
    # English
    "a ahead all again alright also and awesome bye change changes commit continue cool correct do "
    "done exactly fine for go good got great hello hey hi i is it its keep lgtm looks made make me "
    "merge more move much next nice no nope not now of ok okay on one perfect please proceed push "
    "pushed resume retry right same so sounds stop sure that thank thanks the them then there this "
    "to too try undo very wait well work works y yeah yep yes you "
    # Russian and Ukrainian
    "ага большое будь ваш все всё да давай далее дальше дякую ещё закоммить запушь здорово и коммит "
    "коммить круто не нет ну ок окей отлично пожалуйста понятно попробуй привет продовжуй продолжай "
    "продолжить пуш пушь раз сделай снова спасибо стоп супер так тоже хорошо это "
    # German, French, Spanish, Portuguese, Italian
    "alles bitte danke das dann doch einfach fertig gut hallo ja jetzt klar mach mal nein noch nochmal "
    "passt sehr super und vielen weiter "
    "allez bien bonjour ca ça continuer daccord encore et merci non oui parfait plaît s'il sil stp "
    "très va vas vas-y vite y "
    "bien bueno continúa de gracias hola listo muchas otra perfecto por favor sí si sigue vale vez y "
    "beleza bom continua de legal muito não obrigada obrigado ok olá sim tudo valeu vez "
    "ancora bene ciao continua grazie perfetto prego si sì tutto va".split()
)
_WHOLE = frozenset(
    "谢谢 謝謝 多谢 好 好的 好吧 是 是的 对 不 不是 继续 繼續 下一步 提交 提交并推送 推送 可以 行 你好 再试一次 "
    "ありがとう ありがとうございます はい いいえ 続けて 続き お願いします 次 了解 こんにちは コミット "
    "コミットしてプッシュ もう一度 고마워 감사합니다 네 아니요 계속 계속해 다음 좋아 안녕 커밋 푸시".split()
)


def is_idle(prompt: str) -> bool:
    """Whether a prompt names no task at all."""
    if len(prompt) > LONGEST:
        return False
    words = "".join(ch if ch.isalnum() or ch in "'’-" else " " for ch in prompt.casefold()).split()
    plain = [word.replace("’", "'") for word in words]
    return all(word in _WORDS for word in plain) or "".join(plain) in _WHOLE
