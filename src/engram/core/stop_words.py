"""Words that say nothing of what a text is about, in the languages met most."""

from __future__ import annotations

STOP_WORDS = frozenset(
    (
        # English
        "didn doesn don isn wasn won couldn shouldn wouldn "
        "a about after all also am an and any are as at be because been before being but by "
        "can could did do does doing for from had has have having he her here him his how i "
        "if in into is it its just let me might my no nor not of off on once only or other "
        "our out over own please s same she should so some such t than that the their them "
        "then there these they this those through to too under until up us very was we were "
        "what when where which while who whom why will with would you your "
        # Russian
        "а без будет будто бы был была были было быть в вам вас вдруг ведь во вот все вы где "
        "да даже для до его ее ей ему если есть еще ж же за зачем здесь и из или им их к как "
        "какой когда кто куда ли меня мне может мой мы на надо не него нее ней нет ни нибудь "
        "ничего но ну о об один он она они от по под потом потому при раз с сам себе себя "
        "сейчас со так там тебя тем теперь то тогда того тоже только тут ты у уже чего чем "
        "что чтоб чтобы эта эти это этого этом этот я "
        # German
        "aber als auch auf aus bei das dem den der des die du ein eine einem einen einer er "
        "fur für haben hat ich ihr ist kann mit nicht oder sie sind und von war "
        "wenn werden wie wir wird zu zum zur "
        # French
        "au aux avec ce ces cette dans de dont elle elles est et il ils je la le les mais ne "
        "nous ou par pas pour que qui sa se ses son sont sur un une vous "
        # Spanish
        "al como con del el en esta estas este estos las lo los mas o para pero por su sus "
        "una unas unos y "
        # Portuguese
        "ao da e em na nao nas nos seu sua um uma "
        # Italian
        "alla che come dei della di gli ma non per questa questo si suo uno "
    ).split()
)

# Terms that any memory or any request for one may hold; stems, as they stand in the index.
GENERIC = frozenset(
    (
        "agent approv content context durabl engram exampl knowledg make memori need new "
        "project rule skill task use want "
    ).split()
)
