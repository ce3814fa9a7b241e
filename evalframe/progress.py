"""A progress bar for work of more than a second, where the extra `progress` is installed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

_DELAY_S = 1.0


@contextmanager
def progress_bar(
    total: int, unit: str, *, name: str | None = None
) -> Iterator[Callable[[int], object] | None]:
    """Show a bar while the block runs, once it has run for a second.

    Parameters
    ----------
    total : int
        How much there is to do.
    unit : str
        What is counted, as the bar says it; "B" counts bytes in thousands and millions.
    name : str, optional
        What stands before the bar.

    Yields
    ------
    callable or None
        To be called with how much was done since the last call; None where there is no bar.
    """
    if find_spec("tqdm") is None:
        yield None
        return
    from tqdm import tqdm

    scaled = unit == "B"
    with tqdm(
        total=total, unit=unit, unit_scale=scaled, desc=name, delay=_DELAY_S, leave=False
    ) as bar:
        yield bar.update
