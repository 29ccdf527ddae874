"""Words of every project: chores and things that any task may name, whatever it is about.

A memory that shares nothing else with a task is not loaded for it (see `ranking`). The entries are
terms as `words.terms` makes them; a test holds them to that.
"""

from __future__ import annotations

COMMON = frozenset(
    (
        # chores and things of every project
        "add updat chang fix repair remov delet creat make build run start stop open close show "
        "list find look check see view read write edit renam move copi replac revert undo redo merg "
        "rebas commit push pull request branch bump releas version tag diff log file folder "
        "directori line code function method class variabl name type test bug issu error problem "
        "thing stuff way part step task todo typo readm comment document doc format refactor clean "
        "improv implement use need want help explain review summari summar translat print output "
        "input valu data text string number item new old current first last next previous differ "
        "time day date today now project repositori repo work good bad better best small big littl "
        "quick simpl easi short long temporari temp thank sorri hello continu again mayb realli "
        "actual question answer idea exampl word sentenc paragraph page script command option set "
        "config configur default result messag inform call get put tri go take give know think tell "
        "ask keep done finish instal foo bar baz "
        # russian
        "добав обнов измен исправ почин уда удал созда сдела собер запуст останов откр покаж показа "
        "найд найт посмотр провер прочита напиш написа переимен перенес скопир замен отмен откат "
        "объясн перевед помог файл папк строк код функц метод класс перемен тип тест баг ошибк "
        "проблем задач шаг част проект ветк верс комм пуш запрос текст числ нов стар след врем ден "
        "дат сегодн хорош плох быстр прост пожалуйст спасиб опя вопрос ответ пример слов страниц "
        "команд "
        # german
        "hinzufugen andern ander reparieren beheben beheb loschen losch erstellen erstell bauen "
        "starten offnen offn zeigen zeig finden suchen prufen prufe lesen schreiben schreib "
        "umbenennen ersetzen erklar ubersetz hilf datei ordner zeil funktion klass typ fehler "
        "aufgab schritt teil projekt neu alt zeit datum heut jetzt gut bitt dank frage antwort "
        "beispiel wort seit befehl "
        # french spanish portuguese
        "ajout modifi corrig supprim creer cree ouvrir ouvr montrer montr trouver trouv chercher "
        "verifi lire ecrir ecri renomm remplac expliqu traduir tradui aid fichier dossier lign "
        "fonction nom erreur tach etap projet nouveau jour merci anadir anad cambiar cambia "
        "corregir borrar borra crear crea abrir abr mostrar muestra buscar busca revisar leer "
        "escribir escrib explica traduc ayuda archivo carpeta linea funcion nombr tarea paso "
        "proyecto nuevo tiempo dia gracia pregunta ejemplo arquivo pasta linha funcao nome erro "
        "tarefa projeto novo "
        # chinese japanese korean
        "修改 修复 删除 添加 创建 打开 关闭 显示 查看 检查 运行 测试 提交 推送 文件 代码 函数 变量 错误 问题 项目 版本 谢谢 继续 解释 翻译 帮我 写一 一个 一下 "
        "怎么 什么 这个 现在 今天 时间 名字 修正 追加 削除 作成 変更 確認 表示 実行 開く 説明 翻訳 教え えて して くだ ださ さい 続け けて ファ イル コー ード "
        "テス スト エラ 問題 バグ 추가 수정 삭제 확인 파일 코드 오류 문제 "
    ).split()
)
