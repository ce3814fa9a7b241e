"""Where sentences end."""

import pytest

ONE, TWO, THREE, FOUR = 1, 2, 3, 4


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One here. Two here.", TWO),
        ("Really?! Yes... No… Well", FOUR),
        ('He said "Stop." Then he left.', TWO),
        ("(It was late.) (Too late.)", TWO),
        ('"Is it possible?" cried she.', ONE),
        ("Wait... what is it?", ONE),
        ("It costs 3.14 or 2.5.", ONE),
        ("Visit example.com or end.Start here.", ONE),
        # Titles never end a sentence, other abbreviations before few words alone.
        ("Dr. He came. Mr. The.", TWO),
        ("He met Dr. Smith and Mrs. Jones.", ONE),
        ("We left at 5 p.m. The train was late.", TWO),
        ("We left at 5 p.m. Monday.", ONE),
        ("In the U.S. Congress it passed.", ONE),
        ("He moved to the U.S. She stayed.", TWO),
        ("Bring paper, pens, etc. We start soon.", TWO),
        ("Bring paper, pens, etc. Paul starts.", ONE),
        ("She has a Ph.D. From Yale.", ONE),
        ("She has a Ph.D. It is new.", TWO),
        ("J. K. Rowling wrote it.", ONE),
        ("J.R.R. Tolkien wrote it.", ONE),
        ("Choose plan B. It is good.", TWO),
        ("So did I. Nobody else came.", TWO),
        # But an abbreviation's period in a run of marks is the sentence's.
        ("And so on, etc.! Paul starts.", TWO),
        ("The end etc.", ONE),
        # Full-width marks always end.
        ("我喜欢。他不喜欢！你呢？好", FOUR),
        ("He said。no space", TWO),
        # Blocks.
        ("no mark here\n\nbut a blank line", TWO),
        ("no mark here\n \t\nbut a blank line", TWO),
        ("a line\nthat is wrapped", ONE),
        ("Things:\n- one\n* two\n+ three", FOUR),
        ("Steps:\n1. one\n2) two", THREE),
        ("# Title\n\nText", TWO),
        ("text\n## Title", TWO),
        ("text\n####### no title", ONE),
        ("text\n> quoted", TWO),
        ("text\n| a | b |\n| c | d |", THREE),
        # What holds no word is no sentence.
        ("1. 2. 3.", 0),
        ("... !!! ???", 0),
        ("Hello. 5. World.", TWO),
        ("", 0),
    ],
)
def test_sentences(text, count, read):
    assert len(read(text).sentences) == count


def test_up_to_three_closing_marks_may_follow(read):
    assert len(read('(He said "(stop.)") Then he left.').sentences) == 2
    assert len(read("He said ((((stop.)))) Then he left.").sentences) == 1


def test_sentences_keep_all_words_in_order(read):
    found = read("Mr. Bennet was here. He left!\n\n- so did I\n- me too")
    assert [word for one in found.sentences for word in one] == found.words
    assert [len(one) for one in found.sentences] == [4, 2, 3, 2]
