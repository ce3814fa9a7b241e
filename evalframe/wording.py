"""What an error says to type in Python, said as options of the command line."""

import re

# A role's argument of tidy is an option of the same name.
TIDY = re.compile(r'(?:for example: )?df\.evals\.tidy\(((?:\w+="[^"]*"(?:, )?)+)\)')
ROLE = re.compile(r'(\w+)="([^"]*)"')
GRADES = re.compile(r"df\.evals\.tidy\(value_map=\{(.*?)\}\)")
GRADE = re.compile(r"'([^']*)': ([\d.]+)")
OPTION = re.compile(
    r"\b(missing|by|metric|filter|scorer|interval|cluster|arm|baseline|level|size|margin)="
    r"(?:'([^']*)'|\"([^\"]*)\"|(0\.\d+|\d+)(?![\w.]))"
)
# Rows of one metric or filter, and what Python alone can do to a frame.
CHOICE = re.compile(r"df\[df\['(metric|filter)'\] == '([^']*)'\]")
LEFT_OUT = re.compile(r"leave value_map out")
PYTHON = re.compile(r"[:,]? (?=df[.\[])")

# What a line ends in that others are put behind.
STOPS = (":", ".", ";", ",")
# A line that is all remedy.
REMEDIES = ("Name them once", "Give ")


def as_options(message: str) -> str:
    """Return an error's message with what to type as it is typed on the command line.

    Only the remedies are changed, which stand last in a line: what was found may look alike.

    Parameters
    ----------
    message : str
        Lines of: wanted, found; what to type.

    Returns
    -------
    str
        In one line.
    """
    lines = []
    for line in message.splitlines():
        found, mark, remedy = line.rpartition("; ")
        is_remedy = mark or line.startswith(REMEDIES)
        lines.append(f"{found}{mark}{remedy_as_options(remedy)}" if is_remedy else line)
    whole = [" ".join(line.split()) for line in lines]
    first = [line if line.endswith(STOPS) else f"{line};" for line in whole[:-1]]
    return " ".join([*first, *whole[-1:]])


def remedy_as_options(remedy: str) -> str:
    """Return what to type as options of the command line, or say that it is typed in Python."""
    remedy = TIDY.sub(lambda m: _options(ROLE.findall(m[1])), remedy)
    remedy = GRADES.sub(lambda m: _grades(m[1]), remedy)
    remedy = LEFT_OUT.sub("leave --grade out", remedy)
    remedy = CHOICE.sub(lambda m: _options([(m[1], m[2])]), remedy)
    remedy = OPTION.sub(lambda m: _options([(m[1], m[2] or m[3] or m[4] or "")]), remedy)
    return PYTHON.sub(", in Python: ", remedy, count=1)


def _options(pairs: list[tuple[str, str]]) -> str:
    return " ".join(f"--{name} {_word(value)}" for name, value in pairs)


def _grades(pairs: str) -> str:
    known = [f"{label}={worth}" for label, worth in GRADE.findall(pairs)]
    return " ".join(f"--grade {_word(one)}" for one in known or ["LABEL=NUMBER"])


def _word(value: str) -> str:
    """Return a value as a shell takes it for one word."""
    return value if re.fullmatch(r"[\w.,:/=@%+-]+", value) else repr(value)
