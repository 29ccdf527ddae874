"""The words that steer a comparison of two statements: fillers, negations, values, cues.

English, German, Spanish, French, Russian and Chinese. Everything is in lower case, NFKC.
"""

from __future__ import annotations


def _each(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that carry no subject: a statement says the same with and without them. By language,
# since they also tell which language a statement is written in.
FILLERS = {
    "english": _each(
        "a an the this that these those is are was were be been being am it its they their we our "
        "you your i in on at of for by with as to into and or so then also always must should shall "
        "will would need needs please every each all any do does did has have had use uses used "
        "using run runs execute about approximately roughly around ensure sure there here which necessary but"
    ),
    "german": _each(
        "der die das den dem des ein eine einen einem einer eines ist sind war waren wird werden "
        "sein es sie wir ihr im in auf an am zu zum zur von vom bei beim mit für und oder dann auch "
        "aber immer muss müssen soll sollen sollte bitte jede jeder jedes jeden jedem alle allen aller "
        "verwende verwendet verwenden nutze nutzt etwa ungefähr als nötig"
    ),
    "spanish": _each(
        "el la los las un una unos unas es son era fue ser está están lo se su sus en de del al a "
        "por para con y e o que entonces también siempre debe deben debería por favor cada todo "
        "toda todos todas usa uses use usar utiliza aproximadamente como pero hay hace falta necesario"
    ),
    "french": _each(
        "le la les un une des est sont être il elle on nous vous en de du au aux à par pour avec et "
        "ou que alors aussi toujours était doit doivent chaque tout toute tous toutes utilise utilisez "
        "utiliser environ comme mais"
    ),
    "russian": _each(
        "и или в во на с со к ко по для у о об от это этот эта эти тот та те он она оно они мы вы "
        "его её их является есть был была было были быть затем потом также всегда должен должна "
        "должны должно нужно надо следует пожалуйста каждый каждая каждое каждые каждую каждого "
        "все всех всё используй используйте использовать примерно около как но ее обязательно"
    ),
}
ARTICLES = _each("a an the der die das den dem ein eine el la los las un una le les des une")

# Negations bind to the word that follows; prohibitions say "no" to the whole statement.
NEGATIONS = _each(
    "not never no don't doesn't didn't isn't aren't won't can't cannot shouldn't mustn't "
    "nicht kein keine keinen keinem keiner nie niemals "
    "no nunca jamás ningún ninguna "
    "ne pas jamais aucun aucune "
    "не никогда нет нельзя"
)
PROHIBITIONS = _each(
    "forbidden prohibited disallowed banned avoid verboten untersagt prohibido prohibida "
    "prohibidos prohibidas interdit interdite interdits запрещено запрещён запрещен запрещена "
    "запрещены"
)
PERMISSIONS = _each(
    "may can could allowed permitted dürfen darf erlaubt kann können puede pueden permitido "
    "permitida permitidos permitidas peut peuvent permis autorisé можно разрешено разрешён "
    "разрешена разрешены может могут"
)

# "French ne … pas" is one negation, and so is "never … any".
ECHOES = _each("pas jamais aucun aucune")

# What turns a fact over in so many words; what stands before is new, what follows is old.
CUES = (
    "instead of", "rather than", "in place of", "no longer", "not any more",
    "anstelle von", "anstatt", "statt", "nicht mehr",
    "en lugar de", "en lugar del", "en vez de", "en vez del", "ya no",
    "au lieu de", "au lieu du",
    "вместо", "больше не", "уже не",
    "代替", "替代", "取代", "而不是", "不再",
)  # fmt: skip
NEGATIVE_CUES = (
    "no longer", "not any more", "nicht mehr", "ya no", "больше не", "уже не", "不再",
)  # fmt: skip

# "at most 3" is one value; spelt the same in every language.
BOUNDS = {
    "≤": (
        "at most", "no more than", "not more than", "up to", "a maximum of", "maximum",
        "höchstens", "maximal", "nicht mehr als", "como máximo", "como mucho", "a lo sumo",
        "au plus", "не больше", "не более", "максимум", "不超过", "最多", "至多",
    ),
    "≥": (
        "at least", "no less than", "no fewer than", "a minimum of", "minimum",
        "mindestens", "nicht weniger als", "al menos", "por lo menos", "como mínimo",
        "au moins", "не менее", "не меньше", "минимум", "不低于", "不少于", "至少",
    ),
}  # fmt: skip

# A number and the unit after it are one value, however the unit is spelt.
UNITS = {
    word: unit
    for unit, words in {
        "ms": "ms мс 毫秒",
        "s": "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes "
        "сек секунда секунды секунд 秒",
        "min": "min mins minute minutes minuten minuto minutos минута минуты минут 分钟",
        "h": "h hour hours stunde stunden hora horas heure heures час часа часов 小时",
        "day": "day days tag tage tagen día días jour jours день дня дней 天",
        "week": "week weeks woche wochen semana semanas semaine semaines неделя недели недель 周",
        "month": "month months monat monate monaten mes meses mois месяц месяца месяцев 个月",
        "year": "year years jahr jahre año años год года лет 年",
        "time": "time times mal vez veces fois раз раза 次",
        "%": "% percent prozent процент процента процентов",
        "b": "b", "kb": "kb кб", "mb": "mb мб", "gb": "gb гб", "tb": "tb",
        "kib": "kib", "mib": "mib", "gib": "gib", "px": "px",
        "character": "characters zeichen caracteres caractères символов 字符",
        "line": "lines zeilen líneas lignes строк 行",
        "item": "items treffer 个",
        "request": "requests", "connection": "connections соединений",
        "attempt": "attempts попыток", "retry": "retries", "worker": "workers", "core": "cores",
        "thread": "threads", "replica": "replicas", "yuan": "元",
    }.items()
    for word in words.split()
}  # fmt: skip

# Small words that turn a meaning without turning it over: "A or B" is not "A and B", what was is
# not what is. They count where the language takes them for fillers.
NUANCES = {
    word: nuance
    for nuance, words in {
        "or": "or oder o ou или",
        "past": "was were had did war waren era fue était был была было были",
    }.items()
    for word in words.split()
}

# A number right after such a word names a thing ("level 2", "error 404"); it is no setting.
NUMBERED = _each(
    "level phase step shard error code status exit http chapter section tier stage sprint team "
    "zone ticket issue priority severity part option case region cluster version customer user "
    "tenant release milestone project invoice order quarter server host instance replica "
    "adr rfc pr rule figure migration "
    "stufe schritt fehler version kunde phase abschnitt gruppe "
    "nivel versión cliente fase paso error código sección grupo "
    "niveau étape erreur "
    "версия клиент уровень уровня шаг шага ошибка ошибки код фаза этап раздел группа"
)
NUMBERED_CHINESE = ("级别", "阶段", "步骤", "错误", "分片", "代码", "第", "编号", "版本", "客户")

# Words that are values of a kind, as numbers are.
VALUE_WORDS = {
    word: kind
    for kind, words in {
        "weekday": "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays "
        "wednesdays thursdays fridays saturdays sundays montag dienstag mittwoch donnerstag freitag "
        "samstag sonntag montags dienstags mittwochs donnerstags freitags lunes martes miércoles "
        "jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche "
        "понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье "
        "понедельникам вторникам средам четвергам пятницам 周一 周二 周三 周四 周五 周六 周日",
        "log level": "trace debug info warn fatal",
        "switch": "enabled disabled true false",
    }.items()
    for word in words.split()
}
NUMBER_WORDS = {
    word: str(number)
    for number, words in {
        2: "two zwei dos deux два две",
        3: "three drei tres trois три",
        4: "four vier cuatro quatre четыре",
        5: "five fünf cinco cinq пять",
        6: "six sechs seis шесть",
        7: "seven sieben siete sept семь",
        8: "eight acht ocho huit восемь",
        9: "nine neun nueve neuf девять",
        10: "ten zehn diez dix десять",
        12: "twelve zwölf doce douze двенадцать",
    }.items()
    for word in words.split()
}

# Where or for whom a statement holds: two that name different ones do not speak of one thing.
ENVIRONMENTS = (
    "staging", "production", "prod", "preprod", "pre-production", "sandbox", "test environment",
    "testing environment", "development", "developer machine", "locally", "local", "on ci",
    "self-hosted", "build agent", "debug build", "beta",
    "testumgebung", "produktion", "entwicklung", "lokal", "vorproduktion",
    "preproducción", "producción", "pruebas", "desarrollo", "depuración",
    "préproduction", "recette",
    "стейджинг", "стенд", "тестовой среде", "тестовая среда", "продакшен", "разработк", "бета",
    "测试环境", "预发布", "生产环境", "开发环境", "本地",
)  # fmt: skip

# What follows one of these narrows the statement instead of adding to it.
NARROWING = _each(
    "only but unless if when while nur aber wenn falls außer solo pero si cuando salvo excepto "
    "sauf mais только но если кроме когда except"
)
NARROWING_CHINESE = ("只", "仅", "除非", "如果", "但", "除了")
JOINING = _each("and then und dann y e luego et puis и затем потом а also")

# Chinese is written without spaces: what would be words above is cut out of the running text.
CHINESE_NEGATIONS = (
    "不需要", "不要", "不得", "不必", "不应", "不能", "不可", "不许", "不用", "无需", "无须", "禁止",
    "严禁", "切勿", "请勿", "没有", "不",
)  # fmt: skip
CHINESE_FILLERS = (
    "必须", "应该", "应当", "一定", "总是", "需要", "大约", "每次", "都要", "要", "请",
    "的", "了", "在", "是", "都", "里", "中",
)  # fmt: skip
CHINESE_PERMISSIONS = ("可以", "允许")
# … but not where the sign belongs to a longer word.
CHINESE_WORDS = ("中间", "要求", "重要", "目的", "存在", "主要", "中文", "里程", "请求", "申请")

# Wording that says "this needs something else first".
DEPENDENCE = (
    "depends on", "depend on", "builds on", "based on", "requires", "prerequisite", "follows",
    "follow", "extends", "on top of", "described in", "setzt", "baut auf", "hängt von", "basiert auf",
    "depende de", "requiere", "se basa en", "dépend de", "nécessite", "зависит от", "требует",
    "основан", "опирается на", "依赖", "基于", "取决于", "需要先",
)  # fmt: skip
