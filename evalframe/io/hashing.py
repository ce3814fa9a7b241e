"""The fingerprint of a prompt, to prove that two arms saw the same one."""

import hashlib


def prompt_hash(text: str) -> str:
    """SHA-256 hex digest of the UTF-8 prompt.

    Nothing is stripped or normalised first: one space more gives another digest.

    Parameters
    ----------
    text : str
        The prompt as the arm saw it.

    Returns
    -------
    str
        64 lower-case hex digits.

    Raises
    ------
    TypeError
        If `text` is not a string.
    ValueError
        If `text` holds a lone surrogate, which has no UTF-8 form.

    Examples
    --------
    >>> prompt_hash("2 + 2 = ?")[:16]
    'd326b9edba394980'
    """
    if not isinstance(text, str):
        raise TypeError(
            f"prompt_hash takes the prompt as one str, not {type(text).__name__}; "
            'for a whole column: frame["prompt"].map(ef.prompt_hash)'
        )
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the prompt has no UTF-8 form: character {error.start} is the lone surrogate "
            f'{text[error.start]!r}; text.encode("utf-8", "replace").decode() puts ? in its place'
        ) from error
    return hashlib.sha256(encoded).hexdigest()
