"""A progress bar for work of more than a second, where the extra `progress` is installed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

_DELAY_S = 1.0


@contextmanager
def progress_bar(total: int, unit: str) -> Iterator[Callable[[int], object] | None]:
    """Show a bar while the block runs, once it has run for a second.

    Parameters
    ----------
    total : int
        How much there is to do.
    unit : str
        What is counted, as the bar says it.

    Yields
    ------
    callable or None
        To be called with how much was done since the last call; None where there is no bar.
    """
    if find_spec("tqdm") is None:
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=unit, delay=_DELAY_S, leave=False) as bar:
        yield bar.update
