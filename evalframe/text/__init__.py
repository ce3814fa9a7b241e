"""From texts to numbers: words, sentences and the metrics of style. No pandas.

The way through: `clean` (what is parsed), `characters` (what each byte is), `words` and
`sentences` (where they are), `lexicon` (what each distinct word is), `occurrences` (where each
comes again), all of it in `tokens.Tokens`; then one file a group of metrics, listed in `catalogue`
and run by `extraction`.
"""
